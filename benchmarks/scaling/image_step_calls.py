"""Real calls of the steps for images, on a few small ones."""

import json
from pathlib import Path

from step_call import Call

IMAGES = {"size": 16, "radius": 0.2, "samples": {"train": 200, "test": 50, "unmasked": 50}}
NETWORK = {"steps": 1, "channels": 2}


def image_step_calls(folder: Path) -> list[Call]:
    """Draw balls, read them with a network, draw what was read; all under ``folder``."""
    images, features = (
        folder / "datasets" / "images" / "seed-0.h5",
        folder / "datasets" / "read" / "seed-0.h5",
    )
    network, runs = folder / "results" / "images" / "features-keypoints", folder / "results" / "read"
    stage1, method = runs / "identity", runs / "identity+none"
    scores = method / "scores.json"
    figures = folder / "results" / "figures" / "balls"
    seen, data, seed = ["--images", str(images)], ["--dataset", str(features)], ["--seed", "0"]
    label = ["--label", json.dumps({"method": method.name, "size": ""})]
    balls = ["--generator", "balls", "--settings", json.dumps(IMAGES)]
    keypoints = ["--method", "keypoints", "--settings", json.dumps(NETWORK)]
    fit1 = ["train-stage1", *data, *seed, "--method", "identity", "--out", str(stage1)]
    fit2 = ["train-stage2", *data, *seed, "--method", "none", "--stage1", str(stage1), "--out", str(method)]
    score = ["score", *data, *label, "--latents", str(method / "latents.h5"), "--out", str(scores)]
    learn = ["train-features", *keypoints, "--dataset", str(images), *seed, "--out", str(network)]
    read = ["extract-features", *seen, "--model", str(network), "--name", "keypoints", "--out", str(features)]
    draw = ["draw-balls", *seen, "--features", str(network), "--out", str(figures), str(scores)]
    return [
        Call(["generate", *balls, *seed, "--out", str(images)], "balls"),
        Call(learn, "keypoints", needs_torch=True),
        Call(read, "keypoints", needs_torch=True),
        *(Call(arguments, preparation=True) for arguments in (fit1, fit2, score)),
        Call(draw, needs_torch=True),
    ]
