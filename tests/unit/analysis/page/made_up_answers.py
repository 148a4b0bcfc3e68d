"""Answers of analyses that never were, for the tests of the page."""

from pathlib import Path

import numpy as np
from PIL import Image
from scipy.stats import norm

from pdgmm.analysis.answers import Answers

NAUGHTY = [
    "<script>alert(1)</script>",
    "Größe in µm",
    "температура",
    "身長",
    "price $a$ and $b",
    "\u202eturned\n\x07",
    "x" * 90,
    "\"quoted\" & 'so'",
]


def answers(**options):
    """The answers with the :func:`content`."""
    return Answers.model_validate(content(**options))


def content(n=6, columns=8, trusted=None, quick=False, image_shape=None, names=None, edges=None, seed=0):
    """A whole, consistent content of diagnostics.json; ``trusted`` are numbers of latents, None: all but two."""
    rng = np.random.default_rng(seed)
    numbers = list(range(1, n + 1))
    if trusted is None:
        trusted = numbers if n < 3 else numbers[:-2]
    names = names or [f"column_{place}" for place in range(1, columns + 1)]
    doubted = [latent for latent in numbers if latent not in trusted]
    blocks = [[latent] for latent in trusted] + ([doubted] if doubted else [])
    verdict = "holds" if not doubted else "doubtful" if trusted else "violated"
    shares = np.sort(rng.dirichlet(np.ones(n) * 5))[::-1] * 0.97
    shares = [*shares.tolist(), *np.full(min(n, 50), 0.03 / n).tolist()][:50]
    return {
        "format_version": 1,
        "data": {
            "file": "measurements.csv",
            "rows": 10000,
            "rows_in_file": 10040,
            "columns": names,
            "image_shape": image_shape,
            "notes": ["40 rows with missing values were left out."],
        },
        "settings": {
            "quick": quick,
            "n_latents": None,
            "fits": 2 if quick else 5,
            "seed": seed,
            "pdgmm_version": "9.8.7",
        },
        "count": {
            "chosen": n,
            "asked": False,
            "explained_variance": shares,
            "rank": n,
            "candidates": [
                {"n": k, "held_out_log_likelihood": -10.0 - 0.8 * abs(k - n)}
                for k in range(max(1, n - 2), n + 3)
            ],
            "verdict": "holds",
            "sentence": f"The data vary in {n} directions, and {n} latents predict unseen rows best.",
        },
        "identified": {
            "fits": 2 if quick else 5,
            "strong_mcc": 0.91,
            "weak_mcc": 0.99,
            "latents": [_identified(latent, latent in trusted, blocks, rng) for latent in numbers],
            "blocks": blocks,
            "compared_rows": 2000,
            "fitted_rows_too": False,
            "verdict": verdict,
            "sentence": f"{len(trusted)} of {n} latents were found again in every fit.",
        },
        "assumptions": {
            "latents": [_assumptions(latent, latent in trusted, rng) for latent in numbers],
            "patterns": _patterns(n, rng),
            "patterns_share": 0.83,
            "variability": {
                "verdict": "holds" if not doubted else "violated",
                "pairs_not_separated": [doubted[:2]] if len(doubted) > 1 else [],
                "inseparable": doubted[:1],
                "sentence": "Every two latents are told apart by some pattern."
                if not doubted
                else "Some latents are always active together.",
            },
            "mixing": {
                "affine_log_likelihood": -12.3,
                "flow_log_likelihood": None if quick else -9.1,
                "verdict": "unknown" if quick else "doubtful",
                "sentence": "Only an affine mixing was fitted, as this was a quick look."
                if quick
                else "A nonlinear mixing explains the data better than an affine one.",
            },
        },
        "meaning": {
            "columns": names,
            "sensitivity": np.abs(rng.normal(size=(n, len(names))) ** 3).round(3).tolist(),
            "sentence": "Each latent changes a few columns.",
        },
        "graph": {
            "method": "pc",
            "alpha": 0.01,
            "edges": _edges(n, rng) if edges is None else edges,
            "samples": 1234,
            "sentence": "The latents form a sparse graph.",
        },
        "seconds": 123.4,
    }


def write_traversals(folder: Path) -> None:
    """A picture where the fit leaves its strips of images."""
    (folder / "figures").mkdir(parents=True)
    Image.fromarray(np.arange(64 * 16, dtype=np.uint8).reshape(16, 64)).save(
        folder / "figures" / "traversals.png"
    )


def _identified(latent, trusted, blocks, rng):
    return {
        "latent": latent,
        "strong": round(float(rng.uniform(0.96, 1.0) if trusted else rng.uniform(0.3, 0.8)), 3),
        "weak": 0.99,
        "block": 1 + next(place for place, block in enumerate(blocks) if latent in block),
        "trusted": trusted,
        "reason": "agrees in all fits" if trusted else "found only mixed with others",
    }


def _assumptions(latent, fine, rng):
    normal = norm.ppf(np.linspace(0.01, 0.99, 99))
    observed = normal + rng.normal(scale=0.03, size=99) if fine else np.sinh(normal)
    return {
        "latent": latent,
        "spike_share": round(float(rng.uniform(0.2, 0.7)), 3),
        "spike_value": 0.0,
        "spike_width": 0.03,
        "active_samples": 5000,
        "gaussianity": {
            "test": "Lilliefors",
            "statistic": 0.4 if fine else 6.1,
            "critical_value": 0.5,
            "skewness": -0.001,
            "kurtosis": 0.1 if fine else 3.2,
        },
        "quantiles": {"normal": normal.tolist(), "observed": np.sort(observed).tolist()},
        "verdict": "holds" if fine else "violated",
        "sentence": "Rests sharply and is normal elsewhere." if fine else "Has longer tails than a Gaussian.",
    }


def _patterns(n, rng):
    count = min(2**n, 30)
    shares = np.sort(rng.dirichlet(np.ones(count)))[::-1] * 0.83
    active = [[]] + [
        sorted((rng.choice(n, rng.integers(1, n + 1), False) + 1).tolist()) for _ in range(count - 1)
    ]
    return [{"active": one, "share": float(share)} for one, share in zip(active, shares, strict=True)]


def _edges(n, rng):
    pairs = [(i, j) for i in range(1, n + 1) for j in range(i + 1, n + 1)]
    chosen = [pairs[k] for k in sorted(rng.choice(len(pairs), min(len(pairs), n), False))] if pairs else []
    return [
        {"from": i, "to": j, "directed": bool(k % 2), "stability": round(float(rng.uniform(0.4, 1)), 2)}
        for k, (i, j) in enumerate(chosen)
    ]
