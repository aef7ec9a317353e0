# SPDX-License-Identifier: MIT
"""naive_views.py: a model of the rows of a view.  Written from docs/spec/semantics.md alone, with
every table in memory; shares no code with src/.

A value has the exact form of docs/cli.md: "r4:3f800000", 5, null, {"len", "idx", "val"}.
"""
import copy
import math
import re
import struct

import naive_epochs

MASK = (1 << 64) - 1


class Refused(Exception):
    pass


class Table:
    """block_rows: how its rows lie (view.h)."""

    def __init__(self, columns, rows, ids, known=True, block_rows=0):
        self.columns, self.rows, self.ids, self.known = columns, rows, ids, known
        self.block_rows = block_rows

    def find(self, name):
        """The last column of that name."""
        for i in reversed(range(len(self.columns))):
            if self.columns[i]["name"] == name:
                return i
        raise Refused(f"no column {name!r}")

    def pick(self, columns):
        """These columns, each as (index, name)."""
        made = [dict(self.columns[i], name=name) for i, name in columns]
        rows = [[row[i] for i, _ in columns] for row in self.rows]
        return Table(made, rows, self.ids, self.known, self.block_rows)

    def select_rows(self, keep, known):
        return self.order_rows([i for i in range(len(self.rows)) if keep(i)], known)

    def order_rows(self, chosen, known, block_rows=0):
        return Table(self.columns, [self.rows[i] for i in chosen], [self.ids[i] for i in chosen],
                     known, block_rows)

    def add(self, made):
        """New columns, each as (name, column, values): 2.1."""
        names = [name for name, _, _ in made]
        if len(set(names)) < len(names) or "" in names:
            raise Refused("names")
        order = []
        last = {column["name"]: i for i, column in enumerate(self.columns)}
        for i, column in enumerate(self.columns):
            order.append((column, [row[i] for row in self.rows]))
            for name, new, values in made:
                if last.get(name) == i:
                    order.append((dict(new, name=name), values))
        order += [(dict(new, name=name), values) for name, new, values in made if name not in last]
        rows = [[values[i] for _, values in order] for i in range(len(self.rows))]
        return Table([column for column, _ in order], rows, self.ids, self.known,
                     self.block_rows)


# --- Types and values ---------------------------------------------------------------------------


def item_of(type_name):
    """The item type, and the dims or None."""
    found = re.fullmatch(r"V<(.*?),([\d*,]+)>", type_name)
    if not found:
        return type_name, None
    return found[1], [0 if dim == "*" else int(dim) for dim in found[2].split(",")]


def key_of(item):
    """(kind, min, count) of a key; count 0: unknown."""
    found = re.fullmatch(r"(U\d)\[(\d+)(?:-(\d+|\*))?\]", item)
    if not found:
        return None
    least = int(found[2])
    return found[1], least, int(found[3]) - least + 1 if found[3] and found[3] != "*" else 0


def real_of(value):
    kind, bits = value.split(":")
    form = "f" if kind == "r4" else "d"
    return struct.unpack(">" + form, bytes.fromhex(bits))[0]


def is_na(item, value):
    if isinstance(value, dict):
        stored = value.get("dense", value.get("val"))
        is_short = key_of(item) and "idx" in value and len(stored) < value["len"]
        return bool(is_short) or any(is_na(item, one) for one in stored)
    if value is None:
        return True
    if item in ("R4", "R8"):
        return real_of(value) != real_of(value)
    key = key_of(item)
    return key is not None and (value == 0 or 0 < key[2] < value)


def order_of(item, value):
    """Something that compares as the values do: 1.1."""
    if item in ("R4", "R8"):
        return real_of(value)
    if item == "TX":
        return value.encode("utf-16-be", "surrogatepass")
    if item in ("TS", "DT"):
        return int(value.split(":")[1])
    if item == "DZ":
        _, ticks, minutes = value.split(":")
        return int(ticks) - int(minutes) * 600000000
    return int(value[3:], 16) if item == "UG" else int(value)


def number_of(item, value):
    """As RangeFilter sees it; None: NaN."""
    if is_na(item, value):
        return None
    if item in ("R4", "R8"):
        return real_of(value)
    return (float(value) - 0.5) / float(key_of(item)[2])


# --- Steps --------------------------------------------------------------------------------------


