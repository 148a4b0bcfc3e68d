import numpy as np

from pdgmm.evaluation.mcc import mcc
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.oracle.supervised import Supervised


def test_it_learns_the_map_that_it_is_told():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(3000, 2))
    x = np.column_stack([np.sinh(z[:, 0]), z[:, 1] + z[:, 0] ** 2]).astype(np.float32)
    data = Samples(x[:2000], 2, told={"z": z[:2000]})
    fit = Supervised(steps=400, units=[32, 32], learning_rate=5e-3).fit(data, Run(seed=100))
    assert mcc(z[2000:], fit.model.encode(x[2000:])).mcc > 0.97
    assert not data.side, "the samples themselves stay as they were"
