# SPDX-License-Identifier: MIT
"""fuzz_log.py: reads what a libFuzzer target prints."""
import dataclasses
import pathlib
import re

from soak_result import Result

INPUT_SECONDS = 25  # of CPU time, that an input may take: as `./dev fuzz`
INTERRUPTED = 72  # the exit status of a target that was told to stop

STATUS = re.compile(r"^#\d+\t?\s*[A-Z]\w*\s+cov: (\d+) ft: (\d+)", re.MULTILINE | re.IGNORECASE)
ARTIFACT = re.compile(r"Test unit written to (\S+)")
STAT = re.compile(r"^stat::(\w+):\s*(\d+)", re.MULTILINE)
PROGRESS = re.compile(r"^#(\d+)\s", re.MULTILINE)
SLOW = ("slow-unit-", "timeout-")  # by the clock: on a busy machine that says nothing


@dataclasses.dataclass
class Fuzzed:
    """What one or more runs of a target did."""

    executions: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    coverage: int = 0
    features: int = 0
    new_inputs: int = 0
    peak_mib: int = 0
    slow: int = 0  # inputs that took long, but ended
    findings: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.executions += other.executions
        self.seconds += other.seconds
        self.cpu += other.cpu
        self.coverage = max(self.coverage, other.coverage)
        self.features = max(self.features, other.features)
        self.new_inputs += other.new_inputs
        self.peak_mib = max(self.peak_mib, other.peak_mib)
        self.slow += other.slow
        self.findings += [found for found in other.findings if found not in self.findings]


def parse_fuzzer_log(text, status, seconds, cpu=0.0, is_too_slow=lambda path: False):
    """The figures of one run of a libFuzzer target.  One that was killed has printed no statistics.
    is_too_slow says of an input that took long by the clock whether it takes much CPU time as well."""
    stats = {name: int(value) for name, value in STAT.findall(text)}
    coverage = [tuple(map(int, pair)) for pair in STATUS.findall(text)]
    artifacts = {pathlib.PurePath(path).name: path for path in ARTIFACT.findall(text)}
    slow = [name for name in artifacts if any(word in name for word in SLOW)]
    findings = [name for name in artifacts if name not in slow or is_too_slow(artifacts[name])]
    if status not in (0, INTERRUPTED) and not artifacts:
        findings = [f"exit status {status}"]
    executions = max([0, *map(int, PROGRESS.findall(text))])
    return Fuzzed(
        executions=stats.get("number_of_executed_units", executions),
        seconds=seconds,
        cpu=cpu,
        coverage=max([0, *(cov for cov, _ in coverage)]),
        features=max([0, *(ft for _, ft in coverage)]),
        new_inputs=stats.get("new_units_added", 0),
        peak_mib=stats.get("peak_rss_mb", 0),
        slow=len(slow) - len(set(slow) & set(findings)),
        findings=findings,
    )


HEADING = ("target", "executions", "seconds", "CPU s", "cov", "ft", "new inputs", "peak MiB", "findings")


def fuzz_line(*columns):
    name, *figures = columns
    return f"{name:16}" + "".join(f"{figure:>12}" for figure in figures)


def fuzz_result(target, done):
    """The row of a target, and what it found."""
    figures = (done.executions, round(done.seconds), round(done.cpu), done.coverage, done.features, done.new_inputs,
               done.peak_mib, len(done.findings))
    slow = [f"    {done.slow} slow inputs"] if done.slow else []
    lines = [fuzz_line(f"fuzz_{target}", *figures), *slow, *(f"    found: {name}" for name in done.findings)]
    return Result(not done.findings and done.executions > 0, "\n".join(lines), done.executions, done.cpu,
                  len(done.findings))


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
SUMMARY: AddressSanitizer: heap-buffer-overflow src/scan/row.c:10:3 in read_row
artifact_prefix='build/fuzz/findings/views-'; Test unit written to build/fuzz/findings/views-crash-0acaf3
Base64: AAECAw==
stat::number_of_executed_units: 120
stat::new_units_added:          3
stat::peak_rss_mb:              900
"""
KILLED_LOG = "#85\tINITED cov: 2000 ft: 7000 corp: 70/45Kb exec/s: 0 rss: 378Mb\n#128\tpulse  cov: 2001 ft: 7002 corp"
SLOW_LOG = """\
#85\tINITED cov: 2000 ft: 7000 corp: 70/45Kb exec/s: 0 rss: 378Mb
==31004== ERROR: libFuzzer: timeout after 100 seconds
artifact_prefix='build/fuzz/findings/views-'; Test unit written to build/fuzz/findings/views-timeout-0acaf3
stat::number_of_executed_units: 120
"""


def log_selftest():
    """What is wrong with this file."""
    quiet = Fuzzed(9475, 61.5, 50, 2154, 8012, 2350, 726, 1, [])
    crash = Fuzzed(120, 2, 1.5, 2000, 7000, 3, 900, 0, ["views-crash-0acaf3"])
    killed = Fuzzed(128, 9, 8, 2001, 7002, 0, 0, 0, ["exit status -9"])
    stopped = Fuzzed(128, 9, 8, 2001, 7002, 0, 0, 0, [])
    for text, status, seconds, cpu, want in [
            (QUIET_LOG, 0, 61.5, 50, quiet), (CRASH_LOG, 77, 2, 1.5, crash), (KILLED_LOG, -9, 9, 8, killed),
            (KILLED_LOG, INTERRUPTED, 9, 8, stopped), ("", 0, 1, 1, Fuzzed(seconds=1, cpu=1))]:
        got = parse_fuzzer_log(text, status, seconds, cpu)
        if got != want:
            yield f"read {got}, not {want}"
    for is_too_slow, want in [(True, ["views-timeout-0acaf3"]), (False, [])]:
        got = parse_fuzzer_log(SLOW_LOG, 70, 2, 1, lambda path, answer=is_too_slow: answer and "/" in path)
        if got.findings != want or got.slow != len(want) ^ 1:
            yield f"slow by the clock, {is_too_slow}: {got}"
    quiet.add(crash)
    quiet.add(crash)
    if quiet != Fuzzed(9715, 65.5, 53, 2154, 8012, 2356, 900, 1, ["views-crash-0acaf3"]):
        yield f"the sum of three runs is {quiet}"
    result = fuzz_result("views", quiet)
    if result.passed or "found: views-crash-0acaf3" not in result.line or " 9715 " not in result.line:
        yield f"a finding is reported as {result}"
    if not fuzz_result("idv", Fuzzed(1, 1, 1, 1, 1)).passed or fuzz_result("idv", Fuzzed()).passed:
        yield "a target passes if it ran and found nothing"
