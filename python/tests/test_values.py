# SPDX-License-Identifier: MIT
"""Every golden file has the values of its truth, exactly and as objects of Python."""

import json

import golden_cases as golden
import pytest

SIZES = (1, 3, 64, 0)  # rows of a batch; 0: as they are stored


def exact(table, name, rows=0):
    lines = []
    for batch in table.batches([name], rows=rows):
        lines += batch[name].exact()
    return lines


def mapped(item, type_):
    """A value of a truth without what semantics:0 decides otherwise, and without its storage."""
    if type_.kind == "TX" and isinstance(item, dict):
        if "utf16" in item:
            return golden.text(item)
        part = "dense" if "dense" in item else "val"
        return {**item, part: [golden.text(v) for v in item[part]]}
    return golden.text_golden.mapped(item, "" if type_.is_key else type_.kind)


def test_there_are_many():
    assert len(golden.cases()) > (300 if golden.IS_WHOLE else 150)
    assert {case.path.suffix for case in golden.cases()} >= {".idv", ".btable", ".json"}


def test_schema(case):
    fields, _ = case.truth
    schema = case.open().schema
    assert [(f.name, f.type.notation) for f in schema] == [(f["name"], f["type"]) for f in fields]
    for field in fields:
        metadata = schema[field["name"]].metadata
        assert {k: str(metadata.type(k)) for k in metadata} == \
            {k: entry["type"] for k, entry in field["metadata"].items()}
        for kind, entry in field["metadata"].items():
            assert golden.same(metadata[kind], golden.metadata_value(entry)), (field["name"], kind)


def test_exact(case):
    table = case.open()
    for name, notation, rows in case.columns():
        type_ = golden.dv.Type(notation)
        want = [mapped(item, type_) for item in rows]
        got = [mapped(json.loads(line), type_) for line in exact(table, name)]
        if "load-mlnet" in case.id:  # whose truth ends after 2,000 rows
            got = got[:len(want)]
        assert golden.difference(want, got) is None, (name, golden.difference(want, got))


def test_to_pylist(case):
    table = case.open()
    for name, want in golden.lists(case).items():
        got = table[name].to_pylist()
        if "load-mlnet" in case.id:
            got = got[:len(want)]
        assert golden.difference(want, got) is None, (name, golden.difference(want, got))


@pytest.mark.parametrize("rows", SIZES)
def test_batches(case, rows):
    table = case.open()
    whole = table.to_pydict()
    parts = {name: [] for name in table.columns}
    position = 0
    for batch in table.batches(rows=rows):
        assert batch.rows == len(batch) >= 1 and batch.position == batch.first_row == position
        position += len(batch)
        for name in batch.columns:
            array = batch[name]
            assert len(array) == len(batch)
            items = array.to_pylist()
            assert golden.same(array[0], items[0]) and golden.same(array[-1], items[-1])
            assert array.na_count() >= sum(item is None for item in items)
            parts[name] += items
    assert golden.same(parts, whole)
    assert table.count() == position


def test_rows(case):
    table = case.open()
    rows = table.to_pylist()
    columns = table.to_pydict()
    assert golden.same(rows, [dict(zip(columns, values)) for values in zip(*columns.values())]
                       if columns else [{} for _ in range(table.count())])
