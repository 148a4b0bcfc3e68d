"""Which code a step depends on."""

import subprocess
import sys

from pdgmm.code_files import PACKAGE, code_files, code_stamp


def names(*modules):
    return {str(file.relative_to(PACKAGE)) for file in code_files(*modules)}


def test_imports_are_followed_also_those_inside_functions():
    files = names("pdgmm.steps.train", "pdgmm.methods.sparse_affine.lagrangian")
    assert {"steps/train.py", "stages/lagrangian.py", "training.py", "store/hdf5.py", "seeds.py"} <= files


def test_other_methods_and_the_catalogues_are_left_out():
    files = names("pdgmm.steps.train", "pdgmm.methods.fastica")
    assert "stages/fastica.py" in files
    assert not files & {"stages/lagrangian.py", "stages/__init__.py", "training.py", "cli.py", "study.py"}


def test_scoring_does_not_depend_on_training_or_data_code():
    files = names("pdgmm.steps.score")
    assert "evaluation/mcc.py" in files
    assert not any(file.startswith(("stages/", "data/", "encoders/", "report/")) for file in files)


def test_planning_and_scoring_import_no_torch():
    modules = "pdgmm.study.planning, pdgmm.cli.main, pdgmm.steps.score, pdgmm.steps.generate"
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_stamp_is_written_once_and_is_as_old_as_the_code(tmp_path):
    stamp = code_stamp(tmp_path, "pdgmm.steps.score")
    assert "evaluation/mcc.py" in stamp.read_text()
    youngest = max(file.stat().st_mtime for file in code_files("pdgmm.steps.score"))
    assert stamp.stat().st_mtime == youngest
    code_stamp.cache_clear()
    inode = stamp.stat().st_ino
    assert code_stamp(tmp_path, "pdgmm.steps.score").stat().st_ino == inode, "unchanged code, untouched stamp"
    stamp.write_text("of other code")
    code_stamp.cache_clear()
    assert "evaluation/mcc.py" in code_stamp(tmp_path, "pdgmm.steps.score").read_text()
