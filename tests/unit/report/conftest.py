import pytest

from pdgmm.report.published import BASE


@pytest.fixture
def record():
    """Makes a record of a run at the paper's base setting; whatever is named replaces the default."""

    def make(**changes):
        setting = {**BASE, **changes.pop("setting", {})}
        status = changes.get("status", "ok")
        mcc, r2 = changes.pop("mcc", 0.966), changes.pop("r2", 0.94)
        default = {
            "experiment": "table1",
            "method": "flow+spike_slab",
            "size": "600 steps",
            "seed": 0,
            "status": "ok",
            "reason": "",
            "metrics": {"test": {"mcc": mcc, "r2": r2}} if status == "ok" else {},
            "seconds": 41.0,
            "published_table": "1",
        }
        return {**default, "setting": setting, **changes}

    return make
