"""Steps that train nothing with torch do not wait for it to be imported, nor pay its memory."""

import os
import subprocess
import sys
from pathlib import Path

SCALING = Path(__file__).parents[2] / "benchmarks" / "scaling"

PROGRAM = """
import json, sys
from pathlib import Path
from step_calls import PLAN, step_calls, table_plan
from pdgmm.cli.main import cli

folder, plan = Path(sys.argv[1]), table_plan()
(folder / PLAN).write_text(json.dumps(plan))
for call in step_calls(folder, plan):
    if not call.needs_torch:
        cli.main(["step", *call.arguments], standalone_mode=False)
        if "torch" in sys.modules:
            sys.exit(f"{call.command} imports torch")
        print(call.step)
"""
LIGHT = {
    "generate",
    "train-stage1",
    "train-stage2",
    "encode",
    "score",
    "tabulate",
    "summarise",
    "discover-graph",
    "score-graph",
    "draw-cost",
    "draw-heatmaps",
    "draw-supports",
    "draw-graphs",
}
"""The training steps with methods that need no torch."""


def run_python(program, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | {"PYTHONPATH": str(SCALING)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_steps_that_need_no_torch_import_none(tmp_path):
    assert set(run_python(PROGRAM, str(tmp_path)).split()) == LIGHT


def test_the_command_line_waits_for_no_large_library():
    # NumPy also reads the number of threads when it is imported, which is what a step says first.
    loaded = run_python("import sys, pdgmm.cli.main; print(*sys.modules)").split()
    assert not {"numpy", "pandas", "scipy", "torch", "matplotlib"} & set(loaded)


TRAINING = """
import sys
from pathlib import Path
from step_calls import step_calls, table_plan
from pdgmm.cli.main import cli

for call in step_calls(Path(sys.argv[1]), table_plan()):
    if call.step == "score":
        break
    cli.main(["step", *call.arguments], standalone_mode=False)
    if "torch._dynamo" in sys.modules:
        sys.exit(f"{call.command} imports torch's compiler")
    print(call.step)
assert "torch" in sys.modules
"""


def test_trainings_do_not_wait_for_torchs_compiler(tmp_path):
    assert set(run_python(TRAINING, str(tmp_path)).split()) == {
        "generate",
        "train-stage1",
        "train-stage2",
        "encode",
    }
