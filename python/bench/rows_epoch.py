# SPDX-License-Identifier: MIT
"""A training epoch over a datadings file of JPEG files, 500 x 375: shuffled batches of 256 of 224 x 224 (planes of R4, scaled
by mean and deviation) with labels, as tensors.  Ours with two threads, beside ours with one, and beside two workers of torch's
DataLoader: over the package datadings and over shards of WebDataset, decoded by Pillow or torchvision.  (FFCV is left out: it
does not build without the headers of OpenCV 4.)

A side is a process of its own: the time of its epoch, the CPU time of it and its workers, and the most memory that they have
together, mapped files not counted.  The files are kept in build/bench_epoch."""

import io
import json
import os
import pathlib
import resource
import subprocess
import sys
import tarfile
import threading
import time

import libdataview as dv
import sides

PICTURES = 512 if sides.IS_QUICK else 20_000
KINDS = 16  # of pictures that differ in more than their grain
BATCH, SIDE, WORKERS, SHARDS, SHARD_POOL = 256, 224, 2, 8, 1000
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
FOLDER = pathlib.Path(os.environ.get("DV_BENCH_DIR", pathlib.Path(__file__).parents[2] / "build")) / "bench_epoch"


def label_of(i):
    return i * 7919 % 1000


# --- Files ----------------------------------------------------------------------------------------


