#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""naive_text.py: reads a text file by docs/spec/semantics.md alone.

    naive_text.py OPTIONS FILE...   the schema as a line of JSON, then a line for each row

Written from semantics:6 and semantics:4.3 only: nothing of it comes from the library.  Simple and slow: a line
is a dict from source column to field; a field is a text, or None for NA.  Where the options, the
embedded block or a line is an error, the program ends with status 1 and a sentence.
"""
import itertools
import json
import pathlib
import re
import sys

from naive_values import BITS, DEFAULT, NAN, WHITE, default_of, value_of

FLAGS = {"quote": True, "sparse": True, "trim": False, "header": False, "threads": True,
         "multilines": False, "missingrealnan": False}
VALUES = {"size", "sep", "col", "hf", "rows", "escapechar", "decimal", "blank", "keysyntax"}
LONG = {"allowquoting": "quote", "allowsparse": "sparse", "inputsize": "size", "separator": "sep",
        "column": "col", "trimwhitespace": "trim", "hasheader": "header", "headerfile": "hf",
        "maxrows": "rows", "usethreads": "threads"}
BESIDE_BLOCK = {"threads", "hf", "rows", "blank", "keysyntax"}  # set, and the block counts
SEPARATORS = {"tab": "\t", "space": " ", "comma": ",", "semicolon": ";", "bar": "|", "colon": ":"}
KINDS = ["", "I1", "U1", "I2", "U2", "I4", "U4", "I8", "U8", "R4", "R8", "TX", "BL", "TS", "DT",
         "DZ", "UG"]
ALIASES = {"NUM": "R4", "TXT": "TX", "TEXT": "TX", "BOOL": "BL", "TIMESPAN": "TS",
           "DATETIME": "DT", "DATETIMEZONE": "DZ", "U16": "UG",
           **{kind: kind for kind in KINDS[1:]}, **{str(n): kind for n, kind in enumerate(KINDS)}}
END = 1 << 62  # of what goes to the end of each line
MOST_SAMPLED = 100


class Refused(Exception):
    """What is wrong, in words."""


def need(truth, sentence):
    if not truth:
        raise Refused(sentence)


# --- Options (semantics:6.1, semantics:6.3)


SLASHES = re.compile(r'(\\+)(["{}#]?)')


def slashes(text, at, is_reduced):
    """A run of backslashes with what it makes literal, and where it ends."""
    run, special = SLASHES.match(text, at).groups()
    kept = run[: len(run) // 2] if special and is_reduced else run
    if len(run) % 2 == 0:
        special = ""
    return kept + special, at + len(run) + len(special)


def quoted(text, at, is_reduced):
    """What is in quotes, with them unless it is reduced."""
    found, at = "" if is_reduced else '"', at + 1
    while at < len(text) and text[at] not in "\r\n":
        if text[at] == '"':
            return found + ("" if is_reduced else '"'), at + 1
        more, at = slashes(text, at, is_reduced) if text[at] == "\\" else (text[at], at + 1)
        found += more
    raise Refused("a quote stays open")


def group(text, at):
    """What is in braces, without them."""
    found, depth, at = "", 1, at + 1
    while at < len(text):
        if text[at] == '"':
            more, at = quoted(text, at, False)
        elif text[at] == "\\":
            more, at = slashes(text, at, depth == 1)
        else:
            more, at = text[at], at + 1
            depth += (more == "{") - (more == "}")
            if not depth:
                return found, at
        found += more
    raise Refused("a brace stays open")


class InBraces(str):
    """A value that was in braces."""


def value_at(text, at):
    """A value and where it ends."""
    if text[at : at + 1] == "{":
        found, at = group(text, at)
        return InBraces(found), at
    found = ""
    while at < len(text) and text[at] not in WHITE + "#":
        need(text[at] not in "{}", "a brace")
        if text[at] == '"':
            more, at = quoted(text, at, True)
        elif text[at] == "\\":
            more, at = slashes(text, at, True)
        else:
            more, at = text[at], at + 1
        found += more
    return found, at


def items_of(text):
    """Names and values; flags have "+" or "-" without "="."""
    at = 0
    while True:
        at += len(text[at:]) - len(text[at:].lstrip())
        if at == len(text) or text[at] == "#":
            return
        name = re.compile("[A-Za-z]+").match(text, at)
        need(name, f"{text[at:]}: no name")
        at, value = name.end(), "+"
        if text[at : at + 1] == "=":
            value, at = value_at(text, at + 1)
        elif text[at : at + 1] in ("+", "-"):
            value, at = text[at], at + 1
        need(at == len(text) or text[at].isspace(), f"{text[at:]}: no blank before it")
        yield name[0].lower(), value


def options_of(text):
    """The options by their short names; `col` is a list."""
    options = {"col": []}
    for name, value in items_of(text):
        name = LONG.get(name, name)
        need(name in FLAGS or name in VALUES, f"{name}: no such option")
        if name == "col":
            options["col"].append(value)
            continue
        need(name not in options, f"{name} is given twice")
        if name in FLAGS:
            need(value in ("+", "-"), f"{name}={value}: + or -")
            value = value == "+"
        elif name in ("size", "rows"):
            need(re.fullmatch("[0-9]+", value) and int(value) < 1 << 31, f"{name}={value}")
            value = int(value)
        options[name] = value
    return options


def block_of(lines):
    """The options in the file, or None."""
    parts = []
    for line in lines:
        if line.startswith("#@"):
            parts.append(line[2:].strip(WHITE))
        elif line and not line.startswith(("#", "//")):
            break
    block = " ".join(parts).strip(WHITE)
    if not block:
        return None
    found = re.match(r"(TextLoader|Text)\s*\{", block)
    need(found, "embedded options are no TextLoader{}")
    inside, end = group(block, found.end() - 1)
    need(not block[end:].strip(WHITE), "something follows the embedded options")
    options = options_of(inside)
    need(options["col"], "embedded options without a column")
    return options


class Options:
    """The effective options."""

    def __init__(self, text, files):
        given = options_of(text)
        given["hf"] = given.get("hf")
        beside = {name for name in given if given[name] not in (None, [])}
        if not given["col"] and not beside - BESIDE_BLOCK:
            lines = physical(decoded(given["hf"] or files[0]))
            given = {**(block_of(lines) or {}), "rows": None, "hf": None, **{name: given[name] for name in beside}}
        self.columns = given.get("col") or ["Label:0", "Features:1-*"]
        for name, value in FLAGS.items():
            setattr(self, name, given.get(name, value))
        self.hf, self.size, self.rows = given.get("hf"), given.get("size"), given.get("rows")
        self.size = self.size or None
        self.separators = self.separators_of(given.get("sep", "tab").lower())
        self.escape = given.get("escapechar", '"')
        need(len(self.escape) == 1 and self.escape not in self.separators, "escapechar")
        self.decimal = given.get("decimal", ".")
        need(self.decimal in (".", ","), "decimal")
        need(self.decimal == "." or "," not in self.separators or self.quote, "decimal comma")
        blank = given.get("blank", "na" if self.quote else "empty")
        need(blank in ("na", "empty"), "blank")
        self.blank = None if blank == "na" else ""
        self.syntax = given.get("keysyntax", "count")
        need(self.syntax in ("seed", "count"), "keysyntax")

    def separators_of(self, text):
        names = [text] if text == "," else text.split(",")
        separators = {SEPARATORS.get(name, name) for name in names}
        for one in separators:
            legal = len(one) == 1 and one not in '0123456789"' and (one >= " " or one == "\t")
            need(legal and not "\x7f" <= one <= "\x9f", f"{text}: separator")
        need(":" not in separators or not self.sparse, "sparse items have colons")
        return separators


# --- Columns (semantics:6.2)


def integer_of(text, sentence):
    need(re.fullmatch("[0-9]+", text) and int(text) < 1 << 64, sentence)
    return int(text)


def key_of(kind, inside, syntax):
    """The item type of KIND[inside]."""
    need(kind in BITS and kind[0] == "U", f"{kind}: no key")
    most = (1 << BITS[kind]) - 1
    least, dash, last = inside.strip().partition("-")
    if not inside.strip():
        need(syntax == "count", "a key without a range")
        return kind, 0, most
    least = integer_of(least, f"{inside}: range of a key")
    if not dash:
        need(syntax == "seed" or 0 < least <= most, f"{inside}: count of a key")
        return (kind, least, None) if syntax == "seed" else (kind, 0, least)
    if last in ("", "*"):
        return kind, least, most if syntax == "count" and not least else 0
    count = integer_of(last, f"{inside}: range of a key") - least + 1
    need(0 < count <= most, f"{inside}: range of a key")
    return kind, least, count


def item_of(text, syntax):
    """An item type: (kind,), of keys (kind, least, count)."""
    name, bracket, rest = text.strip().partition("[")
    kind = ALIASES.get(name.strip().upper())
    need(kind, f"{text}: no type")
    if not bracket:
        return (kind,)
    need(rest.endswith("]"), f"{text}: no type")
    return key_of(kind, rest[:-1], syntax)


def range_of(text):
    """(first, last or None, minus others, variable, forces a vector)"""
    found = re.fullmatch(r"\s*(?:([0-9]+)|([0-9]*)([-~])([0-9]+|\*\*?|))\s*", text)
    need(found, f"{text}: no range")
    if found[1]:
        first = integer_of(found[1], text)
        return first, first, False, False, False
    need(found[2] or found[3] == "~", f"{text}: no range")
    first, end = int(found[2] or 0), found[4]
    last = int(end) if end.isdigit() else None
    need(last is None or first <= last, f"{text}: ends before it starts")
    need(max(first, last or 0) < (1 << 31) - 1, f"{text}: too far")
    return first, last, found[3] == "~", end == "**", True


def source_of(text):
    """Parse src=: an index, a range, or min and max."""
    if "=" not in text:
        return [range_of(part) for part in text.split(",")]
    given = dict(items_of(text))
    need(set(given) <= {"min", "max", "var"} and "min" in given, f"{text}: src")
    first = integer_of(given["min"], text)
    if given.get("var") == "+":
        return [(first, None, False, True, True)]
    last = integer_of(given.get("max", given["min"]), text)
    need(first <= last, f"{text}: ends before it starts")
    return [(first, last, False, False, "max" in given)]


def gaps(first, end, used):
    """The gaps between other ranges. Each ends where the next range begins, even after `end`."""
    for low, high in [*sorted(used), (end, end)]:
        if first < min(low, end):
            yield first, low
        first = max(first, high)


class Column:
    """name, item type, ranges; `segments` [first, end) and `width` (None: varies, 0: scalar)"""

    def __init__(self, text, syntax):
        self.key = None
        if isinstance(text, InBraces) and "=" in text:
            self.from_items(list(items_of(text)), syntax)
        else:
            parts = text.split(":")
            need(2 <= len(parts) <= 3, f"{text}: no column")
            self.name, self.item = parts[0].strip(), ("R4",)
            if len(parts) == 3:
                self.item = item_of(parts[1], syntax)
            self.ranges = [range_of(part) for part in parts[-1].split(",")]
        need(self.name, f"{text}: a column without a name")
        self.segments, self.width = [], 0

    def from_items(self, items, syntax):
        given = dict(items)
        need(set(given) <= {"name", "type", "src", "key"}, "an unknown word in a column")
        need("name" in given and "src" in given, "a column without name or src")
        self.name = given["name"].strip()
        self.item = item_of(given.get("type", "R4"), syntax)
        if "key" in given:
            need(len(self.item) == 1, "key twice")
            self.item = key_of(self.item[0], given["key"], "count")
        self.ranges = [part for name, value in items if name == "src" for part in source_of(value)]

    def fixed(self, n):
        """Each range that is not the rest of all: [first, end)."""
        for first, last, others, var, _ in self.ranges:
            if not others:
                yield first, END if var else (n if last is None else last + 1)

    def resolve(self, used, n):
        forces = []  # whether each segment makes a vector on its own
        for first, last, others, var, forced in self.ranges:
            end = END if var else n if last is None else last + 1
            need(first < end, f"{self.name}: after the last source column")
            parts = list(gaps(first, end, used)) if others else [(first, end)]
            self.segments += parts
            forces += [forced] * len(parts)
        need(self.segments, f"{self.name}: nothing is left for it")
        ordered = sorted(self.segments)
        for (_, end), (first, _) in zip(ordered, ordered[1:]):
            need(end <= first, f"{self.name}: ranges overlap")
        width = sum(end - first for first, end in self.segments)
        self.width = None if width > END // 2 else width if forces[0] or width > 1 else 0

    def type_text(self):
        text = self.item[0]
        if len(self.item) > 1:
            least, count = self.item[1:]
            last = "" if count is None else f"-{least + count - 1}" if count else "-*"
            text += f"[{least}{last}]"
        if self.width == 0:
            return text
        return f"V<{text},{self.width or '*'}>"


# --- Lines (semantics:6.1, semantics:6.3)


def decoded(path):
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise Refused(str(error)) from error
    for mark, order in ((b"\xff\xfe", "little"), (b"\xfe\xff", "big")):
        if data.startswith(mark):
            return of_utf16(data[2:], order)
    mark = b"\xef\xbb\xbf"  # the file may end inside it
    return data[len(mark) if mark.startswith(data[:3]) else 0 :].decode("utf-8", "replace")


def of_utf16(data, order):
    units = [int.from_bytes(data[i : i + 2], order) for i in range(0, len(data) - 1, 2)]
    raw = b"".join(unit.to_bytes(2, "little") for unit in units)
    text = raw.decode("utf-16-le", "surrogatepass")  # pairs are joined, halves are kept
    text = "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text)
    return text + "\ufffd" * (len(data) % 2)


def physical(text):
    lines = re.split("\r\n|\r|\n", text)
    return lines if lines[-1] else lines[:-1]


def goes_on(line, options):
    """Is a quote open at the end?  Whether sparse items are in order does not matter here."""
    scan = Scan("", options)
    scan.line, scan.at = line, 0
    while scan.at < len(line) and not scan.has_error:
        scan.field()
        scan.at += 1
    return scan.is_open


def real_lines(text, options):
    """Data lines, joined while a quoted field continues."""
    lines, started = iter(physical(text)), False
    for line in lines:
        if not line or line.startswith("//") or (line.startswith("#") and not started):
            continue
        started = True
        while options.multilines and options.quote and goes_on(line, options):
            more = next(lines, None)
            need(more is not None, "a quote stays open to the end of the file")
            line += "\n" + more
        yield line.rstrip(WHITE) if options.trim else line


# --- Fields and rows (semantics:6.4, semantics:6.5)


class Scan:
    """The fields of a line, {source column: text or None}, their number, and the end of `a-**`."""

    def __init__(self, line, options, size=None):
        self.line, self.options, self.at = line, options, 0
        self.size = size = size or options.size
        self.is_open = self.has_error = False
        self.fields, self.count, base, before = {}, 0, None, -1
        while True:
            index, text = self.field()
            if index is not None and base is None:  # the first sparse item
                base, length = self.length()
                if base is None:
                    break
                self.count = base + length
            if base is None:
                self.fields[self.count] = text
                self.count += 1
            elif index is None or not before < index < self.count - base:
                break
            else:
                self.fields[base + index] = text
                before = index
            if self.at >= len(line):
                break
            self.at += 1  # the separator
            if base is None and size and self.count == size + options.sparse:
                break
        self.end = max(self.count, size or 0) if options.sparse else self.count

    def length(self):
        """Start and length of the sparse part; (None, 0) if they are invalid."""
        if self.size:
            return self.count, self.size - self.count
        text = self.fields.get(self.count - 1)
        if not text or not re.fullmatch("[0-9]+", text) or not 0 < int(text) < 1 << 31:
            return None, 0
        del self.fields[self.count - 1]
        return self.count - 1, int(text)

    def skip_blanks(self):
        while " " not in self.options.separators and self.line[self.at : self.at + 1] == " ":
            self.at += 1

    def field(self):
        """Index of a sparse item or None, and the text; stops at the separator."""
        self.skip_blanks()
        index = None
        found = re.compile("([0-9]{1,9}):").match(self.line, self.at)
        if found and self.options.sparse:
            index, self.at = int(found[1]), found.end()
            self.skip_blanks()
        if self.options.quote and self.line[self.at : self.at + 1] == '"':
            return index, self.quoted()
        start = self.at
        self.to_separator()
        return index, self.line[start : self.at] or self.options.blank

    def to_separator(self):
        while self.at < len(self.line) and self.line[self.at] not in self.options.separators:
            self.at += 1

    def quoted(self):
        line, escape, text = self.line, self.options.escape, ""
        self.at += 1
        while self.at < len(line):
            pair = line[self.at : self.at + 2]
            if escape == '"' and pair == '""':
                text, self.at = text + '"', self.at + 2
            elif escape != '"' and pair[0] == escape:
                text, self.at = text + ('"' if pair[1:] == '"' else pair), self.at + 2
            elif pair[0] == '"':
                break
            else:
                text, self.at = text + pair[0], self.at + 1
        self.is_open = self.at >= len(line) and not self.has_error
        self.at += 1
        self.skip_blanks()
        closed = self.at
        self.to_separator()
        is_good = closed <= len(line) and self.at == closed
        self.has_error |= not is_good
        return text if is_good else self.options.blank


class Table:
    """A text file or several."""

    def __init__(self, text, files):
        self.options = options = Options(text, files)
        self.files = [decoded(file) for file in files]
        self.header = decoded(options.hf) if options.hf else None
        self.columns = [Column(one, options.syntax) for one in options.columns]
        ranges = [(self.columns[i], one) for i in range(len(self.columns))
                  for one in self.columns[i].ranges]
        need(sum(one[2] for _, one in ranges) <= 1, "more than one range minus the others")
        needs_n = any(one[1] is None and not one[3] for _, one in ranges)
        n = (options.size or self.sample()) if needs_n else 0
        used = [segment for column in self.columns for segment in column.fixed(n)]
        for column in self.columns:
            column.resolve(used, n)

    def sample(self):
        """The number of source columns."""
        lines = []
        for text in self.files:
            lines = list(itertools.islice(real_lines(text, self.options), MOST_SAMPLED))
            if lines:
                break
        if self.header is not None:
            lines += itertools.islice(real_lines(self.header, self.options), 2)
        counts = {Scan(line, self.options).count for line in lines if line} - {0}
        need(len(counts) == 1, f"lines of {sorted(counts)} fields")
        return counts.pop()

    def names(self):
        """The fields of the header, if it names anything."""
        if not any(column.width for column in self.columns):
            return {}
        if self.header is not None:
            texts = [self.header]
        else:
            texts = self.files if self.options.header else []
        for text in texts:
            for line in real_lines(text, self.options):
                return Scan(line, self.options, self.options.size and 1 << 31).fields
        return {}

    def slots(self, column, count):
        """Slots and source columns of all segments, as (slot, first, end)."""
        slot = 0
        for first, end in column.segments:
            end = max(first, min(end, count)) if end == END else end
            yield slot, first, end
            slot += end - first

    def schema(self):
        names = {i: (text or "").strip(WHITE) for i, text in self.names().items()}
        shown = {column.name: column for column in self.columns}
        columns = []
        for column in self.columns:
            if shown[column.name] is not column:
                continue
            metadata, slots = {}, []
            if column.width:
                slots = [names.get(i, "") for first, end in column.segments
                         for i in range(first, end)]
            if any(slots):
                value = {"len": column.width, "dense": slots}
                metadata["SlotNames"] = {"type": f"V<TX,{column.width}>", "value": value}
            columns.append({"name": column.name, "type": column.type_text(),
                            "metadata": metadata})
        return {"rows": None, "columns": columns}

    def recorded(self, column, scan):
        """The length of the vector, and the items that were recorded."""
        options, items, length = self.options, {}, 0
        nan = options.missingrealnan
        is_real = column.item[0] in NAN
        for slot, first, end in self.slots(column, scan.end):
            length = slot + end - first
            for i in scan.fields:
                text = scan.fields[i]
                if first <= i < end and (text != "" or nan):
                    blank = is_real and nan and not (text or "").strip(WHITE)
                    items[slot + i - first] = value_of(column.item, None if blank else text,
                                                       options.decimal)
            for i in range(max(first, scan.count), end) if nan and is_real else ():
                items[slot + i - first] = NAN[column.item[0]]
        return length, dict(sorted(items.items()))

    def value(self, column, scan):
        length, items = self.recorded(column, scan)
        default = default_of(column.item)
        if column.width == 0:
            return items.get(0, default)
        if length and len(items) <= length // 2:
            return {"len": length, "idx": list(items), "val": list(items.values())}
        return {"len": length, "dense": [items.get(i, default) for i in range(length)]}

    def rows(self):
        shown = {column.name: column for column in self.columns}
        shown = [column for column in self.columns if shown[column.name] is column]
        skipped = 1 if self.options.header and self.header is None else 0
        lines = (line for text in self.files
                 for line in itertools.islice(real_lines(text, self.options), skipped, None))
        for line in itertools.islice(lines, self.options.rows):
            scan = Scan(line, self.options)
            yield [self.value(column, scan) for column in shown]


def main():
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    try:
        table = Table(sys.argv[1], sys.argv[2:])
        for line in itertools.chain([table.schema()], table.rows()):
            print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
    except Refused as refused:
        print(f"naive_text: {refused}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
