"""Get a Chromium for the browser's tests, or say in a line why there is none: ``python …/get_chromium.py``.

Never fails: whether a missing browser is an error is for the tests to say.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from chromium import find_chromium

from debian_packages import install, is_debian, is_root


def reason_for_none() -> str:
    """Why there is no Chromium, after installing Debian's where that may be; empty if there is one."""
    if find_chromium():
        return ""
    if not is_debian():
        return "this is no Debian, whose package could be installed"
    if not is_root():
        return "only root may install Debian's package"
    return install(["chromium"], ["chromium"])


if __name__ == "__main__" and (reason := reason_for_none()):
    print(f"No Chromium for the browser's tests: {reason}.")
