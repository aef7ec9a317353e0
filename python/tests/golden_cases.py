# SPDX-License-Identifier: MIT
"""golden_cases.py: the golden files, their truth, and that truth as values of Python."""

import datetime as dt
import functools
import json
import os
import pathlib
import struct
import sys
import warnings

import libdataview as dv

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/format/text"))
import text_golden  # noqa: E402  how a text case is opened, and what of its truth is mapped


def _folders():
    yield ROOT / "tests/golden"
    more = pathlib.Path(os.environ.get("DV_GOLDEN_DIR") or ROOT.parent / "shared/golden")
    if more.is_dir():
        yield more


FOLDERS = list(_folders())
IS_WHOLE = len(FOLDERS) > 1  # golden files beside those of the repository are there
INTEGER_NA = {f"I{n}": -1 << (8 * n - 1) for n in (1, 2, 4, 8)}
TICKS_MAX = 3155378975999999999
SLOTS_OF_A_LIST = 8192
EPOCH = dt.datetime(1, 1, 1)


@functools.lru_cache(maxsize=4)  # all of them would take half a gigabyte
def _truth(path):
    header, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return header["columns"], rows


class Case:
    """A file, how it is opened, and its truth: a header, and a list of rows."""

    def __init__(self, path, files=None, options=None):
        self.path, self.files, self.options = path, files or [path], options or {}
        self.id = f"{path.parent.parent.name}/{path.parent.name}/{path.name}"

    def open(self, **options):
        with warnings.catch_warnings():  # some files are there to be warned of
            warnings.simplefilter("ignore", dv.DataWarning)
            return self._open(**options)

    def _open(self, **options):
        return dv.open([str(f) for f in self.files], **{**self.options, **options})

    @property
    def truth(self):
        return _truth(self.path.with_suffix(".jsonl"))

    def columns(self):
        """(name, type, rows as JSON) of each column."""
        fields, rows = self.truth
        for k, field in enumerate(fields):
            yield field["name"], field["type"], [row[k] for row in rows]


def _text_cases(folder):
    for path in sorted(folder.glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if case.get("quirk") or "error" in case or case["name"] in text_golden.EXCEPT \
                or not path.with_suffix(".jsonl").exists():
            continue
        yield Case(path, [folder / name for name in case["files"]],
                   {"format": "text", "text": _with_headers(text_golden.options_of(case), folder)})


def _with_headers(options, folder):
    """The name of a header file is relative to the folder of the case."""
    return " ".join(f"hf={folder / word[3:]}" if word.startswith("hf=") else word
                    for word in options.split(" "))


@functools.cache
def cases():
    """Each golden file with a truth, once."""
    found = {}
    for golden in FOLDERS:
        for name in ("idv", "idv-crafted", "btable"):
            for path in sorted((golden / name).glob("*.jsonl")):
                for data in path.parent.glob(f"{path.stem}.*"):
                    if data.suffix in (".idv", ".btable"):
                        found.setdefault((name, data.name), Case(data))
        for name in ("load", "load-mlnet"):
            for case in _text_cases(golden / "text" / name):
                found.setdefault((name, case.path.name), case)
    return list(found.values())


# --- Truth as values of Python --------------------------------------------------------------------


def text(value):
    if isinstance(value, dict):  # text with lone surrogates, each of which is U+FFFD for us
        units = b"".join(struct.pack("<H", u) for u in value["utf16"])
        return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c
                       for c in units.decode("utf-16-le", "surrogatepass"))
    return value


