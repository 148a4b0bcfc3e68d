"""What a study will cost, from measured times."""

import pandas as pd
import pytest

from pdgmm.errors import UserError
from pdgmm.report.kept_tables import HOURS_COLUMNS
from pdgmm.study.expected_hours import expected_hours, read_times
from pdgmm.study.planning import plan_study


@pytest.fixture
def study():
    experiments = {"one": {"dataset": "d", "vary": {"n": [3, 4]}, "methods": ["fastica", "lagrangian"]}}
    config = {"datasets": {"d": {"generator": "pdgmm"}}, "seeds": [0, 1], "experiments": experiments}
    return plan_study({**config, "methods": {"lagrangian": {"steps": 50, "batch_size": 64}}})


def times(*rows):
    return pd.DataFrame(rows, columns=HOURS_COLUMNS)


def test_the_same_fit_counts_first_then_the_mean_of_its_method_at_the_same_size(study):
    small, large = study.experiments["one"].datasets
    size = study.methods["lagrangian"].settings.size()
    found = expected_hours(
        study,
        times(
            (small.name, "fastica", "", 2, 7200.0),
            ("elsewhere", "fastica", "", 4, 4 * 10800.0),
            ("elsewhere", "autoencoder+lagrangian", size, 1, 1800.0),
            (large.name, "lagrangian", "80,000 steps of another size", 1, 9e9),
        ),
    )
    # Two seeds each: one hour measured; the mean of one and three hours; twice half an hour.
    assert found.hours == pytest.approx(2 * 1 + 2 * 2 + 4 * 0.5)
    assert (found.known, found.unknown) == (8, {})
    assert found.words() == "about 8.0 core-hours for 8 of 8 fits, from measured times"


def test_fits_that_were_never_timed_are_named(study):
    found = expected_hours(study, times(("elsewhere", "fastica", "", 1, 36.0)))
    assert (found.known, found.unknown) == (4, {"lagrangian": 4})
    assert found.words() == (
        "about 2.4 core-minutes for 4 of 8 fits, from measured times\nnever timed at this size: 4 lagrangian"
    )


@pytest.mark.parametrize("text", ["", "dataset,fit\n", None])
def test_a_file_that_is_not_of_times_is_named(tmp_path, text):
    file = tmp_path / "times.csv"
    if text is not None:
        file.write_text(text)
    with pytest.raises(UserError, match=r"times\.csv.*leave out --times"):
        read_times(file)
