"""Draw results on images of balls, for one seed of a dataset."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import hsv_to_rgb
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from scipy.linalg import lstsq

from pdgmm.catalogue import prefixes
from pdgmm.models.model_files import load_model
from pdgmm.report.figure_files import drawn, new_figure, save_figures
from pdgmm.report.image_strips import IMAGE_INCHES, draw_traversals, show_image, traversal
from pdgmm.store import hdf5
from pdgmm.store.checked_json import read_scores

EXAMPLES = 8
PANEL_INCHES = 2.2
MOST_DOTS = 1_500
"""Dots per panel; more would only hide each other."""

EDGE = "#10161d"


@dataclass(frozen=True)
class Method:
    """A chain's results on one dataset and seed; ``folder`` is named after the chain."""

    folder: Path
    run: dict[str, Any]
    latents: np.ndarray

    @property
    def name(self) -> str:
        """Its name in the tables."""
        return self.run["method"]

    @property
    def pairs(self) -> list[list[int]]:
        """The learned latents of every ball."""
        test = self.run["scores"]["test"]
        return np.array(test.get("block_assignment") or test["assignment"]).reshape(-1, 2).tolist()

    @property
    def scores(self) -> list[float]:
        """The mean R2 of every ball; if each coordinate rests on its own, the mean of their correlations."""
        test = self.run["scores"]["test"]
        return test.get("block_means") or np.array(test["mcc_per_latent"]).reshape(-1, 2).mean(1).tolist()


def draw_balls(images: Path, scores: Sequence[Path], stem: Path) -> None:
    """Write ``<stem>-images``, ``-positions`` and ``-traversals``, each as SVG and PNG.

    ``images`` is the dataset. ``scores`` are the score files of the chains, which all begin with the same network.
    Figures of a single chain show the last one whose fit did not fail.
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
    redrawn = network.decode(network.encode(rows)).reshape(-1, *shape)
    shown = methods[-1] if methods else None
    recovered = np.full_like(true, np.nan) if shown is None else _recovered(shown, true)
    figures = {
        "images": draw_images(
            f"{about}{', ' + shown.name if shown else ''}\nmean squared error of a held-out pixel "
            f"{errors[0]:.5f}, of one fixed image {errors[1]:.5f}",
            rows.reshape(-1, *shape),
            redrawn,
            true[:EXAMPLES],
            recovered[:EXAMPLES],
        ),
        "positions": draw_pairs(about, true, methods),
        "traversals": draw_traversals(
            f"{about}{', ' + shown.name if shown else ', no method succeeded'}",
            *(_strips(shown, shape) if shown else (redrawn[None], ["reconstructions"])),
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


def _recovered(method: Method, true: np.ndarray) -> np.ndarray:
    """The recovered position of each ball: the best affine map from its pair of latents to its true position."""
    found = np.empty_like(true)
    for ball, pair in enumerate(method.pairs):
        inputs = np.column_stack([method.latents[:, pair], np.ones(len(true))])
        found[:, ball] = inputs @ lstsq(inputs, true[:, ball])[0]
    return found


def _strips(method: Method, shape: list[int]) -> tuple[np.ndarray, list[str]]:
    """One strip of images per latent, ball after ball; all other latents stay at their medians."""
    folders = [method.folder.with_name(part) for part in prefixes(method.folder.name)]
    models = [load_model(folder).usable() for folder in reversed(folders)]
    strips, names = [], []
    for ball, pair in enumerate(method.pairs):
        for latent in pair:
            codes = traversal(method.latents, latent).astype(np.float32)
            for model in models:
                codes = model.decode(codes)
            strips.append(codes.reshape(-1, *shape))
            names.append(f"latent {latent + 1}\n(ball {ball + 1})")
    return np.stack(strips), names


@drawn
def draw_images(
    title: str, originals: np.ndarray, reconstructed: np.ndarray, true: np.ndarray, recovered: np.ndarray
) -> Figure:
    """Images (count, height, width, 3), their reconstructions, and true and recovered positions on the images.

    Both kinds of positions are (count, balls, 2) in the unit frame.
    """
    count, size = len(originals), originals.shape[1]
    figure = new_figure(IMAGE_INCHES * count + 0.9, 3 * IMAGE_INCHES + 0.7)
    axes = figure.subplots(3, count, squeeze=False)
    for column in range(count):
        for row, image in enumerate((originals, reconstructed, originals)):
            show_image(axes[row, column], image[column])
        axes[2, column].plot(*(true[column].T * size - 0.5), "o", mfc="none", mec=EDGE, ms=9, mew=1.0, ls="")
        outline = [withStroke(linewidth=3.2, foreground=EDGE)]  # else it is hard to see on the background
        cross = {"color": "white", "ms": 5, "mew": 1.6, "ls": "", "path_effects": outline}
        axes[2, column].plot(*(recovered[column].T * size - 0.5), "x", **cross)
        axes[2, column].set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5))
    for row, label in enumerate(("image", "reconstruction", "○ true\n× recovered")):
        axes[row, 0].set_ylabel(label, fontsize=8)
    figure.suptitle(title, fontsize=10)
    return figure


@drawn
def draw_pairs(title: str, true: np.ndarray, methods: Sequence[Method]) -> Figure:
    """One row per ball: its true positions, ``true`` (samples, balls, 2), then every method's learned pair.

    A sample has the same colour in the whole row, given by the true position: the hue is the direction from the
    middle, the strength is the distance. A pair that found the ball shows the same fan of colours, turned, stretched
    or mirrored.
    """
    balls = true.shape[1]
    figure = new_figure(PANEL_INCHES * (1 + len(methods)) + 0.4, (PANEL_INCHES + 0.15) * balls + 0.7)
    axes = figure.subplots(balls, 1 + len(methods), squeeze=False)
    for ball in range(balls):
        colours = _direction_colours(true[:MOST_DOTS, ball])
        _scatter(axes[ball, 0], true[:MOST_DOTS, ball], colours)
        axes[ball, 0].invert_yaxis()
        axes[ball, 0].set_ylabel(f"ball {ball + 1}")
        for axis, method in zip(axes[ball, 1:], methods, strict=True):
            _scatter(axis, method.latents[:MOST_DOTS, method.pairs[ball]], colours)
            axis.set_title(f"R² {method.scores[ball]:.3f}", fontsize=8)
    axes[0, 0].set_title("true position", fontsize=9)
    for axis, method in zip(axes[0, 1:], methods, strict=True):
        axis.set_title(f"{method.name}\nR² {method.scores[0]:.3f}", fontsize=9)
    figure.suptitle(title, fontsize=11)
    return figure


def _scatter(axis: Axes, points: np.ndarray, colours: np.ndarray) -> None:
    axis.scatter(points[:, 0], points[:, 1], c=colours, s=4, linewidths=0, rasterized=True)
    axis.set(xticks=[], yticks=[], box_aspect=1)


def _direction_colours(positions: np.ndarray) -> np.ndarray:
    offset = positions - positions.mean(0)
    hue = np.arctan2(offset[:, 1], offset[:, 0]) / (2 * np.pi) % 1.0
    distance = np.linalg.norm(offset, axis=1)
    strength = np.clip(distance / (np.quantile(distance, 0.9) + 1e-12), 0.15, 1.0)
    return hsv_to_rgb(np.stack([hue, strength, np.full_like(hue, 0.85)], axis=1))
