import numpy as np
import pytest
from sklearn.decomposition import FastICA as SklearnFastICA

from pdgmm.errors import FitFailed, UserError
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.fastica import FastICA


def test_independent_sources_are_found():
    rng = np.random.default_rng(0)
    z = rng.uniform(-1, 1, size=(5000, 3))
    x = z @ rng.normal(size=(3, 3)) + 5
    run = Run(seed=0)
    code = FastICA().fit(Samples(x, 3), run).model.encode(x)
    correlation = np.abs(np.corrcoef(z.T, code.T)[:3, 3:])
    assert (correlation.max(axis=0) > 0.99).all()
    np.testing.assert_allclose(code.mean(axis=0), 0, atol=1e-3)
    np.testing.assert_allclose(code.std(axis=0), 1, atol=1e-3)
    assert run.notes["converged"] is True


def test_a_fit_that_did_not_converge_says_so(data):
    run = Run(seed=0)
    FastICA(max_iter=1, tol=1e-12).fit(data, run)
    assert run.notes == {"converged": False, "iterations": 1}


def test_more_latents_than_dimensions_is_a_user_error(sparse_x):
    with pytest.raises(UserError, match="5 latents in 4 dimensions"):
        FastICA().fit(Samples(sparse_x, 5), Run(seed=0))


def test_constant_observations_are_a_recorded_failure():
    with pytest.raises(FitFailed, match="failed: FastICA"):
        FastICA().fit(Samples(np.ones((100, 3)), 3), Run(seed=0))


def test_components_that_are_nan_are_a_recorded_failure(data, monkeypatch):
    def broken(self, x):
        self.components_, self.mean_, self.n_iter_ = np.full((4, 4), np.nan), np.zeros(4), 7
        return self

    monkeypatch.setattr(SklearnFastICA, "fit", broken)
    with pytest.raises(FitFailed, match="failed: .*NaN after 7 iterations"):
        FastICA().fit(data, Run(seed=0))


def test_at_most_so_many_samples_are_used(data, sparse_x):
    few = FastICA(max_samples=300).fit(data, Run(seed=0)).model
    same = FastICA().fit(Samples(sparse_x[:300], 4), Run(seed=0)).model
    np.testing.assert_array_equal(few.weight, same.weight)
