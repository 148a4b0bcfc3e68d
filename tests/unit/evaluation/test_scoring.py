import json
import subprocess
import sys

import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.r2 import r2
from pdgmm.evaluation.scoring import score_splits, scores

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(200, 3)).astype(np.float32)
Z_HAT = Z[:, [2, 0, 1]] * [-2.0, 1.0, 3.0] + 0.1 * RNG.normal(size=(200, 3))


def test_scores_are_json_and_agree_with_the_metrics():
    found = json.loads(json.dumps(scores(Z, Z_HAT), allow_nan=False))
    match = mcc(Z, Z_HAT)
    assert found["r2"] == r2(Z, Z_HAT)
    assert found["mcc"] == match.mcc
    assert found["mcc_per_latent"] == pytest.approx(match.per_latent, abs=1e-6)
    assert found["assignment"] == [1, 2, 0]
    assert found["signs"] == [1, 1, -1]
    assert np.array(found["correlation"]) == pytest.approx(match.correlation, abs=1e-6)


def test_every_scored_split_and_the_source_of_rotated_latents():
    turn = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    truth = {"train": {"z": Z}, "test": {"z": Z @ turn, "source": Z}, "independent": {"z": Z}}
    found = score_splits(truth, dict.fromkeys(truth, Z_HAT))
    assert list(found) == ["test", "test_source", "independent"]
    assert found["test_source"] == found["independent"]
    assert found["test_source"]["mcc"] > found["test"]["mcc"]


def test_missing_encodings_and_empty_datasets_are_named():
    with pytest.raises(UserError, match="'unmasked'"):
        score_splits({"test": {"z": Z}, "unmasked": {"z": Z}}, {"test": Z_HAT})
    with pytest.raises(UserError, match="nothing to score"):
        score_splits({"train": {"z": Z}}, {"train": Z_HAT})


def test_scoring_imports_nothing_heavy():
    heavy = "{'torch', 'sklearn', 'pandas', 'matplotlib'}"
    code = (
        f"import sys, pdgmm.evaluation.scoring; sys.exit(str(h) if (h := {heavy} & set(sys.modules)) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
