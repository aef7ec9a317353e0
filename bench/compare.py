#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py: compares the speed of the benchmark rows of two revisions.

    ./dev bench --compare BASE [SUITE...] [--benchmark_filter=REGEX] [--rounds N] [--minutes N]
    compare.py --selftest

BASE is a git revision.  Its tree goes to build/compare/SHA, and both trees are built with the preset
`bench`.  A round runs each row once per build, one right after the other; the order changes from round
to round.  A row's quotient is its speed here divided by its speed in BASE: below 1 it is slower here.
The 95 % interval of the quotient of medians is bootstrapped from the rounds.  A row has left the noise
if the interval excludes 1 and the quotient is off by more than 2 %.  Each row gets 6 rounds; a row that
has left the noise, or whose interval goes below 0.95, gets more, up to --rounds.

Prints the rows that left the noise, the rows that only one side has, and a sum.  Exit status 1: a row
fell by more than 5 % (its whole interval is below 0.95), or gave a wrong result.  The rows that
compare with a Python package (bench/*.py) are not compared.
"""
import argparse
import dataclasses
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROUNDS = 20
LEAST_ROUNDS = 6  # whatever --minutes says: with fewer the interval means little; even: either side is first as often
MINUTES = 60
RESAMPLES = 2000
CONFIDENCE = 0.95
LEAST_CHANGE = 0.02  # smaller ones are not printed
LARGE_FALL = 0.05  # the exit status is that of these
SECONDS = 600  # for one run of one row

OPTIONS_IN_NAME = re.compile(r"/iterations:\d+/manual_time$")
REST = {"limit", "of_limit", "low", "high", "cpu", "size", "goal", "gain", "slope", "most", "knee",
        "memory", "limit_memory"}  # the counters of a row besides its figure


# --- What a run of a benchmark program says -------------------------------------------------------


@dataclasses.dataclass
class Sample:
    """One run of one row.  cost: less is better; in seconds per byte, or in the unit that is counted."""

    cost: float
    is_disturbed: bool = False


class Failed(Exception):
    """A row gave a wrong result or none."""


def row_name(text):
    """The name that the suite gave the row, without what Google Benchmark adds."""
    return OPTIONS_IN_NAME.sub("", text)


def counters(entry):
    """The user counters of a JSON entry: Google Benchmark writes them between its own members."""
    own = {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads",
           "iterations", "real_time", "cpu_time"}
    return {name: value for name, value in entry.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool) and name not in own | REST}


def cost_of(entry):
    """The rate is the median over the row's iterations, real_time their mean; a counted row has neither."""
    figures = counters(entry)
    if figures.get("B/s", 0) > 0:
        return 1 / figures["B/s"]
    return next(iter(figures.values()), entry["real_time"])


def read_samples(document, table):
    """{row: Sample} from Google Benchmark's JSON and the table that the program prints beside it."""
    disturbed = [line for line in table.splitlines() if line.endswith("  disturbed")]
    samples = {}
    for entry in json.loads(document)["benchmarks"]:
        name = row_name(entry["run_name"])
        if entry.get("error_occurred"):
            raise Failed(f"{name}: {entry.get('error_message', 'failed')}")
        is_disturbed = any(line.startswith(f"{name} ") for line in disturbed)
        samples[name] = Sample(cost_of(entry), is_disturbed)
    return samples


# --- Statistics -----------------------------------------------------------------------------------


@dataclasses.dataclass
class Row:
    """rounds: pairs of Samples, of BASE and of this tree."""

    name: str
    rounds: list = dataclasses.field(default_factory=list)
    failure: str = ""

    @property
    def runs_disturbed(self):
        return sum(sample.is_disturbed for pair in self.rounds for sample in pair)


@dataclasses.dataclass
class Verdict:
    quotient: float
    low: float
    high: float

    @property
    def word(self):
        change = self.quotient - 1
        if abs(change) <= LEAST_CHANGE or self.low <= 1 <= self.high:
            return "noise"
        if change > 0:
            return "rose"
        return "fell by more than 5 %" if self.high < 1 - LARGE_FALL else "fell"

    @property
    def is_settled(self):
        """It needs no more rounds."""
        return self.word == "noise" and self.low > 1 - LARGE_FALL


def quotient(costs):
    """Speed here / speed in BASE."""
    base, here = zip(*costs)
    return statistics.median(base) / statistics.median(here)


def judge(row):
    """Resamples rounds, not sides: the two runs of a round share what else the machine did."""
    costs = [(base.cost, here.cost) for base, here in row.rounds]
    draws = random.Random(row.name)
    drawn = sorted(quotient(draws.choices(costs, k=len(costs))) for _ in range(RESAMPLES))
    beyond = int((1 - CONFIDENCE) / 2 * RESAMPLES)
    return Verdict(quotient(costs), drawn[beyond], drawn[-1 - beyond])


def pair(base, here):
    """(rows of both, rows only in BASE, rows only here), in the order of the suites."""
    both = [name for name in here if name in base]
    return both, [name for name in base if name not in here], [name for name in here if name not in base]


def report(rows, only_base, only_here):
    """The lines to print, and the exit status."""
    lines, count = [], {"noise": 0, "rose": 0, "fell": 0, "fell by more than 5 %": 0}
    failures = [row.failure for row in rows if row.failure]
    rows = [row for row in rows if not row.failure]
    width = max([3, *(len(row.name) for row in rows)])
    unsettled = 0
    for row in rows:
        verdict = judge(row)
        count[verdict.word] += 1
        unsettled += verdict.word == "noise" and not verdict.is_settled
        if verdict.word != "noise":
            disturbed = f", {row.runs_disturbed} runs disturbed" if row.runs_disturbed else ""
            lines.append(f"{row.name:{width}} {verdict.quotient:8.3f}  {verdict.low:.3f}..{verdict.high:.3f}  "
                         f"{verdict.word} ({len(row.rounds)} rounds{disturbed})")
    if lines:
        lines.insert(0, f"{'row':{width}} quotient  95 % interval")
    lines += failures
    lines += [f"only in BASE: {name}" for name in only_base]
    lines += [f"only here: {name}" for name in only_here]
    disturbed = sum(row.runs_disturbed > 0 for row in rows)
    if disturbed:
        lines.append(f"{disturbed} rows had a run that other work disturbed: repeat on a quiet machine")
    if unsettled:
        lines.append(f"{unsettled} rows have so much noise that it may hide a fall of more than 5 %")
    lines.append(f"{len(rows)} rows compared, {count['fell by more than 5 %']} fell by more than 5 %, "
                 f"{count['fell']} fell by less, {count['rose']} rose, {count['noise']} within the noise")
    return lines, int(count["fell by more than 5 %"] > 0 or bool(failures))


# --- Builds and runs ------------------------------------------------------------------------------


def say(text):
    print(f"compare: {text}", file=sys.stderr, flush=True)


def must(*command, cwd=ROOT):
    """A command that must succeed; its standard output."""
    done = subprocess.run(command, cwd=cwd, capture_output=True)
    if done.returncode != 0:
        sys.stderr.buffer.write(done.stdout + done.stderr)
        sys.exit(f"compare: failed: {' '.join(map(str, command))}")
    return done.stdout


def checkout(revision):
    """The folder with the tree of the revision."""
    sha = must("git", "rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()[:12]
    folder = ROOT / "build/compare" / sha
    if not folder.exists():
        new = folder.with_suffix(".new")
        must("rm", "-rf", str(new))
        new.mkdir(parents=True)
        archive = folder.with_suffix(".tar")
        must("git", "archive", "-o", str(archive), sha)
        must("tar", "-xf", str(archive), "-C", str(new))
        archive.unlink()
        new.rename(folder)
    return folder


def build(folder):
    """The benchmark program of a tree."""
    say(f"building {folder}")
    if not (folder / "build/bench/build.ninja").exists():
        must("cmake", "--preset", "bench", cwd=folder)
    must("cmake", "--build", "--preset", "bench", "--target", "dataview_bench", cwd=folder)
    return folder / "build/bench/bin/dataview_bench"


def list_rows(program, suite, row_filter):
    """{row: its name for Google Benchmark}; none if the program does not have the suite."""
    command = [program, *([suite] if suite else []), "--benchmark_list_tests", f"--benchmark_filter={row_filter}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 2):
        sys.exit(f"compare: {program}: {done.stderr}")
    lines = done.stdout.splitlines() if done.returncode == 0 else []
    return {row_name(line): line for line in lines if OPTIONS_IN_NAME.search(line)}


def run(program, suite, name):
    """One run of one row."""
    exact = re.sub(r"([][.{}()\\*+?^$|])", r"\\\1", name)
    command = [program, *([suite] if suite else []), "--json", f"--benchmark_filter=^{exact}$"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        return read_samples(done.stdout, done.stderr)[row_name(name)]
    except subprocess.TimeoutExpired:
        raise Failed(f"{name}: no result within {SECONDS} s") from None
    except (ValueError, KeyError):
        raise Failed(f"{name}: exit status {done.returncode}, {done.stderr.strip()[-300:]}") from None


class Comparison:
    """The rows that both builds have, and how to run them."""

    def __init__(self, base, here, suites, row_filter, deadline):
        self.sides = (base, here)
        self.deadline = deadline
        self.rows, self.only_base, self.only_here = [], [], []
        self.calls = {}  # row: (suite, its name in BASE, its name here)
        for suite in suites or [None]:
            names = [list_rows(program, suite, row_filter) for program in self.sides]
            both, only_base, only_here = pair(*names)
            self.rows += [Row(name) for name in both]
            self.calls.update({name: (suite, names[0][name], names[1][name]) for name in both})
            self.only_base += only_base
            self.only_here += only_here

    def play(self, most_rounds):
        """Runs rounds until every row is settled or the time is over."""
        for number in range(most_rounds):
            rows = [row for row in self.rows if not row.failure]
            if number >= LEAST_ROUNDS:
                rows = [row for row in rows if not judge(row).is_settled]
                if rows and time.monotonic() > self.deadline:
                    say(f"the time is over; {len(rows)} rows would have run another round")
                    return
            if not rows:
                return
            say(f"round {number + 1} of at most {most_rounds}: {len(rows)} rows")
            for row in rows:
                self.play_once(row)

    def play_once(self, row):
        suite, *names = self.calls[row.name]
        samples = [None, None]
        try:
            for side in ((0, 1), (1, 0))[len(row.rounds) % 2]:
                samples[side] = run(self.sides[side], suite, names[side])
            row.rounds.append(tuple(samples))
        except Failed as why:
            row.failure = f"failed {'here' if side else 'in BASE'}: {why}"


def compare(asked):
    base = build(checkout(asked.base))
    here = build(ROOT)
    comparison = Comparison(base, here, asked.suites, asked.benchmark_filter, time.monotonic() + 60 * asked.minutes)
    if not comparison.rows:
        sys.exit("compare: the two builds have no such row in common")
    comparison.play(asked.rounds)
    lines, status = report(comparison.rows, comparison.only_base, comparison.only_here)
    print("\n".join(lines))
    return status


# --- Selftest -------------------------------------------------------------------------------------


def made_up_run(rates, disturbed=(), counted=None):
    """JSON and table as the program writes them."""
    entries = [{"name": f"{name}/iterations:11/manual_time", "run_name": f"{name}/iterations:11/manual_time",
                "run_type": "iteration", "repetitions": 1, "iterations": 11, "real_time": 1e9, "cpu_time": 1.0,
                "time_unit": "us", "B/s": rate, "limit": 2e9, "of_limit": 0.5, "label": "memcpy"}
               for name, rate in rates.items()]
    entries += [{"run_name": f"{name}/iterations:1/manual_time", "iterations": 1, "real_time": 1.0,
                 "time_unit": "ns", "limit": 7.0, unit: value, "of_limit": 0.1}
                for name, (unit, value) in (counted or {}).items()]
    table = [f"{name:20} 1MiB 1 GB/s{'  under goal  disturbed' if name in disturbed else ''}" for name in rates]
    return json.dumps({"context": {}, "benchmarks": entries}), "\n".join(table)


def made_up_row(name, factor, noise, rounds=ROUNDS, drift=0.0):
    """A row whose speed here is that of BASE times the factor, with noise on each run."""
    draws = random.Random(f"{name} {factor} {noise}")
    row = Row(name)
    for _ in range(rounds):
        machine = 1 + drift * draws.random()  # slows both runs of a round
        base, here = (machine * draws.lognormvariate(0, noise) for _ in range(2))
        row.rounds.append((Sample(base), Sample(here / factor)))
    return row


STATISTICS = [  # speed here / speed in BASE, noise of a run, drift of the machine, what must be found
    (0.90, 0.01, 0.0, "fell by more than 5 %"),
    (0.90, 0.01, 0.5, "fell by more than 5 %"),
    (0.60, 0.05, 0.0, "fell by more than 5 %"),
    (0.965, 0.002, 0.0, "fell"),
    (0.99, 0.0005, 0.0, "noise"),  # beyond doubt, and too small to print
    (1.20, 0.01, 0.0, "rose"),
    (1.00, 0.01, 0.0, "noise"),
    (1.00, 0.0, 0.0, "noise"),
]


def statistics_selftest():
    for factor, noise, drift, want in STATISTICS:
        verdict = judge(made_up_row("row", factor, noise, drift=drift))
        if verdict.word != want or not verdict.low <= verdict.quotient <= verdict.high:
            yield f"{factor} with noise {noise}: {verdict.word} {verdict}, not {want}"
    rows = [made_up_row(f"noisy {i}", 1, 0.10) for i in range(100)]
    fallen = sum(judge(row).word == "fell by more than 5 %" for row in rows)
    left = sum(judge(row).word != "noise" for row in rows)
    if fallen > 1 or left > 12:
        yield f"of 100 noisy rows {fallen} fell by more than 5 %, {left} left the noise"


def pairing_selftest():
    document, table = made_up_run({"a/64B": 1e9, "b/2 threads": 2e9}, {"b/2 threads"},
                                  {"c": ("ns", 3.5), "d": ("B", 700.0)})
    samples = read_samples(document, table)
    want = {"a/64B": Sample(1e-9), "b/2 threads": Sample(5e-10, True), "c": Sample(3.5), "d": Sample(700.0)}
    if samples != want:
        yield f"read {samples}, not {want}"
    if pair({"a": 1, "old": 1, "b": 1}, {"b": 1, "a": 1, "new": 1}) != (["b", "a"], ["old"], ["new"]):
        yield "rows are not paired by name"
    failing = json.dumps({"benchmarks": [{"run_name": "a", "error_occurred": True, "error_message": "wrong result"}]})
    try:
        read_samples(failing, "")
        yield "a wrong result was not noticed"
    except Failed:
        pass


def report_selftest():
    rows = [made_up_row("slower", 0.8, 0.01), made_up_row("slightly", 0.965, 0.002), made_up_row("faster", 1.3, 0.01),
            made_up_row("same", 1, 0.01)]
    rows[0].rounds[0][1].is_disturbed = True
    rows.append(made_up_row("unclear", 1, 0.3, rounds=6))
    rows.append(Row("broken", failure="failed here: broken: wrong result"))
    lines, status = report(rows, ["old"], ["new"])
    want = [r"row +quotient",
            r"slower +0\.\d+  0\.\d+\.\.0\.\d+  fell by more than 5 % \(20 rounds, 1 runs disturbed\)",
            r"slightly +0\.96\d .* fell \(20 rounds\)", r"faster +1\.[23]\d+ .* rose", "failed here: broken: wrong",
            "only in BASE: old", "only here: new", "1 rows had a run that other work disturbed",
            "1 rows have so much noise",
            "5 rows compared, 1 fell by more than 5 %, 1 fell by less, 1 rose, 2 within the noise$"]
    if not status or len(lines) != len(want) or not all(map(re.match, want, lines)):
        yield "the report is\n" + "\n".join(lines)
    if report(rows[1:4], [], [])[1] != 0 or report(rows[5:], [], [])[1] != 1:
        yield "the exit status is wrong"


def made_up_program(folder, side, rates):
    """A program that always measures these rates, and notes in the file `order` that it did."""
    document, table = made_up_run(rates)
    names = [f"{name}/iterations:11/manual_time" for name in rates]
    for suffix, text in (("list", "\n".join(names)), ("json", document), ("table", table)):
        (folder / f"{side}.{suffix}").write_text(text + "\n")
    program = folder / side
    program.write_text(f"""#!/bin/sh
cd {folder}
case "$*" in
*unknown*) exit 2 ;;
*--benchmark_list_tests*) cat {side}.list ;;
*) echo {side} >>order && cat {side}.json && cat {side}.table >&2 ;;
esac
""")
    program.chmod(0o755)
    return program


def runs_selftest():
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        base = made_up_program(folder, "base", {"same/1": 1e9, "slower/1 (x+y)": 1e9, "old": 1e9})
        here = made_up_program(folder, "here", {"same/1": 1e9, "slower/1 (x+y)": 8e8, "new": 1e9})
        comparison = Comparison(base, here, ["suite", "unknown"], ".", time.monotonic() + 60)
        comparison.play(8)
        order = (folder / "order").read_text().split()
    got = {row.name: (len(row.rounds), judge(row).word) for row in comparison.rows}
    if got != {"same/1": (LEAST_ROUNDS, "noise"), "slower/1 (x+y)": (8, "fell by more than 5 %")}:
        yield f"the rounds and verdicts are {got}"
    if (comparison.only_base, comparison.only_here) != (["old"], ["new"]):
        yield f"only in BASE: {comparison.only_base}, only here: {comparison.only_here}"
    if order[:8] != ["base", "here"] * 2 + ["here", "base"] * 2:
        yield f"the builds ran in the order {order[:8]}"


def selftest():
    wrong = [*statistics_selftest(), *pairing_selftest(), *runs_selftest(), *report_selftest()]
    print("\n".join(wrong) if wrong else "falls are found, noise is not, rows are paired by name")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    parser = argparse.ArgumentParser(
        prog="./dev bench --compare", description=__doc__.split("\n\n", 1)[1],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", metavar="BASE", help="a git revision")
    parser.add_argument("suites", metavar="SUITE", nargs="*", help="all suites unless some are named")
    parser.add_argument("--benchmark_filter", metavar="REGEX", default=".", help="only the rows that match")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"at most for a row ({ROUNDS})")
    parser.add_argument("--minutes", type=float, default=MINUTES,
                        help=f"start no round after so many ({MINUTES}); each row gets {LEAST_ROUNDS} rounds anyway")
    asked = parser.parse_intermixed_args()
    if asked.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds: at least {LEAST_ROUNDS}")
    return compare(asked)


if __name__ == "__main__":
    sys.exit(main())
