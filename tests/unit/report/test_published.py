import csv
from importlib.resources import files

import pytest

from pdgmm.report.published import BASE, CITATION, COST, VARIED, lookup, normalised


def published_lines():
    text = files("pdgmm.report").joinpath("published.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def test_the_base_setting():
    assert lookup(BASE, "stage1", "r2", 3) == (0.94, 0.02, 3)
    assert lookup(BASE, "stage2", "mcc", 3) == (0.97, 0.01, 3)
    assert lookup(BASE, "stage2_no_sparsity", "mcc", 8) == (0.57, 0.04, 8)
    assert lookup(BASE, "stage2", "mcc_independent", 4) == (0.97, 0.01, 4)


@pytest.mark.parametrize(
    ("change", "mean"),
    [
        ({"n": 40}, 0.94),
        ({"rho": "1var"}, 0.45),
        ({"rho": "1 var"}, 0.45),
        ({"rho": "75%"}, 0.93),
        ({"rho": 0.75}, 0.93),
        ({"rho": "50 %"}, 0.97),
        ({"delta": 2}, 0.61),
        ({"delta": 2.0}, 0.61),
        ({"theta": 45.0}, 0.62),
    ],
)
def test_spellings_of_a_setting(change, mean):
    assert lookup({**BASE, **change}, "stage2", "mcc", 3).mean == mean


def test_settings_that_do_not_change_the_distribution_do_not_matter():
    whole = {**BASE, "samples": {"train": 5}, "noise": "gauss", "activation": "leaky", "x_dim": None}
    assert lookup(whole, "stage2", "mcc", 3).mean == 0.97
    assert lookup({**BASE, "x_dim": 10, "observation_noise": None}, "stage2", "mcc", 3).mean == 0.97


@pytest.mark.parametrize(
    "change",
    [{"n": 7}, {"delta": 2, "n": 20}, {"noise": "gumbel"}, {"x_dim": 20}, {"observation_noise": 10.0}],
)
def test_a_setting_the_paper_does_not_report_has_no_value(change):
    assert lookup({**BASE, **change}, "stage2", "mcc", 3) is None


def test_what_single_tables_vary():
    assert lookup({**BASE, "noise": "gumbel", "n": 5}, "stage2", "mcc", 17).mean == 0.95
    assert lookup({**BASE, "activation": "smooth_leaky"}, "stage2", "mcc", 17).mean == 0.98
    assert lookup({**BASE, "sparsity_level": 0.1}, "stage2", "mcc", 6).mean == 0.9
    assert lookup({**BASE, "estimated_latents": 20}, "stage1", "r2", 10) == (0.83, None, 10)
    assert lookup({"balls": 2, "ball": 1}, "stage2", "per_ball_score", 13).mean == 0.958


def test_tables_about_other_data_are_found_by_their_number():
    assert lookup(BASE, "vade", "r2", 9).mean == 0.78
    assert lookup({"n": 5}, "stage2", "mcc", 18).mean == 0.63


def test_block_sizes_must_be_those_of_the_table_where_they_are_named():
    metric = "r2_block_diagonal_min"
    assert lookup({**BASE, "blocks": [1, 1, 1, 3, 4]}, "stage2", metric, 21).mean == 0.89
    assert lookup({**BASE, "blocks": [1, 1, 2, 6]}, "stage2", metric, 21) is None
    assert lookup(BASE, "stage2", metric, 21).mean == 0.89
    assert lookup({**BASE, "blocks": [2, 2, 2, 2, 2]}, "stage2", "mcc", 3) is None


def test_values_that_cannot_be_told_apart_are_no_answer():
    assert lookup({}, "stage2", "r2_best_match", 16) is None


def test_every_line_of_the_file_is_readable():
    lines = published_lines()
    assert len(lines) == 335
    for line in lines:
        setting = {key: line[key] for key in BASE if line[key]}
        for part in line["note"].split(" "):
            key, sign, value = part.partition("=")
            if sign and key in VARIED:
                setting[key] = value
        value = lookup(setting, line["method"], line["metric"], int(line["table"]))
        # Table 16: which of its four values belongs to which latent is not known.
        assert line["table"] == "16" or value.mean == float(line["mean"])


def test_normalised_settings_have_one_spelling():
    assert normalised({**BASE, "rho": "50%", "delta": "0"}) == normalised(BASE)


def test_the_source_is_named():
    assert "2604.13218" in CITATION


def test_settings_of_stages_are_found_by_the_papers_names():
    assert lookup({**BASE, "stage2.sparsity": 0.1}, "stage2", "mcc", 6).mean == 0.9
    assert lookup({**BASE, "stage2.learning_rate": 1e-5}, "stage2", "mcc", 7).mean == 0.92
    for stage in ("stage1", "stage2"):
        assert lookup({**BASE, f"{stage}.extra_latents": 6}, "stage2", "mcc", 10).mean == 0.93
    assert lookup({**BASE, "stage1.extra_latents": 0}, "stage2", "mcc", 3).mean == 0.97


def test_the_cost_is_epochs_times_their_duration():
    assert lookup({**BASE, "n": 20}, "stage2", COST, 5).mean == pytest.approx(125_000 * 45.6 / 1000)
    assert lookup({**BASE, "n": 100}, "stage2", COST, 5) is None
