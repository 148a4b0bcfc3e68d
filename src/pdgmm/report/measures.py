"""What is tabulated, in the order of the tables."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pdgmm.report.records import Record
from pdgmm.report.text import duration, mean_and_std


@dataclass(frozen=True)
class Measure:
    """A number that every run has one of."""

    split: str
    metric: str
    title: str
    higher_is_better: bool | None = True
    """None: neither is, of a cost for example, and no value of a row is the best."""
    write: Callable[[float, float | None], str] = lambda mean, std: mean_and_std(mean, std, 3)
    """Mean and deviation as text."""
    published_digit: float = 0.01
    """One unit of the last digit in which the paper gives it."""
    published_with: str = ""
    """What a reader must know of the published values, where they must not be judged against ours."""

    def of(self, record: Record) -> float | None:
        """The value in a record; None where it has none."""
        if self.split == "run":
            return record.get(self.metric)
        return record["metrics"].get(self.split, {}).get(self.metric)


def _time(mean: float, _: float | None) -> str:
    return duration(mean)


def _count(mean: float, _: float | None) -> str:
    return f"{mean:g}"


MEASURES = (
    Measure("test", "mcc", "MCC, held-out samples"),
    Measure("test", "r2", "R², held-out samples"),
    Measure("independent", "mcc", "MCC, latents without causal edges"),
    Measure("independent", "r2", "R², latents without causal edges"),
    Measure("unmasked", "mcc", "MCC, samples with every latent active"),
    Measure("unmasked", "r2", "R², samples with every latent active"),
    Measure("test_source", "mcc", "MCC against the latents before the rotation, held-out samples"),
    Measure("test_source", "r2", "R² against the latents before the rotation, held-out samples"),
    Measure(
        "test", "block_r2_diagonal_min", "Smallest R² of a learned latent with its block, held-out samples"
    ),
    Measure("test", "block_mcc", "Mean R² of the learned latents with their blocks, held-out samples"),
    Measure(
        "test",
        "block_r2_elsewhere_max",
        "Largest R² of a learned latent with another block, held-out samples",
        False,
    ),
    Measure(
        "test_apart", "block_mcc", "Mean R² of the learned latents with their balls, no balls overlapping"
    ),
    Measure("test_apart", "mcc", "MCC, images in which no balls overlap"),
    Measure("test", "agreement", "Agreement of the seeds: MCC between fits to other rows, held-out rows"),
    Measure("test", "affine_agreement", "Agreement of the seeds up to an affine map: R², held-out rows"),
    Measure("test", "extra_latents", "Learned latents beyond the true ones", None, _count),
    Measure("test", "extra_max_correlation", "Largest correlation of these with a true latent", None),
    Measure("supports", "precision", "Share of the found supports that are true"),
    Measure("supports", "recall", "Share of the true supports that were found"),
    Measure("run", "stage2_seconds", "Training time of stage 2", None, _time, published_with="on a GPU"),
    Measure("run", "seconds", "Training time of both stages", None, _time),
)

GRAPH_SPLIT = "graph_"
"""With the name of a method that finds graphs: where a record has the scores of its graph."""


BALL = "ball_"
"""With the number of a ball: where a split has the score of that ball."""


def _one_decimal(mean: float, std: float | None) -> str:
    return mean_and_std(mean, std, 1)


def measures_of(records: Iterable[Record]) -> tuple[Measure, ...]:
    """What is tabulated of the records: ``MEASURES``, and the scores of every ball and kind of graph in them."""
    records = list(records)
    splits = dict.fromkeys(split for record in records for split in record["metrics"])
    balls = dict.fromkeys(
        int(key.removeprefix(BALL))
        for record in records
        for key in record["metrics"].get("test", {})
        if key.startswith(BALL)
    )
    names = [split.removeprefix(GRAPH_SPLIT) for split in splits if split.startswith(GRAPH_SPLIT)]
    graphs = (measure for name in names for measure in _graph_measures(name))
    return (*(_ball_measure(number) for number in sorted(balls)), *MEASURES, *graphs)


def measure_named(split: str, metric: str) -> Measure:
    """The measure of a row of a table."""
    if metric.startswith(BALL):
        return _ball_measure(int(metric.removeprefix(BALL)))
    graph = _graph_measures(split.removeprefix(GRAPH_SPLIT)) if split.startswith(GRAPH_SPLIT) else ()
    return next(one for one in (*MEASURES, *graph) if (one.split, one.metric) == (split, metric))


def _ball_measure(number: int) -> Measure:
    return Measure(
        "test", f"{BALL}{number}", f"Ball {number}: mean R² of its two learned latents", published_digit=0.001
    )


def _graph_measures(name: str) -> tuple[Measure, ...]:
    split, graph = GRAPH_SPLIT + name, f"causal graph found by {name}"
    return (
        Measure(split, "shd", f"SHD to the true CPDAG, {graph}", False, _one_decimal, published_digit=0.1),
        Measure(split, "skeleton_f1", f"F1 of the edges without their directions, {graph}"),
        Measure(split, "aid", f"Ancestor adjustment identification distance, {graph}", False),
    )
