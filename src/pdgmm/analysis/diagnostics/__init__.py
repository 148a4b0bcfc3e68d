"""What can be said about a fit without the truth; each module fills a part of :mod:`pdgmm.analysis.answers`.

Arrays count latents from 0; the answers and their sentences count them from 1, as readers do.
"""
