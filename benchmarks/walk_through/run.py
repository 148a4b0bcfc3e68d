"""The walk-through on handwritten digits: `python benchmarks/walk_through/run.py` writes docs/walk-through.md.

Runs the commands of the page and puts their results into it. The picture of the report needs Chromium; without it the
old picture stays.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from pdgmm.analysis.wording import duration, latents, percent
from pdgmm.store.atomic import write_text

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "browser"))

from chromium import Chromium, find_chromium  # noqa: E402

FOLDER = ROOT / "results" / "walk-through"
PAGE, PICTURE = ROOT / "docs" / "walk-through.md", ROOT / "docs" / "pictures" / "walk-through.png"
SAVE = """import numpy as np
from sklearn.datasets import load_digits

np.save("digits.npy", load_digits().images)"""
COMMAND = "pdgmm fit digits.npy --out digits --quick"
WIDTH, HEIGHT = 900, 1150
"""Size of the picture in pixels."""

MOST_PIXELS = 3
"""How many pixels are listed for a latent."""

OWN_WORDS = {r" \(.*?\)": "", r"only [\d.]+%": "very few", r"latents? [\d, andto]*\d": "another"}
"""The parts of a reason that differ between latents, and what replaces them when reasons are counted."""


def main() -> None:
    """Fit, take the picture, write the page."""
    # Start from scratch: an earlier fit would be resumed, and the time would only be that of the rest.
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    subprocess.run([sys.executable, "-c", SAVE], cwd=FOLDER, check=True)
    subprocess.run(["pdgmm", *shlex.split(COMMAND)[1:]], cwd=FOLDER, check=True)
    if browser := find_chromium():
        photograph(browser, FOLDER / "digits" / "report.html")
    write_text(PAGE, page(json.loads((FOLDER / "digits" / "diagnostics.json").read_text(encoding="utf-8"))))
    print(f"wrote {PAGE.relative_to(ROOT)}")


def photograph(browser: str, report: Path) -> None:
    """The top of the report as the page's picture."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        Chromium(browser, Path(profile)) as window,
    ):
        window.open(report, WIDTH, HEIGHT)
        window.screenshot(PICTURE)


STABLE = """The trusted latents are parts of strokes
that some digits have and others lack. They describe these images in a stable way: other images of the same kind give
them again. They are not "the" variables behind handwriting. Do not name the other latents."""

NONE_TRUSTED = """So the answer for these images is
no: the fit compresses them, and what it found has no meaning of its own."""


def page(found: dict[str, Any]) -> str:
    """The page in Markdown."""
    entries = found["identified"]["latents"]
    trusted = [entry for entry in entries if entry["trusted"]]
    agreement = found["identified"]
    return f"""# A walk-through: handwritten digits

This page shows what `pdgmm fit` says about real data: {found["data"]["rows"]:,} images of handwritten digits, 8 by 8
pixels each, from scikit-learn. Nobody knows their hidden variables, or whether these satisfy the theory's
assumptions. `make walk-through` runs the commands below and writes this page; every number comes from that run.

<!-- not run: it writes a file -->
```python
{SAVE}
```

```
{COMMAND}
```

It took {duration(found["seconds"])}. `digits/report.html` begins like this:

![The report's first page: {len(trusted)} of {len(entries)} latents can be trusted](pictures/walk-through.png)

## What was identified

{_trusted(trusted, found) if trusted else f"None of the {len(entries)} latents."}

## What was not

Why {"the others" if trusted else "they"} are not trusted (some for several reasons):

{chr(10).join(f"- {count} latents: {reason}." for reason, count in _reasons(entries))}

The fits agree on the space that the latents span (weak agreement {agreement["weak_mcc"]:.2f}) but not on its axes
(strong agreement {agreement["strong_mcc"]:.2f}): another method could find other axes in it just as well. The report
says so and shows these latents in grey. It also says where these images differ from the theory's assumptions:

- {found["count"]["sentence"]}
- {found["assumptions"]["variability"]["sentence"]}
- {found["assumptions"]["mixing"]["sentence"]}
- {found["graph"]["sentence"]}

## What to make of it

Pen strokes do not rest and move as the theory assumes. Most pixels are empty in some digits, which looks like a
spike, but the digit decides which of them are empty together. {STABLE if trusted else NONE_TRUSTED}

Without `--quick`, an invertible flow is fitted as well, and the report says whether the mixing is curved.
"""


def _trusted(trusted: list[dict[str, Any]], found: dict[str, Any]) -> str:
    """Which latents are trusted, and a line about each."""
    numbers = latents([entry["latent"] for entry in trusted])
    head = f"{len(trusted)} of {len(found['identified']['latents'])} latents: {numbers}."
    return "\n".join([head, "", *(_identified(entry, found) for entry in trusted)])


def _identified(entry: dict[str, Any], found: dict[str, Any]) -> str:
    sensitivity = np.array(found["meaning"]["sensitivity"][entry["latent"] - 1], dtype=float)
    _, width, _ = found["data"]["image_shape"]
    places = np.argsort(-np.abs(sensitivity))[:MOST_PIXELS]
    pixels = ", ".join(f"row {place // width + 1} column {place % width + 1}" for place in places)
    share = found["assumptions"]["latents"][entry["latent"] - 1]["spike_share"]
    return (
        f"- Latent {entry['latent']} is found again with correlation {entry['strong']:.2f}, rests in "
        f"{percent(share)} of the images, and moves these pixels most: {pixels}."
    )


def _reasons(entries: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """The reasons against the untrusted latents without their numbers, the most frequent first."""
    reasons: Counter[str] = Counter()
    for entry in entries:
        for part in entry["reason"].split(";") if not entry["trusted"] else ():
            for own, general in OWN_WORDS.items():
                part = re.sub(own, general, part)
            reasons[part.strip()] += 1
    return reasons.most_common()


if __name__ == "__main__":
    main()
