#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares reading, querying and writing datadings files with the package datadings.

    datadings_peer.py LIBDATAVIEW.so [--quick]
    datadings_peer.py LIBDATAVIEW.so --alone ours|theirs PATH

Two sets, written by the package: 10101 samples of 50 KiB (its own test set has that shape) and
samples of 200 bytes, each with a key, an image and a label.  Where samples are read both sides add up
the XXH3 of every field's bytes (or of every message), ours in datadings_side.c, theirs by the package
xxhash: the cheapest both can have; sums are compared first.  The rows `sizes` add up the sizes of the
messages instead, so that no byte is read.  The rows `process` are the second form, a process for each
side: the start of Python and its imports are in.  Ours uses one thread, and so does theirs.  Limits of
the machine, a loop of BLAKE2s, MD5 and a plain write, are measured in the same rounds.  Exit status 1
only when something differs.
"""

import ctypes
import hashlib
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import side_by_side as sbs

IS_OURS_ALONE = sys.argv[2:4] == ['--alone', 'ours']  # which needs neither package

if not IS_OURS_ALONE:
    for module in 'datadings', 'xxhash':
        sbs.skip_without('datadings', module)
    import xxhash
    from datadings.reader import MsgpackReader
    from datadings.writer import FileWriter

    digest = xxhash.xxh3_64_intdigest

SIDES = ['', '.offsets', '.keys', '.key_hashes', '.filter', '.md5']
LARGE, SMALL = (200, 2000) if sbs.IS_QUICK else (10101, 200000)
MANY = 100000 if sbs.IS_QUICK else 10000000
WRITTEN_NBYTES = 100 << 20
KEYS = 2000 if sbs.IS_QUICK else 50000
MASK = (1 << 64) - 1


class Ours:
    """datadings_side.c, and the library under it."""

    def __init__(self):
        folder = pathlib.Path(sys.argv[1]).resolve().parent
        ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
        self.side = side = ctypes.CDLL(str(folder / 'libdatadings_side.so'))
        for name in 'open', 'hold':
            getattr(side, f'dvb_{name}').restype = ctypes.c_void_p
        for name in 'sum', 'nbytes', 'bare_hash', 'bare_sum':
            getattr(side, f'dvb_{name}').restype = ctypes.c_uint64
        side.dvb_find.restype = side.dvb_find_many.restype = side.dvb_bare_open.restype = ctypes.c_int64

    def open(self, path, options=None):
        return ctypes.c_void_p(self.side.dvb_open(os.fsencode(path), options))

    def sum(self, path, options=None, column=None):
        view = self.open(path, options)
        total = self.side.dvb_sum(view, column)
        self.side.dvb_release(view)
        return total


def samples(n, nbytes):
    """The same in every run; images differ."""
    rng = random.Random(3)
    for i in range(n):
        yield {'key': f'train/{rng.getrandbits(40):010x}/{i:08d}', 'image': rng.randbytes(nbytes),
               'label': rng.randrange(1000)}


def write(path, what):
    with FileWriter(path, overwrite=True, disable=True) as writer:
        for sample in what:
            writer.write(sample)


def raw_sum(messages):
    return sum(map(digest, messages)) & MASK


def from_start(reader):
    """All messages again: the reader's cursor is at its end."""
    reader.seek(0)
    return reader.rawiter()


def decoded_sum(decoded):
    pack, total = struct.Struct('<q').pack, 0
    for sample in decoded:
        total += digest(sample['key'].encode()) + digest(sample['image'])
        total += digest(pack(sample['label']))
    return total & MASK