def copy_columns(table, step):
    made = []
    for spec in step["columns"]:
        i = table.find(spec["source"])
        made.append((spec.get("name", spec["source"]), table.columns[i],
                     [row[i] for row in table.rows]))
    return table.add(made)


def choose(table, step):
    chosen, seen, names = [], set(), set()
    for spec in step["columns"]:
        meant = table.find(spec["source"])
        name = spec.get("name", spec["source"])
        if name in names or name == "":
            raise Refused("names")
        hidden = [i for i, column in enumerate(table.columns)
                  if column["name"] == spec["source"] and i != meant]
        number = 0
        for i in hidden if step["hidden"] > 1 and meant not in seen else []:
            own = name
            if step["hidden"] == 3:
                while own == name or own in names:
                    own = f"temp_{name}_{number:03d}"
                    number += 1
            names.add(own)
            chosen.append((i, own))
        seen.add(meant)
        names.add(name)
        chosen.append((meant, name))
    return table.pick(chosen)


def keep(table, names, kept):
    for name in names:
        table.find(name)
    return table.pick([(i, column["name"]) for i, column in enumerate(table.columns)
                       if (column["name"] in names) == kept])


def take(table, step):
    skip, most = step.get("skip", 0), step.get("take", -1)
    end = len(table.rows) if most < 0 else skip + most
    chosen = range(len(table.rows))[skip:max(end, skip)]
    return table.order_rows(chosen, table.known or most == 0, table.block_rows)


def zip_with_itself(table, step):
    other = take(table, {"skip": step["skip"]})
    n = min(len(table.rows), len(other.rows))
    rows = [table.rows[i] + other.rows[i] for i in range(n)]
    return Table(table.columns + other.columns, rows, list(range(n)), table.known,
                 table.block_rows)


def filter_na(table, step):
    tested = [(table.find(name), item_of(table.columns[table.find(name)]["type"])[0])
              for name in step["columns"]]

    def passes(i):
        has_na = any(is_na(item, table.rows[i][column]) for column, item in tested)
        return has_na == step["complement"]

    return table.select_rows(passes, False)


def filter_range(table, step):
    column = table.find(step["column"])
    item, dims = item_of(table.columns[column]["type"])
    key = key_of(item)
    if dims or not (key and key[2] or item in ("R4", "R8")):
        raise Refused("type")
    least, most = step.get("min"), step.get("max")
    least = None if key and least is not None and least < 0 else least
    most = None if key and most is not None and most > 1 else most
    if least is None and most is None:
        raise Refused("neither")
    with_min = step.get("includeMin") is not False
    with_max = step.get("includeMax")
    if with_max is None:
        with_max = most is None or bool(key) and most >= 1

    def passes(i):
        v = number_of(item, table.rows[i][column])
        if v is None:
            return False
        above = least is None or v > least or with_min and v == least
        below = v < (float("inf") if most is None else most) or with_max and v == (
            float("inf") if most is None else most)
        if least is None:
            above = v > float("-inf") or with_min
        return (above and below) != step["complement"]

    return table.select_rows(passes, False)


def filter_rows(table, step):
    """Conditions; "exact" is what "value" says, in exact form."""
    tests = []
    for condition in step["conditions"]:
        column = table.find(condition["column"])
        item, dims = item_of(table.columns[column]["type"])
        relations = condition["relations"]
        compared = relations & 7 not in (0, 7)
        if not 0 < relations < 16:
            raise Refused("relations")
        if compared and (dims or item == "BY" or "exact" not in condition):
            raise Refused("no value")
        tests.append((column, item, relations, condition["exact"] if compared else None))

    def relation(item, value, exact):
        if is_na(item, value):
            return 8
        if exact is None:
            return 2
        a, b = order_of(item, value), order_of(item, exact)
        return 1 if a < b else 2 if a == b else 4

    return table.select_rows(lambda i: all(
        relation(item, table.rows[i][column], exact) & relations
        for column, item, relations, exact in tests), False)


def default_of(item):
    if item in ("R4", "R8"):
        return f"{item.lower()}:" + "0" * (8 if item == "R4" else 16)
    zeros = {"TX": "", "BL": False, "TS": "ts:0", "DT": "dt:0", "DZ": "dz:0:0",
             "UG": "ug:" + "0" * 32}
    return zeros.get(item, 0)


