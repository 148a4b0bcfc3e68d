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
    numbers = list(range(1, n + 1))
    if trusted is None:
        trusted = numbers if n < 3 else numbers[:-2]
    names = names or [f"column_{place}" for place in range(1, columns + 1)]
    doubted = [latent for latent in numbers if latent not in trusted]
    blocks = [[latent] for latent in trusted] + ([doubted] if doubted else [])
    sensitivity = np.abs(np.random.default_rng(seed).normal(size=(n, len(names))) ** 3).round(3)
    if edges is None:
        edges = [
            {"from": i, "to": i + 1, "directed": i % 2 == 0, "stability": 0.4 + 0.6 * i / n}
            for i in numbers[:-1]
        ]
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
            "fits": 5,
            "seed": seed,
            "pdgmm_version": "9.8.7",
        },
        "count": {
            "chosen": n,
            "asked": False,
            "explained_variance": [0.97 / n] * n + [0.03 / n] * n,
            "rank": n,
            "candidates": [
                {
                    "n": k,
                    "held_out_log_likelihood": -10.0 - 0.8 * abs(k - n),
                    "gaussian_log_likelihood": -12.0,
                    "resting": min(k, n),
                }
                for k in range(max(1, n - 2), n + 3)
            ],
            "verdict": "holds",
            "sentence": f"The data vary in {n} directions, and {n} latents predict unseen rows best.",
            "non_gaussian": "holds" if trusted else "violated",
            "non_gaussian_sentence": "Whether the data are more than Gaussian directions.",
        },
        "identified": {
            "fits": 5,
            "strong_mcc": 0.91,
            "weak_mcc": 0.99,
            "latents": [
                {
                    "latent": latent,
                    "strong": 0.97 if latent in trusted else 0.5,
                    "weak": 0.99,
                    "block": 1 + next(place for place, block in enumerate(blocks) if latent in block),
                    "trusted": latent in trusted,
                    "reason": "agrees in all fits" if latent in trusted else "found only mixed with others",
                    "doubts": [] if latent in trusted else ["other rows of the data give another latent"],
                }
                for latent in numbers
            ],
            "blocks": blocks,
            "compared_rows": 2000,
            "fitted_rows_too": False,
            "verdict": "holds" if not doubted else "doubtful" if trusted else "violated",
            "sentence": f"{len(trusted)} of {n} latents were found again in every fit.",
        },
        "assumptions": {
            "latents": [_assumptions(latent, latent in trusted) for latent in numbers],
            "patterns": [
                {"active": numbers[: k % (n + 1)], "share": 0.4 * 0.9**k} for k in range(min(2**n, 30))
            ],
            "patterns_share": 0.83,
            "variability": {
                "verdict": "violated" if doubted else "holds",
                "pairs_not_separated": [doubted[:2]] if len(doubted) > 1 else [],
                "inseparable": doubted[:1],
                "sentence": "How latents are told apart by patterns.",
            },
            "mixing": {
                "affine_log_likelihood": -12.3,
                "flow_log_likelihood": None if quick else -9.1,
                "verdict": "unknown" if quick else "doubtful",
                "sentence": "How straight the mixing is.",
            },
        },
        "meaning": {
            "columns": names,
            "sensitivity": sensitivity.tolist(),
            "sentence": "Each latent changes a few columns.",
        },
        "graph": {
            "method": "pc",
            "alpha": 0.01,
            "edges": edges,
            "samples": 1234,
            "sentence": "The latents form a sparse graph.",
        },
        "seconds": 123.4,
    }


def by_method(method="dica", again=(1, 2), domains=None, **options):
    """The answers on a named method: nothing is trusted, the latents ``again`` came out again; names of domains."""
    changed = content(**{"n": 3, "trusted": []} | options)
    numbers = [entry["latent"] for entry in changed["identified"]["latents"]]
    changed["settings"]["method"] = method
    changed["count"] |= {"non_gaussian": "unknown", "non_gaussian_sentence": ""}
    changed["identified"]["blocks"] = [[latent] for latent in numbers]
    for entry in changed["identified"]["latents"]:
        entry |= {"found_again": entry["latent"] in again, "block": entry["latent"]}
    del changed["assumptions"]
    if domains:
        moments = np.random.default_rng(0).uniform(0.1, 2, size=(len(numbers), 2, len(domains)))
        changed["domains"] = {
            "column": "the site",
            "names": domains,
            "rows": list(range(100, 100 + len(domains))),
            "latents": [
                {
                    "latent": latent,
                    "changes": latent % 2 == 1,
                    "gain": 0.5 / latent,
                    "gain_error": 0.01,
                    "means": moments[latent - 1, 0].tolist(),
                    "deviations": moments[latent - 1, 1].tolist(),
                }
                for latent in numbers
            ],
            "verdict": "doubtful",
            "sentence": "Some latents change over the domains.",
        }
    return Answers.model_validate(changed)


def write_traversals(folder: Path) -> None:
    """A picture where the fit leaves its strips of images."""
    (folder / "figures").mkdir(parents=True)
    Image.fromarray(np.arange(64 * 16, dtype=np.uint8).reshape(16, 64)).save(
        folder / "figures" / "traversals.png"
    )


def _assumptions(latent, fine):
    normal = norm.ppf(np.linspace(0.01, 0.99, 99))
    return {
        "latent": latent,
        "spike_share": 0.2 + 0.5 / latent,
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
        "quantiles": {"normal": normal.tolist(), "observed": (normal if fine else np.sinh(normal)).tolist()},
        "verdict": "holds" if fine else "violated",
        "sentence": "Rests sharply and is normal elsewhere." if fine else "Has longer tails than a Gaussian.",
    }
