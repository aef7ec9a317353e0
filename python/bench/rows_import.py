# SPDX-License-Identifier: MIT
"""Import time: `import libdataview`, alone and with a file opened, beside an empty interpreter."""

import os
import pathlib
import resource
import statistics
import subprocess
import sys

import libdataview as dv
import sides

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sample.idv"
CODE = ("pass", "import libdataview", f"import libdataview as dv; dv.open({str(SAMPLE)!r})")


def seconds_of(code, environment):
    """Of CPU that a new interpreter takes: other processes do not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    loaded = subprocess.run([sys.executable, "-c", "import libdataview, sys; print(*sys.modules)"],
                            check=True, capture_output=True, text=True).stdout.split()
    sides.require("import", "libdataview" in loaded and "numpy" not in loaded, "NumPy is imported")
    sides.require("import", all(getattr(dv, name) for name in dv.__all__), "a name is missing")
    with sides.folder() as folder:  # compiled once, as pip does
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for code in CODE:
            seconds_of(code, environment)
        times = [[seconds_of(code, environment) for code in CODE] for _ in range(2 * sides.ROUNDS)]
    empty = statistics.median(row[0] for row in times)
    for name, k, limit, moonshot in (("import", 1, 15, 5), ("import and dv.open", 2, 15, 5)):
        sides.report_most(f"{name}, CPU beside an empty interpreter",
                          [1e3 * (row[k] - empty) for row in times], "ms", limit, moonshot)


if __name__ == "__main__":
    main()
