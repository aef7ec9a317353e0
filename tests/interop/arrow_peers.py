#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""arrow_peers.py: what pyarrow reads of our Arrow streams is what the golden files hold, and comes back.

    arrow_peers.py DATAVIEW LIBDATAVIEW

Every golden file goes through dv_view_export_arrow to pyarrow, which validates all of it; the values are compared
with `dataview cat --format exact`.  What pyarrow then hands out goes through dv_view_import_arrow, and must be the same
table when it is exported again, with its metadata.  Without pyarrow, here or in build/venv, it is skipped.
"""
import ctypes
import importlib.util
import json
import math
import os
import pathlib
import struct
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
VENV = TESTS.parent / "build/venv/bin/python"
GOLDEN = [pathlib.Path(folder) for folder in (os.environ.get("DV_GOLDEN_DIR"), TESTS / "golden") if folder]
PATTERNS = ["idv*/*.idv", "btable/*.btable", "datadings/*.msgpack"]
MOST_NBYTES = 1 << 18
UNIX_TICKS, TICKS_MAX = 621355968000000000, 3155378975999999999


class Failure(ctypes.Structure):  # dv_error, and room
    _fields_ = [("bytes", ctypes.c_char * 8192)]


def stream_of(library, path):
    """A reader of pyarrow, or None: the file does not open."""
    import pyarrow

    view, failure, stream = ctypes.c_void_p(), Failure(), (ctypes.c_char * 64)()
    if library.dv_open(ctypes.byref(view), str(path).encode(), None, ctypes.byref(failure)) != 0:
        return None
    status = library.dv_view_export_arrow(view, stream, None, ctypes.byref(failure))
    library.dv_view_release(ctypes.byref(view))
    if status != 0:
        raise ValueError(f"{path.name}: dv_view_export_arrow: status {status}")
    return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))


def returned(library, table):
    """The table after it has been a view of ours."""
    import pyarrow

    view, failure, stream = ctypes.c_void_p(), Failure(), (ctypes.c_char * 64)()
    reader = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches())
    reader._export_to_c(ctypes.addressof(stream))
    status = library.dv_view_import_arrow(ctypes.byref(view), stream, None, ctypes.byref(failure))
    if status != 0:
        raise ValueError(f"dv_view_import_arrow: status {status}")
    status = library.dv_view_export_arrow(view, stream, None, ctypes.byref(failure))
    library.dv_view_release(ctypes.byref(view))
    if status != 0:
        raise ValueError(f"dv_view_export_arrow: status {status}")
    try:
        return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all()
    except pyarrow.ArrowInvalid as wrong:
        if "a span of at most" in str(wrong):
            return None  # the least spans, floored to microseconds, are outside
        raise


# --- What the exact form says ---------------------------------------------------------------------


def real(text):
    kind, digits = text.split(":")
    return struct.unpack(">f" if kind == "r4" else ">d", bytes.fromhex(digits))[0]


def time_of(ticks):
    return None if not 0 <= ticks <= TICKS_MAX else ("us", (ticks - UNIX_TICKS) // 10)


def scalar(value, item):
    """A scalar of the exact form as this file compares it."""
    if value is None or item["is_key"]:
        return None if not value or (item["count"] and value > item["count"]) else value - 1
    if isinstance(value, str) and item["kind"] in ("R4", "R8"):
        return real(value)
    if item["kind"] == "DT":
        return time_of(int(value.split(":")[1]))
    if item["kind"] == "TS":
        ticks = int(value.split(":")[1])
        return None if ticks == -2**63 else ("us", ticks // 10)
    if item["kind"] == "DZ":
        ticks, minutes = (int(part) for part in value.split(":")[1:])
        is_na = not 0 <= ticks <= TICKS_MAX or abs(minutes) > 840 or not 0 <= ticks - minutes * 600000000 <= TICKS_MAX
        return None if is_na else time_of(ticks - minutes * 600000000)
    return value


DEFAULTS = {"TX": "", "BL": False, "R4": 0.0, "R8": 0.0, "DT": time_of(0), "DZ": time_of(0), "TS": ("us", 0)}


def cell(value, column):
    if not column["vector"]:
        return scalar(value, column)
    if "dense" in value:
        return [scalar(item, column) for item in value["dense"]]
    pairs = {slot: scalar(item, column) for slot, item in zip(value["idx"], value["val"])}
    if column["size"] > 8192:
        return [{"index": slot, "value": item} for slot, item in pairs.items()]
    default = None if column["is_key"] else DEFAULTS.get(column["kind"], 0)
    return [pairs.get(slot, default) for slot in range(value["len"])]


def column_of(described):
    """What the notation says: V<U4[0-9],3>."""
    text = described["type"]
    column = {"vector": text.startswith("V<"), "size": 0, "count": 0}
    if column["vector"]:
        text, dims = text[2:-1].split(",", 1)
        sizes = dims.split(",")
        column["size"] = 0 if "*" in sizes else math.prod(int(size) for size in sizes)
        column["size"] = column["size"] if len(sizes) == 1 else min(column["size"], 8192)  # dense
    column["kind"], _, key = text.partition("[")
    column["is_key"] = bool(key)
    if "-" in key and not key.endswith("*]"):
        least, most = key[:-1].split("-")
        column["count"] = int(most) - int(least) + 1
    return column


# --- What pyarrow reads ---------------------------------------------------------------------------


def seen(array):
    """The values of an array of pyarrow, in the same form."""
    import pyarrow

    kind = array.type
    if pyarrow.types.is_dictionary(kind):
        return array.indices.to_pylist()
    if pyarrow.types.is_temporal(kind):
        return [None if ticks is None else ("us", ticks) for ticks in array.cast(pyarrow.int64()).to_pylist()]
    if pyarrow.types.is_fixed_size_list(kind) or pyarrow.types.is_list(kind):
        if pyarrow.types.is_struct(kind.value_type):
            pairs = array.flatten()
            flat = [{"index": slot, "value": value} for slot, value in zip(pairs.field(0).to_pylist(), seen(pairs.field(1)))]
        else:
            flat = seen(array.flatten())
        lengths = [len(row) for row in array.to_pylist()] if not pyarrow.types.is_temporal(kind.value_type) else \
            [kind.list_size] * len(array) if pyarrow.types.is_fixed_size_list(kind) else \
            array.value_lengths().to_pylist()
        rows, at = [], 0
        for length in lengths:
            rows.append(flat[at:at + length])
            at += length
        return rows
    return array.to_pylist()


def seen_all(column):
    """All values of a column as text, so that NaN equals itself."""
    return [repr(value) for chunk in column.chunks for value in seen(chunk)]


def is_same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(is_same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a["index"] == b["index"] and is_same(a["value"], b["value"])
    return a == b


def check(program, library, path):
    """(cells, complaints)"""
    reader = stream_of(library, path)
    if reader is None:
        return 0, []
    table = reader.read_all()
    table.validate(full=True)
    done = subprocess.run([program, "cat", "--format", "exact", path], capture_output=True, check=True)
    head, *lines = done.stdout.decode("utf-8").split("\n")[:-1]
    columns = [(number, column_of(described)) for number, described in enumerate(json.loads(head)["columns"])]
    rows = [json.loads(line) for line in lines]
    complaints = [] if len(rows) == table.num_rows else [f"{table.num_rows} rows instead of {len(rows)}"]
    again = returned(library, table)
    if again is not None and not again.schema.equals(table.schema, check_metadata=True):
        complaints.append("another schema comes back")
    for number in range(table.num_columns if again is not None else 0):
        if seen_all(again.column(number)) != seen_all(table.column(number)):
            complaints.append(f"column {number}: other values come back")
    cells = 0
    for number, column in columns:
        if column["kind"] in ("BY", "UG") or column["kind"].startswith("V") and not column["vector"]:
            continue  # the C test has them
        got = [value for chunk in table.column(number).chunks for value in seen(chunk)]
        for row, value in enumerate(got):
            cells += 1
            want = cell(rows[row][number], column)
            if not is_same(value, want):
                complaints.append(f"row {row}, column {number}: {value!r} instead of {want!r}"[:300])
                break
    return cells, complaints


def run_where_it_is():
    """Runs this file by a Python that has pyarrow; None: this one has it."""
    if importlib.util.find_spec("pyarrow"):
        return None
    if not os.environ.get("DV_IN_VENV") and VENV.exists():
        return subprocess.run([VENV, __file__, *sys.argv[1:]], env={**os.environ, "DV_IN_VENV": "1"}).returncode
    print("[SKIP] arrow_peers::all: there is no pyarrow")
    return 0


def main():
    status = run_where_it_is()
    if status is not None:
        return status
    program, library = sys.argv[1], ctypes.CDLL(sys.argv[2])
    files, cells, wrong = 0, 0, 0
    for path in sorted({path for folder in GOLDEN for pattern in PATTERNS for path in folder.glob(pattern)}):
        if path.stat().st_size > MOST_NBYTES:
            continue
        done, complaints = check(program, library, path)
        files, cells, wrong = files + (done > 0), cells + done, wrong + len(complaints)
        for what in complaints:
            print(f"{path.name}: {what}")
    print(f"{files} files, {cells} cells, {wrong} complaints")
    return int(wrong > 0 or files == 0)


if __name__ == "__main__":
    sys.exit(main())