def compare_reading(ours, name, path):
    """Views and readers that are open; then all of it once more from opening on."""
    nbytes, reader = os.path.getsize(path), MsgpackReader(path)
    view, raw_view = ours.open(path), ours.open(path, b'raw')
    raw = lambda: ours.side.dvb_sum(raw_view, b'message')
    decoded = lambda: ours.side.dvb_sum(view, None)
    raw_row, decoded_row = f'datadings_raw/{name}', f'datadings_decoded/{name}'
    if any(raw() != raw_sum(from_start(reader)) for _ in range(2)):
        sbs.fail(raw_row)
    if decoded() != decoded_sum(reader.iter(start=0)):
        sbs.fail(decoded_row)
    sbs.compare(raw_row, nbytes, raw, 'rawiter', lambda: raw_sum(from_start(reader)), 5)
    sbs.compare(raw_row, nbytes, raw, 'iter(raw=True, copy=False)',
                lambda: raw_sum(reader.iter(start=0, raw=True, copy=False)))
    sbs.compare(decoded_row, nbytes, decoded, 'iter', lambda: decoded_sum(reader.iter(start=0)), 20)
    data = pathlib.Path(path).read_bytes()
    if nbytes / len(reader) < 1 << 10:  # larger ones are not copied
        bare = lambda: ours.side.dvb_bare_sum(data, ctypes.c_int64(nbytes))
        if bare() != decoded():
            sbs.fail(decoded_row)
        sbs.compare(decoded_row, nbytes, decoded, 'bare loop', bare)
    sbs.compare(raw_row, nbytes, raw, 'XXH3 of these bytes as one', lambda: digest(data))
    sbs.compare(f'{raw_row}/opened', nbytes, lambda: ours.sum(path, b'raw', b'message'), 'rawiter',
                lambda: raw_sum(MsgpackReader(path).rawiter()))
    compare_sizes(ours, raw_row, path, raw_view, reader)
    for opened in view, raw_view:
        ours.side.dvb_release(opened)


def compare_sizes(ours, raw_row, path, raw_view, reader):
    """The price of a message alone; and of all that a user waits for."""
    nbytes = os.path.getsize(path)
    sizes = lambda: ours.side.dvb_nbytes(raw_view)
    if not sizes() == sum(map(len, from_start(reader))) == nbytes:
        sbs.fail(f'{raw_row}/sizes')
    sbs.compare(f'{raw_row}/sizes', nbytes, sizes, 'rawiter', lambda: sum(map(len, from_start(reader))))
    alone = lambda side: subprocess.check_output([sys.executable, *sys.argv[:2], '--alone', side, path])
    if alone('ours') != alone('theirs'):
        sbs.fail(f'{raw_row}/process')
    sbs.compare(f'{raw_row}/process', nbytes, lambda: alone('ours'), 'rawiter', lambda: alone('theirs'))


def compare_finding(ours, path):
    reader, view = MsgpackReader(path), ours.open(path, b'raw')
    draw = random.Random(5).randrange
    keys = [reader.find_key(draw(len(reader))) for _ in range(KEYS)]
    there = (ctypes.c_char_p * KEYS)(*map(str.encode, keys))
    find = lambda: ours.side.dvb_find(view, there, ctypes.c_int64(KEYS))
    find_many = lambda: ours.side.dvb_find_many(view, there, ctypes.c_int64(KEYS))
    theirs = lambda: sum(map(reader.find_index, keys))
    row = f'datadings_find/{len(reader)} samples'
    if not find() == find_many() == theirs():
        sbs.fail(row)
    nbytes = sum(map(len, keys))
    sbs.compare(row, nbytes, find, 'find_index', theirs, 8)
    sbs.compare(f'{row}/256 at once', nbytes, find_many, 'find_index', theirs, 8)
    sbs.compare(row, nbytes, find, 'BLAKE2s alone',
                lambda: ours.side.dvb_bare_hash(there, ctypes.c_int64(KEYS)))
    ours.side.dvb_release(view)


