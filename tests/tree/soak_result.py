# SPDX-License-Identifier: MIT
"""soak_result.py: reads what the checks of a long run print, the fuzz targets excepted."""
import dataclasses
import re

MUTANTS = re.compile(r"^(\d+) mutants, (\d+) noticed, (\d+) not noticed$", re.MULTILINE)
SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed(?:, \d+ skipped: .*)?$")
DRAWN = re.compile(r"(\d+) texts drawn")
NO_MEMORY = re.compile(r"^(\d+) commands, (\d+) runs with failing allocations, (\d+) complaints$", re.MULTILINE)
STORM = re.compile(r"^(\d+) tries, (\d+) findings$", re.MULTILINE)


@dataclasses.dataclass
class Result:
    passed: bool
    line: str
    executions: int = 0
    cpu: float = 0.0
    findings: int = 0


def mutants_result(ran, log):
    said = MUTANTS.search(ran.text)
    if not said:
        return Result(False, f"mutants: no result, exit status {ran.status}: {log}")
    survivors = [f"    {line}" for line in ran.text.splitlines() if ": not noticed: " in line]
    line = f"mutants: {said[2]} killed, {said[3]} survived, of {said[1]}; {ran.cpu:.0f} s of CPU time"
    return Result(ran.status == 0 and said[3] == "0", "\n".join([line, *survivors]), int(said[1]), ran.cpu, int(said[3]))


def trials_result(text, failed_allocations, cpu, log):
    """Of the summary of a ctest log."""
    lines = text.strip().splitlines() or [""]
    said = SUMMARY.match(lines[-1])
    if not said:
        return Result(False, f"trials: no result: {log}", cpu=cpu)
    passed = said[2] == "0" and int(said[1]) > 0 and failed_allocations > 0
    line = (f"trials: {said[1]} cases passed, {said[2]} failed; {failed_allocations} allocations failed on purpose; "
            f"{cpu:.0f} s of CPU time")
    return Result(passed, "\n".join([line, *([] if passed else lines[-60:-1])]), int(said[1]) + int(said[2]), cpu,
                  int(said[2]))


def reals_result(rans, log):
    drawn = sum(int(said[1]) for ran in rans if (said := DRAWN.search(ran.text)))
    wrong = sum(ran.status != 0 or not DRAWN.search(ran.text) for ran in rans)
    cpu = sum(ran.cpu for ran in rans)
    return Result(drawn > 0 and not wrong, f"reals: {drawn} drawn, {'NOT all right' if wrong else 'each as in the C library'}; "
                  f"{cpu:.0f} s of CPU time" + (f": {log}" if wrong else ""), drawn, cpu, wrong)


def no_memory_result(ran, log):
    said = NO_MEMORY.search(ran.text)
    if not said:
        return Result(False, f"no_memory: no result, exit status {ran.status}: {log}", cpu=ran.cpu)
    line = f"no_memory: {said[2]} failing allocations, {said[3]} complaints; {ran.cpu:.0f} s of CPU time"
    return Result(ran.status == 0 and said[3] == "0", line + (f": {log}" if ran.status else ""), int(said[2]), ran.cpu,
                  int(said[3]))


def storm_result(name, rans, log):
    """Of runs of a program that tries something again and again, and ends with `N tries, M findings`."""
    tries, findings, shown = 0, 0, []
    for ran in rans:
        said = STORM.search(ran.text)
        tries += int(said[1]) if said else 0
        findings += max(int(said[2]) if said else 1, ran.status != 0)
        if not said or ran.status != 0 or said[2] != "0":
            shown += [f"    exit status {ran.status}", *(f"    {line}" for line in ran.text.splitlines()[-20:])]
    cpu = sum(ran.cpu for ran in rans)
    line = f"{name}: {tries} tries, {findings} findings; {cpu:.0f} s of CPU time" + (f": {log}" if findings else "")
    return Result(tries > 0 and not findings, "\n".join([line, *shown[:60]]), tries, cpu, findings)


# --- Selftest -------------------------------------------------------------------------------------


@dataclasses.dataclass
class MadeUp:
    text: str
    status: int | str = 0
    cpu: float = 5


def results_selftest():
    """What is wrong with this file."""
    survivor = "src/a.c:3: not noticed: if (x)\n"
    drawn = "[----] 500 texts drawn\n"
    for got, want in [
            (mutants_result(MadeUp("612 mutants, 612 noticed, 0 not noticed\n"), "log"), True),
            (mutants_result(MadeUp(survivor + "612 mutants, 611 noticed, 1 not noticed\n", 1), "log"), False),
            (mutants_result(MadeUp("these fail without any mutant: test_a\n", 1), "log"), False),
            (trials_result("skipped: a::b\n1190 passed, 0 failed, 1 skipped: a::b\n", 8000, 5, "log"), True),
            (trials_result("1190 passed, 0 failed\n", 0, 5, "log"), False),  # no allocation failed: nothing was tried
            (trials_result("--- test_a: Failed\n1189 passed, 1 failed\n", 8000, 5, "log"), False),
            (trials_result("", 0, 5, "log"), False),
            (reals_result([MadeUp(drawn)] * 2, "log"), True),
            (reals_result([MadeUp(drawn), MadeUp(drawn, 1)], "log"), False),
            (reals_result([MadeUp(drawn), MadeUp("")], "log"), False),
            (no_memory_result(MadeUp("9 commands, 70 runs with failing allocations, 0 complaints\n"), "log"), True),
            (no_memory_result(MadeUp("9 commands, 70 runs with failing allocations, 2 complaints\n", 1), "log"), False),
            (no_memory_result(MadeUp("Traceback\n", 1), "log"), False),
            (storm_result("kills", [MadeUp("7 tries, 0 findings\n")] * 2, "log"), True),
            (storm_result("kills", [MadeUp("7 tries, 0 findings\n"), MadeUp("found: x\n7 tries, 1 findings\n", 1)], "log"),
             False),
            (storm_result("kills", [MadeUp("7 tries, 0 findings\n"), MadeUp("Traceback\n", 1)], "log"), False),
            (storm_result("kills", [MadeUp("7 tries, 0 findings\n", "timeout")], "log"), False),
            (storm_result("kills", [MadeUp("0 tries, 0 findings\n")], "log"), False)]:
        if got.passed != want:
            yield f"should be {want}: {got}"
    if (got := storm_result("kills", [MadeUp("7 tries, 0 findings\n"), MadeUp("8 tries, 3 findings\n", 1)], "log")) and (
            got.executions, got.cpu, got.findings) != (15, 10, 3):
        yield f"the sum of two storms is {got}"
    if "611 killed, 1 survived, of 612" not in (line := mutants_result(
            MadeUp(survivor + "612 mutants, 611 noticed, 1 not noticed\n", 1), "log").line) or survivor.strip() not in line:
        yield f"survivors are not named: {line}"
