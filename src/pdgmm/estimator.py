"""``PDGMM``: the project's own method with scikit-learn's conventions."""

import warnings
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from pdgmm.errors import FitFailed, UserError
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.whitening import estimate_n_latents
from pdgmm.methods.base import Method
from pdgmm.methods.component_axes.component_axes import ComponentAxes
from pdgmm.methods.flow.flow import Flow
from pdgmm.methods.flow.flow_gmm import FlowGmm
from pdgmm.methods.latent_densities import (
    fitted_spikes,
    found_patterns,
    mixture_log_density,
    pattern_log_density,
    spikes_log_density,
)
from pdgmm.methods.spike_slab.spike_slab import SpikeSlab
from pdgmm.models.affine_model import IdentityModel

SAMPLES_PER_LATENT = 3
"""The fewest samples per latent from which a density can be fitted."""

RELIABLE = 0.9
"""A latent is reliable if searches on both halves of the samples find it again with at least this correlation."""

RESTING, MIXTURE, AUTO = "resting", "mixture", "auto"
"""What is assumed about the latents; see the parameter ``prior``."""

FLOW_NOTES = {
    RESTING: ("chosen_start", "turns", "best_step", "held_out_log_likelihoods", "mixture"),
    MIXTURE: ("components", "clusters_held_out", "unseen_cluster_log_likelihoods"),
}
"""What a flow notes about its training and the estimator keeps in ``flow_notes_``."""


