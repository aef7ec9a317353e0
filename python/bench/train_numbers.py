# SPDX-License-Identifier: MIT
"""Peers of rows_train.py for numbers: rows of 28 features (R4) and a label, shuffled, in batches of tensors.  Ours
has the features as 28 columns, as tables have them; peers have them side by side, which suits them best."""

import functools
import itertools

import numpy as np

import train_sides
from train_sides import Peer, files_of

WIDTH = 28
WORKERS = ("0 workers", "2 workers")
SHARDS = 8


def workers_of(variant):
    return {"num_workers": 2, "persistent_workers": True} if variant.startswith("2") else {"num_workers": 0}


def write_files(folder, rows):
    import libdataview as dv

    x, y = np.random.default_rng(1).random((rows, WIDTH), "f4"), np.arange(rows)
    x.tofile(folder / "x.bin")
    y.tofile(folder / "y.bin")
    columns = {f"f{i}": np.ascontiguousarray(x[:, i]) for i in range(WIDTH)}
    dv.write({**columns, "y": y}, str(folder / "rows.idv"), compression="none")


@functools.lru_cache(maxsize=1)
def mapped(folder):
    """Views of the maps as plain arrays, which are indexed faster than memmap's own."""
    x, y = np.memmap(folder / "x.bin", "f4", "r"), np.memmap(folder / "y.bin", "i8", "r")
    return np.asarray(x.reshape(-1, WIDTH)), np.asarray(y)


def check(folder, x, y):
    import torch

    if x.dtype != torch.float32 or y.dtype != torch.int64 or x.shape != (len(y), WIDTH):
        raise ValueError(f"a batch of {x.dtype} {tuple(x.shape)}, {y.dtype}")
    if not np.array_equal(x.numpy(), mapped(folder)[0][y.numpy()]):
        raise ValueError("other features than those of the rows")


# --- Whole batches ----------------------------------------------------------------------------------


def ours(folder, rows, batch, variant):
    """docs/python-training.md: without workers, the library's thread reads ahead; docs/performance.md: without it where
    both share a CPU."""
    import libdataview as dv

    data = dv.torch.Dataset(str(folder / "rows.idv"), features=[f"f{i}" for i in range(WIDTH)], labels=["y"],
                            batch_rows=batch, shuffle=True, seed=1, prefetch=int(variant[-1]))
    return lambda: data


def in_memory(folder):
    import torch

    return torch.from_numpy(np.fromfile(folder / "x.bin", "f4").reshape(-1, WIDTH)), torch.from_numpy(
        np.fromfile(folder / "y.bin", "i8"))


def plain_torch(folder, rows, batch, variant):
    """No library: tensors in memory, indexed by a part of a permutation."""
    import torch

    x, y = in_memory(folder)

    def epoch():
        order = torch.randperm(rows)
        for at in range(0, rows, batch):
            chosen = order[at:at + batch]
            if variant == "x[rows]":
                yield x[chosen], y[chosen]
            else:
                yield x.index_select(0, chosen), y.index_select(0, chosen)

    return epoch


def memmap(folder, rows, batch, variant):
    import torch

    x, y = mapped(folder)
    random = np.random.default_rng(1)

    def epoch():
        order = random.permutation(rows)
        for at in range(0, rows, batch):
            chosen = order[at:at + batch]
            if variant == "x[rows]":
                yield torch.from_numpy(x[chosen]), torch.from_numpy(y[chosen])
            else:
                yield torch.from_numpy(x.take(chosen, axis=0)), torch.from_numpy(y.take(chosen))

    return epoch


def data_loader(folder, rows, batch, variant):
    """docs.pytorch.org/docs/stable/data.html, "Disable automatic batching": a sampler of batches, batch_size=None."""
    from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

    data = TensorDataset(*in_memory(folder))
    chosen = BatchSampler(RandomSampler(data), batch, False)
    loader = DataLoader(data, sampler=chosen, batch_size=None, **workers_of(variant))
    return lambda: loader


def write_datasets(folder, own, rows):
    import datasets
    import pyarrow as pa

    x, y = mapped(folder)
    features = pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), WIDTH)
    datasets.Dataset(pa.table({"x": features, "y": y})).save_to_disk(str(own / "set"))


def datasets_batches(folder, rows, batch, variant):
    """huggingface.co/docs/datasets/use_with_pytorch, "Use a BatchSampler"; the torch format."""
    import datasets
    from torch.utils.data import BatchSampler, DataLoader, RandomSampler

    data = datasets.load_from_disk(files_of(folder, "datasets") + "/set").with_format("torch")
    chosen = BatchSampler(RandomSampler(data), batch, False)
    loader = DataLoader(data, sampler=chosen, batch_size=None, **workers_of(variant))
    return lambda: ((found["x"], found["y"]) for found in loader)


def gathered(folder, chosen):
    x, y = mapped(folder)
    return x[chosen], y[chosen]


