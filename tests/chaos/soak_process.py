"""All steps of a study again and again in this one process: ``python soak_process.py CONFIG FOLDER``.

Runs a round for every line on standard input, and prints a line of JSON: the round's seconds, memory (bytes) and open
files after it, and a digest of all scores.
"""

import gc
import hashlib
import json
import shutil
import sys
import time
from pathlib import Path

import psutil

from pdgmm.steps.draw_heatmaps import draw_scores
from pdgmm.steps.generate import generate_dataset
from pdgmm.steps.score import score_run
from pdgmm.steps.summarise import summarise_tables
from pdgmm.steps.tabulate import tabulate
from pdgmm.steps.train import FitOptions, train_stage1, train_stage2
from pdgmm.study.config import read_config
from pdgmm.study.planning import plan_study
from pdgmm.study.study import SUMMARY, Study, split_method
from pdgmm.workflow_support.freed_memory import reuse_freed_memory


def runs_without_images(study: Study) -> list[tuple[str, int, str]]:
    """The runs of a round: experiments on images are left out, their networks alone would take most of its time."""
    experiments = [planned for planned in study.experiments.values() if not planned.on_images]
    return list(dict.fromkeys(run for planned in experiments for run in planned.runs()))


def run_study(study: Study, folder: Path) -> str:
    """Draw, fit, score, tabulate and picture everything but images; a digest of the scores."""
    options = FitOptions(device="cpu")
    digest = hashlib.sha256()
    for name, seed, method in runs_without_images(study):
        dataset = folder / "datasets" / name / f"seed-{seed}.h5"
        if not dataset.exists():
            generator = study.datasets[name]
            generate_dataset(generator.generator, generator.settings.canonical(), seed, dataset)
        stage1, stage2 = (study.stage1[split_method(method)[0]], study.stage2[split_method(method)[1]])
        results = folder / "results" / name / f"seed-{seed}"
        first, both = results / stage1.name, results / method
        if not (first / "model.json").exists():
            train_stage1(stage1.method, stage1.settings.canonical(), dataset, seed, first, options)
        train_stage2(stage2.method, stage2.settings.canonical(), dataset, first, seed, both, options)
        score_run(dataset, both / "latents.h5", study.label(stage1.name, stage2.name), both / "scores.json")
        digest.update((both / "scores.json").read_bytes())
    report_study(study, folder / "results")
    return digest.hexdigest()


def report_study(study: Study, results: Path) -> None:
    """The tables, heatmaps and summary of the runs in ``results``."""
    names = [name for name, planned in study.experiments.items() if not planned.on_images]
    for name in names:
        tabulate(study.table_request(name), results, results / "tables" / name)
        planned = study.experiments[name]
        for dataset in planned.datasets:
            folder = results / dataset.name / f"seed-{planned.settings.seeds[0]}"
            scores = [folder / method.name / "scores.json" for method in planned.methods]
            draw_scores(scores, results / "figures" / name / dataset.name)
    summarise_tables([results / "tables" / f"{name}.csv" for name in names], results / "tables" / SUMMARY)


def main() -> None:
    """Run the rounds that are asked for."""
    config, folder = Path(sys.argv[1]), Path(sys.argv[2])
    reuse_freed_memory()  # as every step of the workflow does
    study = plan_study(read_config([config]))
    process = psutil.Process()
    for _ in sys.stdin:
        began = time.monotonic()
        scores = run_study(study, folder)
        seconds = time.monotonic() - began
        shutil.rmtree(folder)
        gc.collect()
        measured = {"seconds": seconds, "memory": process.memory_info().rss, "files": process.num_fds()}
        print(json.dumps(measured | {"scores": scores}), flush=True)


if __name__ == "__main__":
    main()
