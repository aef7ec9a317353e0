#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_naive_pipes.py DRIVER [SEED]: compares pipelines with the model in naive_pipes.py.

Random tables, one to five random steps; batches of 1, 3 and 64 rows and as they come; one to five
threads.  Names, types and values are compared; golden cases have the metadata.
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "transform"))
import check_naive_views  # noqa: E402
import naive_pipes  # noqa: E402
from naive_views import default_of, is_na, item_of, key_of, size_of, slots_of  # noqa: E402

TABLES, PIPELINES, SLOTS_MOST = 60, 6, 200


# --- Drawing ------------------------------------------------------------------------------------


def visible(table):
    return [column for column in table.columns
            if table.columns[table.find(column["name"])] is column]


def keys_with_count(table):
    return [c for c in visible(table) if key_of(item_of(c["type"])[0])
            and 0 < key_of(item_of(c["type"])[0])[2] < 2000 and size_of(c["type"]) < 40]


def candidates(table, kind):
    columns = [c for c in visible(table) if item_of(c["type"])[0] != "BY"]
    if kind == "value":
        return [c for c in columns if "values" in c]
    if kind in ("vector", "binary"):
        return keys_with_count(table)
    if kind in ("hash", "onehothash"):
        columns = [c for c in columns if item_of(c["type"])[0] not in ("TS", "DT", "DZ")]
    if kind in ("onehot", "onehothash"):
        return [c for c in columns if size_of(c["type"]) < 40]
    if kind == "group":
        return [c for c in columns if item_of(c["type"])[1] is None]
    if kind == "ungroup":
        return [c for c in columns if item_of(c["type"])[1] is not None]
    return columns


def draw_options(draw, kind):
    options = {}
    if kind in ("term", "onehot"):
        if draw.random() < 0.5:
            options["max"] = draw.choice([1, 2, 3, 5, 100])
        if draw.random() < 0.4:
            options["sort"] = draw.choice(["value", "occurrence"])
    if kind in ("hash", "onehothash"):
        options["bits"] = draw.choice([1, 2, 5, 7]) if kind == "onehothash" else draw.choice(
            [1, 5, 16, 30])
        if draw.random() < 0.5:
            options["seed"] = draw.choice([0, 1, 42, 2**32 - 1])
        if draw.random() < 0.5:
            options["hashversion"] = draw.choice([1, 2])
        if draw.random() < 0.5:
            options["ordered"] = draw.random() < 0.5
    if kind == "hash" and not options.get("ordered") and options.get("hashversion", 2) == 2:
        options["combine"] = draw.random() < 0.4
    if kind in ("onehot", "onehothash") and draw.random() < 0.7:
        options["kind"] = draw.choice(["ind", "bag", "key", "bin"])
    if kind == "vector":
        options["bag"] = draw.random() < 0.5
    return options


def draw_step(draw, table):
    """A step that suits the table, or None."""
    kind = draw.choice([*naive_pipes.COLUMNS, "rowid", "group", "ungroup"])
    if kind == "rowid":
        return {"step": kind, "names": [draw.choice(["n0", "n1"])]}
    fit = candidates(table, kind)
    if not fit:
        return None
    if kind == "group":
        own = draw.sample(fit, draw.randint(1, min(2, len(fit))))
        names = [c["name"] for c in own]
        kept = [c["name"] for c in fit if c not in own and draw.random() < 0.6]
        return {"step": kind, "names": names, "options": {"columns": kept}}
    if kind == "ungroup":
        own = draw.sample(fit, draw.randint(1, min(3, len(fit))))
        return {"step": kind, "names": [c["name"] for c in own],
                "options": {"mode": draw.choice(["inner", "outer", "first"])}}
    columns = {}
    for _ in range(draw.choice([1, 1, 2])):
        source = draw.choice(fit)["name"]
        columns[draw.choice(["n0", "n1", "n2", source])] = source
    return {"step": kind, "columns": list(columns.items()), "options": draw_options(draw, kind)}


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def text_of_option(name, value):
    if isinstance(value, bool):
        return name + ("+" if value else "-")
    if isinstance(value, list):
        return f"{name}=[{' '.join(quoted(one) for one in value)}]"
    return f"{name}={value}"


def text_of(step):
    columns = [f"{quoted(new)}:{quoted(source)}" for new, source in step.get("columns", [])]
    names = [quoted(name) for name in step.get("names", [])]
    options = [text_of_option(*one) for one in step.get("options", {}).items()]
    return " ".join([step["step"], *columns, *names, *options])


# --- Checks -------------------------------------------------------------------------------------


def plain(item, value):
    """A value as it is compared: all NA of an item are one, vectors are dense."""
    if isinstance(value, dict):
        explicit, length = slots_of(item, value)
        return [plain(item, explicit.get(slot, default_of(item))) for slot in range(length)]
    return "NA" if is_na(item, value) and not key_of(item) else value


def difference(want, got):
    if isinstance(got, str):
        return got
    table, _ = got
    for a, b in zip(want.columns, table.columns):
        if (a["name"], a["type"]) != (b["name"], b["type"]):
            return f"column {b} instead of {a}"
    if len(want.columns) != len(table.columns):
        return f"{len(table.columns)} columns instead of {len(want.columns)}"
    if table.ids != want.ids:
        return f"ids {table.ids} instead of {want.ids}"
    items = [item_of(column["type"])[0] for column in want.columns]
    for i, (a, b) in enumerate(zip(table.rows, want.rows)):
        for item, column, x, y in zip(items, want.columns, a, b):
            if plain(item, x) != plain(item, y):
                return f"row {i}, column {column['name']}: {x} instead of {y}"
    return None


def is_small(table):
    """Steps make no more than a test should read."""
    longest = max((value["len"] for row in table.rows for value in row if isinstance(value, dict)),
                  default=0)
    return longest <= SLOTS_MOST and len(table.rows) < 200


def check_pipeline(driver, draw, source):
    steps, want = [], source
    for _ in range(draw.randint(1, 5)):
        step = draw_step(draw, want)
        if not step:
            continue
        made = naive_pipes.apply(want, step)
        if is_small(made):
            steps.append(step)
            want = made
    text = "; ".join(text_of(step) for step in steps)
    for batch_rows in (0, 1, 3, 64):
        question = {"pipe": text, "first": 0, "end": -1, "batch_rows": batch_rows,
                    "threads": draw.choice([1, 2, 5])}
        wrong = difference(want, driver.ask(question))
        if wrong:
            return f"{json.dumps(question)}: {wrong}"
    return None


def check_source(program, seed):
    draw = random.Random(seed)
    driver = check_naive_views.Driver(program, seed)
    driver.process.stdout.readline()
    table, _ = driver.read()
    for _ in range(PIPELINES):
        wrong = check_pipeline(driver, draw, table)
        if wrong:
            return f"seed {seed}: {wrong}"
    return None if driver.close() == 0 else f"seed {seed}: the driver failed"


def main():
    program, only = sys.argv[1], sys.argv[2:]
    seeds = [int(seed) for seed in only] or range(1, TABLES + 1)
    wrong = [one for one in (check_source(program, seed) for seed in seeds) if one]
    print("\n".join(one[:2000] for one in wrong[:5]) or "as the model says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
