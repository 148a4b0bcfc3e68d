"""Which source files a step depends on, so that editing one re-runs exactly what it affects.

Snakemake does not see code that a command imports. The files are found by following ``import`` statements
inside the package, those inside functions too. Catalogues (the ``__init__`` files) name modules as text and
are left out on purpose: adding a method to a catalogue must not re-run the methods that stood there before.
"""

import ast
import functools
import hashlib
import os
from pathlib import Path

import pdgmm
from pdgmm.store.atomic import write_text

PACKAGE = Path(pdgmm.__file__).parent
NOT_CODE = ("errors.py", "code_files.py", "device_slots.py")
"""Files whose change cannot change a result."""


def code_files(*modules: str) -> list[Path]:
    """The files of ``modules`` (``pdgmm.steps.train``) and of every module of this package they import."""
    found: set[Path] = set()
    queue = [_module_file(module) for module in modules]
    while queue:
        file = queue.pop()
        if file is None or file in found or file.name == "__init__.py":
            continue
        found.add(file)
        queue.extend(_imported_files(file))
    return sorted(file for file in found if file.name not in NOT_CODE)


def code_digest(*modules: str) -> str:
    """A hash of the content of :func:`code_files`."""
    digest = hashlib.sha256()
    for file in code_files(*modules):
        digest.update(file.read_bytes())
    return digest.hexdigest()


@functools.cache
def code_stamp(folder: Path, *modules: str) -> Path:
    """A file in ``folder`` that lists :func:`code_files` with their hashes: one input that stands for all of them.

    A job with thirty input files more makes a workflow of thousands of jobs slow to plan and to schedule. The
    stamp is written only when its content changes, and is as old as the youngest of the files, so it triggers
    what the files themselves would.
    """
    files = code_files(*modules)
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    content = "".join(
        f"{digest}  {file.relative_to(PACKAGE)}\n" for digest, file in zip(hashes, files, strict=True)
    )
    stamp = folder / ("+".join(module.removeprefix("pdgmm.") for module in modules) + ".sha256")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != content:
        write_text(stamp, content)
        youngest = max(file.stat().st_mtime for file in files)
        os.utime(stamp, (youngest, youngest))
    return stamp


@functools.cache
def _imported_files(file: Path) -> tuple[Path, ...]:
    imported: list[str] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            # `from pdgmm.store import hdf5` may name a module or something inside one: try both.
            imported += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    files = (_module_file(module) for module in imported)
    return tuple(sorted({path for path in files if path is not None}))


def _module_file(module: str) -> Path | None:
    parts = module.split(".")
    if parts[0] != "pdgmm":
        return None
    path = PACKAGE.joinpath(*parts[1:])
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file() and candidate != PACKAGE / ".py":
            return candidate
    return None
