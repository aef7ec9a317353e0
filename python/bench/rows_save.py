# SPDX-License-Identifier: MIT
"""A pyarrow table saved as raw .idv, beside Feather without compression; neither waits for the disk."""

import os

import libdataview as dv
import sides
from rows_arrow import table_of


def main():
    if not sides.peers("Arrow to .idv", "pyarrow", "numpy"):
        return
    import pyarrow as pa
    from pyarrow import feather

    pa.set_cpu_count(2)
    with sides.folder() as folder:
        ours_path, path = os.path.join(folder, "x.idv"), os.path.join(folder, "x.feather")
        for name, table, goals in (("9 columns", table_of(5, 4), (0.8, 1)),
                                   ("9 columns of R4", table_of(9, 0), (0.8, 1)),
                                   ("2 texts and 5 numbers", table_of(3, 2, 2), (None, None))):
            def ours():
                dv.write(table, ours_path, sync=False)

            def theirs():
                feather.write_feather(table, path, compression="uncompressed")

            row = f"Arrow to raw .idv, {name}, {table.nbytes >> 20} MiB, not synced"
            ours()
            sides.equal_tables(row, dv.open(ours_path).to_arrow(), table)
            sides.compare(row, ours, ("Feather, uncompressed", theirs, *goals))


if __name__ == "__main__":
    main()
