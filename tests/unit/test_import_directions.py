"""Imports point one way: a package knows those before it in this list, and never one after it."""

import ast
from pathlib import Path

import pytest

import pdgmm

PACKAGE = Path(pdgmm.__file__).parent
ORDER = (
    *("errors", "seeds", "settings", "catalogue", "theory"),
    *("store", "workflow_support"),
    *("models", "fitting", "methods", "estimator"),
    *("evaluation", "report", "analysis"),
    *("data", "study", "steps", "cli"),
)
KNOW_NO_METHODS = ("evaluation", "report")
"""They read results, whatever made them."""


def room(parts):
    """The package that a module is in, or the module itself where it lies loose."""
    return parts[0] if parts else "__init__"


def imports():
    """(importing module, its room, the room that it imports) for every import, those inside functions too."""
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] in ("__init__", "__main__"):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module] if node.module != "pdgmm" else [f"pdgmm.{a.name}" for a in node.names]
            for name in names:
                first, *inside = name.split(".")
                if first == "pdgmm" and inside and not inside[0].startswith("__"):
                    yield "/".join(parts), room(parts), room(inside)


def test_every_room_is_in_the_order():
    rooms = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert rooms - {"__init__", "__main__"} == set(ORDER)
    assert sum((PACKAGE / f"{room}.py").exists() for room in ORDER) <= 6, "modules that lie loose"


@pytest.mark.parametrize("importing", ORDER)
def test_no_room_imports_one_after_it(importing):
    known = set(ORDER[: ORDER.index(importing) + 1])
    if importing in KNOW_NO_METHODS:
        known -= {"models", "fitting", "methods", "estimator"}
    wrong = sorted(
        {(module, used) for module, own, used in imports() if own == importing and used not in known}
    )
    assert not wrong


def test_no_two_files_share_a_name():
    seen = {}
    for file in PACKAGE.rglob("*.py"):
        if file.name not in ("__init__.py", "base.py"):
            seen.setdefault(file.name, []).append(str(file.relative_to(PACKAGE)))
    assert {name: files for name, files in seen.items() if len(files) > 1} == {}