def slots_of(item, value):
    """(explicit items by slot, length)."""
    if not isinstance(value, dict):
        return {0: value}, 1
    if "dense" in value:
        return dict(enumerate(value["dense"])), value["len"]
    return dict(zip(value["idx"], value["val"])), value["len"]


def vector_of(item, vectors, is_sparse):
    """Vectors end to end; is_sparse(count, length) decides."""
    explicit, length = {}, 0
    for vector in vectors:
        own, slots = slots_of(item, vector)
        explicit.update({length + slot: value for slot, value in own.items()})
        length += slots
    if len(explicit) < length and is_sparse(len(explicit), length):
        order = sorted(explicit)
        return {"len": length, "idx": order, "val": [explicit[slot] for slot in order]}
    return {"len": length, "dense": [explicit.get(slot, default_of(item))
                                     for slot in range(length)]}


def size_of(type_name):
    """0: it varies."""
    _, dims = item_of(type_name)
    size = 1
    for dim in dims or []:
        size *= dim
    return size


def concat_metadata(sources, names, item, size):
    made, texts, ranges, base = {}, {}, [], 0
    known = [(column, name, column["metadata"]) for column, name in zip(sources, names)]
    is_number = item[0] in "IUR" and not key_of(item)
    if is_number and all(m.get("IsNormalized", {}).get("value") is True for _, _, m in known):
        made["IsNormalized"] = {"type": "BL", "value": True}
    if size == 0:
        return made
    has_names = False
    for column, name, metadata in known:
        slots = size_of(column["type"])
        if item_of(column["type"])[1] is None:
            texts[base], has_names = name, True
        elif "SlotNames" in metadata:
            has_names = True
            own, _ = slots_of("TX", metadata["SlotNames"]["value"])
            texts.update({base + slot: f"{name}.{text}" for slot, text in own.items() if text})
        if "CategoricalSlotRanges" in metadata:
            own = metadata["CategoricalSlotRanges"]["value"]
            ranges += [base + bound for bound in own["dense"]]
        base += slots
    if has_names:
        order = sorted(texts)
        sparse = {"len": size, "idx": order, "val": [texts[slot] for slot in order]}
        dense = {"len": size, "dense": [texts.get(slot, "") for slot in range(size)]}
        made["SlotNames"] = {"type": f"V<TX,{size}>",
                             "value": sparse if len(order) < size // 2 else dense}
    if ranges:
        made["CategoricalSlotRanges"] = {"type": f"V<I4,{len(ranges) // 2},2>",
                                         "value": {"len": len(ranges), "dense": ranges}}
    return made


def common_item(items):
    """Different numbers become reals: R4 if all are short."""
    kinds = set(items)
    if len(kinds) == 1:
        return items[0]
    if any(item[0] not in "IUR" or key_of(item) or item == "UG" for item in kinds):
        raise Refused("items")
    return "R8" if kinds & {"I4", "U4", "I8", "U8", "R8"} else "R4"


def as_real(item, to, value):
    """A number, or a vector of numbers, as another type."""
    if item == to:
        return value
    if isinstance(value, dict):
        part = "dense" if "dense" in value else "val"
        return {**value, part: [as_real(item, to, one) for one in value[part]]}
    number = float("nan") if is_na(item, value) else order_of(item, value)
    return f"{to.lower()}:" + struct.pack(">f" if to == "R4" else ">d", number).hex()


def concat(table, step):
    columns = [table.find(source["source"]) for source in step["sources"]]
    if not columns:
        raise Refused("none")
    sources = [table.columns[i] for i in columns]
    items = [item_of(column["type"])[0] for column in sources]
    item = common_item(items)
    if len(columns) == 1 and item_of(sources[0]["type"])[1] is not None:
        return table.add([(step["name"], sources[0], [row[columns[0]] for row in table.rows])])
    sizes = [size_of(column["type"]) for column in sources]
    size = 0 if 0 in sizes else sum(sizes)
    names = [spec.get("alias") or spec["source"] for spec in step["sources"]]
    made = {"type": f"V<{item},{size or '*'}>",
            "metadata": concat_metadata(sources, names, item, size)}
    values = [vector_of(item, [as_real(own, item, row[i]) for own, i in zip(items, columns)],
                        lambda count, length: count <= length // 2) for row in table.rows]
    return table.add([(step["name"], made, values)])


def draws_of(seed):
    """5.7, and MurmurRound of 7.5."""
    def mix(h, x):
        x = x * 0xCC9E2D51 & 0xFFFFFFFF
        x = (x << 15 | x >> 17) * 0x1B873593 & 0xFFFFFFFF
        h ^= x
        return ((h << 13 | h >> 19) * 5 + 0xE6546B64) & 0xFFFFFFFF

    def step(z, a, b, c, m):
        return ((z & m) << c ^ ((z << a & 0xFFFFFFFF) ^ z) >> b) & 0xFFFFFFFF

    z = [seed]
    for _ in range(3):
        z.append(mix(z[-1], seed))
    while True:
        z = [step(z[0], 13, 19, 12, ~1), step(z[1], 2, 25, 4, ~7), step(z[2], 3, 11, 17, ~15),
             (1664525 * z[3] + 1013904223) & 0xFFFFFFFF]
        yield z[0] ^ z[1] ^ z[2] ^ z[3]


def combine(row_id, other):
    """5.4."""
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F

    def rotate(x, bits):
        return (x << bits | x >> 64 - bits) & MASK

    low, high = other & MASK, other >> 64
    low = (rotate(low, 27) + high) * 5 + 0x52DCE729 & MASK
    high = (rotate(high, 31) + low) * 5 + 0x38495AB5 & MASK
    low ^= rotate(c1, 31) * c2 & MASK
    a = rotate(low * c1 & MASK, 31) * c2 & MASK
    b = rotate(high * c2 & MASK, 33) * c1 & MASK
    made_low = (rotate(row_id & MASK ^ a, 27) + (row_id >> 64)) * 5 + 0x52DCE729 & MASK
    made_high = (rotate(row_id >> 64 ^ b, 31) + made_low) * 5 + 0x38495AB5 & MASK
    return made_high << 64 | made_low


def bootstrap(table, step):
    draws = draws_of(step["seed"])
    rows, ids = [], []
    for row, row_id in zip(table.rows, table.ids):
        times, t = 0, next(draws) / 2**32
        while t > math.exp(-1):
            times, t = times + 1, t * (next(draws) / 2**32)
        if step["complement"]:
            times = int(times == 0)
        rows += [row] * times
        ids += [combine(row_id, left) for left in reversed(range(times))]
    return Table(table.columns, rows, ids, False)


def generate(table, step):
    made = []
    for spec in step["columns"]:
        if spec["useCounter"]:
            made.append((spec["name"], {"type": "I8", "metadata": {}},
                         list(range(len(table.rows)))))
            continue
        singles = [struct.pack(">f", (u >> 9) / 2**23).hex() for u, _ in zip(
            draws_of(spec["seed"]), table.rows)]
        metadata = {"IsNormalized": {"type": "BL", "value": True}}
        made.append((spec["name"], {"type": "R4", "metadata": metadata},
                     [f"r4:{bits}" for bits in singles]))
    table = Table(table.columns, table.rows, table.ids, table.known)
    return table.add(made)


def epoch(table, step):
    n = len(table.rows)
    chosen = naive_epochs.epoch_rows(n, table.block_rows, step)
    if chosen is None:
        raise Refused("epoch")
    shuffle, own = step.get("shuffle", 0), step.get("blockRows", 0)
    block_rows = {naive_epochs.NONE: table.block_rows, naive_epochs.UNIFORM: 1,
                  naive_epochs.POOL: 0,
                  naive_epochs.BLOCKS: own or naive_epochs.blocks_of(table.block_rows)}[shuffle]
    return table.order_rows(chosen, True, block_rows)


def hold(table, _):
    n = len(table.rows)
    return Table(table.columns, table.rows, list(range(n)), True, 1)


STEPS = {
    "Epoch": epoch,
    "Hold": hold,
    "BootstrapSample": bootstrap,
    "GenerateNumber": generate,
    "Concatenate": concat,
    "CopyColumns": copy_columns,
    "Choose": choose,
    "Keep": lambda table, step: keep(table, step["names"], True),
    "SelectColumns": lambda table, step: keep(table, step["dropColumns"], False),
    "SkipTake": take,
    "Zip": zip_with_itself,
    "NAFilter": filter_na,
    "FilterByColumn": filter_range,
    "Filter": filter_rows,
}


def apply(table, steps):
    for step in steps:
        table = STEPS[step["transform"]](table, step)
    return copy.deepcopy(table)
