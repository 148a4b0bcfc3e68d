import pytest

from pdgmm.report.table_columns import Record
from table_plans import BASE


@pytest.fixture
def record():
    """Makes a record of a run at the paper's base setting; whatever is named replaces the default."""

    def make(**changes):
        setting = {**BASE, **changes.pop("setting", {})}
        mcc, r2 = changes.pop("mcc", 0.966), changes.pop("r2", 0.94)
        metrics = {"test": {"mcc": mcc, "mcc_chance": 0.59, "r2": r2}}
        default = {
            "experiment": "table1",
            "dataset": "a",
            "method": "flow+spike_slab",
            "role": "ours",
            "size": "600 steps",
            "seed": 0,
            "metrics": metrics if changes.get("status", "ok") == "ok" else {},
            "published_table": "pdgmm/1",
        }
        return Record(**{**default, "setting": setting, **changes})

    return make


@pytest.fixture
def papers(tmp_path):
    """A folder with one made-up paper."""
    folder = tmp_path / "papers" / "mine"
    folder.mkdir(parents=True)
    (folder / "paper.yaml").write_text(
        "citation: Somebody, Something, 2027\n"
        "seeds: 3\n"
        'tables: {"2": what it is about}\n'
        "base: {n: 4}\n"
        "methods: {new: the new method}\n"
        "metrics:\n"
        "  - {split: winter, metric: mcc, published: MCC, digits: 1}\n"
        "best: {mcc: new}\n"
    )
    (folder / "published.csv").write_text(
        "table,setting,method,metric,mean,std,note\n2,n=4,new,MCC,0.8,0.05,\n"
    )
    return folder.parent
