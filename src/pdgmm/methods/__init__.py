"""The catalogue of methods: one line per method, ``name: "module:Class"``.

A method turns observations into a code. Methods form chains: in ``autoencoder+lagrangian`` the second method is
fitted to the code of the first. Any method can follow any other, except that methods that read images must be
first.
"""

from pdgmm.catalogue import named_class
from pdgmm.methods.base import Method

METHODS: dict[str, str] = {
    "identity": "pdgmm.methods.identity:Identity",
    "fastica": "pdgmm.methods.fastica:FastICA",
    "autoencoder": "pdgmm.methods.autoencoder:Autoencoder",
    "lagrangian": "pdgmm.methods.sparse_affine.sparse_affine:Lagrangian",
    "unconstrained": "pdgmm.methods.sparse_affine.sparse_affine:Unconstrained",
    "flow": "pdgmm.methods.flow.flow:Flow",
    "flow_gmm": "pdgmm.methods.flow.flow_gmm:FlowGmm",
    "spike_slab": "pdgmm.methods.spike_slab.spike_slab:SpikeSlab",
    "oracle": "pdgmm.methods.oracle.oracle:Oracle",
    "vade": "pdgmm.methods.vade.vade:Vade",
    "vade_as_published": "pdgmm.methods.vade.vade:VadeAsPublished",
    "vade_kivva": "pdgmm.methods.vade.vade:VadeKivva",
    "mfcvae": "pdgmm.methods.mfcvae.mfcvae:Mfcvae",
    "mfcvae_relu": "pdgmm.methods.mfcvae.mfcvae:MfcvaeRelu",
    "ivae": "pdgmm.methods.ivae.ivae:Ivae",
    "ivae_classes": "pdgmm.methods.ivae.ivae:IvaeClasses",
    "vae": "pdgmm.methods.ddl.penalised_vaes:Vae",
    "ddl": "pdgmm.methods.ddl.ddl:Ddl",
    "ddl_as_published": "pdgmm.methods.ddl.penalised_vaes:DdlAsPublished",
    "hessian_penalty": "pdgmm.methods.ddl.penalised_vaes:HessianPenalty",
    "orojar": "pdgmm.methods.ddl.penalised_vaes:Orojar",
    "supervised": "pdgmm.methods.oracle.supervised:Supervised",
    "pca": "pdgmm.methods.pca:Pca",
    "domain_means": "pdgmm.methods.domains.domain_baselines:DomainMeans",
    "fastica_per_domain": "pdgmm.methods.domains.domain_baselines:FasticaPerDomain",
    "nonstationary": "pdgmm.methods.domains.nonstationary:Nonstationary",
    "domain_flow": "pdgmm.methods.domains.domain_flow:DomainFlow",
    "cg_vae": "pdgmm.methods.cg.cg_vae:CgVae",
    "cg_gan": "pdgmm.methods.cg.cg_gan:CgGan",
    "component_axes": "pdgmm.methods.component_axes.component_axes:ComponentAxes",
    "l1_rotation": "pdgmm.methods.dica.l1_rotation:L1Rotation",
    "dica": "pdgmm.methods.dica.dica:Dica",
    "dica_as_published": "pdgmm.methods.dica.dica_as_published:DicaAsPublished",
    "sparse_jacobian": "pdgmm.methods.dica.dica_as_published:SparseJacobian",
    "keypoints": "pdgmm.methods.image_features.image_features:Keypoints",
    "cnn": "pdgmm.methods.image_features.image_features:Cnn",
}


def method_class(name: str) -> type[Method]:
    """The settings class listed under ``name``."""
    return named_class(METHODS, name)
