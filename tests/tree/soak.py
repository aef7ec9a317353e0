#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soak.py: runs the checks that take hours, and reports their figures.

    ./dev soak HOURS [CHECK...]    HOURS may be a fraction: 0.05
    soak.py --selftest

The checks, all of them unless some are named:

    reals     draws reals and compares them with the C library: 10 million, and 100 million per hour
    trials    every unit test with ASan and UBSan, where every allocation fails once and every kernel
              meets every length and address
    mutants   every mutant of tests/tree/mutants.py
    fuzz      every fuzz target for an equal share of HOURS, from random seeds; or fuzz_TARGET

Only `reals` and `fuzz` depend on HOURS; `trials` and `mutants` run until they are done.  Logs are in
build/soak/, the corpus stays in build/fuzz/corpus/, findings in build/fuzz/findings/.  Ends with
`N passed, N failed`: each fuzz target is one, and each other check.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import secrets
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT / "build/soak"
FUZZ = ROOT / "build/fuzz"
CHECKS = ["reals", "trials", "mutants", "fuzz"]  # the short ones first
LEAST_REALS, REALS_PER_HOUR = 10_000_000, 100_000_000
FINDINGS = 5  # of one target: then the rest of its time is left
INPUT_SECONDS, RSS_MIB = 25, 2048  # as `./dev fuzz`
LATE_SECONDS = 900  # the corpus is read before the time counts
TEST_SECONDS = 3600  # for one test executable

ALL_TRIALS = {"DV_TRIALS_ONCE_IN": "1", "DV_FAIL_STEP": "1"}


@dataclasses.dataclass
class Result:
    passed: bool
    line: str


def say(text):
    print(f"soak: {text}", file=sys.stderr, flush=True)


# --- What the programs print ----------------------------------------------------------------------

STATUS = re.compile(r"^#\d+\t?\s*[A-Z]\w*\s+cov: (\d+) ft: (\d+)", re.MULTILINE | re.IGNORECASE)
ARTIFACT = re.compile(r"Test unit written to (\S+)")
STAT = re.compile(r"^stat::(\w+):\s*(\d+)", re.MULTILINE)
PROGRESS = re.compile(r"^#(\d+)\s", re.MULTILINE)
MUTANTS = re.compile(r"^(\d+) mutants, (\d+) noticed, (\d+) not noticed$", re.MULTILINE)
SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed(?:, \d+ skipped: .*)?$")
DRAWN = re.compile(r"(\d+) texts drawn")


@dataclasses.dataclass
class Fuzzed:
    """What one or more runs of a target did."""

    executions: int = 0
    seconds: float = 0.0
    coverage: int = 0
    features: int = 0
    new_inputs: int = 0
    peak_mib: int = 0
    slow: int = 0  # inputs that took long, but ended
    findings: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.executions += other.executions
        self.seconds += other.seconds
        self.coverage = max(self.coverage, other.coverage)
        self.features = max(self.features, other.features)
        self.new_inputs += other.new_inputs
        self.peak_mib = max(self.peak_mib, other.peak_mib)
        self.slow += other.slow
        self.findings += [found for found in other.findings if found not in self.findings]


def parse_fuzzer_log(text, status, seconds):
    """The figures of one run of a libFuzzer target.  One that was killed has printed no statistics."""
    stats = {name: int(value) for name, value in STAT.findall(text)}
    coverage = [tuple(map(int, pair)) for pair in STATUS.findall(text)]
    artifacts = [pathlib.PurePath(path).name for path in ARTIFACT.findall(text)]
    findings = [name for name in dict.fromkeys(artifacts) if "slow-unit-" not in name]
    if status != 0 and not findings:
        findings = [f"exit status {status}"]
    executions = max([0, *map(int, PROGRESS.findall(text))])
    return Fuzzed(
        executions=stats.get("number_of_executed_units", executions),
        seconds=seconds,
        coverage=max([0, *(cov for cov, _ in coverage)]),
        features=max([0, *(ft for _, ft in coverage)]),
        new_inputs=stats.get("new_units_added", 0),
        peak_mib=stats.get("peak_rss_mb", 0),
        slow=len(artifacts) - sum("slow-unit-" not in name for name in artifacts),
        findings=findings,
    )


HEADING = ("target", "executions", "seconds", "cov", "ft", "new inputs", "peak MiB", "findings")


def fuzz_line(*columns):
    name, *figures = columns
    return f"{name:16}" + "".join(f"{figure:>12}" for figure in figures)


