# SPDX-License-Identifier: MIT
"""Sides of rows_train.py.  Each is a process of its own, which is asked for an epoch at a time, so that threads,
workers and shared memory of one library do not disturb another.  The CPU time of its workers counts.  The process notes
the number of each row (its label) and refuses an epoch that does not have each of them exactly once."""

import contextlib
import dataclasses
import functools
import gc
import importlib.util
import json
import multiprocessing
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable

import sides

FOLDER = pathlib.Path(os.environ.get("DV_BENCH_DIR", pathlib.Path(__file__).parents[2] / "build")) / "bench_train"
SKIPPED = 3  # batches before utilisation is counted: a loader may fill them ahead
ROUNDS = 2 if sides.IS_QUICK else 7
ENOUGH = 8  # seconds of a peer in all rounds


@dataclasses.dataclass
class Peer:
    """`open(folder, rows, batch, variant)` gives a function whose result is an epoch: pairs (x, y) of tensors, where y
    is the number of each row.  `write(folder, own, rows)` makes its own files from the files of the work.  The
    fastest variant is taken."""

    open: Callable
    modules: tuple = ()
    write: Callable | None = None
    variants: tuple = ("",)
    by_row: bool = False  # handles each row in Python: fewer rows, or it would take minutes


@dataclasses.dataclass
class Work:
    """A task for all peers: `files(folder, rows)` writes the files that all may read; `check(folder, x, y)` raises an
    error for a wrong batch."""

    files: Callable
    check: Callable
    peers: dict


def written(name, rows, write):
    """The folder that `write` fills, once."""
    folder = FOLDER / f"{name}-{rows}"
    done = folder / "done"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write(folder, rows)
        done.touch()
    return folder


# --- In the process of a side ---------------------------------------------------------------------


def descendants(process="self"):
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in task.read_text(encoding="ascii").split():
                yield child
                yield from descendants(child)


