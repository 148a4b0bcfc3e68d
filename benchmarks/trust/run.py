"""How far `pdgmm fit` can be trusted when it says "trusted": `python benchmarks/trust/run.py [--few] [--finished]`.

Fits every case as a user would, with flows and with affine maps only (``--quick``), without the truth, and then
compares with it. A finished case is kept under ``results/trust`` and not fitted again; ``--finished`` writes the page
from these alone. There is one process per core, so give each one thread (OMP_NUM_THREADS=1), as `make trust` does.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from cases import CASES, GROUPS, NOISE, Case, fitted_with_flows
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
FLOW, QUICK = "pdgmm fit", "pdgmm fit --quick"
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


def page(found: dict[str, list[dict[str, Any]]]) -> str:
    """The counts as Markdown, ``found`` by command; failed cases are listed, but not included in the other counts."""
    everything = [one for outcomes in found.values() for one in outcomes]
    sizes = {one["true_latents"] for one in everything if "failed" not in one and one["group"] != NOISE}
    latents = f" and {min(sizes)} to {max(sizes)} latents" if sizes else ""
    return "\n".join(
        [
            '# How far "trusted" can be trusted',
            "",
            f"Written by `make trust`. Each dataset has {ROWS:,} rows{latents}. It was fitted by `pdgmm fit`, which "
            "does not see its truth, and by `pdgmm fit --quick`, which fits affine maps only. A trusted latent is "
            f"right if its correlation with a true one exceeds {RIGHT}; on noise no latent is right. Assumptions are "
            "violated by latents that are exponential or Gumbel while they are active, by pairs that always rest "
            "together, by mixtures of Gaussians without rest, and by sigmoids in the mixing.",
            "",
            *(line for command, outcomes in found.items() for line in _section(command, outcomes)),
        ]
    )


def _section(command: str, everything: list[dict[str, Any]]) -> list[str]:
    """The part of the page about one command."""
    about = {
        FLOW: f"A flow takes minutes a dataset, so it was fitted to {len(everything)} of the datasets only.",
        QUICK: "All datasets. A bent mixing breaks what `--quick` assumes: every latent stays a little bent, and "
        "some that are trusted follow a true one less closely than the bound asks for.",
    }
    failed = [f"- `{one['name']}` ({one['group']}): {one['failed']}" for one in everything if "failed" in one]
    found = [one for one in everything if "failed" not in one]
    wrong = [
        f"- `{one['name']}`: {misses}" for one in found if one["group"] != NOISE and (misses := _misses(one))
    ]
    return [
        f"## `{command}`",
        "",
        about[command],
        "",
        "| datasets in which | datasets | true latents | trusted | of all | right | of the trusted |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *(
            _row(group, of_group)
            for group in GROUPS
            if (of_group := [one for one in found if one["group"] == group])
        ),
        "",
        *(["Trusted and not right, with the correlation:", "", *wrong, ""] if wrong else []),
        *([f"{len(failed)} of {len(everything)} datasets failed:", "", *failed, ""] if failed else []),
    ]


def _row(group: str, found: list[dict[str, Any]]) -> str:
    closest = [
        c for one in found for c, trusted in zip(one["closest"], one["trusted"], strict=True) if trusted
    ]
    latents, trusted = sum(one["true_latents"] for one in found), len(closest)
    right = sum(c > RIGHT for c in closest) if group != NOISE else 0
    shares = [
        f"{part / whole:.1%}" if whole else "–" for part, whole in ((trusted, latents), (right, trusted))
    ]
    return f"| {group} | {len(found)} | {latents} | {trusted} | {shares[0]} | {right} | {shares[1]} |"


def _misses(one: dict[str, Any]) -> str:
    pairs = zip(one["closest"], one["trusted"], strict=True)
    return ", ".join(f"{closest:.2f}" for closest, trusted in pairs if trusted and closest <= RIGHT)


def main() -> None:
    """Fit all cases and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--few", action="store_true", help="every fourth case, affine maps only")
    parser.add_argument("--finished", action="store_true", help="fit nothing, only count what is finished")
    parser.add_argument("--out", type=Path, default=Path("docs/trust.md"), help="page to write")
    options = parser.parse_args()
    found = {}
    with ProcessPoolExecutor(cpu_count(), get_context("spawn")) as pool:
        few = CASES[::4]
        plans = [] if options.few else [(FLOW, "flow", fitted_with_flows())]
        for command, name, cases in [(QUICK, "affine", few if options.few else CASES), *plans]:
            folder = Path("results/trust") / name
            if options.finished:
                cases = [case for case in cases if (folder / f"{case.name}.json").exists()]
            fit = partial(outcome, folder=folder, quick=command == QUICK)
            found[command] = list(tqdm(pool.map(fit, cases), total=len(cases), unit="dataset", desc=command))
    write_text(options.out, page(dict(reversed(found.items()))))
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
