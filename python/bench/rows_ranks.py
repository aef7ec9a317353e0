# SPDX-License-Identifier: MIT
"""Ranks of a training over 10,000 small files: the bytes that all of them read in one epoch, and the time and memory
until the first batch.  Ranks share a pool of one table of all files, or each opens its own files alone.  Their epoch is
simulated by one process, which opens the table once; some of them then run as processes, for the costs of a rank.
Files are read by system calls, as on a network file system; the kernel counts bytes, and opens too (inotify)."""

import ctypes
import gc
import json
import os
import resource
import struct
import threading
import time

import libdataview as dv
import sides

FILES = 320 if sides.IS_QUICK else 10_000
RANKS = (4, 16) if sides.IS_QUICK else (8, 64, 512)
ROWS, WIDTH = 64, 256  # 66 KB a file
PROCESSES = 4
MOST = 1.02  # bytes that ranks read of rows, as a share of the files
IN_OPEN, IN_CLOSE, IN_ISDIR, IN_OVERFLOW = 0x20, 0x18, 0x40000000, 0x4000


def make_files(folder):
    """Their paths and bytes."""
    import numpy as np

    paths = [os.path.join(folder, f"{k:05}.idv") for k in range(FILES)]
    values = np.random.default_rng(1).random((ROWS, WIDTH), np.float32)
    for k in range(FILES):
        dv.from_numpy({"x": values, "i": np.arange(k * ROWS, (k + 1) * ROWS)}).write(paths[k], sync=False)
    return paths, sum(map(os.path.getsize, paths))


class Opens:
    """How many files of a folder are opened, by any process, while this is entered."""

    def __init__(self, folder):
        self.count, self.is_over, self.thread = 0, False, None
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        # closing is watched too: the kernel would count two opens that follow each other as one
        if self.fd < 0 or libc.inotify_add_watch(self.fd, os.fsencode(folder), IN_OPEN | IN_CLOSE) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def _read(self):
        is_last = False
        while not is_last:
            is_last = self.is_over
            try:
                while events := os.read(self.fd, 1 << 20):
                    self._add(events)
            except BlockingIOError:
                time.sleep(1e-3)

    def _add(self, events):
        at = 0
        while at < len(events):
            _, mask, _, length = struct.unpack_from("iIII", events, at)
            if mask & IN_OVERFLOW:
                sides.fail("ranks", "too many events of files at once")
            self.count += mask & (IN_OPEN | IN_ISDIR) == IN_OPEN
            at += 16 + length

    def __enter__(self):
        self.count, self.is_over = 0, False
        self.thread = threading.Thread(target=self._read)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()


def nbytes_read():
    with open("/proc/self/io", encoding="ascii") as counts:
        return int(counts.readline().split()[1])


def read(feed, start):
    """The rows of a share, and the time of its first batch."""
    import numpy as np

    rows, first = [], None
    for _, i in feed:
        first = first or time.perf_counter() - start
        rows.append(i.copy())
    return np.concatenate(rows), first


def run(open_rank):
    """The costs of a rank."""
    start, before = time.perf_counter(), nbytes_read()
    feed = open_rank()
    found = {"open": time.perf_counter() - start, "open_nbytes": nbytes_read() - before}
    found["first"] = read(feed, start)[1]
    return found


def run_process(open_rank):
    """run() in a process of its own; the costs include its memory."""
    pipe, its = os.pipe()
    child = os.fork()
    if not child:
        try:
            found = []
            memory = sides.memory_of(lambda: found.append(run(open_rank)))
            os.write(its, json.dumps({**found[0], "memory": memory}).encode())
        finally:
            os._exit(0)  # an empty pipe is a failure
    os.close(its)
    with os.fdopen(pipe, "rb") as file:
        took = file.read()
    os.waitpid(child, 0)
    return json.loads(took or "{}")


def read_shares(row, feeds, most_often, all_nbytes):
    """The bytes of rows that all ranks read, as a share of the files."""
    import numpy as np

    rows, nbytes = [], 0
    for feed in feeds:
        before = nbytes_read()
        rows.append(read(feed, 0)[0])
        nbytes += nbytes_read() - before
    found = np.bincount(np.concatenate(rows), minlength=FILES * ROWS)
    sides.require(row, found.min() == 1 and found.max() <= most_often, "rows are lost, or come too often")
    return nbytes / all_nbytes


def compare_ranks(ranks, way, most_often, feeds, open_rank, folder, all_nbytes):
    """feeds: all ranks' in turn.  open_rank: opens the files of one.  most_often: a row may come as often."""
    row = f"{ranks} ranks, {FILES:,} files, {way}"
    share = read_shares(row, feeds, most_often, all_nbytes)
    gc.collect()  # tables that processes would inherit, with their descriptors
    with Opens(folder) as opens:
        took = [run_process(lambda rank=rank: open_rank(rank)) for rank in range(0, ranks, ranks // PROCESSES)]
    sides.require(row, all(took), "a rank failed")

    def most(name):
        return max(one[name] for one in took)

    memory = "unknown" if took[0]["memory"] is None else f"{most('memory'):.1f} MiB"
    whole = share + ranks * most("open_nbytes") / all_nbytes
    print(f"{row}: rows read {share:.3f} of the files, floor {MOST}{'  under floor' if share > MOST else ''}; with "
          f"opening by each rank {whole:.3f}; a rank: {opens.count / len(took):,.0f} opens, "
          f"{most('open_nbytes') / 1e6:.2f} MB and {sides.shown(most('open'))} to open, first batch after "
          f"{sides.shown(most('first'))}, memory {memory} (the most of {len(took)})", flush=True)


def compare_all(paths, folder, all_nbytes):
    for size, most_often in (("as_is", 1), ("pad", 2)):  # padding is what dv.torch.Dataset does
        for ranks in RANKS:
            def feeds(ranks=ranks, size=size):
                table = dv.open(paths, io="pread")
                for rank in range(ranks):
                    yield feed_of(table, shard=(rank, ranks), shard_size=size)

            def one(rank, ranks=ranks, size=size):
                return feed_of(dv.open(paths, io="pread"), shard=(rank, ranks), shard_size=size)

            compare_ranks(ranks, f"one table, {size}", most_often, feeds(), one, folder, all_nbytes)
    for ranks in RANKS:
        def own(rank, ranks=ranks):
            return feed_of(dv.open(paths[rank::ranks], io="pread"))

        compare_ranks(ranks, "own files", 1, map(own, range(ranks)), own, folder, all_nbytes)


def feed_of(table, **share):
    return table.feed(["x"], "i", batch_rows=256, shuffle="pool", seed=1, **share)


def report_state(paths, all_nbytes):
    """The first state of a table is the identity of its files."""
    feed = feed_of(dv.open(paths, io="pread"))
    before, start = nbytes_read(), time.perf_counter()
    feed.state_dict()
    print(f"state_dict of {FILES:,} files: {(nbytes_read() - before) / all_nbytes:.3f} of their bytes read, "
          f"{sides.shown(time.perf_counter() - start)}", flush=True)


def main():
    if not sides.peers("Ranks", "numpy"):
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))  # the usual limit
    with sides.folder() as folder:
        paths, all_nbytes = make_files(folder)
        compare_all(paths, folder, all_nbytes)
        report_state(paths, all_nbytes)


if __name__ == "__main__":
    main()
