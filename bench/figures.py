#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""figures.py: keeps the figures of benchmarks by machine, and makes the pages of docs from them.

    ./dev bench --json FILE [SUITE...]  runs suites, and does both of the first:
    figures.py record FILE RUN.json     takes the rows of a run into FILE, in the place of older ones
    figures.py takes FILE MACHINE       exit status 1: FILE has figures of another machine
    figures.py page                     writes docs/performance/figures.md, and the pictures beside it
    figures.py check                    exit status 1: a page is not what `page` would write
    figures.py --selftest

RUN.json is what `dataview_bench --json` prints.  FILE is docs/performance/MACHINE.json:

    {"machine": "CPU, caches, system, level of kernels",
     "rows": {
      "idv_scan_f4/stored/8192": {"rate": 6620000000, "unit": "B/s", "limit": 6630000000, "which": "own mapped loop", ...},
      ...}}

with a row on each line, and {"growths": {"rows/open/time": {"unit": "s", "slope": 0.02, "most": 0.2, "knee": 0,
"points": [[1000, 1.9e-05], ...]}}} of the suite `scale` (bench/growth.h).  rate and limit: bytes a second, or what `unit` names and less is better.  share, low,
high: the median of the rounds' quotients and the range of their middle half.  size: the bytes of one run.
goal, gain: as in the table that the program prints.  cpu: CPU time for a second of each thread, where it is
known; below 0.9 the row was disturbed.  memory, limit_memory: bytes of the heap that the first run of each side
needed at most, beyond what was there before; without them, they were not measured.  FILE has the figures of one machine: a run of another one is refused.
"""
import json
import math
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LONG = ROOT / "docs/performance/figures.md"  # the long table
LEAST_CPU = 0.9  # as in report.cc

LEVELS = ["scalar", "avx2", "avx512", "neon"]
COUNTERS = {"limit": "limit", "of_limit": "share", "low": "low", "high": "high", "size": "size", "goal": "goal",
            "gain": "gain", "cpu": "cpu", "memory": "memory", "limit_memory": "limit_memory"}
OPTIONS_IN_NAME = re.compile(r"/iterations:\d+/manual_time$")

# The rows of the picture: what a reader calls them.  Those that a machine lacks are left out; * is the
# best level that it has.
PICTURE = {
    "idv_scan_f4/stored/262144": "read a raw column of .idv",
    "idv_scan_f4/deflate_1/262144": "read a deflated one",
    "idv_scan_f4/deflate_2/262144": "the same, 2 threads",
    "idv_save_f4/stored/262144": "save a raw column, synced",
    "csv_read/narrow/1 thread": "read CSV: numbers",
    "csv_read/mixed/1 thread": "read CSV: words and numbers",
    "utf8_units/mixed/*/256MiB": "check UTF-8",
    "batch_dense_f4/28 R4/256MiB": "a matrix of 28 columns",
    "column_dense_f4/1%/256MiB": "a matrix of sparse rows",
    "feed/uniform/64B": "shuffled batches, rows of 64 B",
    "feed/uniform/4KiB": "shuffled batches, rows of 4 KiB",
    "pipe_hash/I8": "hash a column of numbers",
    "pipe_term/fit and apply/1000 distinct": "learn and apply words",
}


# --- Rows ---------------------------------------------------------------------------------------------------------


def rounded(value):
    """Four digits: more are noise."""
    value = float(f"{value:.4g}")
    return int(value) if value.is_integer() else value


def rows_of(run):
    """The rows of a run by name."""
    rows = {}
    for entry in run["benchmarks"]:
        if "slope" in entry:
            continue
        if entry.get("error_occurred"):
            sys.exit(f"figures: {entry['run_name']}: {entry['error_message']}")
        unit, rate = next((name, value) for name, value in entry.items() if is_figure(name, value))
        row = {"rate": rounded(rate), "unit": unit}
        row |= {ours: rounded(entry[name]) for name, ours in COUNTERS.items() if name in entry}
        rows[OPTIONS_IN_NAME.sub("", entry["run_name"])] = row | {"which": entry.get("label", "")}
    return rows


def growths_of(run):
    """Those of a run by name."""
    return {OPTIONS_IN_NAME.sub("", entry["run_name"]): {
        "unit": "s" if "s" in entry else "B", "slope": rounded(entry["slope"]), "most": rounded(entry["most"]),
        "knee": rounded(entry["knee"]),
        "points": [[rounded(float(number)) for number in point.split(":")] for point in entry["label"].split()]}
        for entry in run["benchmarks"] if "slope" in entry}


NO_FIGURE = set(COUNTERS) | {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads",
                             "iterations", "real_time", "cpu_time"}


def is_figure(name, value):
    """Whether a member of an entry is the row's own figure, named for its unit."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and name not in NO_FIGURE


