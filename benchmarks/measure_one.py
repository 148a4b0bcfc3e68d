"""Fit one method to one dataset in this process; print what it cost as JSON.

Called by ``run.py`` with a JSON request, one process a measurement, so that the peak of the memory is the fit's own.
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.r2 import r2
from pdgmm.fitting.samples import Observations
from pdgmm.methods import STAGE1, STAGE2, stage_class
from pdgmm.methods.base import Run
from pdgmm.models.base import Encoder
from pdgmm.store import hdf5
from pdgmm.workflow_support.freed_memory import reuse_freed_memory


def fit(catalogue: dict[str, str], name: str, settings: dict, data: Observations) -> tuple[Encoder, float]:
    """The fitted encoder and its seconds; a small fit before it pays for imports and caches."""
    stage = stage_class(catalogue, name)(**settings)
    started = time.perf_counter()
    encoder = stage.fit(data, Run(seed=0))
    return encoder, time.perf_counter() - started


def warm_up() -> None:
    """Import and start what every fit would otherwise pay for."""
    import sklearn.decomposition
    import torch

    reuse_freed_memory()
    torch.set_num_threads(1)
    torch.linalg.slogdet(torch.eye(3) @ torch.eye(3))
    sklearn.decomposition.FastICA(2, whiten="unit-variance", random_state=0).fit(
        np.random.default_rng(0).laplace(size=(500, 2))
    )


def main() -> None:
    """Read the request from the command line, answer on stdout."""
    request = json.loads(sys.argv[1])
    dataset = Path(request["dataset"])
    with hdf5.opened(dataset, "dataset") as file:
        n = int(hdf5.about(file, "n_latents"))
        z, x = file["test/z"][()], file["test/x"][()]
    warm_up()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    train = Observations(Observations.from_file(dataset, n).array(request.get("samples")), n)
    stage1, seconds1 = fit(STAGE1, request["stage1"], request.get("settings1", {}), train)
    codes = Observations(stage1.encode(train.array()), n)
    stage2, seconds2 = fit(STAGE2, request["stage2"], request.get("settings2", {}), codes)
    learned = stage2.encode(stage1.encode(x))
    answer = {
        "seconds_stage1": seconds1,
        "seconds_stage2": seconds2,
        "mcc": mcc(z, learned).mcc,
        "r2": r2(z, learned),
        "memory_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(answer))


main()
