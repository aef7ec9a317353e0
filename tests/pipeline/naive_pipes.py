# SPDX-License-Identifier: MIT
"""naive_pipes.py: a model of the steps of pipelines that learn, and of those that need what they
learn.  Written from docs/spec/semantics.md alone, row by row; shares no code with src/.

Tables and values are those of tests/transform/naive_views.py; a vector that a step makes is dense.
"""
import naive_views
from naive_views import Refused, Table, is_na, item_of, key_of, real_of, size_of, slots_of

MASK = 0xFFFFFFFF
SEED = 314489979
ONE, ZERO = "r4:3f800000", "r4:00000000"


# --- Values -------------------------------------------------------------------------------------


def dense(item, value):
    """All slots of a vector."""
    explicit, length = slots_of(item, value)
    return [explicit.get(slot, naive_views.default_of(item)) for slot in range(length)]


def vector(items):
    return {"len": len(items), "dense": items}


def each(item, dims, value, function):
    """A scalar or a vector, item by item."""
    return function(value, 0) if dims is None else vector(
        [function(one, slot) for slot, one in enumerate(dense(item, value))])


def retyped(type_name, item):
    _, dims = item_of(type_name)
    return item if dims is None else f"V<{item},{','.join(str(dim or '*') for dim in dims)}>"


def identity_of(item, value):
    """What two terms have in common: 7.2."""
    if item in ("R4", "R8"):
        real = real_of(value)
        return 0.0 if real == 0 else real
    if item == "DZ":
        return naive_views.order_of(item, value)
    return value


def is_no_term(item, value):
    return is_na(item, value) or value == "" and item == "TX" or bool(key_of(item)) and value == 0


def key_type(count):
    return f"U4[0-{max(count, 1) - 1}]"


def count_of(item):
    return key_of(item)[2]


# --- Terms: 7.2 ---------------------------------------------------------------------------------


def values_in_order(item, dims, value):
    """What a row is learned from: slots in index order; of slots without an item the first."""
    if dims is None:
        return [value]
    explicit, length = slots_of(item, value)
    if item == "TX" or key_of(item):
        return [explicit[slot] for slot in sorted(explicit)]
    hole = next((slot for slot in range(length) if slot not in explicit), None)
    if hole is not None:
        explicit = {**explicit, hole: naive_views.default_of(item)}
    return [explicit[slot] for slot in sorted(explicit)]


def learn_terms(table, column, most, by_value):
    item, dims = item_of(table.columns[column]["type"])
    terms = {}
    for row in table.rows:
        for value in values_in_order(item, dims, row[column]):
            if not is_no_term(item, value) and len(terms) < most:
                terms.setdefault(identity_of(item, value), value)
    found = list(terms.values())
    if by_value:
        found.sort(key=lambda value: naive_views.order_of(item, value))
    return found


def make_terms(table, column, terms):
    """The type and the values of the keys."""
    item, dims = item_of(table.columns[column]["type"])
    keys = {identity_of(item, value): i + 1 for i, value in enumerate(terms)}

    def key(value, _):
        return 0 if is_no_term(item, value) else keys.get(identity_of(item, value), 0)

    made = retyped(table.columns[column]["type"], key_type(len(terms)))
    return made, [each(item, dims, row[column], key) for row in table.rows]


def term(table, column, options):
    terms = learn_terms(table, column, options.get("max", 1000000), options.get("sort") == "value")
    made, values = make_terms(table, column, terms)
    new = {"type": made, "metadata": {}}
    item = item_of(table.columns[column]["type"])[0]
    if terms and not key_of(item):
        new["values"] = (item, terms)
    return new, values


# --- Vectors of keys: 7.3, 7.4 ------------------------------------------------------------------


def indicators(keys_type, values, is_bag):
    item, dims = item_of(keys_type)
    count = count_of(item)

    def places(value):
        """Of each slot, where its one is, or None."""
        keys = [value] if dims is None else dense(item, value)
        return [key - 1 if 0 < key <= count else None for key in keys]

    def spread(value):
        slots = places(value)
        made = [ZERO] * (len(slots) * count)
        for i, place in enumerate(slots):
            if place is not None:
                made[i * count + place] = ONE
        return vector(made)

    def bag(value):
        sums = [0] * count
        for place in places(value):
            if place is not None:
                sums[place] += 1
        return vector([real4(one) for one in sums])

    if dims is None or is_bag:
        return f"V<R4,{count}>", [bag(value) for value in values]
    size = size_of(keys_type)
    shape = f"V<R4,{count}>" if size == 1 else f"V<R4,{size or '*'},{count}>"
    return shape, [spread(value) for value in values]


def real4(number):
    import struct
    return "r4:" + struct.pack(">f", number).hex()


