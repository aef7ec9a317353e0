# SPDX-License-Identifier: MIT
"""Rows of 784 bytes (pixels, U1) as features of every dtype, in uniform order in batches of 64 and 1,024, compared with
NumPy's memmap of the same rows: `mapped[rows].astype(dtype)`.  And rows of 100 to 300 tokens (I8), each batch padded to
its longest row, compared with torch's `pad_sequence` of slices of one tensor.  The quotient of CPU time counts: the
sides take turns in one process, each with one thread."""

import numpy as np

import libdataview as dv
import sides

PIXELS = 784
ROWS = 4_000 if sides.IS_QUICK else 60_000
BATCHES = (64, 1024)
DTYPES = ("u1", "i1", "u2", "i2", "i4", "i8", "f2", "f4", "f8")
FLOOR = (1.0, None)


def first(batches):
    return sum(int(batch[0, 0]) for batch in batches)


def mapped_epoch(mapped, order, batch, dtype):
    """A gather for each batch; the order was drawn before."""
    for at in range(0, len(order), batch):
        yield mapped[order[at:at + batch]].astype(dtype)


def padded_epoch(tokens, offsets, order, batch):
    """The same batches from a tensor: the order was drawn before."""
    import torch

    for at in range(0, len(order), batch):
        rows = [tokens[offsets[i]:offsets[i + 1]] for i in order[at:at + batch]]
        yield torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)


def padded():
    if not sides.peers("padded tokens", "torch", "pyarrow"):
        return
    import pyarrow as pa
    import torch

    random = np.random.default_rng(2)
    rows = ROWS // 6
    offsets = np.cumsum([0, *random.integers(100, 301, rows)])
    tokens = random.integers(1, 50_000, offsets[-1])
    lists = pa.LargeListArray.from_arrays(offsets, tokens)
    with sides.folder() as folder:
        dv.write(pa.table({"tokens": lists}), f"{folder}/rows.idv", compression="none")
        table, held = dv.open(f"{folder}/rows.idv"), torch.from_numpy(tokens)
        for shuffle in (False, "uniform"):
            ds = dv.torch.Dataset(table, "tokens", batch_rows=64, shuffle=shuffle, pad="longest", prefetch=0, threads=1)
            order = np.arange(rows) if shuffle is False else random.permutation(rows)
            row = f"100 to 300 tokens padded, batches of 64, shuffle={shuffle}"
            found = np.sort([int(x) for batch in ds for x in batch.sum(1)])
            sides.require(row, np.array_equal(found, np.sort(np.add.reduceat(tokens, offsets[:-1]))), "feed")
            sides.compare(row, lambda ds=ds: first(ds),
                          ("pad_sequence", lambda order=order.tolist(): first(
                              padded_epoch(held, offsets.tolist(), order, 64)), *FLOOR))


def main():
    padded()
    with sides.folder() as folder:
        data = np.random.default_rng(1).integers(0, 128, (ROWS, PIXELS), "u1")  # i1 has them too
        data.tofile(f"{folder}/rows.bin")
        dv.write({"pixels": data}, f"{folder}/rows.idv", compression="none")
        mapped = np.memmap(f"{folder}/rows.bin", "u1", "r", shape=data.shape)
        table = dv.open(f"{folder}/rows.idv")
        order = np.random.default_rng(3).permutation(ROWS)
        for dtype in DTYPES:
            for batch in BATCHES:
                feed = table.feed("pixels", batch_rows=batch, shuffle="uniform", dtype=dtype, prefetch=0, threads=1)
                found = np.concatenate(list(feed))
                row = f"{PIXELS} pixels as {dtype}, batches of {batch}"
                sides.require(row, found.dtype == dtype and np.array_equal(np.sort(found.sum(1, dtype="f8")),
                                                                           np.sort(data.sum(1, dtype="f8"))),
                              "feed")
                sides.compare(row, lambda: first(feed),
                              ("memmap", lambda: first(mapped_epoch(mapped, order, batch, dtype)), *FLOOR))


if __name__ == "__main__":
    main()
