"""What can be said about a fit without the truth: pure functions of arrays and fitted models, one module a question.

Each gives a frozen result whose ``as_json`` is its part of ``diagnostics.json``. In Python latents are counted from
0, as arrays are; in JSON and in sentences from 1, as readers do.
"""
