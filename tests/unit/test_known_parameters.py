"""What Snakemake asks of the functions of its rules."""

from functools import partial
from types import SimpleNamespace

import snakemake.common
import snakemake.rules

from pdgmm.known_parameters import LOOK_UP, remember_parameters, remembered


class Resource:
    def evaluate(self, wildcards, attempt):
        """A method as Snakemake has them."""


def of_wildcards(wildcards, input):
    """A function as rules have them."""


def test_snakemake_still_asks_this_way():
    assert hasattr(snakemake.common, LOOK_UP)
    assert hasattr(snakemake.rules, LOOK_UP)


def test_the_answers_are_snakemakes_and_each_is_worked_out_once():
    asked = []

    def look_up(function):
        asked.append(function)
        return snakemake.common.get_function_params(function)

    parameters_of = remembered(look_up)
    functions = [
        of_wildcards,
        partial(of_wildcards, input=1),
        lambda w: w,
        Resource().evaluate,
        Resource.evaluate,
    ]
    for _ in range(2):
        for function in functions:
            assert parameters_of(function) == snakemake.common.get_function_params(function)
    assert len(asked) == len(functions)
    assert list(parameters_of(Resource().evaluate)) == ["wildcards", "attempt"]
    assert len(asked) == len(functions), "another object has the same method"


def test_a_snakemake_without_the_look_up_is_left_alone():
    with_it = SimpleNamespace(get_function_params=len)
    assert not remember_parameters(with_it, SimpleNamespace())
    assert with_it.get_function_params is len
    assert remember_parameters(with_it)
    assert with_it.get_function_params is not len
