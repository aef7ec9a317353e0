#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soak.py: runs the checks that take hours, reports their figures, and records them.

    ./dev soak [HOURS] [CHECK...]    HOURS may be a fraction: 0.05; without it, one hour
    ./dev soak --measure             lines reached and new seeds of the last run, if it was stopped before that
    ./dev soak --take FOLDER         brings the record of runs in another copy of the tree into this one
    soak.py --selftest

The checks that share HOURS equally, all of them unless some are named:

    fuzz      every fuzz target, from random seeds; or fuzz_TARGET
    kills     saves that are killed at random moments leave the old file or the new one
    memory    the command on golden files, with random options, while random allocations fail
    changes   every verb and every use of the library with ASan, on files that change meanwhile

Checks that run when they are named:

    reals     draws reals and compares them with the C library: 10 million, and 100 million per hour
    trials    every unit test with ASan and UBSan, where every allocation fails once, every kernel
              meets every length and address, and 20 reads of each file in each use see other bytes
    no_memory every allocation of chosen commands fails, alone or with all that follow
    tables    draws 10,000 text files in three manners each, from a random seed, and reads them back
    mutants   every mutant of tests/tree/mutants.py

It runs with the lowest priority, on one core (--jobs N: on N), so that it can run beside other work.  Ctrl-C and
SIGTERM end it; what was done until then is recorded.

