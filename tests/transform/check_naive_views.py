#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_naive_views.py DRIVER [SEED]: compares chains of views with the model in naive_views.py.

Random tables (and those of golden/transform, which have metadata), random chains with random
options; batches of 1, 3 and 64 rows and as stored; ranges of rows.
"""
import json
import pathlib
import random
import subprocess
import sys

import naive_epochs
import naive_views
from naive_views import Refused, Table, item_of, key_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "golden/transform").glob("*/input.idv"))
TABLES, CHAINS, ORDERS = 100, 10, 400


class Driver:
    def __init__(self, program, source):
        self.process = subprocess.Popen([program, str(source)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def read(self):
        """A table, or the line that says that there is none."""
        line = self.process.stdout.readline()
        if not line.startswith("{"):
            return line.strip()
        header, rows, ids = json.loads(line), [], []
        while (line := self.process.stdout.readline()) != "ids\n":
            rows.append(json.loads(line))
        while (line := self.process.stdout.readline()) != "end\n":
            ids.append(int(json.loads(line), 16))
        return Table(header["columns"], rows, ids, header["rows"] >= 0), header["rows"]

    def ask(self, question):
        print(json.dumps(question), file=self.process.stdin, flush=True)
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


# --- Chains -------------------------------------------------------------------------------------


def text_of(item, value):
    """The text that says a value: 4.4."""
    if item in ("R4", "R8"):
        real = naive_views.real_of(value)
        return {float("inf"): "Infinity", float("-inf"): "-Infinity"}.get(real, repr(real))
    if item == "UG":
        return "0x" + value[3:]
    if item == "BL":
        return "1" if value else "0"
    if item == "TS":
        ticks = int(value[3:])
        seconds, fraction = divmod(abs(ticks), 10**7)
        minutes, hours = seconds // 60, seconds // 3600
        return (f"{'-' if ticks < 0 else ''}{hours // 24}.{hours % 24}:{minutes % 60}:"
                f"{seconds % 60}.{fraction:07d}")
    if key_of(item):
        return str(value - 1 + key_of(item)[1])
    return str(int(value)) if item != "TX" else value


def draw_name(draw, table):
    """Nearly always one that there is."""
    if not table.columns or draw.random() < 0.02:
        return "nobody"
    return draw.choice(table.columns)["name"]


def draw_specs(draw, table):
    specs = []
    for _ in range(draw.randint(0, 4)):
        spec = {"source": draw_name(draw, table)}
        if draw.random() < 0.6:
            spec["name"] = draw.choice(["n0", "n1", "n2", "n3", "", draw_name(draw, table)]
                                       if draw.random() < 0.1 else ["n0", "n1", "n2", "n3", "n4",
                                                                    draw_name(draw, table)])
        specs.append(spec)
    return specs


def draw_condition(draw, table):
    condition = {"column": draw_name(draw, table),
                 "relations": draw.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15, 0, 16])}
    try:
        column = table.find(condition["column"])
    except Refused:
        return condition
    item, dims = item_of(table.columns[column]["type"])
    values = [row[column] for row in table.rows] if dims is None else []
    values = [value for value in values if not naive_views.is_na(item, value)]
    if item in ("DT", "DZ"):
        condition["exact"] = "dt:631232352000000000" if item == "DT" else (
            "dz:631232388000000000:60")
        condition["value"] = "2001-04-26T00:00:00Z" if item == "DT" else "2001-04-26T01:00:00+01:00"
    elif values:
        condition["exact"] = draw.choice(values)
        condition["value"] = text_of(item, condition["exact"])
    return condition


def draw_step(draw, table):
    kind = draw.choice(list(naive_views.STEPS))
    step = {"transform": kind}
    names = [draw_name(draw, table) for _ in range(draw.randint(0, 3))]
    if kind in ("CopyColumns", "Choose"):
        step.update(columns=draw_specs(draw, table), hidden=draw.randint(1, 3))
    elif kind == "GenerateNumber":
        step["columns"] = [{"name": draw.choice(["n0", "n1", "n2", draw_name(draw, table)]),
                            "seed": draw.choice([0, 1, 42, 2**32 - 1]),
                            "useCounter": draw.random() < 0.4} for _ in range(draw.randint(0, 2))]
    elif kind == "Epoch":
        is_sequential = table.block_rows == 0 and draw.random() < 0.9
        draw_epoch(draw, len(table.rows), step, (0, 2) if is_sequential else (0, 1, 2, 3))
    elif kind == "BootstrapSample":
        step.update(seed=draw.choice([0, 1, 42, draw.getrandbits(32)]),
                    complement=draw.random() < 0.3)
    elif kind == "Concatenate":
        draw_sources(draw, table, step)
    elif kind in ("Keep", "SelectColumns"):
        step.update(names=names, dropColumns=names)
    elif kind in ("SkipTake", "Zip"):
        step.update(skip=draw.randint(0, 6))
        if draw.random() < 0.6:
            step["take"] = draw.randint(0, 20)
    elif kind == "NAFilter":
        step.update(columns=names, complement=draw.random() < 0.4)
    elif kind == "FilterByColumn":
        draw_range(draw, table, step)
    elif kind == "Filter":
        step.update(conditions=[draw_condition(draw, table) for _ in range(draw.randint(1, 2))])
    return step


def draw_epoch(draw, n, step, shuffles=(0, 1, 2, 3)):
    """Mostly options that go together."""
    shards = draw.choice([1, 1, 1, 2, 3, 7, 40])
    step.update(shuffle=draw.choice(shuffles), seed=draw.choice([0, 1, 42, draw.getrandbits(63)]),
                epoch=draw.choice([0, 0, 1, 5, draw.getrandbits(62)]), shards=shards,
                shard=draw.randrange(shards), shardSize=draw.randint(0, 2),
                shardBy=draw.choice([0, 0, 1, 2]))
    if draw.random() < 0.7:
        step["blockRows"] = draw.choice([1, 2, 5, 8, 64])
    if draw.random() < 0.5:
        step["poolRows"] = draw.choice([1, 2, 3, 10, 100])
    elif draw.random() < 0.7:
        step["poolQuarterBlocks"] = draw.choice([0, 1, 2, 6, 16, 400])
    if draw.random() < 0.3:
        step["start"] = shards * draw.randint(0, n // shards + 1)
    elif draw.random() < 0.2:
        step["start"] = draw.randint(0, n + 5)
    if draw.random() < 0.02:
        step["shard"] = shards


def draw_sources(draw, table, step):
    """Mostly columns with the same items."""
    first = draw_name(draw, table)
    item = {item_of(column["type"])[0] for column in table.columns if column["name"] == first}
    alike = [column["name"] for column in table.columns if item_of(column["type"])[0] in item]
    step.update(name=draw.choice(["n0", "n1", first]), sources=[])
    for _ in range(draw.choice([0, 1, 1, 2, 2, 3, 5])):
        name = draw.choice(alike) if alike and draw.random() < 0.97 else draw_name(draw, table)
        step["sources"].append({"source": name, "alias": draw.choice(["", "", "other", "x.y"])})


def draw_range(draw, table, step):
    fit = [column["name"] for column in table.columns
           if column["type"] in ("R4", "R8") or key_of(column["type"])]
    step.update(column=draw.choice(fit) if fit and draw.random() < 0.9 else draw_name(draw, table),
                complement=draw.random() < 0.3)
    for end in ("min", "max"):
        if draw.random() < 0.7:
            step[end] = draw.choice([-1, 0, 0.25, 0.5, 1, 2, 1e6, round(draw.random(), 3)])
        step["include" + end.title()] = draw.choice([None, True, False])


# --- Checks -------------------------------------------------------------------------------------


def difference(want, got, question):
    """What is wrong with an answer, or None.  want: the whole table; None: it is refused."""
    if want is None or isinstance(got, str):
        is_refused = isinstance(got, str) and got.startswith("refused")
        return None if (want is None) == is_refused and (want is None or not isinstance(
            got, str)) else f"{got if isinstance(got, str) else 'a table'}"
    table, rows = got
    first, end = question["first"], question["end"]
    end = len(want.rows) if end < 0 else end
    if rows != (len(want.rows) if want.known else -1):
        return f"{rows} rows reported, {len(want.rows)} expected"
    if table.columns != want.columns:
        return f"columns {table.columns} instead of {want.columns}"
    if table.ids != want.ids[first:end]:
        return f"ids {table.ids} instead of {want.ids[first:end]}"
    for i, (a, b) in enumerate(zip(table.rows, want.rows[first:end])):
        if a != b:
            return f"row {i}: {a} instead of {b}"
    return None if len(table.rows) == len(want.rows[first:end]) else "rows"


def check_chain(driver, draw, source):
    """Steps that are drawn with the table in view that they change."""
    steps, want = [], source
    for _ in range(draw.randint(1, 5)):
        steps.append(draw_step(draw, want))
        try:
            want = naive_views.apply(want, steps[-1:])
        except Refused:
            want = None
            break
    for batch_rows in (0, 1, 3, 64):
        rows = len(want.rows) if want else 0
        question = {"steps": steps, "first": draw.choice([0, 0, draw.randint(0, rows)]),
                    "end": draw.choice([-1, draw.randint(0, rows)]), "batch_rows": batch_rows,
                    "threads": draw.choice([1, 3])}
        question["end"] = max(question["end"], question["first"]) if question["end"] >= 0 else -1
        wrong = difference(want, driver.ask(question), question)
        if wrong:
            return f"{json.dumps(question)}: {wrong}"
    return None


def check_orders(program):
    """Epochs of many rows, number by number."""
    draw = random.Random(0)
    driver = Driver(program, 1)
    driver.process.stdout.readline()
    driver.read()
    for i in range(ORDERS):
        rows = draw.choice([0, 1, 2, draw.randint(3, 300), draw.randint(300, 4200),
                            draw.randint(4097, 9000)])
        question = {"rows": rows}
        draw_epoch(draw, rows, question)
        if draw.random() < 0.3:
            question["blockRows"] = draw.choice([100, 1000, 4096, 5000, 10000])
        want = naive_epochs.epoch_rows(rows, 1, question)
        print(json.dumps(question), file=driver.process.stdin, flush=True)
        got = driver.process.stdout.readline().split()
        got = None if got[:1] == ["refused"] else [int(number) for number in got]
        if got != want:
            return f"{json.dumps(question)}: {got} instead of {want}"
    return None if driver.close() == 0 else "orders: the driver failed"


def check_source(program, source, seed, chains):
    draw = random.Random(seed)
    driver = Driver(program, source)
    block_rows = int(driver.process.stdout.readline())
    table, _ = driver.read()
    table.block_rows = block_rows
    for _ in range(chains):
        wrong = check_chain(driver, draw, table)
        if wrong:
            return f"{source}, seed {seed}: {wrong}"
    return None if driver.close() == 0 else f"{source}, seed {seed}: the driver failed"


def main():
    program, only = sys.argv[1], sys.argv[2:]
    seeds = [int(seed) for seed in only] or range(1, TABLES + 1)
    wrong = [check_source(program, seed, seed, CHAINS) for seed in seeds]
    wrong += [check_source(program, path, i, 2 * CHAINS) for i, path in enumerate(FILES)]
    wrong.append(check_orders(program))
    wrong = [one for one in wrong if one]
    print("\n".join(one[:2000] for one in wrong[:5]) or "as the model says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
