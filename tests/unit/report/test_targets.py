"""Our aims beside made-up tables."""

from pdgmm.report.tables import results_frame
from pdgmm.report.targets import targets, targets_markdown


def lines(tables):
    text = targets_markdown(tables)
    return text, [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][2:]


def made(record, **changes):
    """A table of two seeds with the values 0.98 and 0.99, unless others are given."""
    mccs = changes.pop("mccs", (0.98, 0.99))
    return results_frame([record(seed=seed, mcc=mcc, **changes) for seed, mcc in enumerate(mccs)])


def word(tables, setting, measure="MCC, held-out samples"):
    return next(line for line in lines(tables)[1] if line[:2] == [setting, measure])[3:]


def test_the_seventeen_settings_of_table_1_and_what_is_beyond_it():
    on_table1 = [
        one
        for one in targets()
        if one.metric == "mcc"
        and one.split != "unmasked"
        and one.setting.keys() <= {"n", "k", "m", "rho", "delta", "theta"}
        and one.setting != {"n": 100}
    ]
    assert len({tuple(one.setting.items()) for one in on_table1}) == len(on_table1) == 17
    assert {one.split for one in on_table1 if "theta" in one.setting} == {"test_source"}
    assert len(targets()) == 22
    assert all(0.9 < one.least < 1 for one in targets())


def test_nothing_has_run():
    text, found = lines([])
    assert text.startswith("## What we aim for\n")
    assert "22 not run yet" in text
    assert {line[-1] for line in found} == {"not run yet"}
    assert word([], "base")[0] == "0.97 ± 0.01"


def test_met_and_missed(record):
    base = made(record, mccs=(0.986, 0.988), r2=0.95)
    assert word([base], "base") == ["0.97 ± 0.01", "0.9870 ± 0.0014", "2", "met"]
    assert word([base], "base", "R², held-out samples")[-1] == "missed"
    assert "1 met, 1 missed, 20 not run yet" in targets_markdown([base])
    assert word([made(record, setting={"rho": "1var"}, mccs=(0.94,))], "ρ = 1 var")[-1] == "missed"
    assert word([made(record, setting={"rho": 0.75}, mccs=(0.985,))], "ρ = 75 %")[-1] == "met"


def test_the_rotated_settings_are_judged_by_the_unrotated_sources(record):
    metrics = {"test": {"mcc": 0.3, "r2": 0.9}, "test_source": {"mcc": 0.99, "r2": 0.9}}
    table = made(record, setting={"theta": 30}, metrics=metrics)
    measure = "MCC against the latents before the rotation, held-out samples"
    assert word([table], "θ = 30°", measure)[1:] == ["0.9900 ± 0.0000", "2", "met"]


def test_other_methods_and_other_settings_do_not_count(record):
    other = made(record, method="identity+spike_slab", mccs=(0.999,))
    swept = made(record, setting={"stage2.extra_latents": 2}, mccs=(0.999,))
    noisy = made(record, setting={"noise": "gumbel"}, mccs=(0.999,))
    assert word([other, swept, noisy], "base")[-1] == "not run yet"


def test_of_two_tables_the_one_with_more_seeds_counts(record):
    few, many = made(record, mccs=(0.9,)), made(record, mccs=(0.99, 0.99, 0.99))
    assert word([few, many], "base")[1:] == word([many, few], "base")[1:]
    assert word([few, many], "base")[2:] == ["3", "met"]


def test_few_samples_must_not_be_worse_than_the_affine_answer(record):
    setting = {"samples.train": 5000}
    flow = made(record, setting=setting, mccs=(0.98,))
    better = made(record, setting=setting, method="identity+spike_slab", mccs=(0.985,))
    worse = made(record, setting=setting, method="identity+spike_slab", mccs=(0.97,))
    assert word([flow], "samples.train = 5,000")[-1] == "not run yet"
    assert word([flow, better], "samples.train = 5,000")[-1] == "missed"
    assert word([flow, worse], "samples.train = 5,000")[-1] == "met"


def test_a_run_that_failed_everywhere_misses(record):
    assert word([made(record, status="failed", reason="no")], "base")[1:] == ["failed", "0 of 2", "missed"]