At the end each check is a row of docs/security_ledger.csv, the totals in docs/security.md are made anew, and inputs
that reach lines which no seed reaches become seeds (fuzz/seeds): commit all of it.  Rows and new seeds are also in
build/soak/, where --take finds them.  Logs are there too; the corpus stays in build/fuzz/corpus/, findings in
build/fuzz/findings/.  Ends with `N passed, N failed`: each fuzz target is one, and each other check.
"""
import argparse
import concurrent.futures
import dataclasses
import datetime
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time

import ledger
import reached
from fuzz_log import HEADING, INPUT_SECONDS, Fuzzed, fuzz_line, fuzz_result, log_selftest, parse_fuzzer_log
from soak_result import Result, mutants_result, no_memory_result, reals_result, results_selftest, storm_result, trials_result
from timed import programs, timed_selftest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT / "build/soak"
ROWS, NEW_SEEDS = "build/soak/ledger.csv", "build/soak/seeds"  # what --take takes
FUZZ = ROOT / "build/fuzz"
STORMS = ["kills", "memory", "changes"]
SHARING = ["fuzz", *STORMS]
NAMED = ["reals", "trials", "no_memory", "tables", "mutants"]
TABLES = 10_000
LEAST_REALS, REALS_PER_HOUR = 10_000_000, 100_000_000
FINDINGS = 5  # of one target in one slice: then the rest of the slice is left
SLICE_SECONDS = 600  # at most, before it is another check's turn
HANGING_SECONDS, RSS_MIB = 4 * INPUT_SECONDS, 2048  # by the clock; is_too_slow looks at the CPU time
LATE_SECONDS = 900  # the corpus is read before the time counts
TEST_SECONDS = 3600  # for one test executable

ALL_TRIALS = {"DV_TRIALS_ONCE_IN": "1", "DV_FAIL_STEP": "1", "DV_CHANGES": "20"}


def say(text):
    print(f"soak: {text}", file=sys.stderr, flush=True)


def must(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"soak: failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(preset, *targets):
    say(f"building {preset} {' '.join(targets)}".rstrip())
    must("cmake", "--preset", preset)
    must("cmake", "--build", "--preset", preset, *(["--target", *targets] if targets else []))


def call(log, command, environment=None, seconds=None):
    return programs.call(LOGS / f"{log}.log", [str(word) for word in command], ROOT, environment, seconds)


# --- Checks that run once -------------------------------------------------------------------------


def run_reals(hours, jobs):
    build("release", "test_decimal")
    draws = int((LEAST_REALS + REALS_PER_HOUR * hours) / jobs) + 1
    program = ROOT / "build/release/tests/test_decimal"

    def draw(number):
        drawn = {"DV_DRAWS": str(draws), "DV_SEED": str(secrets.randbits(48))}
        say(f"reals: {draws} from DV_SEED={drawn['DV_SEED']}")
        return call(f"reals-{number}", [program, "--verbose", "--filter", "decimal/drawn_texts"], drawn)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return reals_result([ran for ran in pool.map(draw, range(jobs)) if ran], f"{LOGS}/reals-*.log")


def run_trials(jobs):
    """The tests of the preset `asan` with what the preset leaves out and shortens: a build of its own."""
    folder = LOGS / "asan"
    say(f"building {folder}")
    must("cmake", "--preset", "asan", "-B", str(folder), "-DDV_TEST_LABELS_WITHOUT=")
    must("cmake", "--build", str(folder))
    counter = LOGS / "failed-allocations"
    counter.unlink(missing_ok=True)
    ran = call("trials", ["ctest", "--test-dir", folder, "-L", "unit", "-V", "-j", jobs, "--timeout", TEST_SECONDS],
               {**ALL_TRIALS, "DV_FAILED_FILE": str(counter)})
    summary = call("trials-summary", [sys.executable, ROOT / "tests/tree/summary.py", LOGS / "trials.log"])
    return trials_result(summary.text if summary else "", counter.stat().st_size if counter.exists() else 0,
                         ran.cpu if ran else 0, LOGS / "trials.log")


def run_no_memory():
    build(*STORM_BUILDS["memory"])
    ran = call("no_memory", [sys.executable, ROOT / "tests/cli/no_memory.py", ROOT / "build/release/bin/dataview",
                             ROOT / "build/release/tests/libstarving_malloc.so", "--all"])
    return no_memory_result(ran, LOGS / "no_memory.log") if ran else Result(False, "no_memory: stopped")


def run_tables(jobs):
    build("release", "dataview_cli")
    ran = call("tables", [sys.executable, ROOT / "tests/format/text/drawn_text.py", ROOT / "build/release/bin/dataview",
                          "--tables", TABLES, "--seed", secrets.randbits(40), "--jobs", jobs])
    return storm_result("tables", [ran] if ran else [], LOGS / "tables.log")


def run_mutants(jobs):
    log = "mutants"
    ran = call(log, [sys.executable, ROOT / "tests/tree/mutants.py", "--jobs", jobs])
    return mutants_result(ran, LOGS / f"{log}.log") if ran else Result(False, "mutants: stopped")


# --- Fuzz targets ---------------------------------------------------------------------------------


def fuzz_targets():
    return [path.stem.removeprefix("fuzz_") for path in sorted((ROOT / "fuzz").glob("fuzz_*.c"))]


def fuzz_command(target, seconds):
    corpus = FUZZ / "corpus" / target
    seeds, words = ROOT / "fuzz/seeds" / target, ROOT / f"fuzz/dict/{target}.dict"
    corpus.mkdir(parents=True, exist_ok=True)
    return [ROOT / f"build/asan/bin/fuzz_{target}", f"-max_total_time={max(1, round(seconds))}",
            f"-timeout={HANGING_SECONDS}", f"-rss_limit_mb={RSS_MIB}", "-print_final_stats=1",
            f"-artifact_prefix={FUZZ}/findings/{target}-", *([f"-dict={words}"] if words.exists() else []), corpus,
            *([seeds] if seeds.exists() else [])]


def fuzz(target, seconds, run=None):
    """Runs the target for that long: after a finding it goes on, unless it finds the same again."""
    total, number = Fuzzed(), 0
    while number == 0 or (total.seconds < seconds - 1 and len(total.findings) < FINDINGS and not programs.is_stopped):
        number += 1
        before = len(total.findings)
        total.add((run or fuzz_once)(target, seconds - total.seconds, number))
        if number > 1 and len(total.findings) == before:
            break
    return total


def fuzz_once(target, seconds, number):
    def is_too_slow(path):
        ran = call(f"slow_{target}", [ROOT / f"build/asan/bin/fuzz_{target}", f"-timeout={10 * HANGING_SECONDS}", path])
        return ran is not None and (ran.status != 0 or ran.cpu > INPUT_SECONDS)

    start = time.monotonic()
    ran = call(f"fuzz_{target}-{number}", fuzz_command(target, seconds), symbolizer(), seconds=seconds + LATE_SECONDS)
    if ran is None:
        return Fuzzed()
    status = 0 if programs.is_stopped and ran.status in (-signal.SIGINT, -signal.SIGKILL) else ran.status
    return parse_fuzzer_log(ran.text, status, time.monotonic() - start, ran.cpu, is_too_slow)


def symbolizer():
    return {"ASAN_SYMBOLIZER_PATH": path} if (path := shutil.which("addr2line")) else {}


# --- Storms: programs that try something again and again ------------------------------------------

# What is built of which preset, and the command for so many seconds from a seed.
STORM_BUILDS = {
    "kills": ("release", "dataview_cli"),
    "memory": ("release", "dataview_cli", "starving_malloc"),
    "changes": ("asan", "dataview_cli", "changing_files"),
}


def storm_command(name, seconds, seed):
    return {
        "kills": [sys.executable, ROOT / "tests/cli/kill_storm.py", ROOT / "build/release/bin/dataview", "--seconds",
                  seconds, "--seed", seed],
        "memory": [sys.executable, ROOT / "tests/cli/memory_storm.py", ROOT / "build/release/bin/dataview",
                   ROOT / "build/release/tests/libstarving_malloc.so", "--seconds", seconds, "--seed", seed],
        "changes": [sys.executable, ROOT / "tests/cli/change_storm.py", ROOT / "build/asan/bin/dataview",
                    ROOT / "build/asan/bin/changing_files", "--seconds", seconds, "--seed", seed],
    }[name]


def storm(name, seconds):
    """One slice of a storm."""
    ran = call(f"{name}-{secrets.token_hex(4)}", storm_command(name, max(1, round(seconds)), secrets.randbits(48)),
               symbolizer(), seconds=seconds + LATE_SECONDS)
    return [ran] if ran else []


# --- The run --------------------------------------------------------------------------------------


def plan(hours, names, jobs):
    """The slices, each a name and seconds: every check has the same share, and none waits long for its first."""
    share = 3600 * hours * jobs / max(1, len(names))
    rounds = max(1, -(-int(share) // SLICE_SECONDS))
    return [(name, share / rounds) for _ in range(rounds) for name in names]


class Run:
    """The results of the checks so far, and their rows."""

    def __init__(self, commit):
        self.commit = commit
        self.started = datetime.datetime.now(datetime.timezone.utc).strftime(ledger.STARTED)
        self.fuzzed, self.storms, self.once, self.lines = {}, {}, {}, {}
        self.lock = threading.Lock()

    def slice(self, name, seconds):
        if name in STORMS:
            rans = storm(name, seconds)
            with self.lock:
                self.storms.setdefault(name, []).extend(rans)
        else:
            done = fuzz(name, seconds)
            with self.lock:
                self.fuzzed.setdefault(name, Fuzzed()).add(done)
        say(self.results()[name].line)
        self.write_rows()

    def results(self):
        with self.lock:
            return {**self.once,
                    **{name: storm_result(name, rans, f"{LOGS}/{name}-*.log") for name, rans in self.storms.items()},
                    **{name: fuzz_result(name, done) for name, done in self.fuzzed.items()}}

    def rows(self):
        return [ledger.Row(self.started, name, self.commit, result.executions, int(result.cpu), self.lines.get(name),
                           result.findings)
                for name, result in self.results().items() if result.executions > 0 or result.findings > 0]

    def write_rows(self):
        """After every slice: a machine that goes down loses only the last."""
        if not self.commit:
            return
        path = ROOT / ROWS
        old = ledger.read_rows(path.read_text(encoding="utf-8"), path) if path.exists() else []
        path.with_suffix(".new").write_text(ledger.text_of(ledger.merged(old, self.rows())), encoding="utf-8")
        path.with_suffix(".new").replace(path)

    def measure(self):
        """The lines that the corpora reach; then, what of them should be seeds, which takes longer."""
        targets = [name for name, done in self.fuzzed.items() if done.executions > 0]
        self.lines = {}
        for target, lines in measured(targets):
            self.lines[target] = lines
            self.write_rows()


def folders_of(target):
    return ROOT / "fuzz/seeds" / target, FUZZ / "corpus" / target


def measured(targets):
    """(target, number of lines) of each that can be measured; seeds that reach more are kept."""
    if not targets or programs.is_stopped or not reached.build(targets):
        say("the lines reached are not measured")
        return
    lines = {}
    for target in targets:
        everything = reached.of_everything(target, *folders_of(target))
        if everything is not None:
            lines[target] = everything
            say(f"fuzz_{target}: {len(everything)} lines reached")
            yield target, len(everything)
    for target, everything in lines.items():
        folder = ROOT / NEW_SEEDS / target
        folder.mkdir(parents=True, exist_ok=True)
        for seed in reached.new_seeds(target, *folders_of(target), everything):
            say(f"fuzz_{target}: a new seed, {seed.name}")
            shutil.copy(seed, folder)


def measure_last():
    """Measures what the last run left, if that was stopped before it could, or fuzzes no more."""
    path = ROOT / ROWS
    rows = ledger.read_rows(path.read_text(encoding="utf-8"), path)
    last = {row.target: row for row in rows if row.started == max(row.started for row in rows)}
    os.nice(19)
    end_at_signals()
    for target, lines in measured([target for target in fuzz_targets() if target in last]):
        rows = ledger.merged(rows, [dataclasses.replace(last[target], lines=lines)])
        path.write_text(ledger.text_of(rows), encoding="utf-8")
    take(ROOT)


def commit_of():
    """The commit, with a + if something was changed since; None: this is no checkout."""
    try:
        commit = must("git", "rev-parse", "--short=10", "HEAD").strip()
        return commit + ("+" if must("git", "status", "--porcelain", "--untracked-files=no").strip() else "")
    except (OSError, SystemExit):
        return None


def take(folder):
    """Brings rows and seeds from a copy of the tree, which may be this one."""
    if not (folder / ROWS).is_file():
        sys.exit(f"soak: there is no run in {folder}: {folder / ROWS} is missing")
    ledger.add([folder / ROWS])
    seeds = [path for path in sorted((folder / NEW_SEEDS).glob("*/*")) if path.parent.name in fuzz_targets()]
    for path in seeds:
        shutil.copy(path, ROOT / "fuzz/seeds" / path.parent.name)
    say(f"docs/security_ledger.csv and docs/security.md have the rows, fuzz/seeds has {len(seeds)} more: commit them")


def prepare(names):
    """Builds what the slices run."""
    targets = [f"fuzz_{name}" for name in names if name not in STORMS]
    if targets:
        build("asan", *targets)
        (FUZZ / "findings").mkdir(parents=True, exist_ok=True)
    for name in names:
        if name in STORMS:
            build(*STORM_BUILDS[name])


def end_at_signals():
    def stop(number, frame):
        say("stopping")
        threading.Thread(target=programs.stop).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def soak(hours, checks, jobs):
    LOGS.mkdir(parents=True, exist_ok=True)
    os.nice(19)
    names = [target for target in fuzz_targets() if "fuzz" in checks or f"fuzz_{target}" in checks]
    names += [name for name in STORMS if name in checks]
    prepare(names)
    run = Run(commit_of())
    end_at_signals()
    once = {"reals": lambda: run_reals(hours, jobs), "trials": lambda: run_trials(jobs),
            "no_memory": run_no_memory, "tables": lambda: run_tables(jobs), "mutants": lambda: run_mutants(jobs)}
    for name, step in once.items():
        if name in checks and not programs.is_stopped:
            say(name)
            run.once[name] = step()
            say(run.once[name].line)
            run.write_rows()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for turn in [pool.submit(run.slice, *part) for part in plan(hours, names, jobs)]:
            turn.result()
    run.measure()
    run.write_rows()
    return report(run)


def report(run):
    results = run.results()
    print("\n".join(result.line for name, result in results.items() if name not in run.fuzzed))
    if run.fuzzed:
        print("\n".join([fuzz_line(*HEADING), *(results[name].line for name in run.fuzzed)]))
    if run.commit:
        take(ROOT)
    else:
        say("this is no checkout of git: nothing is recorded")
    failed = sum(not result.passed for result in results.values())
    print(f"{len(results) - failed} passed, {failed} failed")
    return int(failed > 0)


# --- Selftest -------------------------------------------------------------------------------------


def time_selftest():
    parts = plan(1, list("abcdefghijklm"), 2)
    if len(parts) != 13 or abs(sum(seconds for _, seconds in parts) - 7200) > 1e-6:
        yield f"two jobs have two hours in an hour: {parts}"
    parts = plan(2, ["a", "b"], 1)
    if [name for name, _ in parts] != ["a", "b"] * 6 or {seconds for _, seconds in parts} != {600}:
        yield f"slices do not alternate: {parts}"
    runs = []

    def made_up(findings):
        def run(target, seconds, number):
            runs.append(round(seconds))
            return Fuzzed(10, 30, findings=[findings[number - 1]] if findings[number - 1] else [])
        return run

    for findings, seconds, want_runs, want_found in [
            ([""], 30, [30], 0),
            (["a", "b", "c"], 90, [90, 60, 30], 3),
            (["a", "a", "b"], 90, [90, 60], 1),  # a seed: it would be found again and again
            (list("abcdefgh"), 900, [900, 870, 840, 810, 780], 5)]:
        runs.clear()
        done = fuzz("views", seconds, made_up(findings))
        if runs != want_runs or len(done.findings) != want_found:
            yield f"findings {findings}: runs of {runs} seconds, {done.findings}"


def rows_selftest():
    run = Run("0123456789")
    run.fuzzed = {"idv": Fuzzed(10, 30, 29.9, findings=["a"]), "text": Fuzzed()}
    run.lines = {"idv": 7}
    run.once = {"reals": Result(True, "reals", 5, 2.5)}
    want = [ledger.Row(run.started, "reals", "0123456789", 5, 2, None, 0),
            ledger.Row(run.started, "idv", "0123456789", 10, 29, 7, 1)]
    if run.rows() != want:
        yield f"rows: {run.rows()}"


def selftest():
    wrong = [*log_selftest(), *time_selftest(), *results_selftest(), *reached.selftest(), *timed_selftest(),
             *rows_selftest()]
    print("\n".join(wrong) if wrong else "logs of fuzzers, mutants, tests and reals are read")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    if sys.argv[1:] == ["--measure"]:
        return measure_last()
    if len(sys.argv) == 3 and sys.argv[1] == "--take":
        return take(pathlib.Path(sys.argv[2]))
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hours", metavar="HOURS", nargs="?", type=float, default=1)
    parser.add_argument("checks", metavar="CHECK", nargs="*", default=SHARING)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    known = SHARING + [f"fuzz_{target}" for target in fuzz_targets()] + NAMED
    unknown = [check for check in asked.checks if check not in known]
    if unknown or not 0 < asked.hours < 1000 or asked.jobs < 1:
        parser.error(f"HOURS above 0, and the checks are: {' '.join(known)}")
    return soak(asked.hours, asked.checks, asked.jobs)


if __name__ == "__main__":
    sys.exit(main())