def text_of(figures):
    """The text of FILE."""
    parts = [f'"machine": {json.dumps(figures["machine"])}']
    for part in ("rows", "growths"):
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(figures[part].items()))
        parts.append(f'"{part}": {{\n{lines}\n}}')
    return "{" + ",\n ".join(parts) + "}\n"


def figures_of(path, machine):
    """What the file at path has; nothing yet if there is none."""
    figures = json.loads(path.read_text()) if path.exists() else {"machine": machine, "rows": {}, "growths": {}}
    if figures["machine"] != machine:
        sys.exit(f"figures: {path} has figures of another machine: {figures['machine']}")
    return figures


def record(path, run):
    """Takes the rows of a run into the file at path."""
    figures = figures_of(path, run["context"]["machine"])
    figures["rows"] |= rows_of(run)
    figures["growths"] |= growths_of(run)
    path.write_text(text_of(figures))


# --- The long table -----------------------------------------------------------------------------------------------


def amount(value, unit):
    """12.3e9 bytes per second as "12.3 GB/s"; counts in full."""
    if unit != "B/s":
        return f"{value:,.0f} {unit}"
    for prefix in ("", "k", "M", "G", "T"):
        if value < 999.5 or prefix == "T":
            return f"{value:.3g} {prefix}{unit}"
        value /= 1000


def bytes_of(row, name):
    """12345.0 as "12.1 KiB"; "" if it was not measured."""
    if name not in row:
        return ""
    value = row[name]
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 999.5 or unit == "GiB":
            return f"{value:.3g} {unit}"
        value /= 1024


def level_of(name):
    """(the row without its level, the level); the level is None for a row that runs at the best one only."""
    parts = name.split("/")
    for i, part in enumerate(parts):
        if part in LEVELS and i:
            return "/".join(parts[:i] + parts[i + 1:]), part
    return name, None


def table(head, lines):
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(line)} |" for line in lines)])


def plain_table(rows):
    """Of rows that have no level in their name."""
    lines = []
    for name, row in rows.items():
        if level_of(name)[1] is None:
            lines.append([f"`{name}`", amount(row["rate"], row["unit"]), amount(row["limit"], row["unit"]), row["which"],
                          f"{row['share']:.2f}", f"{row['low']:.2f} to {row['high']:.2f}",
                          f"{row['goal']:.2f}" if "goal" in row else "", bytes_of(row, "memory"),
                          bytes_of(row, "limit_memory"), "disturbed" if is_disturbed(row) else ""])
    return table(["row", "rate", "limit", "which", "share", "middle half", "goal", "memory", "of the limit", ""], lines)


def level_table(rows):
    """Of rows that run at each level: a line for all of them."""
    lines = {}
    for name, row in rows.items():
        kernel, level = level_of(name)
        if level is not None:
            lines.setdefault(kernel, {})[level] = row
    levels = [level for level in LEVELS if any(level in line for line in lines.values())]
    return table(["row", *levels], [
        [f"`{kernel}`", *(amount(line[level]["rate"], line[level]["unit"]) if level in line else "" for level in levels)]
        for kernel, line in lines.items()])


def cost(value, unit):
    """1.9e-05 s as "19 µs"."""
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "µ")):
        if value >= factor or prefix == "µ":
            return f"{value / factor:.3g} {prefix}{unit}"


def growth_table(growths):
    return table(["row", "slope", "at most", "knee", "from", "to"], [
        [f"`{name}`", f"{g['slope']:.2f}", f"{g['most']:g}", f"{g['knee']:,}" if g["knee"] else "none",
         *(f"{g['points'][end][0]:,}: {cost(g['points'][end][1], g['unit'])}" for end in (0, -1))]
        for name, g in growths.items()])


def figures_page(machines):
    parts = ["# All figures, by machine", "`./dev bench --json FILE` writes the files of this folder, and this page from them. "
             f"[How to read them](../{LONG.parent.name}.md) is the page above, which answers questions with them. "
             "Memory is what one run adds to the heap at most; mapped files are not in it."]
    for name, figures in machines.items():
        rows = figures["rows"]
        parts += [f"## {name}", figures["machine"] + f". {len(rows)} rows.", plain_table(rows),
                  "Kernels and others at each level: bytes a second.", level_table(rows)]
        if figures["growths"]:
            parts += ["How costs grow (`./dev bench scale`): size and cost, from the smallest to the largest.",
                      growth_table(figures["growths"])]
    return "\n\n".join(parts) + "\n"


