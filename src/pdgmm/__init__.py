"""pdgmm: recover hidden variables from observations alone.

Potentially degenerate Gaussian mixtures (pdGMMs) seen through a piecewise affine mixing are identifiable
up to permutation and scale; this package generates such data, learns the hidden variables, and scores them.
"""

from importlib.metadata import version

__version__ = version("pdgmm")