def fuzz_result(target, done):
    """The row of a target, and what it found."""
    figures = (done.executions, round(done.seconds), done.coverage, done.features, done.new_inputs, done.peak_mib,
               len(done.findings))
    slow = [f"    {done.slow} slow inputs"] if done.slow else []
    lines = [fuzz_line(f"fuzz_{target}", *figures), *slow, *(f"    found: {name}" for name in done.findings)]
    return Result(not done.findings and done.executions > 0, "\n".join(lines))


def mutants_result(text, status, seconds):
    said = MUTANTS.search(text)
    if not said:
        return Result(False, f"mutants: no result, exit status {status}: {LOGS / 'mutants.log'}")
    survivors = [f"    {line}" for line in text.splitlines() if ": not noticed: " in line]
    line = f"mutants: {said[2]} killed, {said[3]} survived, of {said[1]}; {seconds:.0f} s"
    return Result(status == 0 and said[3] == "0", "\n".join([line, *survivors]))


def trials_result(text, failed_allocations, seconds):
    """Of the summary of a ctest log."""
    lines = text.strip().splitlines() or [""]
    said = SUMMARY.match(lines[-1])
    if not said:
        return Result(False, f"trials: no result: {LOGS / 'trials.log'}")
    passed = said[2] == "0" and int(said[1]) > 0 and failed_allocations > 0
    line = (f"trials: {said[1]} cases passed, {said[2]} failed; {failed_allocations} allocations failed on purpose; "
            f"{seconds:.0f} s")
    return Result(passed, "\n".join([line, *([] if passed else lines[-60:-1])]))


def reals_result(texts, statuses, seconds):
    drawn = sum(int(said[1]) for text in texts if (said := DRAWN.search(text)))
    passed = drawn > 0 and all(DRAWN.search(text) for text in texts) and not any(statuses)
    return Result(passed, f"reals: {drawn} drawn, {'each as in the C library' if passed else 'NOT all right'}; "
                          f"{seconds:.0f} s" + ("" if passed else f": {LOGS}/reals-*.log"))


# --- Running them ---------------------------------------------------------------------------------


def must(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"soak: failed: {' '.join(command)}\n{done.stdout}{done.stderr}")


def build(preset, *targets):
    say(f"building {preset} {' '.join(targets)}".rstrip())
    must("cmake", "--preset", preset)
    must("cmake", "--build", "--preset", preset, *(["--target", *targets] if targets else []))


def call(log, command, environment=None, seconds=None):
    """(exit status, output) of a command whose output goes to build/soak/LOG.log as well."""
    path = LOGS / f"{log}.log"
    with path.open("wb") as out:
        try:
            status = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                    env={**os.environ, **(environment or {})}, timeout=seconds).returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
    return status, path.read_text(encoding="utf-8", errors="replace")


def run_reals(hours, jobs):
    build("release", "test_decimal")
    draws = int((LEAST_REALS + REALS_PER_HOUR * hours) / jobs) + 1
    program = ROOT / "build/release/tests/test_decimal"

    def draw(number):
        drawn = {"DV_DRAWS": str(draws), "DV_SEED": str(secrets.randbits(48))}
        say(f"reals: {draws} from DV_SEED={drawn['DV_SEED']}")
        return call(f"reals-{number}", [program, "--verbose", "--filter", "decimal/drawn_texts"], drawn)

    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        statuses, texts = zip(*pool.map(draw, range(jobs)))
    return reals_result(texts, statuses, time.monotonic() - start)


def run_trials(jobs):
    """The tests of the preset `asan` with what the preset leaves out and shortens: a build of its own."""
    folder = LOGS / "asan"
    say(f"building {folder}")
    must("cmake", "--preset", "asan", "-B", str(folder), "-DDV_TEST_LABELS_WITHOUT=")
    must("cmake", "--build", str(folder))
    counter = LOGS / "failed-allocations"
    counter.unlink(missing_ok=True)
    start = time.monotonic()
    call("trials", ["ctest", "--test-dir", folder, "-L", "unit", "-V", "-j", str(jobs), "--timeout",
                    str(TEST_SECONDS)], {**ALL_TRIALS, "DV_FAILED_FILE": str(counter)})
    seconds = time.monotonic() - start
    summary = call("trials-summary", [sys.executable, ROOT / "tests/tree/summary.py", LOGS / "trials.log"])[1]
    return trials_result(summary, counter.stat().st_size if counter.exists() else 0, seconds)


def run_mutants(jobs):
    start = time.monotonic()
    status, text = call("mutants", [sys.executable, ROOT / "tests/tree/mutants.py", "--jobs", str(jobs)])
    return mutants_result(text, status, time.monotonic() - start)


