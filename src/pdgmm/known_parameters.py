"""Have Snakemake look at the parameters of a rule's functions once, not again for every job.

Snakemake asks of every function of every job (inputs, params, resources) which parameters it has, and Python works
that out anew each time, which takes long in a study of thousands of jobs. Rules have few functions.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter
from types import ModuleType

LOOK_UP = "get_function_params"
"""Snakemake's function that names the parameters of another one."""


def remember_parameters(*modules: ModuleType) -> bool:
    """Replace the look-up in these ``modules`` of Snakemake; False where one of them has none."""
    if not all(hasattr(module, LOOK_UP) for module in modules):
        return False
    for module in modules:
        setattr(module, LOOK_UP, remembered(getattr(module, LOOK_UP)))
    return True


def remembered(
    look_up: Callable[[Callable], Mapping[str, Parameter]],
) -> Callable[[Callable], Mapping[str, Parameter]]:
    """``look_up``, called once for every function, and for a method once whatever object it is of."""
    known: dict[tuple[Callable, bool], Mapping[str, Parameter]] = {}

    @wraps(look_up)
    def parameters_of(function: Callable) -> Mapping[str, Parameter]:
        method = hasattr(function, "__func__")
        key = (function.__func__ if method else function, method)
        if key not in known:
            known[key] = look_up(function)
        return known[key]

    return parameters_of
