"""Samples that a trained generator draws: what a fit hands over so that they can be scored."""

from collections.abc import Callable

import numpy as np
import torch

from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.seeds import child_generator

GENERATED = 1000
"""How many samples are drawn."""


@torch.no_grad()
def generated_claim(
    generate: Callable[[torch.Tensor], torch.Tensor], data: Samples, run: Run
) -> dict[str, np.ndarray]:
    """The claim ``generated`` (count, x_dim): samples that ``generate`` draws, one for every domain it is given.

    The domains are drawn from those of the training samples. ``generate`` computes on the CPU. Samples that are not
    finite are no claim.
    """
    rows = child_generator(run.seed, "generated domains").integers(data.n_samples, size=GENERATED)
    u = torch.from_numpy(np.asarray(data.side["u"])[rows].astype(np.int64))
    with torch_stream(run.seed, "generated", device=torch.device("cpu")):
        x = generate(u).numpy()
    return {"generated": x} if np.isfinite(x).all() else {}
