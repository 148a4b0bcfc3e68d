"""Images: how fast they are drawn, and the cost of reading more of them than should be held in memory."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from measuring import REPEATS
from render import csv_text

# Always set: other drivers open a display hundreds of times more slowly, which would make our renderers look too
# fast.
os.environ["SDL_VIDEODRIVER"] = "dummy"

from pdgmm.data.balls.balls import draw_positions, draw_resting_places
from pdgmm.data.balls.drawing import BACKGROUND, COLOURS, RENDERERS

BALLS, SIZE, RADIUS = 4, 64, 0.1
SCENES = {"new display each": 200, "integer": 5_000, "subpixel": 5_000}
STREAMED = (20_000, 60_000)
"""Images in the small and the large file that are read in batches."""


def drawing_speeds() -> dict[str, float]:
    """Images per second of our renderers, and of drawing each scene on a display surface opened for it."""
    rng = np.random.default_rng(0)
    places = draw_resting_places(BALLS, rng)
    speeds = {}
    for name, count in SCENES.items():
        positions = draw_positions(places, np.zeros((count, BALLS, 2), bool), rng)
        draw = _on_new_displays if name not in RENDERERS else RENDERERS[name](SIZE, RADIUS).draw
        draw(positions[:50])
        speeds[name] = count / min(_seconds(draw, positions) for _ in range(REPEATS))
    return speeds


def _seconds(draw: Callable[[np.ndarray], np.ndarray], positions: np.ndarray) -> float:
    started = time.perf_counter()
    draw(positions)
    return time.perf_counter() - started


def _on_new_displays(positions: np.ndarray) -> np.ndarray:
    import pygame
    from pygame import gfxdraw

    images = []
    for scene in positions:
        pygame.display.init()
        screen = pygame.display.set_mode((SIZE, SIZE))
        screen.fill(BACKGROUND)
        for (x, y), colour in zip((scene * SIZE).astype(int).tolist(), COLOURS, strict=False):
            gfxdraw.filled_circle(screen, x, y, int(RADIUS * SIZE), colour)
        images.append(pygame.surfarray.array3d(screen).swapaxes(0, 1))
        pygame.display.quit()
    return np.stack(images)


def reading_memory(folder: Path) -> dict[int, float]:
    """Megabytes at the peak of an epoch of batches streamed from a small and a large file of images."""
    return {count: _streamed_peak(folder, count) for count in STREAMED}


def _streamed_peak(folder: Path, count: int) -> float:
    done = subprocess.run(
        [sys.executable, __file__, str(folder / f"{count}.h5"), str(count)],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    return json.loads(done.stdout.splitlines()[-1])


def read_one_epoch(path: Path, count: int) -> float:
    """Write a file of ``count`` images, then read each once in shuffled batches; returns the peak megabytes."""
    from itertools import islice

    from pdgmm.data.balls.balls import Balls
    from pdgmm.fitting import samples
    from pdgmm.steps.generate import generate_dataset

    settings = Balls(balls=BALLS, samples={"train": count, "test": 2, "unmasked": 2})
    generate_dataset("balls", settings.model_dump_json(), 0, path)
    samples.IN_MEMORY_BYTES = 0
    data = samples.Samples.from_file(path)
    for _ in islice(data.batches(64, seed=0), count // 64):
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_images() -> tuple[str, str]:
    """A section of the page, and the same as CSV."""
    speeds = drawing_speeds()
    with tempfile.TemporaryDirectory() as folder:
        peaks = reading_memory(Path(folder))
    slowest = speeds["new display each"]
    lines = [
        "## Images",
        "",
        f"Images of {SIZE} x {SIZE} pixels with {BALLS} balls, drawn by our renderers and on a display surface "
        f"opened for each. The fastest of {REPEATS} counts.",
        "",
        "| drawing | images per second | speed-up |",
        "|---|---:|---:|",
        *(f"| {name} | {speed:,.0f} | {speed / slowest:.1f} |" for name, speed in speeds.items()),
        "",
        "Writing a file of images and reading each once in shuffled batches, nothing kept in memory:",
        "",
        "| images | as bytes | peak memory |",
        "|---:|---:|---:|",
        *(f"| {n:,} | {n * SIZE * SIZE * 3 / 2**20:,.0f} MB | {peak:,.0f} MB |" for n, peak in peaks.items()),
        "",
    ]
    drawn = [(f"drawing: {name}", f"{speed:.1f}", "images per second") for name, speed in speeds.items()]
    streamed = [(f"streaming {n} images", f"{peak:.1f}", "MB at the peak") for n, peak in peaks.items()]
    return "\n".join(lines), csv_text(["what", "value", "unit"], drawn + streamed)


if __name__ == "__main__":
    print(json.dumps(read_one_epoch(Path(sys.argv[1]), int(sys.argv[2]))))