def digits(keys_type, values):
    item, dims = item_of(keys_type)
    bits = count_of(item).bit_length() + 1  # floor(log2 C) + 2

    def row(value):
        keys = [value] if dims is None else dense(item, value)
        return vector([ONE if ((key - 1) & MASK) >> bit & 1 else ZERO
                       for key in keys for bit in reversed(range(bits))])

    size = 1 if dims is None else size_of(keys_type)
    shape = f"V<R4,{bits}>" if size == 1 else f"V<R4,{size or '*'},{bits}>"
    return shape, [row(value) for value in values]


def of_kind(made, values, kind):
    if kind == "key":
        return made, values
    return digits(made, values) if kind == "bin" else indicators(made, values, kind == "bag")


def value_of(table, column, options):
    column_type = table.columns[column]["type"]
    item, dims = item_of(column_type)
    kind, terms = table.columns[column]["values"]
    missing = padding(kind)

    def back(key, _):
        return terms[key - 1] if 0 < key <= len(terms) else missing

    made = {"type": retyped(column_type, kind), "metadata": {}}
    return made, [each(item, dims, row[column], back) for row in table.rows]


# --- Hashes: 7.5, 7.6, 7.7 ----------------------------------------------------------------------


def rotl(x, bits):
    return (x << bits | x >> 32 - bits) & MASK


def murmur_round(h, x):
    x = rotl(x * 0xCC9E2D51 & MASK, 15) * 0x1B873593 & MASK
    return (rotl(h ^ x, 13) * 5 + 0xE6546B64) & MASK


def mix1(h):
    h ^= h >> 16
    h = h * 0x85EBCA6B & MASK
    h ^= h >> 13
    h = h * 0xC2B2AE35 & MASK
    return h ^ h >> 16


def mix2(h, nbytes):
    return mix1(h ^ nbytes)


def hash_text(text, h, version, mixes):
    acc = bits = length = 0
    units = text.encode("utf-16-le", "surrogatepass")
    for c in (units[i] | units[i + 1] << 8 for i in range(0, len(units), 2)):
        if c <= 0x7F:
            acc |= c << bits
            bits += 8
        elif c <= 0x7FF:
            acc |= (0xC080 | c & 0x3F | c << 2 & 0x1F00) << bits
            bits += 16
            if version == 2:
                acc = (acc & 0xFF) << 8 | acc >> 8
        else:
            acc |= (0xE08080 | c & 0x3F | c << 2 & 0x3F00 | c << 4 & 0xF0000) << bits
            bits += 24
            if version == 2:
                acc = (acc & 0xFF) << 16 | (acc >> 8 & 0xFF) << 8 | acc >> 16
        acc &= (1 << 64) - 1
        if bits >= 32:
            h = murmur_round(h, acc & MASK)
            acc >>= 32
            bits -= 32
            length += 4
    length += bits // 8
    if version == 1:
        h = murmur_round(h, acc) if bits > 0 else h
        return mix1(murmur_round(h, length)) if mixes else murmur_round(h, length)
    tail = acc & (1 << 8 * (length & 3)) - 1
    if length & 3:
        h ^= rotl(tail * 0xCC9E2D51 & MASK, 15) * 0x1B873593 & MASK
    return mix2(h, length)


def words_of(item, value, version):
    """The words of a number, and its bytes."""
    kind = key_of(item)[0] if key_of(item) else item
    if kind == "UG":
        number = int(value[3:], 16)
        words = [number >> 32 * i & MASK for i in range(4)]
        if version == 2:
            return words[:1], 16
        low = words[:2] if words[1] else words[:1]
        high = words[2:] if words[3] else words[2:3]
        return low + (high if number >> 64 else []), 16
    if item in ("R4", "R8"):
        number = int(value[3:], 16) if real_of(value) != 0 else 0
    else:
        number = int(value)
    if kind not in ("I8", "U8", "R8"):
        return [number & MASK], 4
    low, high = number & MASK, number >> 32 & MASK
    return [low, high] if version == 2 or high else [low], 8


def hash_value(item, value, h, version, mixes=True):
    if item == "TX":
        return hash_text(value.strip(" "), h, version, True)
    words, nbytes = words_of(item, value, version)
    for word in words:
        h = murmur_round(h, word)
    if not mixes:
        return h
    return mix2(h, nbytes) if version == 2 else mix1(h)


def is_not_hashed(item, value):
    return is_no_term(item, value)


