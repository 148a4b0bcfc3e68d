"""What tests of several parts of an analysis share lies beside the tests of the page."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "page"))
