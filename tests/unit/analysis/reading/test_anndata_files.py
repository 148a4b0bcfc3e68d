"""AnnData's files, where the package anndata is installed."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from small_tables import numbers

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.own_data import read
from pdgmm.errors import UserError

TABLE = np.where(numbers(seed=2) > 0, numbers(), 0)


def test_without_anndata_the_fix_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    (tmp_path / "t.h5ad").write_bytes(b"x")
    with pytest.raises(UserError, match=r"t\.h5ad: .*pip install 'pdgmm\[anndata\]'"):
        read(tmp_path / "t.h5ad")


@pytest.fixture
def written(tmp_path):
    anndata = pytest.importorskip("anndata")

    def write(matrix, genes=("g1", "g2", "g3")):
        cells = [f"cell {k}" for k in range(len(TABLE))]
        # Not pandas' own texts: older readers do not know them, and anndata does not write them.
        names = {"obs": cells, "var": list(genes)}
        data = anndata.AnnData(
            matrix, **{axis: pd.DataFrame(index=pd.Index(each, dtype=object)) for axis, each in names.items()}
        )
        data.obsm["X_pca"] = numbers(len(TABLE), 2)
        data.layers["counts"] = matrix
        data.write_h5ad(tmp_path / "t.h5ad")
        return tmp_path / "t.h5ad"

    return write


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.parametrize("most", [600, 40])
@pytest.mark.parametrize("array", [None, "layers/counts"])
def test_a_matrix_is_read_with_its_names(written, monkeypatch, form, most, array):
    # Small blocks: 600 rows take several.
    monkeypatch.setattr("pdgmm.analysis.reading.source.BLOCK_VALUES", 300)
    data = read(written(form(TABLE)), ReadOptions(max_rows=most, array=array))
    assert data.columns == ("g1", "g2", "g3")
    rows = [int(label.split()[1]) for label in data.index]
    assert len(rows) == most
    np.testing.assert_array_equal(data.values, TABLE[rows])


def test_another_array_can_be_chosen(written):
    data = read(written(TABLE), ReadOptions(array="obsm/X_pca"))
    assert data.columns == ("x1", "x2")
    assert data.index[1] == "cell 1"
    with pytest.raises(UserError, match=r"no array 'pca'.*X \(600, 3\).*obsm/X_pca \(600, 2\)"):
        read(written(TABLE), ReadOptions(array="pca"))


@pytest.mark.filterwarnings("ignore:Variable names")
def test_genes_of_the_same_name_and_other_files_are_refused(written, tmp_path):
    with pytest.raises(UserError, match="same name: 'g1'"):
        read(written(TABLE, genes=("g1", "g2", "g1")))
    (tmp_path / "t.h5ad").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(UserError, match=r"t\.h5ad cannot be read as an AnnData file"):
        read(tmp_path / "t.h5ad")