def hash_column(table, column, options):
    column_type = table.columns[column]["type"]
    item, dims = item_of(column_type)
    bits, seed = options.get("bits", 31), options.get("seed", SEED)
    version, is_ordered = options.get("hashversion", 2), options.get("ordered", False)
    if item in ("TS", "DT", "DZ", "BY"):
        raise Refused("type")

    def key(value, slot):
        if is_not_hashed(item, value):
            return 0
        h = murmur_round(seed, slot) if is_ordered else seed
        return (hash_value(item, value, h, version) & (1 << bits) - 1) + 1

    def combined(value):
        h, slots = seed, dense(item, value)
        for one in slots:
            if is_not_hashed(item, one):
                return 0
            h = hash_value(item, one, h, version, False)
        if item != "TX":
            kind = key_of(item)[0] if key_of(item) else item
            h = mix2(h, (8 if kind in ("I8", "U8", "R8") else 4) * len(slots))
        return (h & (1 << bits) - 1) + 1

    made = f"U4[0-{(1 << bits) - 1}]"
    if options.get("combine") and dims is not None:
        return made, [combined(row[column]) for row in table.rows]
    return retyped(column_type, made), [each(item, dims, row[column], key) for row in table.rows]


# --- Rows: 7.19 ---------------------------------------------------------------------------------


def group(table, names, kept):
    keys = [table.find(name) for name in names]
    columns = [table.find(name) for name in kept]
    items = [item_of(table.columns[i]["type"])[0] for i in keys]

    def same(value, item):
        if value is None or is_na(item, value):
            return "NA", None if item in ("R4", "R8") else value
        return "is", identity_of(item, value) if item in ("R4", "R8") else value

    groups, last = [], None
    for i, row in enumerate(table.rows):
        now = [same(row[k], item) for k, item in zip(keys, items)]
        if now != last:
            groups.append([])
        groups[-1].append(i)
        last = now
    rows = [[table.rows[members[-1]][k] for k in keys] +
            [vector([table.rows[i][k] for i in members]) for k in columns] for members in groups]
    made = [{"name": table.columns[k]["name"], "type": table.columns[k]["type"], "metadata": {}}
            for k in keys]
    made += [{"name": table.columns[k]["name"], "type": f"V<{table.columns[k]['type']},*>",
              "metadata": {}} for k in columns]
    return Table(made, rows, [table.ids[members[-1]] for members in groups])


def padding(item):
    return {"R4": "r4:7fc00000", "R8": "r8:7ff8000000000000"}.get(item, naive_views.default_of(item))


def ungroup(table, names, mode):
    pivots = [table.find(name) for name in names]
    visible = [i for i, column in enumerate(table.columns) if table.find(column["name"]) == i]
    rows, ids = [], []
    for row, row_id in zip(table.rows, table.ids):
        slots = {k: dense(item_of(table.columns[k]["type"])[0], row[k]) for k in pivots}
        lengths = [len(slots[k]) for k in pivots]
        count = {"inner": min(lengths), "outer": max(lengths), "first": lengths[0]}[mode]
        for slot in range(count):
            rows.append([
                (slots[k][slot] if slot < len(slots[k])
                 else padding(item_of(table.columns[k]["type"])[0])) if k in slots else row[k]
                for k in visible])
            ids.append(naive_views.combine(row_id, slot))
    made = [dict(table.columns[k], metadata={},
                 type=item_of(table.columns[k]["type"])[0] if k in pivots
                 else table.columns[k]["type"]) for k in visible]
    return Table(made, rows, ids)


# --- Steps --------------------------------------------------------------------------------------


def onehot(table, column, options):
    new, values = term(table, column, options)
    made, values = of_kind(new["type"], values, options.get("kind", "ind"))
    return {"type": made, "metadata": {}}, values


def onehothash(table, column, options):
    own = {"bits": 16, "ordered": True, **options}
    made, values = hash_column(table, column, own)
    made, values = of_kind(made, values, options.get("kind", "bag"))
    return {"type": made, "metadata": {}}, values


def plain(function):
    def step(table, column, options):
        made, values = function(table, column, options)
        return {"type": made, "metadata": {}}, values
    return step


def keys_of(table, column):
    return table.columns[column]["type"], [row[column] for row in table.rows]


COLUMNS = {
    "term": term,
    "value": value_of,
    "vector": plain(lambda t, c, o: indicators(*keys_of(t, c), o.get("bag", False))),
    "binary": plain(lambda t, c, o: digits(*keys_of(t, c))),
    "onehot": onehot,
    "hash": plain(hash_column),
    "onehothash": onehothash,
}


def apply(table, step):
    """One step: {"step", "columns": [(new, source)], "options"}, or of rows {"step", "names"}."""
    kind, options = step["step"], step.get("options", {})
    if kind in COLUMNS:
        return table.add([(new, *COLUMNS[kind](table, table.find(source), options))
                          for new, source in step["columns"]])
    if kind == "rowid":
        return table.add([(step["names"][0], {"type": "UG", "metadata": {}},
                           [f"ug:{row_id:032x}" for row_id in table.ids])])
    if kind == "group":
        return group(table, step["names"], options["columns"])
    return ungroup(table, step["names"], options["mode"])
