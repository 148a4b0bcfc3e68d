"""Intervals of scores that compare fits with each other: pairs share fits and are not independent."""

import math
import statistics

import numpy as np
import pytest
from scipy.stats import t

from pdgmm.report.seed_summaries import results_frame
from pdgmm.report.table_columns import measure_named
from pdgmm.report.table_model import tables

FITS = 7
WEAK = measure_named("between_fits", "weak_mcc")


@pytest.fixture
def agreement():
    """A symmetric matrix of scores: 0.9, and less for pairs with a bad fit."""
    quality = np.random.default_rng(0).uniform(0, 0.1, size=FITS)
    return 0.9 - quality[:, None] - quality


def mean_over_pairs(scores):
    return float(scores[np.triu_indices(len(scores), 1)].mean())


def of_each_fit(scores):
    """The mean of every fit over all others."""
    return [float(np.delete(row, fit).mean()) for fit, row in enumerate(scores)]


def test_the_interval_is_the_jackknife_that_leaves_out_one_fit_at_a_time(agreement):
    without = [
        mean_over_pairs(np.delete(np.delete(agreement, fit, 0), fit, 1)) for fit in range(len(agreement))
    ]
    error = math.sqrt((FITS - 1) ** 2 / FITS * statistics.variance(without))
    values = of_each_fit(agreement)
    mean, std = statistics.fmean(values), statistics.stdev(values)
    assert mean == pytest.approx(mean_over_pairs(agreement))
    assert WEAK.independent_std(std, FITS) / math.sqrt(FITS) == pytest.approx(error)
    low, high = WEAK.interval(mean, std, FITS)
    assert (high - mean, mean - low) == pytest.approx([t.ppf(0.975, FITS - 1) * error] * 2)


def test_intervals_end_at_the_best_value_and_need_three_fits():
    assert WEAK.interval(0.99, 0.01, 4)[1] == 1
    assert measure_named("between_fits", "dist_aff").interval(0.01, 0.01, 4)[0] == 0
    assert WEAK.interval(0.99, 0.01, 2) is None
    assert WEAK.interval(0.99, None, 1) is None


def test_other_measures_keep_their_deviation_and_have_no_interval():
    mcc = measure_named("test", "mcc")
    assert mcc.independent_std(0.02, 5) == 0.02
    assert mcc.interval(0.9, 0.02, 5) is None
    # The agreement of fits to a user's own rows compares pairs, too.
    assert measure_named("test", "agreement").interval(0.9, 0.02, 5) is not None


def test_tables_print_the_interval_and_say_what_it_is(record, agreement):
    runs = [
        record(seed=seed, metrics={"between_fits": {"weak_mcc": value}})
        for seed, value in enumerate(of_each_fit(agreement))
    ]
    (table,) = tables(results_frame(runs), None)
    assert "95 % interval of the mean, by the jackknife over fits" in " ".join(table.caption)
    low, high = WEAK.interval(mean_over_pairs(agreement), statistics.stdev(of_each_fit(agreement)), FITS)
    assert table.rows[0].cells[0].measured.endswith(f", {low:.3f} to {high:.3f}")


def test_the_chance_level_of_pairs_is_a_range_over_methods(record):
    def cell(values, metric="weak_mcc", place="between_fits"):
        runs = [
            record(
                seed=seed,
                method=f"m{number}",
                published_table=None,
                metrics={place: {metric: 0.9, f"{metric}_chance": value}},
            )
            for number, value in enumerate(values)
            for seed in range(2)
        ]
        return tables(results_frame(runs), None)[0].rows[0].chance

    assert cell([0.5, 0.25, 0.3]) == "0.250 to 0.500"
    assert cell([0.5, 0.5]) == "0.500"
    assert cell([0.5, 0.25], "mcc", "test") == "0.500"
