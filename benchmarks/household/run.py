"""The switches of a household: `python benchmarks/household/run.py` writes docs/household.md and its picture.

Draws the meters, runs `pdgmm fit` on them, compares what comes out with the truth, and puts it into the page.
"""

import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from comparison import Study, affine_latents, fastica, match, mean_best_f1, pca, standardised
from household import APPLIANCES, DAYS, METERS, NOISE, SWITCHED, Household, draw, write
from picture import draw_day

from pdgmm.analysis.wording import latents, listed
from pdgmm.evaluation.mcc import MatchResult
from pdgmm.store.atomic import write_text

ROOT = Path(__file__).parents[2]
TEMPLATE = Path(__file__).with_name("page.md.j2")
FOLDER = ROOT / "results" / "household"
PAGE, PICTURE = ROOT / "docs" / "household.md", ROOT / "docs" / "pictures" / "household.svg"
SEED = 0
"""Of the page's household. The generator was made while others were drawn, from 100 on."""

MAKE = f"python benchmarks/household/household.py meters.csv --seed {SEED}"
FIT = "pdgmm fit meters.csv --out home --quick"

OTHER_HOUSES = range(100, 105)
"""Seeds with which the generator was made."""

SPREAD_HOB = replace(APPLIANCES["hob"], phases=(0.0, 0.5, 0.5))
"""On two phases, one of them that of the kettle."""

NOISES = (1, 3, 10, 30)
"""Multiples of the meters' errors."""

FOUND = 0.95
"""An appliance is found if its latent has at least this correlation with what it drew."""


def main() -> None:
    """Draw, fit, write."""
    # From the beginning: an earlier fit would be resumed, and the time would be that of the rest.
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    household = draw(SEED)
    write(household, FOLDER / "meters.csv")
    subprocess.run(["pdgmm", *shlex.split(FIT)[1:]], cwd=FOLDER, check=True)
    write_page(household, Study.read(FOLDER / "home"), SEED, PAGE, PICTURE)
    print(f"wrote {PAGE.relative_to(ROOT)} and {PICTURE.relative_to(ROOT)}")


def write_page(household: Household, study: Study, seed: int, page: Path, picture: Path) -> None:
    """Compare a study of the meters with the household of ``seed``, and write what comes out."""
    truth = household.appliances[list(SWITCHED)]
    matched = match(truth, study.latents)
    rows = appliance_rows(truth, study, matched)
    found = {row["name"]: study.on[:, row["latent"] - 1] for row in rows}
    day = draw_day(
        picture, household.meters, truth > 0, found, [row["name"] for row in rows if row["trusted"]]
    )
    n = study.latents.shape[1]
    left_over = sorted(set(range(n)) - set(matched.assignment.tolist()))
    pair, pair_correlation = most_correlated(truth)
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    text = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        listed=listed,
        latents=latents,
        switched=SWITCHED,
        meters=METERS,
        make=MAKE,
        fit=FIT,
        rows=len(truth),
        days=DAYS,
        day=day + 1,
        latents_found=n,
        found_from=FOUND,
        found=[row for row in rows if row["correlation"] >= FOUND],
        appliances=rows,
        trusted=[latent + 1 for latent in sorted(study.trusted)],
        left_over=[latent + 1 for latent in left_over],
        wrongly_trusted=[latent + 1 for latent in left_over if latent in study.trusted],
        methods=method_rows(household.meters, truth, study),
        pair=pair,
        pair_correlation=pair_correlation,
        noises=noise_rows(seed, n),
        houses=house_rows(n),
    )
    write_text(page, text)


def appliance_rows(truth: pd.DataFrame, study: Study, matched: MatchResult) -> list[dict[str, Any]]:
    """For each appliance its latent, numbered from 1, and in how many minutes the switching read off it is wrong."""
    rows = []
    for place, name in enumerate(truth):
        latent = int(matched.assignment[place])
        on, found = truth[name].to_numpy() > 0, study.on[:, latent]
        rows.append(
            {
                "name": name,
                "on": int(on.sum()),
                "latent": latent + 1,
                "trusted": latent in study.trusted,
                "reason": study.answers["identified"]["latents"][latent]["reason"],
                "correlation": matched.per_latent[place],
                "read_as_off": int((on & ~found).sum()),
                "read_as_on": int((found & ~on).sum()),
            }
        )
    return rows


def method_rows(meters: pd.DataFrame, truth: pd.DataFrame, study: Study) -> list[dict[str, Any]]:
    """How well the columns of each method follow what the appliances drew, and whether they are on."""
    x, n = standardised(meters), study.latents.shape[1]
    columns = {
        "the meters": x,
        "PCA": pca(x, n),
        "FastICA": fastica(x, n),
        "**`pdgmm fit`**": study.latents,
    }
    rows = []
    for name, found in columns.items():
        matched = match(truth, found)
        worst = int(matched.per_latent.argmin())
        rows.append(
            {
                "name": name,
                "mcc": matched.mcc,
                "worst": truth.columns[worst],
                "worst_correlation": matched.per_latent[worst],
                "f1": mean_best_f1(found, truth.to_numpy() > 0, matched),
            }
        )
    return rows


def noise_rows(seed: int, n: int) -> list[dict[str, Any]]:
    """One fit with ``n`` columns to the same household, for each size of the meters' errors."""
    rows = []
    for times in NOISES:
        household = draw(seed, noise=times)
        x, truth = standardised(household.meters), household.appliances[list(SWITCHED)]
        ours, theirs = (match(truth, method(x, n)).mcc for method in (affine_latents, fastica))
        watts, var, amperes, _ = np.multiply(NOISE, times)
        errors = f"{watts:g} W, {var:g} var, {1000 * amperes:g} mA"
        rows.append({"errors": errors, "ours": ours, "fastica": theirs})
    return rows


def house_rows(n: int) -> list[dict[str, Any]]:
    """One fit with ``n`` columns to each of the other houses, and to the same with the hob on two phases."""

    def scored(household: Household, method: Callable[[np.ndarray, int], np.ndarray]) -> str:
        truth = household.appliances[list(SWITCHED)]
        matched = match(truth, method(standardised(household.meters), n))
        worst = int(matched.per_latent.argmin())
        return f"{matched.mcc:.3f} ({truth.columns[worst]}, {matched.per_latent[worst]:.2f})"

    rows = []
    for seed in OTHER_HOUSES:
        household, spread = draw(seed), draw(seed, changed={"hob": SPREAD_HOB})
        ours, theirs = scored(household, affine_latents), scored(household, fastica)
        rows.append({"seed": seed, "ours": ours, "fastica": theirs, "spread": scored(spread, affine_latents)})
    return rows


def most_correlated(truth: pd.DataFrame) -> tuple[tuple[str, str], float]:
    """The two appliances whose powers correlate most, and how much."""
    correlated = np.triu(truth.corr().to_numpy(), k=1)
    one, other = np.unravel_index(np.abs(correlated).argmax(), correlated.shape)
    return (truth.columns[one], truth.columns[other]), float(correlated[one, other])


if __name__ == "__main__":
    main()
