"""Which code a step depends on, so that a change of the code re-runs exactly what it affects.

Snakemake does not see code that a command imports. Here the files are found by following ``import`` statements
inside the package, also those inside functions. A module is hashed by its syntax tree without docstrings, so
changes of comments, docstrings and spaces have no effect. Data files (tables, templates) count for every module of
their package. Catalogues (the ``__init__`` files) are left out on purpose: a new method in a catalogue must not
re-run the methods that were there before.
"""

import ast
import functools
import hashlib
import os
from pathlib import Path

import pdgmm
from pdgmm.settings import short_hash
from pdgmm.store.atomic import write_if_changed

PACKAGE = Path(pdgmm.__file__).parent
NOT_CODE = ("errors.py", "workflow_support/")
"""Files and folders of the package that cannot change a result."""

LONGEST_NAME = 120
"""The longest name of a stamp, in letters; file systems allow 255."""


def code_files(*modules: str) -> list[Path]:
    """The files of ``modules`` (``pdgmm.steps.train``), of all our modules that they import, and their data files."""
    found: set[Path] = set()
    queue = [_module_file(module) for module in modules]
    while queue:
        file = queue.pop()
        if file is None or file in found or file.name == "__init__.py":
            continue
        found.add(file)
        queue.extend(_looked_at(file)[1])
    counted = {file for file in found if not str(file.relative_to(PACKAGE)).startswith(NOT_CODE)}
    data = {file for folder in {file.parent for file in counted} for file in _data_files(folder)}
    return sorted(counted | data)


def code_digest(*modules: str) -> str:
    """A hash of the content of :func:`code_files`."""
    return hashlib.sha256(_listed(code_files(*modules)).encode()).hexdigest()


@functools.cache
def code_stamp(folder: Path, *modules: str) -> Path:
    """A file in ``folder`` that lists :func:`code_files` with their hashes: one input that represents all of them.

    With thirty more input files per job, a workflow of thousands of jobs would be slow to plan and to schedule. The
    stamp is written only if its content changes, and then gets the time of the newest of the files.
    """
    files = code_files(*modules)
    content = _listed(files)
    name = "+".join(module.removeprefix("pdgmm.") for module in modules)
    name = name if len(name) <= LONGEST_NAME else f"{modules[0].removeprefix('pdgmm.')}+{short_hash(name)}"
    stamp = folder / f"{name}.sha256"
    if write_if_changed(stamp, content):
        youngest = max(file.stat().st_mtime for file in files)
        os.utime(stamp, (youngest, youngest))
    return stamp


def _listed(files: list[Path]) -> str:
    return "".join(f"{_looked_at(file)[0]}  {file.relative_to(PACKAGE)}\n" for file in files)


@functools.cache
def _looked_at(file: Path) -> tuple[str, tuple[Path, ...]]:
    """The hash of a file and the files that it imports; cached, since planning asks for it often."""
    content = file.read_bytes()
    if file.suffix != ".py":
        return hashlib.sha256(content).hexdigest(), ()
    tree = ast.parse(content)
    imported: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            # `from pdgmm.store import hdf5` may name a module or something inside one: try both.
            imported += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(block := getattr(node, "body", None), list):
            block[:] = [statement for statement in block if not _is_docstring(statement)]
    files = {path for path in map(_module_file, imported) if path is not None}
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), tuple(sorted(files))


def _is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is only a string: the docstring of a module, class, function or constant."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


@functools.cache
def _data_files(folder: Path) -> tuple[Path, ...]:
    """The files in the package ``folder`` that are not Python, also in its subfolders that are not packages."""
    found: list[Path] = []
    for entry in sorted(folder.iterdir()):
        if entry.name == "__pycache__" or entry.name.startswith("."):
            continue
        if entry.is_dir():
            found += () if (entry / "__init__.py").exists() else _data_files(entry)
        elif entry.suffix != ".py":
            found.append(entry)
    return tuple(found)


def _module_file(module: str) -> Path | None:
    parts = module.split(".")
    if parts[0] != "pdgmm":
        return None
    path = PACKAGE.joinpath(*parts[1:])
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)
