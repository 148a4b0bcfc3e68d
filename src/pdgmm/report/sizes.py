"""The caption of an experiment in the document: how many seeds and samples, and how large each method was."""

from collections.abc import Sequence

import pandas as pd


def caption(table: pd.DataFrame, train_samples: Sequence[int]) -> str:
    """Seeds and samples in a sentence, and a line for every size of a method.

    ``table`` is as :func:`pdgmm.report.tables.results_frame` makes it.
    """
    counted = (table["n_ok"] + table["n_failed"]).astype(int)
    parts = [_counted(sorted(set(counted[counted > 0])), "seed")]
    if train_samples:
        parts.append(_counted(sorted(set(train_samples)), "training sample"))
    methods = table[table["role"] != "reference"]
    lines = [f"- {', '.join(f'`{name}`' for name in names)}: {size}." for size, names in _sizes(methods)]
    return f"{', '.join(filter(None, parts))}. Sizes:\n\n" + "\n".join(lines)


def _sizes(rows: pd.DataFrame) -> list[tuple[str, list[str]]]:
    """The methods by their size in words, in the order of the rows."""
    found: dict[str, dict[str, None]] = {}
    for method, size, reduced in zip(rows["method"], rows["size"], rows["reduced"], strict=True):
        found.setdefault(method, {})[_size(size, reduced)] = None
    together: dict[str, list[str]] = {}
    for method, sizes in found.items():
        together.setdefault(" or ".join(sizes), []).append(method)
    return list(together.items())


def _size(size: object, reduced: object) -> str:
    # What is reduced says both sizes, the one that was run and the paper's.
    if isinstance(reduced, str) and reduced:
        return f"less than the paper's, {reduced}"
    return size if isinstance(size, str) and size else "nothing to choose"


def _counted(numbers: Sequence[int], thing: str) -> str:
    if not numbers:
        return ""
    words = f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"
    return f"{words} {thing}{'' if numbers == [1] else 's'}"
