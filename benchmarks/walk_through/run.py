"""The walk-through on handwritten digits: `python benchmarks/walk_through/run.py` writes docs/walk-through.md.

Runs the commands of the page and puts what they said into it. The picture of the report needs a Chromium; without one
the old picture stays.
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
"""Pixels of the picture."""

MOST_PIXELS = 3
"""Pixels that are named for a latent."""

OWN_WORDS = {r" \(.*?\)": "", r"only [\d.]+%": "very few", r"latents? [\d, andto]*\d": "another"}
"""What is different in the same reason given for two latents."""


def main() -> None:
    """Fit, photograph, write."""
    # From the beginning: an earlier fit would be resumed, and the time would be that of the rest.
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


def page(found: dict[str, Any]) -> str:
    """The page in Markdown."""
    entries = found["identified"]["latents"]
    trusted = [entry for entry in entries if entry["trusted"]]
    numbers = [entry["latent"] for entry in trusted]
    agreement = found["identified"]
    return f"""# A walk-through: handwritten digits

scikit-learn ships {found["data"]["rows"]:,} images of handwritten digits, 8 by 8 pixels each. Nobody knows which
hidden variables made them, or whether they are such as the theory asks for. Written by `make walk-through`, which
runs what is below; every number comes from that run.

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

{len(trusted)} of {len(entries)} latents: {latents(numbers)}.

{chr(10).join(_identified(entry, found) for entry in trusted) or "None."}

## What was not

What speaks against the others, several things against some of them:

{chr(10).join(f"- {count} latents: {reason}." for reason, count in _reasons(entries))}

The fits agree on the space that the latents span (weak agreement {agreement["weak_mcc"]:.2f}) and not on its axes
(strong agreement {agreement["strong_mcc"]:.2f}): another method would find other axes in it just as well. The report
says so and shows these latents in grey. It also says what the theory asks for and these images do not offer:

- {found["count"]["sentence"]}
- {found["assumptions"]["variability"]["sentence"]}
- {found["assumptions"]["mixing"]["sentence"]}
- {found["graph"]["sentence"]}

## What to make of it

The ink of a pen does not rest and move as the theory has it: most pixels are empty in some digits, which looks like a
spike, but which of them are empty together is decided by the digit. The trusted latents are parts of strokes
that some digits have and others lack. They are a stable description of these images, found again from other
images of the same kind; they are not "the" variables behind handwriting, and nothing here says they are. The others
should not be given a name.

Without `--quick` an invertible flow is fitted as well, and the report says whether the mixing is curved. With
{found["data"]["rows"]:,} images for {len(entries)} latents that asks for more images than there are.
"""


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
    """What speaks against the untrusted latents, without their numbers, the most frequent reason first."""
    reasons: Counter[str] = Counter()
    for entry in entries:
        for part in entry["reason"].split(";") if not entry["trusted"] else ():
            for own, general in OWN_WORDS.items():
                part = re.sub(own, general, part)
            reasons[part.strip()] += 1
    return reasons.most_common()


if __name__ == "__main__":
    main()
