# SPDX-License-Identifier: MIT
"""Epochs of shuffled batches for torch beside the loaders of other libraries: Hugging Face's `datasets` and
MosaicML's StreamingDataset, each over its own file of the same rows; and from a state in the middle to the next batch."""

import numpy as np

import libdataview as dv
import sides

SHAPES = {16: 4_000 if sides.IS_QUICK else 40_000, 784: 1_000 if sides.IS_QUICK else 10_000}
BATCH = 250
ROUNDS = 3


def hugging_face(folder, data):
    """(an epoch's batches, from a state to the next batch)"""
    import datasets
    import pyarrow as pa
    from torch.utils.data import DataLoader

    features = pa.FixedSizeListArray.from_arrays(pa.array(data[:, 1:].reshape(-1)), data.shape[1] - 1)
    table = datasets.Dataset(pa.table({"f": features, "y": data[:, 0]})).with_format("torch")
    table.save_to_disk(f"{folder}/hugging_face")
    table = datasets.load_from_disk(f"{folder}/hugging_face").with_format("torch")
    loader = DataLoader(table, batch_size=BATCH, shuffle=True)
    stream = table.to_iterable_dataset(num_shards=8).shuffle(seed=1, buffer_size=1000).batch(BATCH)

    def state():
        batches = iter(stream)
        for _ in range(len(data) // BATCH // 2):
            next(batches)
        return stream.state_dict()

    def resumed(state):
        stream.load_state_dict(state)
        return next(iter(stream))

    return (lambda: ((batch["f"], batch["y"]) for batch in loader)), state, resumed


def mosaic(folder, data):
    from streaming import MDSWriter, StreamingDataLoader, StreamingDataset
    from streaming.base.util import clean_stale_shared_memory

    clean_stale_shared_memory()  # what the data set before has left
    columns = {"f": f"ndarray:float32:{data.shape[1] - 1}", "y": "float32"}
    with MDSWriter(out=f"{folder}/mosaic", columns=columns) as writer:
        for row in data:
            writer.write({"f": row[1:], "y": row[0]})
    rows = StreamingDataset(local=f"{folder}/mosaic", shuffle=True, batch_size=BATCH)
    loader = StreamingDataLoader(rows, batch_size=BATCH)

    def state():
        batches = iter(loader)
        for _ in range(len(data) // BATCH // 2):
            next(batches)
        return loader.state_dict()

    def resumed(state):
        loader.load_state_dict(state)
        return next(iter(loader))

    return (lambda: ((batch["f"], batch["y"]) for batch in loader)), state, resumed


PEERS = {"datasets": hugging_face, "streaming": mosaic}


def main():
    if not sides.peers("streams", "torch"):
        return
    for name, peer in PEERS.items():
        if not sides.peers(f"streams, {name}", name):
            continue
        for width, rows in SHAPES.items():
            with sides.folder() as folder:
                data = np.random.default_rng(1).integers(0, 9, (rows, width + 1)).astype("f4")
                dv.write({"f": data[:, 1:], "y": np.ascontiguousarray(data[:, 0])}, f"{folder}/rows.idv")
                ds = dv.torch.Dataset(f"{folder}/rows.idv", features=["f"], labels=["y"], batch_rows=BATCH,
                                      shuffle=True)
                theirs, state, resumed = peer(folder, data)
                compare(f"streams, {width} floats a row", sides.version(name), ds, theirs, data, state, resumed)


def compare(row, name, ds, theirs, data, state, resumed):
    def total(batches):
        return sum(float(features.sum()) + float(labels.sum()) for features, labels in batches)

    sides.require(row, total(theirs()) == total(ds) == data.sum(dtype="f8"), name)
    times = sides.rounds(lambda: total(ds), lambda: total(theirs()), n=ROUNDS)
    sides.report(row, times[0], name, times[1], 20, 100)

    batches = iter(ds)
    for _ in range(len(data) // BATCH // 2):
        next(batches)
    mine, other = ds.state_dict(), state()

    def go_on():
        ds.load_state_dict(mine)
        return next(iter(ds))

    times = sides.rounds(go_on, lambda: resumed(other), n=ROUNDS)
    sides.report(f"{row}: from a state in the middle to the next batch", times[0], name, times[1], 10, 100)


if __name__ == "__main__":
    main()
