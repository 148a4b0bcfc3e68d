"""What an experiment must vary so that its scores can be drawn as curves."""

from collections.abc import Iterator

from pdgmm.study.config import Experiment


def curve_problems(experiment: Experiment) -> Iterator[str]:
    """Why the ``curves`` of an experiment cannot be drawn, in words that follow the key; nothing if they can."""
    if not experiment.curves:
        return
    if len(set(experiment.curves)) < len(experiment.curves):
        yield f"{experiment.curves} names a score twice"
    varied = {**experiment.vary, **experiment.grid}
    if experiment.vary_methods or len(varied) != 1:
        keys = ", ".join([*varied, *experiment.vary_methods]) or "nothing"
        yield (
            f"curves are drawn against exactly one setting of the dataset, but this experiment varies {keys}; "
            "vary one setting under `vary` or `grid` and none under `vary_methods`, or take `curves` out"
        )
        return
    ((key, values),) = varied.items()
    texts = [value for value in values if isinstance(value, bool) or not isinstance(value, int | float)]
    if texts:
        yield (
            f"curves are drawn against numbers, but {key} takes the value {texts[0]!r}; give {key} numbers only, "
            "or take `curves` out"
        )
    # That a list is empty is an error of its own.
    elif len(set(values)) == 1:
        yield (
            f"curves need at least two values, but {key} only takes the value {values[0]}; give {key} another one, "
            "or take `curves` out"
        )
