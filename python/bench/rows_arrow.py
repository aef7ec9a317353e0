# SPDX-License-Identifier: MIT
"""Files of .idv as tables of pyarrow, beside Arrow IPC files that are mapped, Feather and Parquet with
the same rows in as many chunks.  Opening the file counts for all.  Ours answers for NA in integers,
which takes a look at them; IPC files have the answer stored, so that reading one touches no page."""

import functools
import os

import libdataview as dv
import sides

CODECS = ("gzip", "snappy", "zstd")
ROWS = 20_000 if sides.IS_QUICK else 500_000
# Only the last one is not ASCII.
WORDS = ["alpha", "beta gamma", "delta", "epsilon zeta eta", "theta", "kappa lambda", "grösse"]


def table_of(reals, integers, texts=0, values=100_000, n_words=6):
    """Rows of 4 bytes a number, in as many columns."""
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(7)
    columns = {}
    for k in range(reals):
        columns[f"r{k}"] = (rng.integers(0, values, ROWS) / 100).astype(np.float32)
    for k in range(integers):
        columns[f"i{k}"] = rng.integers(0, values, ROWS, dtype=(np.int32, np.uint32)[k % 2])
    for k in range(texts):
        words = np.array([f"{word} {i}" for i in range(50) for word in WORDS[:n_words]], dtype=object)
        columns[f"t{k}"] = pa.array(words[rng.integers(0, len(words), ROWS)], pa.string())
    return pa.table(columns)


def sums(table):
    import pyarrow as pa
    import pyarrow.compute as pc

    return [pc.sum(pc.binary_length(c) if pa.types.is_string(c.type) else c).as_py()
            for c in table.columns]


class Files:
    """The same rows as .idv, IPC and Feather in chunks, and as Parquet."""

    def __init__(self, folder, name, table, rows):
        import pyarrow as pa
        from pyarrow import feather, parquet

        self.paths = {end: os.path.join(folder, f"{name}.{end}")
                      for end in ("idv", "deflated.idv", "arrow", "feather",
                                  *(f"{codec}.parquet" for codec in CODECS))}
        ours = dv.from_numpy({name: table[name].to_numpy() for name in table.column_names})
        ours.write(self.paths["idv"], rows_per_block=rows, sync=False)
        ours.write(self.paths["deflated.idv"], rows_per_block=rows, compression="deflate", sync=False)
        with pa.ipc.new_file(self.paths["arrow"], table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
        feather.write_feather(table, self.paths["feather"], compression="uncompressed", chunksize=rows)
        for codec in CODECS:
            parquet.write_table(table, self.paths[f"{codec}.parquet"], row_group_size=rows, compression=codec)

    def idv(self):
        import pyarrow as pa

        return pa.table(dv.open(self.paths["idv"]))

    def deflated(self):
        return dv.open(self.paths["deflated.idv"]).to_arrow(threads=2)

    def ipc(self):
        import pyarrow as pa

        return pa.ipc.open_file(pa.memory_map(self.paths["arrow"])).read_all()

    def feather(self):
        from pyarrow import feather

        return feather.read_table(self.paths["feather"], memory_map=True)

    def parquet(self, codec="snappy"):
        from pyarrow import parquet

        return parquet.read_table(self.paths[f"{codec}.parquet"])

    def mib(self, end):
        return os.path.getsize(self.paths[end]) / 2**20


def compare_raw(folder, name, table, rows, alone, with_sums):
    """Reading alone, and with the sum of each column; floors and moonshots of both by peer."""
    import numpy as np

    files = Files(folder, name.replace(" ", "_"), table, rows)
    row = f"raw .idv to Arrow, {name}, blocks of {rows:,} rows"
    for side in (files.idv, files.ipc, files.feather, files.parquet):
        sides.equal_tables(row, side(), table)
    sides.compare(f"{row} ({files.idv()[0].num_chunks} chunks)", files.idv,
                  (f"mapped IPC ({files.ipc()[0].num_chunks} chunks)", files.ipc, *alone))
    if with_sums:
        for side in (files.idv, files.ipc, files.feather, files.parquet):
            sides.require(row, np.allclose(sums(side()), sums(table)), "sums")
        sides.compare(f"{row}, sum of each column", lambda: sums(files.idv()),
                      ("mapped IPC", lambda: sums(files.ipc()), *with_sums[0]),
                      ("Feather", lambda: sums(files.feather()), *with_sums[1]),
                      ("Parquet (snappy)", lambda: sums(files.parquet()), *with_sums[2]))
    return files


def compare_deflated(folder, name, table, goals):
    """Reading alone, and with the sum of each column, beside Parquet of each codec; goals: for gzip.  Of
    few values Parquet stores a dictionary, so that it has a third to inflate."""
    import numpy as np

    files = Files(folder, name.replace(" ", "_"), table, 65536)
    row = f"deflated .idv to Arrow, 9 columns of {name}, 2 threads"
    peers = {f"Parquet ({codec}, {files.mib(f'{codec}.parquet'):.1f} MiB)": functools.partial(files.parquet, codec)
             for codec in CODECS}
    for side in (files.deflated, *peers.values()):
        sides.equal_tables(row, side(), table)
        sides.require(row, np.allclose(sums(side()), sums(table)), "sums")
    row = f"{row} ({files.mib('deflated.idv'):.1f} MiB)"
    goals = {name: goals if "gzip" in name else (None, None) for name in peers}
    sides.compare(row, files.deflated, *((name, peer, *goals[name]) for name, peer in peers.items()))
    sides.compare(f"{row}, sum of each column", lambda: sums(files.deflated()),
                  *((name, lambda peer=peer: sums(peer()), *goals[name]) for name, peer in peers.items()))


def main():
    if not sides.peers("Arrow", "pyarrow", "numpy"):
        return
    import pyarrow as pa

    pa.set_cpu_count(2)
    print(f"peer: {sides.version('pyarrow')}, {ROWS:,} rows")
    goals = ((0.85, 1), (0.85, 1), (2.5, 4))
    with sides.folder() as folder:
        numbers = table_of(5, 4)
        compare_raw(folder, "9 columns", numbers, 65536, (0.4, 0.8), goals)
        compare_raw(folder, "9 columns", numbers, 8192, (0.4, 0.8), goals)
        compare_raw(folder, "9 columns of R4", table_of(9, 0), 65536, (0.4, 0.8), goals)
        compare_raw(folder, "9 columns", numbers, 256, (0.3, 1), None)
        text_goals = ((0.5, 0.8), (None, None), (None, None))
        compare_raw(folder, "2 texts and 5 numbers", table_of(3, 2, 2), 65536, (None, None), text_goals)
        compare_raw(folder, "2 texts, not all ASCII, and 5 numbers", table_of(3, 2, 2, n_words=7), 65536,
                    (None, None), ((None, None),) * 3)
        for name, values, goals in (("many values", 100_000, (1.5, 3)), ("few values", 1000, (None, None))):
            compare_deflated(folder, name, table_of(5, 4, 0, values), goals)


if __name__ == "__main__":
    main()
