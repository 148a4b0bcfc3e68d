"""Which code a step depends on."""

import pytest

from pdgmm.workflow_support import code_tracking
from pdgmm.workflow_support.code_tracking import code_digest, code_files, code_stamp

FILES = {
    "__init__.py": "",
    "errors.py": "class UserError(Exception): ...",
    "steps/__init__.py": "",
    "steps/train.py": "from pdgmm import methods\ndef run():\n    from pdgmm.store import files\n",
    "methods/__init__.py": "CATALOGUE = {'a': 'pdgmm.methods.a:A', 'b': 'pdgmm.methods.b:B'}",
    "methods/a.py": "import pdgmm.errors\nimport pdgmm.store.files\n",
    "methods/b.py": "",
    "store/__init__.py": "",
    "store/files.py": '"""Files."""\n\nSIZE = 3\n"""Bytes."""\n\n\ndef size():\n    """A size."""\n    return SIZE\n',
    "store/templates/page.jinja": "{{ title }}",
    "store/inner/__init__.py": "",
    "store/inner/other.csv": "1,2",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A small package in place of ours, and a function that looks at it as a new process would."""
    folder = tmp_path / "pdgmm"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(code_tracking, "PACKAGE", folder)
    forget()
    yield folder
    forget()


def forget():
    for remembered in (code_stamp, code_tracking._looked_at, code_tracking._data_files):
        remembered.cache_clear()


def digest():
    forget()
    return code_digest("pdgmm.steps.train", "pdgmm.methods.a")


def test_imports_are_followed_and_catalogues_and_other_methods_are_left_out(package):
    found = code_files("pdgmm.steps.train", "pdgmm.methods.a")
    names = {str(file.relative_to(package)) for file in found}
    assert names == {"steps/train.py", "methods/a.py", "store/files.py", "store/templates/page.jinja"}


@pytest.mark.parametrize(
    ("name", "old", "new", "counts"),
    [
        ("store/files.py", "SIZE = 3", "SIZE = 4", True),
        ("store/files.py", "return SIZE", "return -SIZE", True),
        ("store/files.py", "SIZE = 3", "SIZE = 3  # bytes\n\n", False),
        ("store/files.py", "Files.", "Other words.", False),
        ("store/files.py", "Bytes.", "Other words.", False),
        ("store/files.py", "A size.", "Other words.", False),
        ("store/templates/page.jinja", "title", "name", True),
        ("store/inner/other.csv", "1", "3", False),
        ("methods/b.py", "", "x = 1", False),
        ("errors.py", "UserError", "OtherError", False),
    ],
)
def test_what_counts_is_code_and_data_but_no_words_about_them(package, name, old, new, counts):
    before = digest()
    file = package / name
    file.write_text(file.read_text().replace(old, new, 1))
    assert (digest() != before) == counts


def test_a_new_data_file_counts(package):
    before = digest()
    (package / "store" / "papers" / "p").mkdir(parents=True)
    (package / "store" / "papers" / "p" / "published.csv").write_text("table,value\n")
    assert digest() != before


def test_a_stamp_is_written_when_code_changes_and_is_as_old_as_the_code(package, tmp_path):
    stamp = code_stamp(tmp_path, "pdgmm.methods.a")
    assert "store/files.py" in stamp.read_text()
    assert stamp.stat().st_mtime == max(file.stat().st_mtime for file in code_files("pdgmm.methods.a"))
    inode = stamp.stat().st_ino
    file = package / "store" / "files.py"
    file.write_text(file.read_text() + "# a comment\n")
    forget()
    assert code_stamp(tmp_path, "pdgmm.methods.a").stat().st_ino == inode, "the stamp is left alone"
    file.write_text(file.read_text() + "x = 1\n")
    forget()
    assert code_stamp(tmp_path, "pdgmm.methods.a").stat().st_ino != inode


def test_scoring_does_not_depend_on_training_or_data_code():
    rooms = {file.relative_to(code_tracking.PACKAGE).parts[0] for file in code_files("pdgmm.steps.score")}
    assert {"steps", "store", "evaluation"} <= rooms
    assert not rooms & {"methods", "fitting", "models", "data", "report", "workflow_support"}