def cpu():
    """Seconds of CPU of this process and its workers, those that have ended too."""
    total = sum(sum(resource.getrusage(of)[:2]) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    for child in descendants():
        with contextlib.suppress(OSError):  # it has ended
            stat = pathlib.Path(f"/proc/{child}/stat").read_text(encoding="utf-8", errors="replace")
            total += sum(map(int, stat.rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


def epoch(batches, rows, batch, step, check):
    """Times one.  With a step, an accelerator is emulated, which takes `step` seconds for each batch: this thread
    sleeps.  Its utilisation is defined as in MLPerf Storage, compute time / total time, without the first batches."""
    import torch

    skipped = min(SKIPPED, -(-rows // batch) // 4)
    numbers, at, count, computed, first = torch.full((rows,), -1, dtype=torch.int64), 0, 0, 0.0, 0.0
    start, start_cpu = time.perf_counter(), cpu()
    for x, y in batches():
        end = at + len(y)
        numbers[at:end] = y  # of another length if there are too many rows: an error
        at = end
        if check:
            check(x, y)
        if step:
            now = time.perf_counter()
            if count == skipped:
                computed, first = 0.0, now
            time.sleep(step)
            computed += time.perf_counter() - now
            count += 1
    end, end_cpu = time.perf_counter(), cpu()
    if at != rows or not torch.equal(numbers.sort().values, torch.arange(rows)):
        raise ValueError(f"{at} rows, {len(numbers.unique())} different ones, in place of {rows}, each once")
    if not step and rows > 2000 and torch.equal(numbers, torch.arange(rows)):
        raise ValueError("rows in their order, not shuffled")
    return {"seconds": end - start, "cpu": end_cpu - start_cpu, "used": computed / (end - first) if step else None}


def answer(work, peer, opened, request):
    """Opens what is asked for, unless it is open."""
    key = request["rows"], request["batch"], request["variant"]
    folder = FOLDER / f"{work}-{key[0]}"
    if key not in opened:
        opened.clear()
        gc.collect()
        opened[key] = WORK[work].peers[peer].open(folder, *key)
    check = (lambda x, y: WORK[work].check(folder, x, y)) if request["check"] else None
    return epoch(opened[key], *key[:2], request["step"], check)


WORK = {}  # by name


def mend_torchvision():
    """PyPI's torchvision, which MosaicML and Transformers import for its classes, is built for CUDA and does not load
    with torch for CPUs.  All that its import lacks are the names of two operators, which are never called here."""
    if "torchvision" in sys.modules or importlib.util.find_spec("torchvision") is None:
        return False
    try:
        importlib.import_module("torchvision")
    except RuntimeError:
        from torch.library import Library

        mend_torchvision.kept = Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            mend_torchvision.kept.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        importlib.import_module("torchvision")
    return True


def load(module):
    try:
        return importlib.import_module(module)
    except (ImportError, RuntimeError):
        if not mend_torchvision():
            raise
        return importlib.import_module(module)


def serve(work, peer):
    """Answers each line of stdin by one of stdout; what libraries print goes to stderr."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(**found):
        print(json.dumps(found), file=out, flush=True)

    missing = []
    for module in WORK[work].peers[peer].modules:
        try:
            load(module)
        except ImportError as error:
            is_absent = getattr(error, "name", None) == module.partition(".")[0]
            missing.append(module if is_absent else f"{module} ({error})")
    say(missing=missing)
    opened = {}
    for line in sys.stdin:
        try:
            say(**answer(work, peer, opened, json.loads(line)))
        except Exception:
            traceback.print_exc()
            say(error=traceback.format_exc(limit=-1).strip().splitlines()[-1])
    opened.clear()
    gc.collect()
    for child in multiprocessing.active_children():
        child.terminate()
    os._exit(0)  # some libraries keep threads that never end


# --- In the process of the benchmark ---------------------------------------------------------------


class Process:
    def __init__(self, work, peer):
        self.work, self.peer = work, peer
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([sys.executable, *sys.argv, "--side", work, peer], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log, text=True)

    def read(self):
        line = self.process.stdout.readline()
        found = json.loads(line) if line else {"error": f"it ended, {self.process.wait()}"}
        if "error" in found:
            self.log.seek(0)
            print(self.log.read()[-4000:], file=sys.stderr)
            sides.fail(f"{self.work}, {self.peer}", found["error"])
        return found

    def epoch(self, rows, batch, variant, step=0.0, check=False):
        request = {"rows": rows, "batch": batch, "variant": variant, "step": step, "check": check}
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return self.read()

    def fastest(self, rows, batch):
        """The variant whose epoch is over first, and how long it took; all are checked."""
        seconds = {}
        for variant in WORK[self.work].peers[self.peer].variants:
            checked = self.epoch(rows, batch, variant, check=True)["seconds"]
            seconds[variant] = checked
            if checked < 5 and not sides.IS_QUICK:
                seconds[variant] = min(self.epoch(rows, batch, variant)["seconds"] for _ in range(2))
        return min(seconds.items(), key=lambda found: found[1])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


@contextlib.contextmanager
def processes(work, names):
    """Those of these peers that can be had here, by name, with their files; the others are named."""
    started = {}
    try:
        for name in names:
            started[name] = Process(work, name)
        for name in names:
            missing = started[name].read()["missing"]
            if missing:
                print(f"train, {work}, {name}: skipped, not installed: {', '.join(missing)}", flush=True)
                started.pop(name).close()
        yield started
    finally:
        for process in started.values():
            process.close()


def make_files(work, names, rows):
    """In a process of its own, whose memory and threads are gone when sides are timed."""
    command = [sys.executable, *sys.argv, "--write", work, str(rows), *names]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout[-4000:], file=sys.stderr)
        sides.fail(work, f"its files: exit status {done.returncode}")


def write(work, rows, names):
    """Run by make_files."""
    written(work, rows, WORK[work].files)
    for name in names:
        peer = WORK[work].peers[name]
        if peer.write:
            for module in peer.modules:
                load(module)
            base = FOLDER / f"{work}-{rows}"
            written(f"{work}-{first_word(name)}", rows, functools.partial(peer.write, base))


def first_word(name):  # "datasets, BatchSampler": datasets
    return name.split()[0].strip(",")


def files_of(folder, name):
    """The folder of a peer's own files; it has the first word of the peer's name."""
    work, _, rows = folder.name.rpartition("-")
    return str(folder.with_name(f"{work}-{name}-{rows}"))


def full(name, variant):
    return f"{name}, {variant}" if variant else name


def compare(row, started, ours, rows, batch):
    """A line for each peer.  A peer that is slow has fewer rounds."""
    best = {name: process.fastest(rows, batch) for name, process in started.items()}
    times = {name: [] for name in started}
    names = list(started)
    for k in range(ROUNDS):
        for i in range(len(names)):
            name = names[(i + k) % len(names)]
            variant, seconds = best[name]
            if name != ours and (k + 1) * seconds > ENOUGH and k > 0:
                continue
            found = started[name].epoch(rows, batch, variant)
            times[name].append((found["seconds"], found["cpu"]))
    for name in names:
        if name != ours:
            sides.report(row, times[ours], full(name, best[name][0]), times[name])
    speed = rows / sides.statistics.median(wall for wall, _ in times[ours])
    print(f"{row}: {full(ours, best[ours][0])}: {speed:,.0f} rows a second", flush=True)


def utilisation(row, started, rows, batch, steps):
    """A line for each length of a step: the share of the time in which the emulated accelerator computes, with the
    variant of a peer that keeps it busiest."""
    for step in steps:
        found = []
        for name, process in started.items():
            shares = {variant: [] for variant in WORK[process.work].peers[name].variants}
            for _ in range(1 if sides.IS_QUICK else 3):
                for variant, share in shares.items():
                    share.append(process.epoch(rows, batch, variant, step)["used"])
            share, variant = max((sides.statistics.median(share), variant) for variant, share in shares.items())
            found.append(f"{full(name, variant)}: {share:.1%}")
        print(f"{row}, steps of {step * 1e3:g} ms: {'; '.join(found)}", flush=True)