def pictures():
    """Slopes, edges and grain: the bytes of each file."""
    import numpy as np
    from PIL import Image

    y, x = np.mgrid[:375, :500]
    grain = np.random.default_rng(1).integers(0, 21, (750, 1000, 3), "u1")
    plain = [np.clip(118 + 60 * np.sin(0.05 * x + k) + 40 * np.cos(0.03 * y) + 15 * ((x // 40 + y // 30) % 3), 0, 234)
             .astype("u1")[:, :, None] for k in range(KINDS)]
    for i in range(PICTURES):
        top, left = i * 31 % 375, i * 17 % 500
        file = io.BytesIO()
        Image.fromarray(plain[i % KINDS] + grain[top:top + 375, left:left + 500]).save(file, "JPEG", quality=85)
        yield file.getvalue()


def make_files():
    """The set, its first pictures as a set of their own, and shards of tar; once."""
    from libdataview.datadings import Writer

    done = FOLDER / f"{PICTURES}.done"
    if done.exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.glob(f"{PICTURES}[.-]*"):
        path.unlink()  # of a run that was stopped
    shards = [tarfile.open(FOLDER / f"{PICTURES}-{k}.tar", "w") for k in range(SHARDS)]
    with Writer(FOLDER / f"{PICTURES}.msgpack") as whole:
        for i, file in enumerate(pictures()):
            whole.append({"key": f"{i:06d}", "image": file, "label": label_of(i)})
            for name, data in ((f"{i:06d}.jpg", file), (f"{i:06d}.cls", str(label_of(i)).encode())):
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                shards[i % SHARDS].addfile(entry, io.BytesIO(data))
    for shard in shards:
        shard.close()
    done.touch()


# --- Sides: the batches of an epoch, and the tensor of a file ---------------------------------------


def by_pillow(file):
    import numpy as np
    import torch
    from PIL import Image

    mean, std = (np.array(of, "f4").reshape(3, 1, 1) for of in (MEAN, STD))
    pixels = np.asarray(Image.open(io.BytesIO(file)).convert("RGB").resize((SIDE, SIDE), Image.BILINEAR), "f4")
    return torch.from_numpy((pixels.transpose(2, 0, 1) * np.float32(1 / 255) - mean) / std)


def by_torchvision(file):
    import torch
    from torchvision.io import ImageReadMode, decode_jpeg
    from torchvision.transforms.v2.functional import normalize, resize

    pixels = decode_jpeg(torch.frombuffer(bytearray(file), dtype=torch.uint8), ImageReadMode.RGB)
    return normalize(resize(pixels, [SIDE, SIDE], antialias=True).float() / 255, MEAN, STD)


class Samples:
    """A map-style dataset over the package; each process opens the file for itself."""

    def __init__(self, path, decode):
        self.path, self.decode, self.reader = str(path), decode, None

    def __len__(self):
        return PICTURES

    def __getitem__(self, i):
        if self.reader is None:
            from datadings.reader import MsgpackReader

            self.reader = MsgpackReader(self.path)
        sample = self.reader.get(i)
        return self.decode(sample["image"]), sample["label"]


def ours(path, threads):
    step = dv.pipe.image("x:image", width=SIDE, height=SIDE, fit="fill", scale=1 / 255, mean=list(MEAN), std=list(STD),
                         exact=True)
    return dv.torch.Dataset(step.fit_apply(dv.open(path)), ["x"], ["label"], batch_rows=BATCH, shuffle=True, seed=1,
                            threads=threads)


def loader(path, decode):
    from torch.utils.data import DataLoader

    return DataLoader(Samples(path, decode), batch_size=BATCH, shuffle=True, num_workers=WORKERS)


def shards(decode):
    import webdataset

    urls = [str(FOLDER / f"{PICTURES}-{k}.tar") for k in range(SHARDS)]
    found = webdataset.WebDataset(urls, shardshuffle=SHARDS, seed=1).shuffle(SHARD_POOL).to_tuple("jpg", "cls")
    found = found.map_tuple(decode, int).batched(BATCH)
    return webdataset.WebLoader(found, batch_size=None, num_workers=WORKERS)


DECODERS = {"Pillow": by_pillow, "torchvision": by_torchvision}
SET = FOLDER / f"{PICTURES}.msgpack"
SIDES = {
    "2 threads": ((), lambda: ours(SET, 2)),
    "1 thread": ((), lambda: ours(SET, 1)),
    "datadings, DataLoader, Pillow": (("datadings", "PIL"), lambda: loader(SET, by_pillow)),
    "datadings, DataLoader, torchvision": (("datadings", "torchvision"), lambda: loader(SET, by_torchvision)),
    "WebDataset, WebLoader, Pillow": (("webdataset", "PIL"), lambda: shards(by_pillow)),
    "WebDataset, WebLoader, torchvision": (("webdataset", "torchvision"), lambda: shards(by_torchvision)),
}


# --- A side as a process ---------------------------------------------------------------------------


def memory():
    """Bytes of this process and its children that are no file's, shared ones counted once."""
    total = 0
    children = pathlib.Path("/proc/self/task").glob("*/children")
    for process in [os.getpid(), *(int(child) for of in children for child in of.read_text().split())]:
        try:
            lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
        except OSError:
            continue  # it has ended
        total += sum(int(line.split()[1]) for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
    return total * 1024


def cpu():
    """Of this process and of the children that have ended."""
    return sum(sum(resource.getrusage(of)[:2]) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def run_side(name):
    """One epoch: print what it took, and what it delivered."""
    import torch

    torch.set_num_threads(1)
    batches = SIDES[name][1]()
    for word, decode in DECODERS.items():
        if word in name:
            decode(next(pictures()))  # imports are not counted
    before, highest, is_over = memory(), [0], threading.Event()

    def watch():
        while not is_over.wait(0.1):
            highest[0] = max(highest[0], memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    start, start_cpu = time.perf_counter(), cpu()
    rows, labels, shape = 0, 0, None
    for x, y in batches:
        x = x.view(len(x), 3, SIDE, SIDE)
        rows, labels, shape = rows + len(x), labels + int(y.sum()), list(x.shape[1:])
    seconds = time.perf_counter() - start
    is_over.set()
    watcher.join()
    del batches
    print(json.dumps({"seconds": seconds, "cpu": cpu() - start_cpu, "memory": highest[0] - before, "rows": rows,
                      "labels": labels, "shape": shape, "type": str(x.dtype)}))


def measure(name):
    command = [sys.executable, *sys.argv, "--side", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


# --- Checks ----------------------------------------------------------------------------------------


def require_equal_pixels(row, names):
    """The first pictures, in the order of the file, as each side decodes them."""
    import torch

    few = dv.open(SET).head(8)
    step = dv.pipe.image("x:image", width=SIDE, height=SIDE, fit="fill", scale=1 / 255, mean=list(MEAN), std=list(STD),
                         exact=True)
    found = torch.from_numpy(step.fit_apply(few).to_numpy("x")).view(-1, 3, SIDE, SIDE)
    files = few["image"].to_pylist()
    for word, limit in (("Pillow", 1e-5), ("torchvision", 0.05)):
        if any(word in name for name in names):
            most = float((torch.stack([DECODERS[word](file) for file in files]) - found).abs().max())
            sides.require(row, most < limit, f"other pixels than those of {word}, by {most:g}")


def main():
    if "--side" in sys.argv:
        run_side(sys.argv[sys.argv.index("--side") + 1])
        return
    if not sides.peers("epoch", "torch", "PIL"):
        return
    make_files()
    row = f"epoch of {PICTURES} JPEG, batches of {BATCH}"
    names = [name for name, (modules, _) in SIDES.items() if sides.peers(f"epoch, {name}", *modules)]
    require_equal_pixels(row, names)
    found = {name: [] for name in names}
    for k in range(1 if sides.IS_QUICK else 2):
        for i in range(len(names)):
            name = names[(i + k) % len(names)]
            found[name].append(measure(name))
    expected = [PICTURES, sum(map(label_of, range(PICTURES))), [3, SIDE, SIDE], "torch.float32"]
    for name, runs in found.items():
        for run in runs:
            got = [run[key] for key in ("rows", "labels", "shape", "type")]
            sides.require(row, got == expected, f"{name}: {got}, not {expected}")
    mine, *others = names
    times = {name: [(run["seconds"], run["cpu"]) for run in runs] for name, runs in found.items()}
    for name in others:
        sides.report(f"{row}, {mine}", times[mine], name, times[name])
    for name, runs in found.items():
        print(f"{row}, {name}: {max(run['memory'] for run in runs) / 2**20:.0f} MiB of memory at most; "
              f"{PICTURES / sides.statistics.median(run['seconds'] for run in runs):.0f} pictures a second", flush=True)


if __name__ == "__main__":
    main()
