"""Run ``pdgmm <arguments>`` and write which large libraries it imported: ``call_step.py <file> <arguments>``."""

import json
import sys
from pathlib import Path

from pdgmm.cli.main import cli

LIBRARIES = (
    "numpy",
    "scipy",
    "pydantic",
    "pandas",
    "sklearn",
    "matplotlib",
    "causallearn",
    "pygame",
    "torch",
)

file, *arguments = sys.argv[1:]
cli.main(arguments, prog_name="pdgmm", standalone_mode=False)
Path(file).write_text(json.dumps([name for name in LIBRARIES if name in sys.modules]))