def _datetime(ticks):
    return EPOCH + dt.timedelta(microseconds=ticks // 10) if 0 <= ticks <= TICKS_MAX else None


def _zoned(ticks, minutes):
    if not 0 <= ticks <= TICKS_MAX:
        return None
    return _datetime(ticks).replace(tzinfo=dt.timezone(dt.timedelta(minutes=minutes)))


def _key(number, type_, key_values):
    if number == 0 or type_.key_count and number > type_.key_count:
        return None
    return key_values[number - 1] if key_values else number - 1


def scalar(value, type_, key_values=None):
    """A value of the truth as to_pylist() has it."""
    if value is None:
        return None
    if type_.is_key:
        return _key(value, type_, key_values)
    if type_.kind == "TX":
        return text(value)
    if not isinstance(value, str):
        return None if value == INTEGER_NA.get(type_.kind) else value
    head, _, tail = value.partition(":")
    if head in ("r4", "r8"):
        code, n = ("f", 8) if head == "r4" else ("d", 16)
        return struct.unpack(f">{code}", bytes.fromhex(tail.rjust(n, "0")))[0]
    if head == "ts":
        ticks = int(tail)
        return None if ticks == -1 << 63 else dt.timedelta(microseconds=ticks // 10)
    if head == "dt":
        return _datetime(int(tail))
    if head == "dz":
        return _zoned(*map(int, tail.split(":")))
    return int(tail, 16) if head == "ug" else bytes.fromhex(tail)


def default(type_):
    """What a slot without an item holds."""
    if type_.is_key:
        return None
    return {"TX": "", "BY": b"", "BL": False, "R4": 0.0, "R8": 0.0, "TS": dt.timedelta(0),
            "DT": EPOCH, "DZ": EPOCH.replace(tzinfo=dt.timezone.utc)}.get(type_.kind, 0)


def value(item, type_, key_values=None):
    """A scalar or a vector of the truth as to_pylist() has it."""
    if not type_.is_vector:
        return scalar(item, type_, key_values)
    if "dense" in item:
        slots = dict(enumerate(item["dense"]))
    else:
        slots = dict(zip(item["idx"], item["val"]))
    slots = {i: scalar(v, type_, key_values) for i, v in slots.items()}
    is_wide = len(type_.shape) == 1 and type_.size > SLOTS_OF_A_LIST and not type_.is_key
    if is_wide or "idx" in item and item["len"] > SLOTS_OF_A_LIST:
        return slots
    return slots_of(slots, item["len"], type_)


def slots_of(slots, length, type_):
    none = default(type_)
    return [slots.get(i, none) for i in range(length)]


def key_values_of(field, type_):
    """The values of keys, as a list; None: there are none for each key."""
    found = field["metadata"].get("KeyValues")
    if not type_.is_key or found is None:
        return None
    values = metadata_value(found)
    return values if isinstance(values, list) and len(values) == type_.key_count else None


def metadata_value(entry):
    """Metadata as field.metadata has it: vectors are lists of all slots."""
    type_ = dv.Type(entry["type"])
    if not type_.is_vector:
        return scalar(entry["value"], type_)
    item = entry["value"]
    slots = dict(enumerate(item["dense"])) if "dense" in item else dict(zip(item["idx"], item["val"]))
    return slots_of({i: scalar(v, type_) for i, v in slots.items()}, item["len"], type_)


def lists(case):
    """{name: values as to_pylist() has them}."""
    fields, rows = case.truth
    result = {}
    for k, field in enumerate(fields):
        type_ = dv.Type(field["type"])
        key_values = key_values_of(field, type_)
        result[field["name"]] = [value(row[k], type_, key_values) for row in rows]
    return result


def same(a, b):
    """Equal, NaN equal to NaN, -0.0 not to 0.0, True not to 1."""
    if isinstance(a, float) and isinstance(b, float):
        return a != a and b != b or a == b and str(a) == str(b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and a == b


def difference(want, got):
    """None, or the first row that differs."""
    if same(want, got):
        return None
    if len(want) != len(got):
        return f"{len(got)} rows instead of {len(want)}"
    for row, (a, b) in enumerate(zip(want, got)):
        if not same(a, b):
            return f"row {row} is {b!r:.300} instead of {a!r:.300}"
    return None
