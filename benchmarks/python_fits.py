"""The affine fit from Python beside scikit-learn's FastICA: the same observations, each fit in its own process."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import h5py
from measuring import REPEATS, SHORT, dataset
from render import csv_text
from speed_cases import Case

from pdgmm.workflow_support.environment import thread_counts

LATENTS = (10, 40, 200)

FASTICA, OURS = "FastICA", "PDGMM(nonlinear=False)"


def fit_once(path: Path, name: str) -> dict[str, float]:
    """Fit the training samples at ``path`` with one of the two classes: seconds, MCC, memory that it adds."""
    from sklearn.decomposition import FastICA

    from pdgmm import PDGMM
    from pdgmm.evaluation.mcc import mcc

    with h5py.File(path) as file:
        x, test, z = file["train/x"][()].astype(float), file["test/x"][()].astype(float), file["test/z"][()]
    n = z.shape[1]
    if name == FASTICA:
        estimator = FastICA(n, whiten="unit-variance", random_state=0)
    else:
        estimator = PDGMM(n, nonlinear=False, random_state=0)
    # Everything that is imported at the first fit is imported by a small one.
    type(estimator)(**estimator.get_params()).set_params(**{_size(estimator): 2}).fit(x[:1000, :2])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    estimator.fit(x)
    seconds = time.perf_counter() - started
    added = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"seconds": seconds, "mcc": mcc(z, estimator.transform(test)).mcc, "memory_mb": added / 1024}


def _size(estimator: object) -> str:
    return "n_latents" if hasattr(estimator, "n_latents") else "n_components"


def measured(path: Path, name: str) -> dict[str, float]:
    """The fastest of a few fits, each in its own process with one thread; of a long fit, one."""
    costs: list[dict[str, float]] = []
    while len(costs) < (REPEATS if not costs or costs[0]["seconds"] < SHORT else 1):
        done = subprocess.run(
            [sys.executable, __file__, str(path), name],
            env=os.environ | thread_counts(1),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        costs.append(json.loads(done.stdout.splitlines()[-1]))
    return min(costs, key=lambda cost: cost["seconds"])


def measure_python_fits(latents: tuple[int, ...] = LATENTS, samples: int = 100_000) -> tuple[str, str]:
    """A section of the page, and the same as CSV."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for n in latents:
            path = dataset(Case("python", "fastica", n=n, samples=samples), Path(folder))
            theirs, ours = (measured(path, name) for name in (FASTICA, OURS))
            rows.append((n, theirs, ours))
            path.unlink()
    lines = [
        "## From Python",
        "",
        f"`{OURS}.fit` and scikit-learn's `{FASTICA}.fit` on the same {samples:,} samples as 64-bit numbers. Memory "
        "is what the fit adds.",
        "",
        f"| latents | `{FASTICA}` | MCC | memory | `{OURS}` | MCC | memory | times as long |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(
            f"| {n} | {_cells(theirs)} | {_cells(ours)} | {ours['seconds'] / theirs['seconds']:.1f} |"
            for n, theirs, ours in rows
        ),
        "",
    ]
    table = [
        (n, name, round(cost["seconds"], 3), round(cost["mcc"], 4), round(cost["memory_mb"], 1))
        for n, theirs, ours in rows
        for name, cost in ((FASTICA, theirs), (OURS, ours))
    ]
    return "\n".join(lines), csv_text(["n", "estimator", "seconds", "mcc", "memory_mb"], table)


def _cells(cost: dict[str, float]) -> str:
    return f"{cost['seconds']:.3g} s | {cost['mcc']:.3f} | {cost['memory_mb']:,.0f} MB"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(fit_once(Path(sys.argv[1]), sys.argv[2])))
