# SPDX-License-Identifier: MIT
"""Peers of rows_train.py for pictures: JPEG files of 256 x 256 to batches of 224 x 224, uint8, shuffled, with a label.
Each side has the order of colours in memory that costs it least: a view brings it to (rows, 3, 224, 224)."""

import functools
import io
import itertools

import numpy as np

import train_sides
from train_numbers import OURS, WORKERS, files_of, workers_of
from train_sides import Peer

SIDE, FILE_SIDE = 224, 256
SHARDS = 8
NEAR = 4.0  # the mean difference from Pillow's pixels that is allowed


def write_files(folder, rows):
    """Slopes, edges and grain: a file each, and all of them in a set."""
    from PIL import Image

    from libdataview.datadings import Writer

    y, x = np.mgrid[:FILE_SIDE, :FILE_SIDE]
    random = np.random.default_rng(1)
    with Writer(str(folder / "set.msgpack")) as writer:
        for i in range(rows):
            plain = 118 + 60 * np.sin(0.05 * x + i) + 40 * np.cos(0.03 * y + i % 7) + 15 * ((x // 40 + y // 30) % 3)
            grain = random.integers(0, 21, (FILE_SIDE, FILE_SIDE, 3))
            file = io.BytesIO()
            Image.fromarray(np.clip(plain[:, :, None] + grain, 0, 255).astype("u1")).save(file, "JPEG", quality=85)
            (folder / f"{i:06d}.jpg").write_bytes(file.getvalue())
            writer.append({"key": f"{i:06d}", "image": file.getvalue(), "label": i})


def path_of(folder, i):
    return str(folder / f"{i:06d}.jpg")


def scaled(picture):
    import torch
    from PIL import Image

    return torch.from_numpy(np.array(picture.convert("RGB").resize((SIDE, SIDE), Image.BILINEAR)))


def by_pillow(file):
    """A path, or the bytes of a file."""
    from PIL import Image

    return scaled(Image.open(io.BytesIO(file) if isinstance(file, bytes) else file))


def planes(x):
    return x.permute(0, 3, 1, 2)


def check(folder, x, y):
    import torch

    if x.dtype != torch.uint8 or y.dtype != torch.int64 or x.shape != (len(y), 3, SIDE, SIDE):
        raise ValueError(f"a batch of {x.dtype} {tuple(x.shape)}, {y.dtype}")
    difference = (x[0].float() - by_pillow(path_of(folder, int(y[0]))).permute(2, 0, 1).float()).abs().mean()
    if difference > NEAR:
        raise ValueError(f"other pixels than those of Pillow, by {float(difference):.1f}")


# --- The peers --------------------------------------------------------------------------------------


def ours(folder, rows, batch, variant):
    """docs/python-images.md, "With torch": threads decode, straight into the tensor."""
    import libdataview as dv

    step = dv.pipe.image("x:image", width=SIDE, height=SIDE, fit="fill", type="U1")
    data = dv.torch.Dataset(step.fit_apply(dv.open(str(folder / "set.msgpack"))), ["x"], ["label"], batch_rows=batch,
                            shuffle=True, seed=1, threads=2, dtype="u1")
    return lambda: ((x.view(-1, 3, SIDE, SIDE), y) for x, y in data)


class Files:
    """A map-style dataset of files."""

    def __init__(self, folder, rows):
        self.folder, self.rows = folder, rows

    def __len__(self):
        return self.rows

    def __getitem__(self, i):
        return by_pillow(path_of(self.folder, i)), i


def data_loader(folder, rows, batch, variant):
    """docs.pytorch.org/tutorials/beginner/basics/data_tutorial.html: a Dataset of files, DataLoader with shuffle."""
    from torch.utils.data import DataLoader

    loader = DataLoader(Files(folder, rows), batch_size=batch, shuffle=True, **workers_of(variant))
    return lambda: ((planes(x), y) for x, y in loader)


def write_datasets(folder, own, rows):
    import datasets
    import pyarrow as pa

    files = [{"bytes": (folder / f"{i:06d}.jpg").read_bytes(), "path": None} for i in range(rows)]
    data = datasets.Dataset(pa.table({"x": files, "y": list(range(rows))})).cast_column("x", datasets.Image())
    data.save_to_disk(str(own / "set"))


def scaled_batch(batch):
    return {"x": [scaled(picture) for picture in batch["x"]], "y": batch["y"]}


def datasets_images(folder, rows, batch, variant):
    """huggingface.co/docs/datasets/image_process: Image, with_transform, DataLoader."""
    import datasets
    from torch.utils.data import DataLoader

    data = datasets.load_from_disk(files_of(folder, "datasets") + "/set").with_transform(scaled_batch)
    loader = DataLoader(data, batch_size=batch, shuffle=True, **workers_of(variant))
    return lambda: ((planes(found["x"]), found["y"]) for found in loader)


def write_mosaic(folder, own, rows):
    from PIL import Image
    from streaming import MDSWriter

    with MDSWriter(out=str(own / "set"), columns={"x": "jpeg", "y": "int"}) as writer:
        for i in range(rows):
            writer.write({"x": Image.open(path_of(folder, i)), "y": i})


def mosaic(folder, rows, batch, variant):
    """docs.mosaicml.com/projects/streaming, "CIFAR-10": a StreamingDataset whose __getitem__ transforms."""
    from streaming import StreamingDataLoader, StreamingDataset
    from streaming.base.util import clean_stale_shared_memory

    class Pictures(StreamingDataset):
        def __getitem__(self, i):
            found = super().__getitem__(i)
            return scaled(found["x"]), found["y"]

    clean_stale_shared_memory()
    data = Pictures(local=files_of(folder, "MosaicML") + "/set", shuffle=True, batch_size=batch)
    loader = StreamingDataLoader(data, batch_size=batch, **workers_of(variant))
    return lambda: ((planes(x), y) for x, y in loader)


def row_of(folder, i):
    return {"x": (folder / f"{i:06d}.jpg").read_bytes(), "y": i}


def write_litdata(folder, own, rows):
    import litdata

    litdata.optimize(fn=functools.partial(row_of, folder), inputs=list(range(rows)), output_dir=str(own / "set"),
                     chunk_bytes="64MB", num_workers=1)


def scaled_row(row):
    return {"x": by_pillow(row["x"]), "y": row["y"]}


def litdata_pictures(folder, rows, batch, variant):
    """github.com/Lightning-AI/litData: optimize, StreamingDataset with shuffle and transform, StreamingDataLoader."""
    import litdata
    import torch

    data = litdata.StreamingDataset(files_of(folder, "litdata") + "/set", shuffle=True, transform=scaled_row)
    loader = litdata.StreamingDataLoader(data, batch_size=batch, **workers_of(variant))
    return lambda: ((planes(found["x"]), torch.as_tensor(found["y"])) for found in loader)


def write_webdataset(folder, own, rows):
    import webdataset

    with webdataset.ShardWriter(f"{own}/%02d.tar", maxcount=-(-rows // SHARDS), verbose=0) as writer:
        for i in range(rows):
            writer.write({"__key__": f"{i:06d}", "jpg": (folder / f"{i:06d}.jpg").read_bytes(), "cls": i})


def webdataset_pictures(folder, rows, batch, variant):
    """webdataset.github.io, "WebDataset": shards and a buffer are shuffled, batches are made in the workers."""
    import webdataset

    shards = [f"{files_of(folder, 'WebDataset')}/{k:02d}.tar" for k in range(SHARDS)]
    data = webdataset.WebDataset(shards, shardshuffle=SHARDS).shuffle(1000).to_tuple("jpg", "cls")
    loader = webdataset.WebLoader(data.map_tuple(by_pillow, int).batched(batch), batch_size=None, **workers_of(variant))
    return lambda: ((planes(x), y) for x, y in loader)


class Arrays(Files):
    def __getitem__(self, i):
        return super().__getitem__(i)[0].numpy(), i


def grain_pictures(folder, rows, batch, variant):
    """google-grain.readthedocs.io, "Dataset basics": source, shuffle, batch, to_iter_dataset; mp_prefetch for
    processes."""
    import grain
    import torch

    data = grain.MapDataset.source(Arrays(folder, rows)).shuffle(seed=1).batch(batch).repeat()
    data = data.to_iter_dataset(grain.ReadOptions(num_threads=2, prefetch_buffer_size=8))
    if variant == "2 processes":
        data = data.mp_prefetch(grain.MultiprocessingOptions(num_workers=2))
    batches = iter(data)

    def epoch():
        for x, y in itertools.islice(batches, -(-rows // batch)):
            yield planes(torch.from_numpy(x)), torch.from_numpy(y)

    return epoch


def spdl_pictures(folder, rows, batch, variant):
    """facebookresearch.github.io/spdl, "Design and best practices": load_image_batch, where the files of a batch are
    known."""
    import spdl.io
    import torch
    from spdl.pipeline import PipelineBuilder

    threads = int(variant.split()[0])

    def load(chosen):
        buffer = spdl.io.load_image_batch([path_of(folder, i) for i in chosen.tolist()], width=None, height=None,
                                          filter_desc=f"scale={SIDE}:{SIDE}:flags=bilinear,format=pix_fmts=rgb24")
        return planes(spdl.io.to_torch(buffer)), chosen

    def epoch():
        chosen = torch.randperm(rows).split(batch)
        pipeline = PipelineBuilder().add_source(chosen).pipe(load, concurrency=threads).add_sink(3)
        pipeline = pipeline.build(num_threads=threads)
        with pipeline.auto_stop():
            yield from pipeline.get_iterator()

    return epoch


train_sides.WORK["pictures"] = train_sides.Work(write_files, check, {
    OURS: Peer(ours, ("libdataview", "torch", "PIL")),
    "DataLoader, Pillow": Peer(data_loader, ("torch", "PIL"), variants=WORKERS),
    "datasets Image": Peer(datasets_images, ("datasets", "torch", "PIL"), write_datasets, WORKERS),
    "MosaicML StreamingDataset": Peer(mosaic, ("streaming", "PIL"), write_mosaic, WORKERS),
    "litdata StreamingDataset": Peer(litdata_pictures, ("litdata", "PIL"), write_litdata, WORKERS),
    "WebDataset": Peer(webdataset_pictures, ("webdataset", "torch", "PIL"), write_webdataset, WORKERS),
    "Grain": Peer(grain_pictures, ("grain", "torch", "PIL"), variants=("2 threads", "2 processes")),
    "SPDL": Peer(spdl_pictures, ("spdl.pipeline", "spdl.io", "torch"), variants=("2 threads", "4 threads")),
})
