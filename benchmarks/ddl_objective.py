"""Does `ddl` stop short of the objective that the true latents have? `python benchmarks/ddl_objective.py`.

Takes the finished fits of the experiments `elements` and `families` of `config/ddl.yaml`. Computes the objective at
the true latents, on the held-out rows that decided between a fit's networks, and prints it beside that of the fit, as
Markdown. Where it is smaller at the truth, the fit has not found the smallest one.
"""

from collections import Counter
from itertools import chain
from pathlib import Path

import numpy as np
import torch

from pdgmm.data import generator_class
from pdgmm.fitting.whitening import principal_whitening
from pdgmm.methods.ddl.ddl_fitting import MOST_HELD_OUT, minus_log_likelihood, scaled_jacobian, sparsity
from pdgmm.models.model_files import read_notes
from pdgmm.seeds import child_generator, child_seed
from pdgmm.store.hdf5 import about, opened
from pdgmm.store.splits import array_with_role
from pdgmm.study.config import read_config
from pdgmm.study.planning import plan_study

CONFIG, EXPERIMENTS = Path("config/ddl.yaml"), ("elements", "families")


def at_the_truth(dataset: Path, seed: int, weight: float) -> float:
    """The objective of the true latents on the rows that a fit holds out."""
    with opened(dataset, "dataset") as file:
        settings = about(file, "settings")
        x, z = (array_with_role(file, "train", *one) for one in (("x", "observed"), ("z", "truth")))
        world = generator_class(about(file, "generator"))(**settings).build(seed)
    order = child_generator(child_seed(seed, "fit", "ddl"), "held out").permutation(len(x))
    held_out, training = np.split(order, [min(MOST_HELD_OUT, len(x) // 5)])
    whitening = principal_whitening(x[training], z.shape[1])
    # y is a linear map of x, and so dz/dy = (dx/dz)^-1 dx/dy.
    codes = z[held_out].astype(np.float64)
    derivatives = np.linalg.inv(world.outputs.jacobian(codes)) @ whitening.inverse
    back = whitening.inverse / x[training].std(axis=0, dtype=np.float64)[:, None]
    found = torch.from_numpy(codes)[None], torch.from_numpy(derivatives)[None]
    penalty = sparsity(scaled_jacobian(*found, torch.from_numpy(back)))
    return float(minus_log_likelihood(*found) + weight * penalty)


def main() -> None:
    """Print a row for every fit, and the counts."""
    study = plan_study(read_config([CONFIG]))
    weight = study.methods["ddl"].settings.weight
    print("| support | latents | seed | at the true latents | at the fit |\n|---|---:|---:|---:|---:|")
    smaller: Counter[str] = Counter()
    fits: Counter[str] = Counter()
    for dataset, seed, method in chain(*(study.experiments[name].runs() for name in EXPERIMENTS)):
        if method != "ddl":
            continue
        fit = Path("results") / dataset / f"seed-{seed}" / method
        objective = min(value for value in read_notes(fit)["objectives"] if value is not None)
        settings = study.datasets[dataset].settings
        truth = at_the_truth(Path("datasets") / dataset / f"seed-{seed}.h5", seed, weight)
        print(f"| `{settings.family}` | {settings.n} | {seed} | {truth:.3f} | {objective:.3f} |")
        smaller[settings.family] += truth < objective
        fits[settings.family] += 1
    print("\nSmaller at the true latents:")
    print("".join(f"- `{family}`: {smaller[family]} of {fits[family]}\n" for family in fits))


if __name__ == "__main__":
    main()
