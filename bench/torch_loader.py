#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares filling matrices with shuffled batches of a file with torch's DataLoader.

    torch_loader.py LIBDATAVIEW.so [--quick]

The same rows in an .idv file and in two .npy files that torch maps (numpy's mmap_mode, the rows one
by one from a Dataset, stacked by the default collate function); the same batch size; both sides
hand out filled matrices of features and labels in a shuffled order, all of an epoch.  The loader
has 0 or 2 workers, the feed 0 or 2 batches ahead, or 2 threads: of each side the fastest counts.  A loader
whose Dataset gathers a whole batch in one call (__getitems__) stands beside it.  Before that, sums
of all values, in which each label weighs the features of its row, are found equal.

Then the time from the names of the files to the first batch, and how far the memory of a process
grows over an epoch.  Exit status 1 only when something differs.
"""

import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import side_by_side as sbs

for module in 'numpy', 'torch':
    sbs.skip_without('feed', module)

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

UNIFORM = 1
SHAPES = [('16 floats', 200000, 16), ('784 floats', 60000, 784)]
GOAL = 20
BATCH = 256


class How(ctypes.Structure):
    """dvb_how."""

    _fields_ = [('batch_rows', ctypes.c_int64), ('seed', ctypes.c_int64),
                ('epoch', ctypes.c_int64), ('prefetch', ctypes.c_int32),
                ('shuffle', ctypes.c_int32), ('threads', ctypes.c_int32)]


def load_side():
    folder = pathlib.Path(sys.argv[1]).resolve().parent
    ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
    side = ctypes.CDLL(str(folder / 'libfeed_side.so'))
    side.dvb_open.restype = ctypes.c_void_p
    for name in 'epoch', 'sum', 'first':
        getattr(side, f'dvb_{name}').restype = ctypes.c_int64
    return side


class Ours:
    """feed_side.c on a file, epoch after epoch."""

    def __init__(self, path, prefetch, threads=1):
        self.side, self.path, self.number = load_side(), path, 0
        self.prefetch, self.threads = prefetch, threads
        self.view = ctypes.c_void_p(self.side.dvb_open(os.fsencode(path)))

    def how(self):
        self.number += 1
        return ctypes.byref(How(BATCH, 1, self.number, self.prefetch, UNIFORM,
                                self.threads))

    def epoch(self):
        return self.side.dvb_epoch(self.view, self.how())

    def sum(self):
        return self.side.dvb_sum(self.view, self.how())

    def first(self):
        return self.side.dvb_first(os.fsencode(self.path), self.how())


class Rows(Dataset):
    """Row by row, as datasets are written."""

    def __init__(self, path):
        self.features = np.load(f'{path}.x.npy', mmap_mode='c')
        self.labels = np.load(f'{path}.y.npy', mmap_mode='c')

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return torch.from_numpy(self.features[i]), self.labels[i]


class Batches(Rows):
    """A batch in one call."""

    def __getitems__(self, indices):
        return self.features[indices], self.labels[indices]


def as_tensors(batch):
    return tuple(map(torch.from_numpy, batch))


class Theirs:
    """A DataLoader, whose workers stay from epoch to epoch."""

    def __init__(self, path, workers, whole=False):
        how = {'persistent_workers': True} if workers else {}
        if whole:
            how['collate_fn'] = as_tensors
        self.loader = DataLoader((Batches if whole else Rows)(path), BATCH, shuffle=True,
                                 num_workers=workers, **how)

    def epoch(self):
        return sum(len(labels) for _, labels in self.loader)

    def sum(self):
        total = 0
        for features, labels in self.loader:
            bits = features.contiguous().view(torch.int32).sum(dim=1, dtype=torch.int64)
            total += int((bits * (3 * labels + 1)).sum())
        return (total + (1 << 63)) % (1 << 64) - (1 << 63)

    def first(self):
        return len(next(iter(self.loader))[1])


def make(folder, rows, width):
    """The same values in both kinds of files; labels below 10."""
    draw = np.random.default_rng(5)
    features = draw.standard_normal((rows, width), dtype=np.float32)
    labels = draw.integers(0, 10, rows)
    path = f'{folder}/{width}'
    np.save(f'{path}.x.npy', features)
    np.save(f'{path}.y.npy', labels)
    load_side().dvb_make(os.fsencode(f'{path}.idv'), ctypes.c_void_p(features.ctypes.data),
                         ctypes.c_void_p(labels.ctypes.data), ctypes.c_int64(rows),
                         ctypes.c_int32(width))
    return path


def fastest(kinds):
    seconds = {name: min(sbs.seconds_of(kind.epoch) for _ in range(3))
               for name, kind in kinds.items()}
    report = ', '.join(f'{name} {s * 1e3:.1f} ms' for name, s in seconds.items())
    return min(seconds, key=seconds.get), report


def compare_epochs(name, path, rows, width):
    row = f'feed_torch/{name}'
    ours = {f'{n} ahead': Ours(f'{path}.idv', n) for n in (0, 2)}
    ours['2 threads'] = Ours(f'{path}.idv', 0, 2)
    theirs = {f'{n} workers': Theirs(path, n) for n in (0, 2)}
    whole = Theirs(path, 0, whole=True)
    sums = {kind.sum() for kind in [*ours.values(), *theirs.values(), whole]}
    if len(sums) != 1 or any(kind.epoch() != rows for kind in [*ours.values(), *theirs.values()]):
        sbs.fail(row)
    (a, ours_told), (b, theirs_told) = fastest(ours), fastest(theirs)
    print(f'{row}: epochs of {rows} rows, batches of {BATCH}: {ours_told}; DataLoader: '
          f'{theirs_told}')
    nbytes = rows * (4 * width + 8)
    sbs.compare(row, nbytes, ours[a].epoch, f'DataLoader, {b}', theirs[b].epoch, GOAL)
    sbs.compare(row, nbytes, ours[a].epoch, 'DataLoader, __getitems__', whole.epoch)


def compare_first(name, path):
    """The files are in the page cache; workers are started by the first batch."""
    seconds = {'ours': [], 'DataLoader': []}
    ours = Ours(f'{path}.idv', 2)
    for _ in range(3 if sbs.IS_QUICK else 21):
        for side, call in ('ours', ours.first), ('DataLoader', lambda: Theirs(path, 0).first()):
            start = time.perf_counter()
            call()
            seconds[side].append(time.perf_counter() - start)
    a, b = (statistics.median(seconds[side]) * 1e3 for side in seconds)
    print(f'feed_first/{name}: {a:.3f} ms, DataLoader, 0 workers: {b:.3f} ms, {b / a:.1f} times as '
          f'soon')


def memory_of(kind):
    """How far an epoch takes this process, in MiB: pages of its own, and with those of files."""
    def peak():
        with open('/proc/self/status') as status:
            facts = dict(line.split(':', 1) for line in status)
        return {key: int(facts[key].split()[0]) / 1024 for key in ('VmRSS', 'RssAnon', 'VmHWM')}
    with open('/proc/self/clear_refs', 'w') as reset:
        reset.write('5')
    before = peak()
    if kind.epoch() < 1:
        sys.exit(1)
    after = peak()
    return {'own': max(0, after['RssAnon'] - before['RssAnon']),
            'all': after['VmHWM'] - before['VmRSS']}


def compare_memory(name, path):
    """In a process of its own each, after a first epoch of few rows was read elsewhere."""
    report = {}
    for side in 'ours', 'DataLoader':
        command = [sys.executable, __file__, sys.argv[1], '--memory', side, path]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        report[side] = json.loads(result.stdout)
    a, b = report.values()
    print(f'feed_memory/{name}: {a["own"]:.1f} MiB of its own, {a["all"]:.1f} with the mapped '
          f'file; DataLoader, 0 workers: {b["own"]:.1f}, {b["all"]:.1f}')


def main():
    torch.set_num_threads(1)
    if '--memory' in sys.argv:
        side, path = sys.argv[-2:]
        kind = Ours(f'{path}.idv', 2) if side == 'ours' else Theirs(path, 0)
        print(json.dumps(memory_of(kind)))
        return
    with tempfile.TemporaryDirectory(dir=os.environ.get('DV_BENCH_DIR')) as folder:
        for name, rows, width in SHAPES:
            rows = 2000 if sbs.IS_QUICK else rows
            path = make(folder, rows, width)
            compare_epochs(name, path, rows, width)
            compare_first(name, path)
            compare_memory(name, path)


if __name__ == '__main__':
    main()