def fuzz_targets():
    return [path.stem.removeprefix("fuzz_") for path in sorted((ROOT / "fuzz").glob("fuzz_*.c"))]


def fuzz_command(target, seconds):
    corpus = FUZZ / "corpus" / target
    seeds, words = ROOT / "fuzz/seeds" / target, ROOT / f"fuzz/dict/{target}.dict"
    corpus.mkdir(parents=True, exist_ok=True)
    return [ROOT / f"build/asan/bin/fuzz_{target}", f"-max_total_time={max(1, round(seconds))}",
            f"-timeout={INPUT_SECONDS}", f"-rss_limit_mb={RSS_MIB}", "-print_final_stats=1",
            f"-artifact_prefix={FUZZ}/findings/{target}-", *([f"-dict={words}"] if words.exists() else []), corpus,
            *([seeds] if seeds.exists() else [])]


def fuzz(target, seconds, run=None):
    """Runs the target for that long: after a finding it goes on, unless it finds the same again."""
    total, number = Fuzzed(), 0
    while number == 0 or (total.seconds < seconds - 1 and len(total.findings) < FINDINGS):
        number += 1
        before = len(total.findings)
        total.add((run or fuzz_once)(target, seconds - total.seconds, number))
        if number > 1 and len(total.findings) == before:
            break
    return total


def fuzz_once(target, seconds, number):
    start = time.monotonic()
    status, text = call(f"fuzz_{target}-{number}", fuzz_command(target, seconds), seconds=seconds + LATE_SECONDS)
    return parse_fuzzer_log(text, status, time.monotonic() - start)


def fuzz_share(hours, targets, jobs):
    """Seconds for each target, if so many run at a time."""
    return 3600 * hours / -(-targets // jobs)


def run_fuzz(hours, targets, jobs):
    build("asan", *(f"fuzz_{target}" for target in targets))
    (FUZZ / "findings").mkdir(parents=True, exist_ok=True)
    jobs = min(jobs, len(targets))
    share = fuzz_share(hours, len(targets), jobs)

    def play(target):
        say(f"fuzz_{target}, {share:.0f} s")
        result = fuzz_result(target, fuzz(target, share))
        say(result.line)
        return result

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(play, targets))


def soak(hours, checks, jobs):
    LOGS.mkdir(parents=True, exist_ok=True)
    targets = [target for target in fuzz_targets() if "fuzz" in checks or f"fuzz_{target}" in checks]
    steps = {"reals": lambda: run_reals(hours, jobs), "trials": lambda: run_trials(jobs),
             "mutants": lambda: run_mutants(jobs)}
    results = []
    for name, step in steps.items():
        if name in checks:
            say(name)
            results.append(step())
            say(results[-1].line)
    fuzzed = run_fuzz(hours, targets, jobs) if targets else []
    lines = [result.line for result in results]
    if fuzzed:
        lines += [fuzz_line(*HEADING), *(result.line for result in fuzzed)]
    print("\n".join(lines))
    failed = sum(not result.passed for result in results + fuzzed)
    print(f"{len(results) + len(fuzzed) - failed} passed, {failed} failed")
    return int(failed > 0)


# --- Selftest -------------------------------------------------------------------------------------

QUIET_LOG = """\
INFO: Running with entropic power schedule (0xFF, 100).
INFO: Seed: 3456
INFO:       84 files found in fuzz/seeds/views
#85\tINITED cov: 2034 ft: 7000 corp: 70/45Kb exec/s: 0 rss: 378Mb
#90\tNEW    cov: 2034 ft: 7001 corp: 71/45Kb lim: 4096 exec/s: 0 rss: 379Mb L: 3/9 MS: 1 Custom-
#256\tREDUCE cov: 2154 ft: 8010 corp: 72/45Kb lim: 4096 exec/s: 128 rss: 380Mb L: 3/9 MS: 1 Custom-
Slowest unit: 11 s:
artifact_prefix='build/fuzz/findings/views-'; Test unit written to build/fuzz/findings/views-slow-unit-12
#512\tpulse  cov: 2154 ft: 8011 corp: 73/45Kb lim: 4096 exec/s: 128 rss: 380Mb
#9475\tDONE   cov: 2154 ft: 8012 corp: 512/45Kb lim: 4096 exec/s: 155 rss: 726Mb
Done 9475 runs in 61 second(s)
stat::number_of_executed_units: 9475
stat::average_exec_per_sec:     155
stat::new_units_added:          2350
stat::slowest_unit_time_sec:    11
stat::peak_rss_mb:              726
"""
CRASH_LOG = """\
#85\tINITED cov: 2000 ft: 7000 corp: 70/45Kb exec/s: 0 rss: 378Mb
==31004==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000011
SUMMARY: AddressSanitizer: heap-buffer-overflow src/view/row.c:10:3 in read_row
artifact_prefix='build/fuzz/findings/views-'; Test unit written to build/fuzz/findings/views-crash-0acaf3
Base64: AAECAw==
stat::number_of_executed_units: 120
stat::new_units_added:          3
stat::peak_rss_mb:              900
"""
KILLED_LOG = "#85\tINITED cov: 2000 ft: 7000 corp: 70/45Kb exec/s: 0 rss: 378Mb\n#128\tpulse  cov: 2001 ft: 7002 corp"


