"""pdgmm: recover hidden variables from observations alone.

Potentially degenerate Gaussian mixtures (pdGMMs) seen through a piecewise affine mixing are identifiable
up to permutation and scale; this package generates such data, learns the hidden variables, and scores them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # For editors and type checkers; at run time `__getattr__` imports them when they are used.
    from pdgmm.estimator import PDGMM as PDGMM
    from pdgmm.workflow_support.project_files import snakefile as snakefile

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    # Importing the estimator takes seconds (scikit-learn), and planning the workflow does not need it.
    if name == "PDGMM":
        from pdgmm.estimator import PDGMM

        return PDGMM
    if name == "snakefile":
        from pdgmm.workflow_support.project_files import snakefile

        return snakefile
    raise AttributeError(f"module 'pdgmm' has no attribute {name!r}")
