# SPDX-License-Identifier: MIT
"""Shared by the benchmarks of the package: rounds in which all sides take turns, results that are
compared before, and a line for each row.

A file is called as rows_NAME.py [--quick] [--batch-side LIBRARY]; --quick is for trying it out.
Everything is read from the page cache.  A wrong result ends with exit status 1, a slow one does not.
"""

import gc
import importlib
import os
import statistics
import subprocess
import sys
import tempfile
import time

IS_QUICK = "--quick" in sys.argv
ROUNDS = 3 if IS_QUICK else 15
LEAST_SECONDS = 2e-3  # of a side in a round


def folder():
    """A folder for files, removed at the end."""
    return tempfile.TemporaryDirectory(prefix="libdataview-", dir=os.environ.get("DV_BENCH_DIR"))


def peers(row, *modules):
    """Whether all of these modules are there; names those that are not."""
    missing = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(module)
    if missing:
        print(f"{row}: skipped, not installed: {', '.join(missing)}")
    return not missing


def version(module):
    module = module.partition(".")[0]
    return f"{module} {importlib.import_module(module).__version__}"


def fail(row, why):
    print(f"{row}: wrong result: {why}")
    sys.exit(1)


def require(row, holds, why):
    if not holds:
        fail(row, why)


def seconds_of(call):
    """Of one call, from as many as take a while: by the clock, and of CPU in all threads.  Freeing what
    it returns counts."""
    calls, seconds = 0, 0
    start, start_cpu = time.perf_counter(), time.process_time()
    while seconds < LEAST_SECONDS:
        call()
        calls += 1
        seconds = time.perf_counter() - start
    return seconds / calls, (time.process_time() - start_cpu) / calls


class Side(list):
    """seconds_of a call in each round; memory: memory_of its first run, before them."""

    def __init__(self, call):
        super().__init__()
        self.memory = memory_of(call)


def rounds(*calls, n=None):
    """A Side for each call; a round begins with another one each time."""
    gc.collect()
    gc.disable()
    result = [Side(call) for call in calls]
    for k in range(n or ROUNDS):
        for i in range(len(calls)):
            side = (i + k) % len(calls)
            result[side].append(seconds_of(calls[side]))
    gc.enable()
    return result


def shown(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            break
    return f"{seconds * scale:.3g} {unit}"


def report(row, ours, peer, theirs, floor=None, moonshot=None):
    """A line: the median of the rounds' quotients, the quotient of the best rounds, the median of the
    quotients of CPU time, which other processes disturb least, and the memory of both."""
    share, cpu = (statistics.median(b[k] / a[k] for a, b in zip(ours, theirs)) for k in (0, 1))
    best = min(theirs)[0] / min(ours)[0]
    goals = "" if floor is None else f", floor {floor:g}" + (
        "" if moonshot is None else f", moonshot {moonshot:g}")
    below = floor is not None and max(share, best) < floor
    seconds = [statistics.median(wall for wall, _ in side) for side in (ours, theirs)]
    amounts = [side.memory for side in (ours, theirs) if getattr(side, "memory", None) is not None]
    memory = "" if len(amounts) < 2 else f"; memory {amounts[0]:.1f} MiB, {amounts[1]:.1f}"
    print(f"{row}: {shown(seconds[0])}; {peer}: {shown(seconds[1])}; "
          f"{share:.2f} times as fast (best {best:.2f}, CPU {cpu:.2f}){memory}{goals}"
          f"{'  under floor' if below else ''}", flush=True)


def compare(row, ours, *others):
    """Time `ours` beside others, each (name, call, floor, moonshot), all of them in turn."""
    times = rounds(ours, *[call for _, call, _, _ in others])
    for (name, _, floor, moonshot), theirs in zip(others, times[1:]):
        report(row, times[0], name, theirs, floor, moonshot)


def report_most(row, values, unit, limit, moonshot):
    """A line for a figure that must not be larger than its floor."""
    value = statistics.median(values)
    print(f"{row}: {value:.2f} {unit} (best {min(values):.2f}), floor {limit:g}, moonshot {moonshot:g}"
          f"{'  under floor' if min(values) > limit else ''}", flush=True)


def _memory(key):
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(key))


def memory_of(call):
    """The MiB that this process needs at most during a call, beyond what it has before; its result
    counts, and pages of files that are mapped meanwhile.  What Python, C and Arrow have freed before is
    given back first, or it would be used unseen; other libraries may keep some.  None: the system does
    not tell."""
    import ctypes

    gc.collect()
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as refs:
            refs.write("5")  # the highest is counted from here
    except OSError:
        call()
        return None
    before = _memory("VmRSS")
    result = call()
    highest = _memory("VmHWM") - before
    del result
    return highest


def compare_memory(row, *sides):
    """Run this script once for each side, (name, what follows --memory), in a process of its own that
    prints what memory_of gives; the first side is ours."""
    amounts = []
    for _, side in sides:
        command = [sys.executable, *sys.argv, "--memory", side]
        amounts.append(float(subprocess.run(command, capture_output=True, check=True).stdout))
    for (name, _), amount in zip(sides[1:], amounts[1:]):
        print(f"{row}: {amounts[0]:.1f} MiB of memory at most; {name}: {amount:.1f} MiB; "
              f"{amount / amounts[0]:.2f} times as much", flush=True)


def memory_side():
    """The side whose memory this process is to print; None: it is no such process."""
    return sys.argv[sys.argv.index("--memory") + 1] if "--memory" in sys.argv else None


def by_threads(*numbers):
    """Run this script once for each number of threads, since libraries read it once; the number, in
    such a child."""
    threads = os.environ.get("POLARS_MAX_THREADS")
    if threads is not None:
        return int(threads)
    for n in numbers:
        environment = {**os.environ, "POLARS_MAX_THREADS": str(n), "OMP_NUM_THREADS": str(n)}
        done = subprocess.run([sys.executable, *sys.argv], env=environment, check=False)
        if done.returncode:
            sys.exit(done.returncode)
    return None


def equal_tables(row, a, b):
    """Whether two pyarrow tables have the same values, whatever their chunks."""
    require(row, a.num_rows == b.num_rows and a.num_columns == b.num_columns,
            f"{a.shape} beside {b.shape}")
    for name in b.column_names:
        require(row, a[name].cast(b[name].type).equals(b[name]), f"column {name}")