def log_selftest():
    quiet = Fuzzed(9475, 61.5, 2154, 8012, 2350, 726, 1, [])
    crash = Fuzzed(120, 2, 2000, 7000, 3, 900, 0, ["views-crash-0acaf3"])
    killed = Fuzzed(128, 9, 2001, 7002, 0, 0, 0, ["exit status -9"])
    for text, status, seconds, want in [(QUIET_LOG, 0, 61.5, quiet), (CRASH_LOG, 77, 2, crash),
                                        (KILLED_LOG, -9, 9, killed), ("", 0, 1, Fuzzed(seconds=1))]:
        got = parse_fuzzer_log(text, status, seconds)
        if got != want:
            yield f"read {got}, not {want}"
    quiet.add(crash)
    quiet.add(crash)
    if quiet != Fuzzed(9715, 65.5, 2154, 8012, 2356, 900, 1, ["views-crash-0acaf3"]):
        yield f"the sum of three runs is {quiet}"
    result = fuzz_result("views", quiet)
    if result.passed or "found: views-crash-0acaf3" not in result.line or " 9715 " not in result.line:
        yield f"a finding is reported as {result}"
    if not fuzz_result("idv", Fuzzed(1, 1, 1, 1)).passed or fuzz_result("idv", Fuzzed()).passed:
        yield "a target passes if it ran and found nothing"


def time_selftest():
    if fuzz_share(1, 13, 2) != 3600 / 7 or fuzz_share(0.5, 1, 1) != 1800:
        yield "targets get unequal shares"
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


def results_selftest():
    survivor = "src/a.c:3: not noticed: if (x)\n"
    for got, want in [
            (mutants_result("612 mutants, 612 noticed, 0 not noticed\n", 0, 5), True),
            (mutants_result(survivor + "612 mutants, 611 noticed, 1 not noticed\n", 1, 5), False),
            (mutants_result("these fail without any mutant: test_a\n", 1, 5), False),
            (trials_result("skipped: a::b\n1190 passed, 0 failed, 1 skipped: a::b\n", 8000, 5), True),
            (trials_result("1190 passed, 0 failed\n", 0, 5), False),  # no allocation failed: nothing was tried
            (trials_result("--- test_a: Failed\n1189 passed, 1 failed\n", 8000, 5), False),
            (trials_result("", 0, 5), False),
            (reals_result(["[----] 500 texts drawn\n"] * 2, [0, 0], 5), True),
            (reals_result(["[----] 500 texts drawn\n"] * 2, [0, 1], 5), False),
            (reals_result(["[----] 500 texts drawn\n", ""], [0, 0], 5), False)]:
        if got.passed != want:
            yield f"should be {want}: {got}"
    if "611 killed, 1 survived, of 612" not in (line := mutants_result(
            survivor + "612 mutants, 611 noticed, 1 not noticed\n", 1, 5).line) or survivor.strip() not in line:
        yield f"survivors are not named: {line}"


def selftest():
    wrong = [*log_selftest(), *time_selftest(), *results_selftest()]
    print("\n".join(wrong) if wrong else "logs of fuzzers, mutants, tests and reals are read")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hours", metavar="HOURS", type=float)
    parser.add_argument("checks", metavar="CHECK", nargs="*", default=CHECKS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    known = CHECKS + [f"fuzz_{target}" for target in fuzz_targets()]
    unknown = [check for check in asked.checks if check not in known]
    if unknown or not 0 < asked.hours < 1000 or asked.jobs < 1:
        parser.error(f"HOURS above 0, and the checks are: {' '.join(known)}")
    return soak(asked.hours, asked.checks, asked.jobs)


if __name__ == "__main__":
    sys.exit(main())
