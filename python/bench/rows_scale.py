# SPDX-License-Identifier: MIT
"""Many files, and many columns: until the first row is there, beside Arrow IPC files that are mapped.
IPC's schema is read by opening; its files check nothing of the columns.  What pyarrow needs to take a table of so
many columns from any library is to be seen beside its own table."""

import os

import libdataview as dv
import sides

FILES = 100 if sides.IS_QUICK else 10_000
COLUMNS = 256 if sides.IS_QUICK else 4_096


def compare_files(folder):
    """Ten rows in each of many files."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import dataset

    ours, theirs = ([os.path.join(folder, f"{k}.{end}") for k in range(FILES)] for end in ("idv", "arrow"))
    for k in range(FILES):
        values = np.arange(10 * k, 10 * k + 10, dtype=np.float32)
        dv.from_numpy({"x": values}).write(ours[k], sync=False)
        table = pa.table({"x": values})
        with pa.ipc.new_file(theirs[k], table.schema) as writer:
            writer.write_table(table)

    def first_of(paths):
        return pa.table(dv.open(paths)[:1])

    def first_of_dataset(paths):
        return dataset.dataset(paths, format="ipc").head(1)

    row = f"first row of {FILES:,} files"
    sides.equal_tables(row, first_of(ours), first_of_dataset(theirs))
    sides.compare(row, lambda: first_of(ours), ("pyarrow.dataset", lambda: first_of_dataset(theirs), None, None))


class Stream:
    """A table of which a reader has the C stream alone, as it has of a table of another library."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def compare_columns(folder):
    """A hundred rows of many columns."""
    import numpy as np
    import pyarrow as pa

    ours, theirs = os.path.join(folder, "wide.idv"), os.path.join(folder, "wide.arrow")
    columns = {f"column {k}": np.full(100, k, dtype=np.float32) for k in range(COLUMNS)}
    dv.from_numpy(columns).write(ours, sync=False)
    table = pa.table(columns)
    with pa.ipc.new_file(theirs, table.schema) as writer:
        writer.write_table(table)

    def ipc():
        return pa.ipc.open_file(pa.memory_map(theirs))

    last = f"column {COLUMNS - 1}"
    row = f"{COLUMNS:,} columns"
    sides.equal_tables(row, pa.table(dv.open(ours)), table)
    sides.compare(f"{row}, opened", lambda: dv.open(ours), ("mapped IPC", ipc, None, None))
    sides.compare(f"{row}, the last one", lambda: dv.open(ours)[last].to_numpy(),
                  ("mapped IPC", lambda: ipc().read_all()[last].to_numpy(), None, None))
    sides.compare(f"{row}, all, to Arrow", lambda: pa.table(dv.open(ours)),
                  ("mapped IPC", lambda: ipc().read_all(), None, None),
                  ("mapped IPC through the C stream", lambda: pa.table(Stream(ipc().read_all())), None, None))


def compare_shapes(folder):
    """The same bytes in many columns and in few: what a column costs beside its bytes."""
    import numpy as np

    nbytes = 1 << (20 if sides.IS_QUICK else 26)
    tables = {}
    for columns in (8, COLUMNS):
        path = os.path.join(folder, f"{columns}.idv")
        values = np.ones(nbytes // 4 // columns, dtype=np.float32)
        dv.from_numpy({f"c{k}": values for k in range(columns)}).write(path, sync=False)
        tables[columns] = path

    def batches(path):
        return sum(len(batch) for batch in dv.open(path).batches())

    for name, call in (("to NumPy", lambda path: dv.open(path).to_numpy(threads=1)), ("batches", batches)):
        sides.compare(f"{nbytes >> 20} MiB in {COLUMNS:,} columns, {name}", lambda: call(tables[COLUMNS]),
                      ("in 8", lambda: call(tables[8]), None, None))


def main():
    if not sides.peers("Many files and columns", "pyarrow", "numpy"):
        return
    print(f"peer: {sides.version('pyarrow')}")
    with sides.folder() as folder:
        compare_files(folder)
        compare_columns(folder)
        compare_shapes(folder)


if __name__ == "__main__":
    main()
