import pytest

from pdgmm.errors import UserError
from pdgmm.report.comparison import BEST, COUNTERPARTS, NAMES, best_published, compare, role
from pdgmm.report.published import BASE


@pytest.mark.parametrize(
    ("method", "metric", "column", "mean", "same_method"),
    [
        ("autoencoder+none", "r2", "stage1", 0.94, True),
        ("autoencoder+none", "mcc", "stage1", 0.56, True),
        ("autoencoder+lagrangian", "mcc", "stage2", 0.97, True),
        ("autoencoder+lagrangian", "r2", "stage1", 0.94, False),
        ("autoencoder+unconstrained", "mcc", "stage2_no_sparsity", 0.57, True),
        ("identity+vade_as_published", "mcc", "vade", 0.32, True),
        ("flow+spike_slab", "mcc", "stage2", 0.97, False),
        ("identity+fastica", "r2", "stage1", 0.94, False),
    ],
)
def test_every_method_has_its_column(method, metric, column, mean, same_method):
    found = compare(BASE, method, "test", metric, "1")
    assert (found.column, found.value.mean, found.same_method) == (column, mean, same_method)


def test_independent_latents_have_a_table_of_their_own():
    assert compare({**BASE, "n": 20}, "flow+spike_slab", "independent", "mcc", 1).value == (0.93, 0.05, 4)
    assert compare(BASE, "autoencoder+none", "independent", "mcc", 1) is None


def test_what_is_not_published_is_not_compared():
    assert compare(BASE, "flow+spike_slab", "unmasked", "mcc", 1) is None
    assert compare(BASE, "flow+spike_slab", "test", "seconds", 1) is None
    assert compare(BASE, "identity+vade_as_published", "test", "r2", 1) is None
    assert compare({**BASE, "n": 7}, "flow+spike_slab", "test", "mcc", 1) is None


def test_an_experiment_of_ones_own_is_not_compared():
    assert compare(BASE, "flow+spike_slab", "test", "mcc", None) is None


def test_a_table_about_other_data_is_not_mixed_with_the_main_ones():
    assert compare(BASE, "identity+vade_as_published", "test", "r2", 9).value.mean == 0.78
    assert compare(BASE, "flow+spike_slab", "test", "mcc", 9) is None


def test_the_papers_own_method():
    assert best_published(BASE, "test", "mcc", 3).column == "stage2"
    assert best_published(BASE, "test", "r2", 3).column == "stage1"


def test_a_table_that_is_no_number_is_named():
    with pytest.raises(UserError, match="'one'"):
        compare(BASE, "flow+spike_slab", "test", "mcc", "one")


def test_every_column_has_a_name():
    columns = {column for mapping in [BEST, *COUNTERPARTS.values()] for column in mapping.values()}
    assert columns <= set(NAMES)


def test_whose_method_it_is():
    def role_of(method):
        return role(method, compare(BASE, method, "test", "mcc", 3))

    assert role_of("autoencoder+lagrangian") == role_of("autoencoder+vade_as_published") == "paper"
    assert role_of("flow+spike_slab") == role_of("identity+spike_slab") == role_of("flow+none") == "ours"
    assert role_of("identity+fastica") == role_of("identity+oracle") == "baseline"


def test_an_oracle_is_held_against_the_published_oracle_which_is_another_method():
    found = compare(BASE, "identity+oracle", "test", "mcc", 8)
    assert (found.column, found.value.mean, found.same_method) == ("oracle_xu2024", 0.98, False)


def test_blocks_are_compared():
    found = compare(BASE, "autoencoder+lagrangian", "test", "block_r2_diagonal_min", 21)
    assert (found.value.mean, found.same_method) == (0.89, True)
