"""Gene expression driven by a few transcription factors: the simulated single cells of DICA."""

from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from pdgmm.data.gene_network import CellWorld, RegulatoryLayer
from pdgmm.data.shared_draws import SharedDraws, TrainAndTest
from pdgmm.seeds import child_generator

REGULATORS = (0.60, 0.25, 0.10, 0.03, 0.02)
"""Shares of genes with 1, 2, 3, 4 and 5 regulators, as in the human part of the database TRRUST."""

ACTIVATING = 0.6
"""Share of activating edges among those of TRRUST whose sign is known."""

WEAKEST, STRONGEST = 1.0, 5.0
"""Bounds of the uniform distribution of an edge's strength, as in the simulator SERGIO."""


class GeneRegulation(SharedDraws):
    """Concentrations s of transcription factors, and the expression of the genes that they regulate by Hill kinetics.

    The kinetics are those of SERGIO (Dibaeinia and Sinha, 2020): factor j is made at a rate b_j, so ``s_j = b_j /
    0.8``; gene g is made at the rate ``P_g = sum_j |K_gj| h(s_j)`` with ``h(s) = s^2 / (c_j^2 + s^2)``, c_j the mean
    of s_j, and 1 - h for repression; it decays at the rate 0.8, so that ``x_g = P_g / 0.8``. The network has the
    statistics of the human database TRRUST (Han et al., 2018), which is not needed. With one layer x is an affine
    function of the h(s_j). With two layers, half of the genes are regulated by the other half.
    """

    n: int = Field(5, ge=1, description="number of transcription factors, the latents")
    genes: int = Field(200, ge=2, description="number of genes, the observed coordinates")
    layers: Literal[1, 2] = Field(1, description="2: half of the genes are regulated by other genes")
    crosstalk: float = Field(
        0.0,
        ge=0,
        description="standard deviation of a weak influence of every factor on every gene that it may regulate",
    )
    noise: Literal["none", "gaussian", "kinetic"] = Field(
        "none",
        description="none; Gaussian, a tenth of each gene's deviation; kinetic: the chemical Langevin equation",
    )
    correlation: float = Field(0.5, ge=0, lt=1, description="correlation of the factors' Gaussian copula")
    samples: TrainAndTest = Field(
        TrainAndTest(train=3000, test=2000), description="cells per split", validate_default=True
    )

    @model_validator(mode="after")
    def _enough_genes(self) -> "GeneRegulation":
        if self.genes < self.layers * self.n:
            raise ValueError(
                f"genes={self.genes} is too small for n={self.n}: use genes >= {self.layers * self.n}"
            )
        return self

    def truth(self) -> tuple[str, ...]:
        return ("z",)

    def world(self, draw: int) -> CellWorld:
        first = self.genes // self.layers
        sizes = [(self.n, first), (first, self.genes - first)][: self.layers]
        layers = [
            self._layer(inputs, outputs, child_generator(draw, "network", number))
            for number, (inputs, outputs) in enumerate(sizes)
        ]
        return CellWorld.settled(layers, self.n, self.correlation, self.noise, child_generator(draw, "cells"))

    def _layer(self, inputs: int, outputs: int, rng: np.random.Generator) -> RegulatoryLayer:
        """Edges of ``inputs`` regulators and ``outputs`` genes; every regulator gets a gene."""
        strengths = np.zeros((outputs, inputs))
        for gene in range(outputs):
            count = min(1 + rng.choice(len(REGULATORS), p=REGULATORS), inputs)
            chosen = rng.choice(inputs, size=count, replace=False)
            if gene < inputs and gene not in chosen:
                chosen[0] = gene
            signs = np.where(rng.random(count) < ACTIVATING, 1.0, -1.0)
            strengths[gene, chosen] = signs * rng.uniform(WEAKEST, STRONGEST, size=count)
        strengths += self.crosstalk * rng.normal(size=strengths.shape)
        return RegulatoryLayer(strengths)
