"""How far `pdgmm fit` can be trusted when it says "trusted": `python benchmarks/trust/run.py [--quick] [--out FILE]`.

Fits every case as a user would, without the truth, and then compares with it. A finished case is kept under
``results/trust`` and not fitted again. There is one process per core, so give each one thread (OMP_NUM_THREADS=1), as
`make trust` does.
"""

import argparse
import json
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from cases import CASES, NOISE, OBEY, VIOLATE, Case
from joblib import cpu_count
from tqdm import tqdm

from pdgmm.analysis.fitting.run_analysis import run_analysis
from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.data import generator_class
from pdgmm.errors import UserError
from pdgmm.evaluation.correlation import correlation
from pdgmm.store.atomic import write_json, write_text
from pdgmm.workflow_support.environment import reuse_freed_memory

ROWS = 4_000
"""Rows per dataset: as many as an ordinary table of measurements has."""
RIGHT = 0.95
"""A latent is right if its correlation with a true one exceeds this."""


def draw(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Observations (rows, columns) and true latents (rows, n) of a case."""
    rng = np.random.default_rng(case.seed)
    if case.generator is None:
        noise = rng.normal(size=(ROWS, case.n))
        return (noise @ rng.normal(size=(case.n, case.n))).astype(np.float32), noise
    sampled = generator_class(case.generator)(**case.settings).build(case.seed).sample("train", ROWS, rng)
    return sampled["x"], sampled["z"]


def outcome(case: Case, folder: Path, quick: bool) -> dict[str, Any]:
    """What the study said about every latent of a case, and how close each latent is to a true one.

    If the program refuses a case, the result has ``failed`` with the reason instead, and the next run tries it again.
    """
    kept = folder / f"{case.name}.json"
    about = {"group": case.group, "name": case.name}
    if not kept.exists():
        x, z = draw(case)
        data = folder / f"{case.name}.npy"
        data.parent.mkdir(parents=True, exist_ok=True)
        np.save(data, x)
        reuse_freed_memory()  # As the command does.
        try:
            answers = run_analysis(data, folder / case.name, ReadOptions(), AnalysisOptions(quick=quick))
        except UserError as error:
            return about | {"failed": str(error)}
        latents = np.loadtxt(folder / case.name / "latents.csv", delimiter=",", skiprows=1)[:, 1:]
        write_json(
            kept,
            {
                "trusted": [one.trusted for one in answers.identified.latents],
                "closest": np.abs(correlation(z, latents)).max(axis=0).round(4).tolist(),
                "true_latents": z.shape[1],
            },
        )
    return about | json.loads(kept.read_text(encoding="utf-8"))


def page(found: Iterable[dict[str, Any]], quick: bool) -> str:
    """The counts as Markdown; failed cases are listed, but not included in the other counts."""
    everything = list(found)
    failed = [f"- `{one['name']}` ({one['group']}): {one['failed']}" for one in everything if "failed" in one]
    found = [one for one in everything if "failed" not in one]
    rows = []
    for group in (OBEY, VIOLATE, NOISE):
        ours = [one for one in found if one["group"] == group]
        trusted = [c for one in ours for c, t in zip(one["closest"], one["trusted"], strict=True) if t]
        right = [c > RIGHT for c in trusted] if group != NOISE else [False] * len(trusted)
        latents = sum(one["true_latents"] for one in ours)
        share = f"{np.mean(right):.1%}" if trusted else "–"
        rows.append(f"| {group} | {len(ours)} | {latents} | {len(trusted)} | {sum(right)} | {share} |")
    checked = [one for one in found if one["group"] != NOISE]
    trusted = [c for one in checked for c, t in zip(one["closest"], one["trusted"], strict=True) if t]
    share = float(np.mean(np.array(trusted) > RIGHT)) if trusted else float("nan")
    noise = sum(sum(one["trusted"]) for one in found if one["group"] == NOISE)
    wrong = [f"- `{one['name']}`: {misses}" for one in checked if (misses := _misses(one))]
    return "\n".join(
        [
            '# How far "trusted" can be trusted',
            "",
            f"Written by `make trust`. Each dataset has {ROWS:,} rows and was fitted by `pdgmm fit"
            f"{' --quick' if quick else ''}`, which does not see its truth. A trusted latent is right if its "
            f"correlation with a true one exceeds {RIGHT}; on noise no latent is right.",
            "",
            "| datasets in which | datasets | true latents | called trusted | of these right | share |",
            "|---|---:|---:|---:|---:|---:|",
            *rows,
            "",
            f"Over the {len(checked)} datasets other than noise, {share:.1%} of the trusted latents are right; "
            f"on noise {noise} are trusted.",
            "",
            *(["Trusted and not right, with the correlation:", "", *wrong, ""] if wrong else []),
            *([f"{len(failed)} of {len(everything)} datasets failed:", "", *failed, ""] if failed else []),
        ]
    )


def _misses(one: dict[str, Any]) -> str:
    pairs = zip(one["closest"], one["trusted"], strict=True)
    return ", ".join(f"{closest:.2f}" for closest, trusted in pairs if trusted and closest <= RIGHT)


def main() -> None:
    """Fit all cases and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="affine fits, and a few cases of each group")
    parser.add_argument("--out", type=Path, default=Path("docs/trust.md"), help="page to write")
    options = parser.parse_args()
    cases = CASES[::4] if options.quick else CASES
    folder = Path("results") / ("trust-quick" if options.quick else "trust")
    fit = partial(outcome, folder=folder, quick=options.quick)
    with ProcessPoolExecutor(cpu_count(), get_context("spawn")) as pool:
        found = list(tqdm(pool.map(fit, cases), total=len(cases), unit="dataset"))
    write_text(options.out, page(found, options.quick))
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
