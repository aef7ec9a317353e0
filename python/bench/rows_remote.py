# SPDX-License-Identifier: MIT
"""Rows of a file behind a web server that answers after 50 ms: raw .idv beside Parquet, each with the same numbers.

The server is another process.  Each call opens the file anew; libdataview and pyarrow read through the same kind of
file system of fsspec, polars through its own."""

import multiprocessing
import pathlib
import sys
import time

import libdataview as dv
import numpy as np
import sides

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests"))

COLUMNS, ROWS = 32, (20_000 if sides.IS_QUICK else 400_000)
DELAY_S = 0.05
REQUESTS = 16


def serve(folder, pipe):
    from web_server import Server

    server = Server({path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()})
    server.delay_s = DELAY_S
    pipe.send(server.url(""))
    while pipe.recv() == "counts":
        pipe.send((server.heads + server.gets, server.nbytes))
        server.reset()


def counts(pipe):
    """Requests and bytes since the last call, with those that nobody waits for any more."""
    time.sleep(0.3)
    pipe.send("counts")
    return pipe.recv()


def write(folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(7)
    arrays = {f"c{k}": random.standard_normal(ROWS, dtype="f4") for k in range(COLUMNS)}
    dv.write(dv.from_numpy(arrays), f"{folder}/rows.idv", rows_per_block=65536)
    pq.write_table(pa.table(arrays), f"{folder}/rows.parquet", compression="none", row_group_size=65536,
                   use_dictionary=False)
    return {name: float(values.sum(dtype="f8")) for name, values in arrays.items()}


def arrow_sums(table):
    return {name: float(table[name].to_numpy().sum(dtype="f8")) for name in table.column_names}


def main():
    if not sides.peers("remote", "fsspec", "aiohttp", "pyarrow"):
        return
    import fsspec
    import pyarrow.dataset as ds
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    with sides.folder() as folder:
        sums = write(folder)
        ours, theirs = multiprocessing.Pipe()
        child = multiprocessing.get_context("spawn").Process(target=serve, args=(folder, theirs), daemon=True)
        child.start()
        url = ours.recv()
        fs = fsspec.filesystem("http")

        def table():
            return dv.open(url + "rows.idv", requests=REQUESTS)

        def dataset():
            return ds.dataset(url + "rows.parquet", filesystem=PyFileSystem(FSSpecHandler(fs)), format="parquet")

        cases = {
            "open, schema": (lambda: table().columns, lambda: dataset().schema.names, list(sums)),
            "10 rows": (lambda: table().head(10).to_arrow().num_rows, lambda: dataset().head(10).num_rows, 10),
            "one column of 32": (lambda: arrow_sums(table().select("c17").to_arrow()),
                                 lambda: arrow_sums(dataset().to_table(columns=["c17"])), {"c17": sums["c17"]}),
            "all columns": (lambda: arrow_sums(table().to_arrow()), lambda: arrow_sums(dataset().to_table()), sums),
        }
        polars = polars_calls(url) if sides.peers("remote, polars", "polars") else {}
        for row, (mine, arrow, expected) in cases.items():
            others = [(sides.version("pyarrow") + ".dataset", arrow, 1, None)]
            if row in polars:
                others.append((sides.version("polars"), polars[row], None, None))
            for name, call, *_ in [("libdataview", mine), *others]:
                counts(ours)
                sides.require(row, call() == expected, name)
                requests, nbytes = counts(ours)
                print(f"remote, {row}, {name}: {requests} requests, {nbytes / 1e6:.2f} MB")
            sides.compare(f"remote, {row}", mine, *others)
        ours.send("end")
        child.join()


def polars_calls(url):
    import polars as pl

    def scan():
        return pl.scan_parquet(url + "rows.parquet")

    def sums_of(frame):
        return {name: float(frame[name].to_numpy().sum(dtype="f8")) for name in frame.columns}

    return {
        "open, schema": lambda: scan().collect_schema().names(),
        "10 rows": lambda: scan().head(10).collect().height,
        "one column of 32": lambda: sums_of(scan().select("c17").collect()),
        "all columns": lambda: sums_of(scan().collect()),
    }


if __name__ == "__main__":
    main()
