# SPDX-License-Identifier: MIT
"""What users write, for mypy --strict and for a run: test_types.py."""

import sys

import numpy as np
import numpy.typing as npt

import libdataview as dv


def features(path: str) -> npt.NDArray[np.float32]:
    with dv.open(path) as table:
        adults = table.filter((dv.col("Age") >= 18) & dv.col("Name").is_valid())
        matrix: npt.NDArray[np.float32] = adults.to_numpy(["Age", "Active"])
        return matrix


def longest(table: dv.Table) -> int:
    most = 0
    for batch in table.batches(["Tags"], rows=100):
        most = max(most, *(len(tags) for tags in batch["Tags"]))
    return most


def names(table: dv.Table) -> list[str]:
    try:
        column: dv.Column = table["Name"]
    except dv.ColumnNotFound as error:
        return [error.file]
    first: dict[str, object] = table[0]
    head: dv.Table = table[:2]
    return [str(first["Name"]), str(column.type), *(str(name) for name in head["Name"])]


def indicators(table: dv.Table) -> list[str]:
    pipeline: dv.Pipeline = dv.pipe.onehot("Active", max=2, sort="value").select("Active", dv.col("Age"))
    fitted: dv.Fitted = pipeline.fit(table, threads=1)
    terms: list[dv.Table] = [learned.table for learned in fitted.tables]
    return [*pipeline, *fitted.apply(table).columns, str(len(terms))]


def main(path: str) -> None:
    table = dv.open(path)
    rows: int | None = table.num_rows
    matrix = features(path)
    print(rows, matrix.shape, longest(table), names(table), indicators(table))
    dv.from_numpy({"x": np.arange(3)}).cast(x="float32").shuffle(seed=1).head().to_pylist()


if __name__ == "__main__":
    main(sys.argv[1])
