# SPDX-License-Identifier: MIT
"""Every library that the package works with, once each way, on one file: quick enough for the oldest releases that
pyproject.toml allows (./dev check --full) as well as for the newest."""

import pytest

import libdataview as dv


@pytest.fixture
def table(sample):
    return dv.open(sample)


def test_numpy(table):
    np = pytest.importorskip("numpy")
    assert table.to_numpy(["Age", "Active"]).shape == (600, 2)
    ages = table["Age"].to_numpy()
    assert np.isnan(ages[0]) and ages[1:3].tolist() == [1, 2]
    assert dv.from_numpy({"x": ages, "m": np.ones((600, 2), "f4")})["m"].to_numpy().sum() == 1200


def test_pyarrow(table):
    pytest.importorskip("numpy")
    pytest.importorskip("pyarrow")
    arrow = table.to_arrow()
    arrow.validate(full=True)
    assert arrow["Name"].to_pylist() == table["Name"].to_pylist()
    aged = table.dropna("Age")  # NaN equals nothing
    assert dv.from_arrow(aged.to_arrow()).to_pylist() == aged.to_pylist()


def test_pandas(table):
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert frame.shape == (600, 5) and frame["Active"].sum() == 200
    assert dv.from_pandas(frame[["Name", "Active"]]).num_columns == 2
    assert table.to_pandas(dtype_backend="pyarrow")["Name"][1] == "user 1919"


def test_polars(table):
    polars = pytest.importorskip("polars")
    assert table.to_polars()["Name"][1] == "user 1919"
    assert polars.DataFrame(table).shape == (600, 5)
    assert dv.polars.scan(table).filter(polars.col("Active")).select("Age").collect().shape == (200, 1)


def test_duckdb(table):
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    rows = table.to_arrow()  # noqa: F841  DuckDB finds it by its name
    assert duckdb.sql("select count(*) from rows where Active").fetchall() == [(200,)]


def test_scipy(table):
    pytest.importorskip("scipy")
    matrix = table.select("Age", "Active").cast(Active="R4").combine("x", ["Age", "Active"]).to_csr("x")
    assert matrix.shape == (600, 2) and dv.from_csr(matrix).num_rows == 600