# --- The picture --------------------------------------------------------------------------------------------------


STYLE = """<style>
text { font: 13px sans-serif; fill: #333 } .small { font-size: 11px; fill: #666 }
.bar { fill: #3b7dd8 } .limit { stroke: #d1495b; stroke-width: 3 } .grid { stroke: #ddd }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .small { fill: #aaa } .grid { stroke: #444 } }
</style>"""

LEFT, RIGHT, LINE = 250, 720, 26  # where bars begin, where the largest ends, and the height of a line
DECADES = (1e7, 1e11)


def at_best(rows, name):
    """The row of this name, at the best level for *; None if there is none."""
    return next((rows[full] for level in reversed(LEVELS) if (full := name.replace("*", level)) in rows), None)


def is_disturbed(row):
    return row.get("cpu", 1) < LEAST_CPU


def rates_picture(figures):
    """Bars of rates on a logarithmic axis, each with a mark for its limit."""
    def x(rate):
        low, high = map(math.log10, DECADES)
        return round(LEFT + (RIGHT - LEFT) * (min(max(math.log10(rate), low), high) - low) / (high - low), 1)

    shown = [(label, row) for name, label in PICTURE.items() if (row := at_best(figures["rows"], name))]
    bottom = 30 + LINE * len(shown)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 890 {bottom + 62}" role="img">',
             "<title>Bytes a second of common tasks, each beside its limit</title>", STYLE]
    decade = DECADES[0]
    while decade <= DECADES[1]:
        parts.append(f'<line class="grid" x1="{x(decade)}" x2="{x(decade)}" y1="20" y2="{bottom}"/>'
                     f'<text class="small" text-anchor="middle" x="{x(decade)}" y="{bottom + 16}">{amount(decade, "B/s")}</text>')
        decade *= 10
    for i, (label, row) in enumerate(shown):
        y = 26 + LINE * i
        parts.append(f'<text text-anchor="end" x="{LEFT - 8}" y="{y + 14}">{label}</text>'
                     f'<rect class="bar" x="{LEFT}" y="{y}" width="{round(x(row["rate"]) - LEFT, 1)}" height="18"/>'
                     f'<line class="limit" x1="{x(row["limit"])}" x2="{x(row["limit"])}" y1="{y - 2}" y2="{y + 20}"/>'
                     f'<text class="small" x="{RIGHT + 10}" y="{y + 14}">{row["share"]:.2f} of {row["which"]}'
                     f'{" *" if is_disturbed(row) else ""}</text>')
    disturbed = " *: other work disturbed the row." if any(is_disturbed(row) for _, row in shown) else ""
    parts.append(f'<text class="small" x="8" y="{bottom + 38}">Mark: the limit, in the same run.{disturbed}</text>'
                 f'<text class="small" x="8" y="{bottom + 54}">{figures["machine"]}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


LINES = {
    "rows/scan/time": "rows read",
    "rows/open/time": "rows in a file, opened",
    "rows/shuffled/time": "rows, the first shuffled batch",
    "columns/open/time": "columns of .idv, opened",
    "columns/csv/time": "columns of CSV, opened",
    "files/open/time": "files, opened",
    "keys/learn/time": "different values, learned",
}
COLORS = ["#3b7dd8", "#d1495b", "#2a9d6f", "#e09f3e", "#7b5ea7", "#4aa3a2", "#8d6e63"]


def growth_picture(figures):
    """Lines of time over size, both logarithmic."""
    def x(size):
        return round(60 + 400 * math.log10(size) / 9, 1)

    def y(seconds):
        return round(290 - 45 * (math.log10(seconds) + 6), 1)

    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 350" role="img">',
             "<title>Time over size</title>", STYLE]
    for decade in range(10):
        parts.append(f'<line class="grid" x1="{x(10**decade)}" x2="{x(10**decade)}" y1="20" y2="290"/>'
                     f'<text class="small" text-anchor="middle" x="{x(10**decade)}" y="308">{10**decade:.0e}</text>')
    for decade in range(-6, 1):
        parts.append(f'<line class="grid" x1="60" x2="460" y1="{y(10**decade)}" y2="{y(10**decade)}"/>'
                     f'<text class="small" text-anchor="end" x="54" y="{y(10**decade) + 4}">{cost(10**decade, "s")}</text>')
    for i, (name, label) in enumerate(LINES.items()):
        if name in figures["growths"]:
            points = " ".join(f"{x(size)},{y(seconds)}" for size, seconds in figures["growths"][name]["points"])
            parts.append(f'<polyline fill="none" stroke="{COLORS[i]}" stroke-width="2" points="{points}"/>'
                         f'<rect x="480" y="{30 + 24 * i}" width="16" height="4" fill="{COLORS[i]}"/>'
                         f'<text x="504" y="{37 + 24 * i}">{label}</text>')
    parts.append(f'<text class="small" x="8" y="338">CPU time of one thread. {figures["machine"]}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


# --- Pages --------------------------------------------------------------------------------------------------------


def pages(folder):
    """{path: text} of all pages that follow from the files in a folder."""
    machines = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    made = {folder / LONG.name: figures_page(machines)}
    made |= {folder / f"{name}-rates.svg": rates_picture(figures) for name, figures in machines.items()}
    made |= {folder / f"{name}-growth.svg": growth_picture(figures)
             for name, figures in machines.items() if figures["growths"]}
    return made


def check(folder):
    """Complaints about pages that are missing, or not as their files say."""
    for path, text in pages(folder).items():
        if not path.exists():
            yield f"{path.name} is missing: bench/figures.py page writes it"
        elif path.read_text() != text:
            yield f"{path.name} is not what the figures say: bench/figures.py page writes it"
    for path in folder.glob("*.json"):
        if path.read_text() != text_of(json.loads(path.read_text())):
            yield f"{path.name} is not as bench/figures.py record writes it"


# --- Selftest -----------------------------------------------------------------------------------------------------


def made_up_run(rate, machine="cpu"):
    entry = {"run_name": "scan/8KiB/iterations:11/manual_time", "iterations": 11, "real_time": 1.0, "cpu_time": 1.0,
             "B/s": rate, "limit": 2e9, "of_limit": rate / 2e9, "low": 0.4, "high": 0.6, "cpu": 0.5, "memory": 12345.0,
             "limit_memory": 0.0, "label": "loop"}
    growth = {"run_name": "files/open/time/iterations:1/manual_time", "s": 2.0, "slope": 1.0, "most": 1.35, "knee": 100.0,
              "label": "1:1e-05 100:2"}
    kernel = entry | {"run_name": "swap/avx2/8KiB/iterations:11/manual_time", "B/s": 3e9, "cpu": 1.0, "goal": 0.5}
    return {"context": {"machine": machine}, "benchmarks": [entry, kernel, growth]}


def selftest():
    wrong = []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        record(folder / "cpu.json", made_up_run(1e9))
        record(folder / "cpu.json", made_up_run(1.5e9))
        try:
            record(folder / "cpu.json", made_up_run(1e9, "other"))
            wrong.append("figures of another machine were taken")
        except SystemExit:
            pass
        made = pages(folder)
        page = made[folder / LONG.name]
        for line in ("| `scan/8KiB` | 1.5 GB/s | 2 GB/s | loop | 0.75 | 0.40 to 0.60 |  | 12.1 KiB | 0 B | disturbed |",
                     "| row | avx2 |", "| `swap/8KiB` | 3 GB/s |",
                     "| `files/open/time` | 1.00 | 1.35 | 100 | 1: 10 µs | 100: 2 s |"):
            if line not in page:
                wrong.append(f"the page lacks: {line}\n{page}")
        for rows, wanted in (({"a/avx2": 1, "a/avx512": 2, "a/scalar": 3}, 2), ({"a/avx2": 1}, 1), ({"b": 1}, None)):
            if at_best(rows, "a/*") != wanted:
                wrong.append(f"the best level of {rows} is not {wanted}")
        if len(list(check(folder))) != 3:
            wrong.append("missing pages were not noticed")
        for path, text in made.items():
            path.write_text(text)
        if list(check(folder)):
            wrong.append("pages as they were written are complained about")
        (folder / LONG.name).write_text(page.replace("1.5", "1.6"))
        if len(list(check(folder))) != 1:
            wrong.append("a changed page was not noticed")
    print("\n".join(wrong) if wrong else "rows are recorded, pages follow from them, changed pages are found")
    return bool(wrong)


def main():
    match sys.argv[1:]:
        case ["record", path, run]:
            record(pathlib.Path(path), json.loads(pathlib.Path(run).read_text()))
        case ["takes", path, machine]:
            figures_of(pathlib.Path(path), machine)
        case ["page"]:
            for path, text in pages(LONG.parent).items():
                path.write_text(text)
        case ["check"]:
            wrong = list(check(LONG.parent))
            print("\n".join(wrong) if wrong else "pages and figures agree")
            return bool(wrong)
        case ["--selftest"]:
            return selftest()
        case _:
            sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
