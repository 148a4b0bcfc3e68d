"""Steps that train nothing with torch do not wait for it to be imported, nor pay its memory."""

import json
import subprocess
import sys

SAMPLES = {"train": 600, "test": 100, "unmasked": 100, "independent": 100}
PROGRAM = """
import json, sys
from pdgmm.cli.main import cli

calls, forbidden = json.loads(sys.argv[1]), sys.argv[2]
for call in calls:
    cli.main(["step", *call], standalone_mode=False)
    if forbidden in sys.modules:
        sys.exit(f"{call[0]} imports {forbidden}")
print(*(name for name in sys.modules if name == "torch"))
"""


def run_python(program, *arguments):
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split()


def calls(folder, *parts):
    """A dataset, and the fits and codes of a chain."""
    data = ["--dataset", str(folder / "seed-0.h5")]
    settings = json.dumps({"n": 4, "m": 3, "samples": SAMPLES})
    made = [["generate", "--generator", "pdgmm", "--settings", settings, "--seed", "0", "--out", data[1]]]
    before = None
    for number, (method, options) in enumerate(parts):
        out = folder / str(number)
        code = ["--code", str(before / "code.h5")] if before else []
        fit = ["--method", method, "--settings", json.dumps(options), "--seed", "0", "--out", str(out)]
        made.append(["train-stage2" if before else "train-stage1", *data, *code, *fit])
        for name, flags in (("code", ["--training"]), ("latents", [])):
            source = ["--before", str(before / f"{name}.h5")] if before else []
            made.append(
                ["encode", *data, "--model", str(out), *source, *flags, "--out", str(out / f"{name}.h5")]
            )
        before = out
    return made


def test_steps_that_need_no_torch_import_none(tmp_path):
    made = calls(tmp_path, ("identity", {}), ("fastica", {}))
    read = ["--dataset", str(tmp_path / "seed-0.h5"), "--latents", str(tmp_path / "1" / "latents.h5")]
    label = json.dumps({"method": "identity+fastica", "size": ""})
    made.append(["score", *read, "--label", label, "--out", str(tmp_path / "scores.json")])
    made.append(["discover-graph", *read, "--method", "pc", "--out", str(tmp_path / "graph.json")])
    assert run_python(PROGRAM, json.dumps(made), "torch") == []


def test_trainings_do_not_wait_for_torchs_compiler(tmp_path):
    small = {"widths": [2], "batch_size": 64, "steps": 1}
    made = calls(tmp_path, ("autoencoder", small), ("lagrangian", small), ("spike_slab", {"starts": 1}))
    assert run_python(PROGRAM, json.dumps(made), "torch._dynamo") == ["torch"]


def test_no_module_of_a_step_imports_torch():
    program = """
import pkgutil, sys
from importlib import import_module
import pdgmm.steps
for module in pkgutil.iter_modules(pdgmm.steps.__path__):
    import_module(f"pdgmm.steps.{module.name}")
    if "torch" in sys.modules:
        sys.exit(f"{module.name} imports torch")
"""
    assert run_python(program) == []


def test_the_command_line_waits_for_no_large_library():
    # NumPy also reads the number of threads when it is imported, which is what a step says first.
    loaded = run_python("import sys, pdgmm.cli.main; print(*sys.modules)")
    assert not {"numpy", "pandas", "scipy", "torch", "matplotlib"} & set(loaded)
