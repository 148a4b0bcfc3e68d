"""All steps of a study again and again in this one process: ``python soak_process.py CONFIG FOLDER ROUNDS``.

Prints a line of JSON for every round: its seconds, memory (bytes) and open files after it, a digest of all scores.
"""

import gc
import hashlib
import json
import shutil
import sys
import time
from pathlib import Path

import psutil

from pdgmm.catalogue import prefixes
from pdgmm.steps.draw_heatmaps import draw_scores
from pdgmm.steps.encode import encode
from pdgmm.steps.generate import generate_dataset
from pdgmm.steps.score import score_run
from pdgmm.steps.summarise import summarise_tables
from pdgmm.steps.tabulate import tabulate
from pdgmm.steps.train import FitOptions, train
from pdgmm.store.atomic import write_json
from pdgmm.study.config import read_config
from pdgmm.study.planning import plan_study
from pdgmm.study.study import SUMMARY, Study
from pdgmm.workflow_support.environment import reuse_freed_memory


def run_study(study: Study, folder: Path) -> str:
    """Draw, fit, score, tabulate and picture everything but images; a digest of the scores.

    The networks that read images would take most of a round's time.
    """
    experiments = [planned for planned in study.experiments.values() if not planned.on_images]
    digest = hashlib.sha256()
    for name, seed, chain in dict.fromkeys(run for planned in experiments for run in planned.runs()):
        dataset = folder / "datasets" / name / f"seed-{seed}.h5"
        if not dataset.exists():
            planned = study.datasets[name]
            generate_dataset(planned.generator, planned.settings.canonical(), seed, dataset)
        scores = run_chain(study, chain, dataset, seed, folder / "results" / name / f"seed-{seed}")
        digest.update(scores.read_bytes())
    results, tables = folder / "results", folder / "results" / "tables"
    for planned in experiments:
        write_json(results / "plan.json", planned.table_plan())
        tabulate(results / "plan.json", results, tables / planned.name)
        draw_scores(list(results.glob("*/*/*/scores.json"))[:3], results / "figures" / planned.name)
    summarise_tables([tables / f"{planned.name}.csv" for planned in experiments], tables / SUMMARY)
    return digest.hexdigest()


def run_chain(study: Study, chain: str, dataset: Path, seed: int, results: Path) -> Path:
    """Fit and score a chain, with what another chain has fitted before; the file of its scores."""
    code = latents = None
    for part in prefixes(chain):
        out = results / part
        if not (out / "model.json").exists():
            method = study.last_part(part)
            options = FitOptions(device="cpu")
            train(method.method, method.settings.canonical(), dataset, seed, out, options, code)
            encode(out, dataset, code, True, out / "code.h5")
            encode(out, dataset, latents, False, out / "latents.h5")
        code, latents = out / "code.h5", out / "latents.h5"
    score_run(dataset, latents, study.label(chain), results / chain / "scores.json")
    return results / chain / "scores.json"


def main() -> None:
    """Run the rounds."""
    study, folder = plan_study(read_config([Path(sys.argv[1])])), Path(sys.argv[2])
    reuse_freed_memory()  # as every step of the workflow does
    process = psutil.Process()
    for _ in range(int(sys.argv[3])):
        began = time.monotonic()
        scores = run_study(study, folder)
        seconds = time.monotonic() - began
        shutil.rmtree(folder)
        gc.collect()
        measured = {"seconds": seconds, "memory": process.memory_info().rss, "files": process.num_fds()}
        print(json.dumps(measured | {"scores": scores}), flush=True)


if __name__ == "__main__":
    main()
