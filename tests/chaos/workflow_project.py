"""The tiny study and the copies of the project that it runs in, as the tests of the workflow have them."""

import importlib.util
from pathlib import Path

# By its path: both folders have a `conftest`, and only one can be imported under that name.
_file = Path(__file__).parents[1] / "workflow" / "conftest.py"
_spec = importlib.util.spec_from_file_location("workflow_fixtures", _file)
_fixtures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_fixtures)

ROOT = _fixtures.ROOT
TINY = _fixtures.TINY
Project = _fixtures.Project
new_project = _fixtures.new_project
finished_once, finished, fresh = _fixtures.finished_once, _fixtures.finished, _fixtures.fresh
