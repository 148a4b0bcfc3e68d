"""What can be said about a fit without the truth: functions of arrays and fitted models, one module a question.

Each fills its part of :class:`pdgmm.analysis.answers.Answers`. Arrays count latents from 0; the answers and their
sentences count them from 1, as readers do.
"""
