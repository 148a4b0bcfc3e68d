"""At the size of the default study, the stage 2 of the paper finds what FastICA finds in nearly affine data."""

from pathlib import Path

import numpy as np
import yaml

from pdgmm.data.masked_scm import MaskedScm
from pdgmm.evaluation.mcc import mcc
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.fastica import FastICA
from pdgmm.methods.sparse_affine.sparse_affine import Lagrangian

CONFIG = Path(__file__).parents[4] / "config" / "config.yaml"
SEED = 100


def test_the_papers_stage_2_is_close_to_fastica_at_the_size_of_the_default_study():
    size = yaml.safe_load(CONFIG.read_text())["methods"]["lagrangian"]
    world = MaskedScm(n=5, m=3).build(SEED)
    rng = np.random.default_rng(SEED)
    train, test = world.sample("train", 20_000, rng), world.sample("test", 5_000, rng)

    def score(method):
        fitted = method.fit(Samples(train["x"], 5), Run(seed=SEED))
        return mcc(test["z"], fitted.model.encode(test["x"])).mcc

    baseline = score(FastICA())
    assert baseline > 0.9
    assert score(Lagrangian(**size)) > baseline - 0.03
