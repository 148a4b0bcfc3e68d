"""Step 6 for images: what networks and methods made of them, for one seed of a dataset."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import lstsq

from pdgmm.models.base import Model
from pdgmm.models.model_files import load_model
from pdgmm.report.ball_figures import LearnedPairs, draw_images, draw_pairs
from pdgmm.report.figure_files import save_figures
from pdgmm.report.image_strips import draw_traversals, traversal
from pdgmm.store import hdf5
from pdgmm.store.checked_json import read_scores
from pdgmm.study.chains import prefixes

EXAMPLES = 8


@dataclass(frozen=True)
class Method:
    """A chain's results on one dataset and seed, in the folder that has its name."""

    folder: Path
    run: dict[str, Any]
    latents: np.ndarray

    @property
    def name(self) -> str:
        """Its name in the tables."""
        return self.run["method"]

    def pairs(self) -> list[list[int]]:
        """The learned latents of every ball."""
        test = self.run["scores"]["test"]
        assignment = test.get("block_assignment") or test["assignment"]
        return np.array(assignment).reshape(-1, 2).tolist()

    def scores(self) -> list[float]:
        """The score of every ball; where coordinates rest each for itself, the mean of their correlations."""
        test = self.run["scores"]["test"]
        return test.get("block_means") or np.array(test["mcc_per_latent"]).reshape(-1, 2).mean(1).tolist()


def draw_balls(images: Path, scores: Sequence[Path], stem: Path) -> None:
    """Write ``<stem>-images``, ``-positions`` and ``-traversals``, SVG and PNG each.

    ``images`` is the dataset of images and ``scores`` the files of the chains, which all begin with the same network.
    Pictures that show one chain show the last one whose fit did not fail.
    """
    methods = [method for path in scores if (method := _method(path)) is not None]
    with hdf5.opened(images, "dataset") as file:
        shape = hdf5.about(file, "facts")["image_shape"]
        seed = hdf5.about(file, "seed")
        rows = file["test/x"][:EXAMPLES]
        true = file["test/z"][()].reshape(len(file["test/z"]), -1, 2)
    reader = scores[0].parent.with_name(prefixes(scores[0].parent.name)[0])
    model = load_model(reader)
    network = model.usable()
    errors = model.notes["held_out_error"], model.notes["mean_image_error"]
    about = f"{images.parent.name}, seed {seed}, features {reader.name}"
    drawn = network.decode(network.encode(rows)).reshape(-1, *shape)
    shown = methods[-1] if methods else None
    recovered = np.full_like(true, np.nan) if shown is None else _recovered(shown, true)
    figures = {
        "images": draw_images(
            f"{about}{', ' + shown.name if shown else ''}\nmean squared error of a held-out pixel "
            f"{errors[0]:.5f}, of one fixed image {errors[1]:.5f}",
            rows.reshape(-1, *shape),
            drawn,
            true[:EXAMPLES],
            recovered[:EXAMPLES],
        ),
        "positions": draw_pairs(about, true, [_learned_pairs(method) for method in methods]),
        "traversals": draw_traversals(
            f"{about}{', ' + shown.name if shown else ', no method succeeded'}",
            *(_strips(shown, shape) if shown else (drawn[None], ["reconstructions"])),
        ),
    }
    for kind, figure in figures.items():
        save_figures(figure, stem.with_name(f"{stem.name}-{kind}"))


def _method(scores: Path) -> Method | None:
    run = read_scores(scores)
    if run["status"] != "ok":
        return None
    with hdf5.opened(scores.parent / "latents.h5", "latents") as file:
        return Method(scores.parent, run, file["test/z_hat"][()])


def _learned_pairs(method: Method) -> LearnedPairs:
    return LearnedPairs(method.name, [method.latents[:, pair] for pair in method.pairs()], method.scores())


def _recovered(method: Method, true: np.ndarray) -> np.ndarray:
    """Where the learned latents of each ball put it: the best affine map of its pair to its true position."""
    found = np.empty_like(true)
    for ball, pair in enumerate(method.pairs()):
        inputs = np.column_stack([method.latents[:, pair], np.ones(len(true))])
        found[:, ball] = inputs @ lstsq(inputs, true[:, ball])[0]
    return found


def _strips(method: Method, shape: list[int]) -> tuple[np.ndarray, list[str]]:
    """A strip a latent, all others at their medians, ball after ball."""
    folders = [method.folder.with_name(part) for part in prefixes(method.folder.name)]
    models: list[Model] = [load_model(folder).usable() for folder in reversed(folders)]
    strips, names = [], []
    for ball, pair in enumerate(method.pairs()):
        for latent in pair:
            codes = traversal(method.latents, latent).astype(np.float32)
            for model in models:
                codes = model.decode(codes)
            strips.append(codes.reshape(-1, *shape))
            names.append(f"latent {latent + 1}\n(ball {ball + 1})")
    return np.stack(strips), names
