"""The catalogue of metrics: one line per metric, ``name: "module:Class"``, in the order of the tables."""

import functools

from pdgmm.catalogue import named_class
from pdgmm.evaluation.base import Metric

METRICS: dict[str, str] = {
    "mcc": "pdgmm.evaluation.mcc:Mcc",
    "r2": "pdgmm.evaluation.r2:R2",
    "affine_r2": "pdgmm.evaluation.affine_r2:AffineR2",
    "within_domains": "pdgmm.evaluation.within_domains:WithinDomains",
    "component_r2": "pdgmm.evaluation.component_r2:ComponentR2",
    "factor_vae_score": "pdgmm.evaluation.factor_vae_score:FactorVaeScore",
    "dci": "pdgmm.evaluation.dci:DciScores",
    "per_ball": "pdgmm.evaluation.r2:PerBall",
    "block_r2": "pdgmm.evaluation.r2:BlockR2",
    "extra_latents": "pdgmm.evaluation.mcc:ExtraLatents",
    "seed_agreement": "pdgmm.evaluation.seed_agreement:SeedAgreement",
    "fit_stability": "pdgmm.evaluation.fit_stability:FitStability",
    "mixture_agreement": "pdgmm.evaluation.mixture_agreement:MixtureAgreement",
    "set_identifiability": "pdgmm.evaluation.set_identifiability:SetIdentifiability",
    "dependency_support": "pdgmm.evaluation.dependency_support:DependencySupport",
    "supports": "pdgmm.evaluation.supports:Supports",
    "generated_images": "pdgmm.evaluation.generated_images:GeneratedImages",
    "graph": "pdgmm.evaluation.graphs.graph_scores:GraphScores",
}


@functools.cache
def metrics() -> tuple[Metric, ...]:
    """One instance of every metric."""
    return tuple(named_class(METRICS, name)() for name in METRICS)
