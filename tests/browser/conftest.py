"""The browser's tests open pages of the studies that the page's own tests make up."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "analysis" / "page"))