def grain_batches(folder, rows, batch, variant):
    """google-grain.readthedocs.io, "Dataset basics": source, shuffle, batch, to_iter_dataset; mp_prefetch for
    processes.  Numbers of rows are shuffled and batched, and a batch is gathered at once: with a source of rows an
    epoch takes three times as long."""
    import grain
    import torch

    data = grain.MapDataset.range(rows).shuffle(seed=1).batch(batch).map(functools.partial(gathered, folder)).repeat()
    data = data.to_iter_dataset(grain.ReadOptions(num_threads=2, prefetch_buffer_size=8))
    if variant == "2 processes":
        data = data.mp_prefetch(grain.MultiprocessingOptions(num_workers=2))
    batches = iter(data)  # goes on from epoch to epoch, so that processes start once

    def epoch():
        for x, y in itertools.islice(batches, -(-rows // batch)):
            yield torch.from_numpy(x), torch.from_numpy(y)

    return epoch


def spdl_batches(folder, rows, batch, variant):
    """facebookresearch.github.io/spdl, "Building and running Pipeline": threads take batches of row numbers."""
    import torch
    from spdl.pipeline import PipelineBuilder

    x, y = in_memory(folder)

    def gather(chosen):
        return x.index_select(0, chosen), y.index_select(0, chosen)

    def epoch():
        chosen = torch.randperm(rows).split(batch)
        pipeline = PipelineBuilder().add_source(chosen).pipe(gather, concurrency=2).add_sink(8).build(num_threads=2)
        with pipeline.auto_stop():
            yield from pipeline.get_iterator()

    return epoch


# --- Row by row -------------------------------------------------------------------------------------


def datasets_buffer(folder, rows, batch, variant):
    """huggingface.co/docs/datasets/about_mapstyle_vs_iterable, "Speed differences": to_iterable_dataset with shards,
    and a shuffle buffer."""
    import datasets
    from torch.utils.data import DataLoader

    data = datasets.load_from_disk(files_of(folder, "datasets") + "/set").with_format("torch")
    stream = data.to_iterable_dataset(num_shards=SHARDS).shuffle(seed=1, buffer_size=1000).batch(batch)
    loader = DataLoader(stream, batch_size=None, **workers_of(variant))
    return lambda: ((found["x"], found["y"]) for found in loader)


def write_mosaic(folder, own, rows):
    from streaming import MDSWriter

    x, y = mapped(folder)
    with MDSWriter(out=str(own / "set"), columns={"x": f"ndarray:float32:{WIDTH}", "y": "int"}) as writer:
        for i in range(rows):
            writer.write({"x": x[i], "y": int(y[i])})


def mosaic(folder, rows, batch, variant):
    """docs.mosaicml.com/projects/streaming, "Shuffling": the defaults are right; batch_size and StreamingDataLoader."""
    from streaming import StreamingDataLoader, StreamingDataset
    from streaming.base.util import clean_stale_shared_memory

    clean_stale_shared_memory()
    data = StreamingDataset(local=files_of(folder, "MosaicML") + "/set", shuffle=True, batch_size=batch)
    loader = StreamingDataLoader(data, batch_size=batch, **workers_of(variant))
    return lambda: ((found["x"], found["y"]) for found in loader)


def row_of(path, i):
    x, y = mapped(path)
    return {"x": np.array(x[i]), "y": int(y[i])}


def write_litdata(folder, own, rows):
    import litdata

    litdata.optimize(fn=functools.partial(row_of, folder), inputs=list(range(rows)), output_dir=str(own / "set"),
                     chunk_bytes="64MB", num_workers=1)


def litdata_batches(folder, rows, batch, variant):
    """github.com/Lightning-AI/litData, "Quick start": optimize, StreamingDataset with shuffle, StreamingDataLoader."""
    import litdata
    import torch

    data = litdata.StreamingDataset(files_of(folder, "litdata") + "/set", shuffle=True)
    loader = litdata.StreamingDataLoader(data, batch_size=batch, **workers_of(variant))
    return lambda: ((torch.as_tensor(found["x"]), torch.as_tensor(found["y"])) for found in loader)


def write_webdataset(folder, own, rows):
    import webdataset

    x, y = mapped(folder)
    with webdataset.ShardWriter(f"{own}/%02d.tar", maxcount=-(-rows // SHARDS), verbose=0) as writer:
        for i in range(rows):
            writer.write({"__key__": f"{y[i]:08d}", "f4": x[i].tobytes()})


def floats(sample):
    return np.frombuffer(sample["f4"], "f4"), int(sample["__key__"])


def webdataset_batches(folder, rows, batch, variant):
    """webdataset.github.io, "WebDataset": shards and a buffer are shuffled, batches are made in the workers."""
    import webdataset

    shards = [f"{files_of(folder, 'WebDataset')}/{k:02d}.tar" for k in range(SHARDS)]
    data = webdataset.WebDataset(shards, shardshuffle=SHARDS).shuffle(1000).map(floats).batched(batch)
    loader = webdataset.WebLoader(data, batch_size=None, **workers_of(variant))
    return lambda: loader


OURS = "libdataview"
train_sides.WORK["numbers"] = train_sides.Work(write_files, check, {
    OURS: Peer(ours, ("libdataview", "torch"), variants=("prefetch=2", "prefetch=0")),
    "torch, tensors by permutation": Peer(plain_torch, ("torch",), variants=("x[rows]", "index_select")),
    "NumPy, memmap by permutation": Peer(memmap, ("torch",), variants=("x[rows]", "take")),
    "DataLoader, BatchSampler": Peer(data_loader, ("torch",), variants=WORKERS, by_row=True),
    "datasets, BatchSampler": Peer(datasets_batches, ("datasets", "torch"), write_datasets, WORKERS, by_row=True),
    "Grain": Peer(grain_batches, ("grain", "torch"), variants=("2 threads", "2 processes"), by_row=True),
    "SPDL, tensors by permutation": Peer(spdl_batches, ("spdl.pipeline", "torch"), variants=("2 threads",)),
    "datasets, shuffle buffer": Peer(datasets_buffer, ("datasets", "torch"), write_datasets, WORKERS, by_row=True),
    "MosaicML StreamingDataset": Peer(mosaic, ("streaming",), write_mosaic, WORKERS, by_row=True),
    "litdata StreamingDataset": Peer(litdata_batches, ("litdata",), write_litdata, WORKERS, by_row=True),
    "WebDataset": Peer(webdataset_batches, ("webdataset", "torch"), write_webdataset, WORKERS, by_row=True),
})
