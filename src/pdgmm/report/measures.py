"""What is tabulated, in the order of the tables."""

from collections.abc import Callable
from dataclasses import dataclass

from pdgmm.report.records import Record
from pdgmm.report.text import duration, mean_and_std


@dataclass(frozen=True)
class Measure:
    """A number that every run has one of."""

    split: str
    metric: str
    title: str
    higher_is_better: bool = True
    write: Callable[[float, float | None], str] = lambda mean, std: mean_and_std(mean, std, 3)
    """Mean and deviation as text."""

    def of(self, record: Record) -> float | None:
        """The value in a record; None where it has none."""
        if self.metric == "seconds":
            return record["seconds"]
        return record["metrics"].get(self.split, {}).get(self.metric)


MEASURES = (
    Measure("test", "mcc", "MCC, held-out samples"),
    Measure("test", "r2", "R², held-out samples"),
    Measure("independent", "mcc", "MCC, latents without causal edges"),
    Measure("independent", "r2", "R², latents without causal edges"),
    Measure("unmasked", "mcc", "MCC, samples with every latent active"),
    Measure("unmasked", "r2", "R², samples with every latent active"),
    Measure("test_source", "mcc", "MCC against the latents before the rotation, held-out samples"),
    Measure("test_source", "r2", "R² against the latents before the rotation, held-out samples"),
    Measure("run", "seconds", "Training time", False, lambda mean, _: duration(mean)),
)