class PDGMM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Recovers latents that are often exactly at one value, from observations that mix them almost affinely.

    An invertible flow straightens the mixing (``nonlinear=True``), and an affine map unmixes it. Both are fitted by
    maximum likelihood under a spike-and-slab prior. Latents come in no particular order. The value at which a latent
    rests is 0, and while it is active it varies with standard deviation 1.

    Parameters
    ----------
    n_latents : int or None
        Number of latents, at most the number of columns. None: estimated from the principal variances.
    nonlinear : bool
        Learn a flow first. False: only the affine map, which takes seconds.
    prior : "resting", "mixture" or "auto"
        What is assumed about the latents. "resting": each is often exactly at one value. "mixture": they never
        rest, and follow a Gaussian mixture; a flow then finds them up to an affine map, and the covariances of the
        components tell single latents apart if these covariances differ enough. "auto": a flow is learned under
        each prior, and the likelihood of held-out samples chooses between them. That takes about twice as long.
    starts : int
        Largest number of random starts of an affine search; the likelihood chooses among them.
    steps : int or None
        Training steps of the flow; the state with the best held-out likelihood is kept. None: depends on the number
        of latents.
    reliability : bool or None
        Also search on each half of the samples, and warn about latents that are not found again. None: only if a flow
        is learned, since that takes far longer anyway.
    find_supports : bool
        Also find the components of the mixture: which latents are active together, and how often. Takes seconds.
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"mps"``.
    random_state : int, RandomState or None
        Seed. The same seed, data and version give the same latents.

    Attributes
    ----------
    n_latents_ : int
        Number of latents found.
    prior_ : str
        "resting" or "mixture": the prior that was used.
    prior_log_likelihoods_ : dict or None
        The held-out log-likelihood per sample of each flow, by its prior. None: no flow.
    spike_probability_, spike_centre_, spike_width_ : ndarray of shape (n_latents_,)
        How often each latent rests, at which value, and with which width, in units of the latent.
    slab_mean_, slab_scale_ : ndarray of shape (n_latents_,)
        Mean and standard deviation of each latent while it is active.
    start_log_likelihoods_ : list of float
        Log-likelihood per sample that each start of the affine search reached. The best one is the result.
    starts_agreed_ : bool
        Whether two starts reached the best result. If not, the result may depend on the seed. None under a mixture.
    reliability_ : ndarray of shape (n_latents_,), or None
        How well searches on the two halves of the samples find each latent again: the smaller of two correlations.
        Below 0.9, other samples may give another latent. None: not asked for.
    supports_ : ndarray of shape (n_components, n_latents_), or None
        Components that were found, most frequent first: 1 where a latent is active. None: not asked for.
    support_weights_ : ndarray of shape (n_components,), or None
        Share of the samples in each of them.
    fell_back_ : bool or None
        Whether the flow was dropped because held-out samples are likelier under its affine start. None: no flow.
    flow_notes_ : dict or None
        How the flow was trained. Prior "resting": ``held_out_log_likelihoods`` as pairs of step and value, the
        ``chosen_start``, the ``turns`` (new affine searches), the ``best_step``, and the ``mixture`` with its number
        of ``patterns``, whether it was ``trained``, and its own likelihoods. Prior "mixture": its ``components``,
        the ``clusters_held_out`` and their likelihoods. None: no flow.
    history_ : list of dict
        Metrics recorded during both fits.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    """

    prior_: str | None

    def __init__(
        self,
        n_latents: int | None = None,
        *,
        nonlinear: bool = True,
        prior: str = RESTING,
        starts: int = 8,
        steps: int | None = None,
        reliability: bool | None = None,
        find_supports: bool = False,
        device: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_latents = n_latents
        self.nonlinear = nonlinear
        self.prior = prior
        self.starts = starts
        self.steps = steps
        self.reliability = reliability
        self.find_supports = find_supports
        self.device = device
        self.random_state = random_state

    def fit(self, X: Any, y: None = None) -> Self:
        """Learn the latents from ``X`` (samples, columns); ``y`` is ignored."""
        x = validate_data(self, X, dtype=np.float64, ensure_min_samples=2, ensure_min_features=1)
        # Parameters are checked here, not in the constructor.
        starts = _checked_count("starts", self.starts)
        steps = None if self.steps is None else _checked_count("steps", self.steps, optional=True)
        _checked_flag("find_supports", self.find_supports)
        nonlinear = _checked_flag("nonlinear", self.nonlinear)
        halves = nonlinear if self.reliability is None else _checked_flag("reliability", self.reliability)
        flows: dict[str, Method] = {
            RESTING: Flow(steps=steps, starts=starts),
            MIXTURE: FlowGmm(steps=steps) if steps else FlowGmm(),
        }
        priors = self._checked_priors(nonlinear)
        unmixings: dict[str, SpikeSlab | ComponentAxes] = {
            RESTING: SpikeSlab(starts=starts, halves=halves),
            MIXTURE: ComponentAxes(),
        }
        n = self._checked_n_latents(x)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        # The search for a start looks at the first thousands of rows: those of a table in order may all be alike.
        x = x[np.random.default_rng(seed).permutation(len(x))]
        try:
            data = Samples(x, n)
            self._straighten({prior: flows[prior] for prior in priors} if nonlinear else {}, data, seed)
            self.prior_ = self.prior_ or priors[0]
            self._unmix(unmixings[self.prior_], data, seed)
        except FitFailed as failure:
            raise UserError(f"no latents could be found: {failure.reason}") from failure
        self.n_latents_ = self._n_features_out = n
        self._fit_density(x)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The latents (samples, n_latents_) of ``X``."""
        check_is_fitted(self)
        x = validate_data(self, X, dtype=np.float64, reset=False)
        return self._latents(x)[0]

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """The observations (samples, columns) whose latents are ``Z`` (samples, n_latents_)."""
        check_is_fitted(self)
        z = check_array(Z, dtype=np.float64, input_name="Z")
        if z.shape[1] != self.n_latents_:
            raise UserError(f"Z has {z.shape[1]} columns, but there are {self.n_latents_} latents")
        code = self._unmixing.decode(z)
        return self._straightening.decode(code).astype(np.float64)

    def score_samples(self, X: Any) -> np.ndarray:
        """Log-likelihood (samples,) of every sample; with fewer latents than columns, within the latents' subspace.

        The density is that of independent latents that rest or, with ``find_supports``, of the components that were
        found. With the prior "mixture" it is that mixture.
        """
        check_is_fitted(self)
        x = validate_data(self, X, dtype=np.float64, reset=False)
        latents, residual, log_det = self._latents(x)
        across = -0.5 * (residual**2 / self._residual_variance + np.log(2 * np.pi * self._residual_variance))
        if self._mixture:
            inside = mixture_log_density(self._mixture, latents)
        elif self._patterns:
            inside = pattern_log_density(self._patterns, latents)
        else:
            inside = spikes_log_density(self._prior, latents)
        return inside + across.sum(axis=1) + log_det

    def score(self, X: Any, y: None = None) -> float:
        """Mean log-likelihood per sample. On samples that were not used in the fit, it can compare models."""
        return float(self.score_samples(X).mean())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def _checked_n_latents(self, x: np.ndarray) -> int:
        if self.n_latents is None:
            n = estimate_n_latents(x)
        else:
            n = _checked_count("n_latents", self.n_latents, optional=True)
        if n < 1:
            raise UserError("X varies in 0 directions: all samples are the same, there is nothing to find")
        if n > x.shape[1]:
            raise UserError(f"n_latents={n} is more than the {x.shape[1]} columns of X: ask for fewer")
        if len(x) < SAMPLES_PER_LATENT * n:
            raise UserError(
                f"{len(x)} samples are too few for {n} latents: n_samples={len(x)} must be at least "
                f"{SAMPLES_PER_LATENT * n}, and some hundreds to find anything"
            )
        return n

    def _checked_priors(self, nonlinear: bool) -> list[str]:
        """The priors to try."""
        if self.prior not in (RESTING, MIXTURE, AUTO):
            raise UserError(f"prior must be {RESTING!r}, {MIXTURE!r} or {AUTO!r}, got {self.prior!r}")
        if self.prior == AUTO and not nonlinear:
            raise UserError(f"prior={AUTO!r} compares flows and needs nonlinear=True: give one of the priors")
        return [RESTING, MIXTURE] if self.prior == AUTO else [self.prior]

    def _straighten(self, flows: dict[str, Method], data: Samples, seed: int) -> None:
        """Learn every flow; keep the one with the best held-out likelihood; without flows, the raw observations."""
        runs = {prior: Run(seed=seed, device=self.device) for prior in flows}
        models = {prior: flow.fit(data, runs[prior]).model for prior, flow in flows.items()}
        self._straightening: Any = (
            IdentityModel()
        )  # a model that has `mapped`, like those of the methods here
        self.prior_ = self.prior_log_likelihoods_ = self.fell_back_ = self.flow_notes_ = None
        self.history_ = []
        if flows:
            reached = {prior: run.notes["held_out_log_likelihood"] for prior, run in runs.items()}
            self.prior_log_likelihoods_ = reached
            self.prior_ = max(reached, key=reached.__getitem__)
            self._straightening = models[self.prior_]
            run = runs[self.prior_]
            self.fell_back_ = run.notes["fell_back"]
            self.flow_notes_ = {name: run.notes.get(name) for name in FLOW_NOTES[self.prior_]}
            self.history_ += [{"stage": 1, **row} for row in run.history]

    def _unmix(self, unmixing: SpikeSlab | ComponentAxes, data: Samples, seed: int) -> None:
        run = Run(seed=seed, device=self.device)
        code = Samples(self._straightening.encode(data.array()), data.n_latents)
        unmixed = unmixing.fit(code, run)
        self._unmixing: Any = unmixed.model
        self.start_log_likelihoods_ = list(run.notes.get("start_log_likelihoods", []))
        self.starts_agreed_ = run.notes.get("starts_agreed")
        found_again = run.notes.get("found_again")
        self.reliability_ = None if found_again is None else np.array(found_again)
        self._mixture = None
        if self.prior_ == MIXTURE:
            names = ("weights", "means", "covariances")
            self._mixture = {name: unmixed.claims[f"mixture_{name}"] for name in names}
        else:
            self._warn_if_unsure()
        self.history_ += [{"stage": 2, **row} for row in run.history]

    def _warn_if_unsure(self) -> None:
        """Warn if other samples or another seed may give other latents."""
        more = "more samples, fewer latents or more starts may help"
        if self.reliability_ is not None and (self.reliability_ < RELIABLE).any():
            unsure = np.flatnonzero(self.reliability_ < RELIABLE).tolist()
            warnings.warn(
                f"{len(unsure)} of {len(self.reliability_)} latents are not found again in halves of the samples "
                f"(reliability_ below {RELIABLE}: {unsure}): {more}",
                ConvergenceWarning,
                stacklevel=4,
            )
        elif self.reliability_ is None and not self.starts_agreed_:
            warnings.warn(
                f"no two starts of the affine search agree: another seed may give other latents; {more}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _fit_density(self, x: np.ndarray) -> None:
        """Fit the density of the resulting latents, for :meth:`score` and for users to read."""
        latents, residual, _ = self._latents(x)
        self._prior = fitted_spikes(latents)
        patterns = self.find_supports and self.prior_ == RESTING
        self._patterns = found_patterns(self._prior, latents) if patterns else None
        self.supports_ = self.support_weights_ = None
        if self._patterns:
            self.supports_ = self._patterns["active"].astype(int)
            self.support_weights_ = self._patterns["weights"]
        self._residual_variance = residual.var(axis=0) + np.finfo(np.float32).tiny
        self.spike_probability_ = self._prior["weight"]
        self.spike_centre_, self.spike_width_ = self._prior["centre"], self._prior["width"]
        self.slab_mean_, self.slab_scale_ = self._prior["mean"], self._prior["scale"]

    def _latents(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Per sample: the latents, the coordinates across their surface, and the log of the volume factor."""
        code, residual, first = self._straightening.mapped(x)
        latents, none_left, second = self._unmixing.mapped(code)
        return latents.astype(np.float64), np.hstack([residual, none_left]), first + second


def _checked_count(name: str, value: Any, *, optional: bool = False) -> int:
    """``value`` as a positive ``int``. ``optional`` only makes the error say that None is allowed too."""
    # NumPy integers are allowed too, but must be converted: pydantic, which checks the stages, refuses them.
    if not isinstance(value, Integral) or isinstance(value, bool | np.bool_) or value < 1:
        raise UserError(f"{name} must be a positive integer{' or None' if optional else ''}, got {value!r}")
    return int(value)


def _checked_flag(name: str, value: Any) -> bool:
    """``value`` as a ``bool``. Anything else is refused, such as ``"no"``, which Python would treat as true."""
    if not isinstance(value, bool | np.bool_):
        raise UserError(f"{name} must be True or False, got {value!r}")
    return bool(value)
