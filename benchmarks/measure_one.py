"""Fit one chain to one dataset in this process; print what it cost as JSON.

Called by ``run.py`` with a JSON request, one process per measurement, so that the peak memory is that of the fit.
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.r2 import r2
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods import method_class
from pdgmm.store import hdf5
from pdgmm.workflow_support.environment import reuse_freed_memory


def warm_up() -> None:
    """Import and start everything that would otherwise be counted as part of the fit."""
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
        z, learned = file["test/z"][()], file["test/x"][()]
    warm_up()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    data, seconds = Samples.from_file(dataset), 0.0
    *first, last = request["method"].split("+")
    for name, settings in [*((name, {}) for name in first), (last, request["settings"])]:
        method = method_class(name)(**settings)
        started = time.perf_counter()
        model = method.fit(data, Run(seed=0)).model
        seconds += time.perf_counter() - started
        data, learned = Samples(model.encode(data.array()), data.n_latents), model.encode(learned)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    costs = {"seconds": seconds, "memory_mb": (peak - before) / 1024, "peak_memory_mb": peak / 1024}
    print(json.dumps(costs | {"mcc": mcc(z, learned).mcc, "r2": r2(z, learned)}))


main()