def compare_writing(ours, name, path, folder, goal):
    """A set again from memory: ours from columns, theirs from dicts, both to the same bytes."""
    what = [*MsgpackReader(path).iter(start=0)]
    opened = ours.open(path, b'infer=all')  # else what its messages hold is not known
    held = ctypes.c_void_p(ours.side.dvb_hold(opened))
    nbytes, out = os.path.getsize(path), f'{folder}/out/{os.path.basename(path)}'
    save = lambda: ours.side.dvb_save(held, os.fsencode(out))
    save()
    row = f'datadings_write/{name}'
    for side in SIDES:
        if pathlib.Path(path + side).read_bytes() != pathlib.Path(out + side).read_bytes():
            sbs.fail(row + side)
    sbs.compare(row, nbytes, save, 'FileWriter', lambda: write(out, what), goal)
    data = pathlib.Path(path).read_bytes()

    def plain_write():
        with open(f'{folder}/plain', 'wb', buffering=0) as file:
            for at in range(0, len(data), 1 << 20):
                file.write(data[at:at + (1 << 20)])

    limits = {'MD5 alone': lambda: hashlib.md5(data).digest(), 'write alone': plain_write}
    slower = max(limits, key=lambda limit: min(sbs.seconds_of(limits[limit]) for _ in range(3)))
    for limit, call in limits.items():
        is_goal = limit == slower and goal == 0
        sbs.compare(row, nbytes, save, limit, call, 0.9 if is_goal else 0)
    ours.side.dvb_release(held)
    ours.side.dvb_release(opened)


def make_many(ours, folder, n):
    """n small samples, from consecutive messages."""
    path, bare = f'{folder}/many-{n}.msgpack', f'{folder}/bare.msgpack'
    with open(bare, 'wb') as file:
        for first in range(0, n, 100000):
            file.write(b''.join(b'\x82\xa3key\xa8%08d\xa1v\xce%b' % (i, struct.pack('>I', i))
                                for i in range(first, min(first + 100000, n))))
    view = ours.open(bare, b'raw scan')
    ours.side.dvb_save(view, os.fsencode(path))
    ours.side.dvb_release(view)
    os.unlink(bare)
    return path


def compare_opening(ours, folder):
    few, many = make_many(ours, folder, 10000), make_many(ours, folder, MANY)
    for options in b'raw', None:
        seconds = {path: [] for path in (few, many)}
        for _ in range(5 if sbs.IS_QUICK else 41):
            for path in seconds:
                start = time.perf_counter()
                view = ours.open(path, options)
                seconds[path].append(time.perf_counter() - start)
                ours.side.dvb_release(view)
        a, b = (statistics.median(seconds[path]) * 1e6 for path in (few, many))
        kind = 'raw' if options else 'inferred'
        print(f'datadings_open/{kind}: {MANY} samples {b:.0f} us, 10000 samples {a:.0f} us, '
              f'{a / b:.2f} of it, goal 0.8' + ('  under goal' if a / b < 0.8 else ''))
    opening = lambda: ours.side.dvb_release(ours.open(many, b'raw'))
    row, nbytes = f'datadings_open/{MANY} samples', os.path.getsize(many)
    sbs.compare(row, nbytes, opening, 'MsgpackReader', lambda: MsgpackReader(many))
    sbs.compare(row, nbytes, opening, 'bare calls of the system', lambda: ours.side.dvb_bare_open(os.fsencode(many)))


def main():
    if sys.argv[2:3] == ['--alone']:
        path = sys.argv[4]
        print(Ours().sum(path, b'raw', b'message') if IS_OURS_ALONE else raw_sum(MsgpackReader(path).rawiter()))
        return
    ours = Ours()
    with tempfile.TemporaryDirectory(dir=os.environ.get('DV_BENCH_DIR')) as folder:
        os.mkdir(f'{folder}/out')
        for name, n, nbytes, goal in ('50KiB', LARGE, 50 << 10, 0), ('200B', SMALL, 200, 10):
            path = f'{folder}/{name}.msgpack'
            write(path, samples(n, nbytes))
            compare_reading(ours, name, path)
            compare_finding(ours, path)
            write(path, samples(min(n, WRITTEN_NBYTES // nbytes), nbytes))
            compare_writing(ours, name, path, folder, goal)
        compare_opening(ours, folder)


if __name__ == '__main__':
    main()
