# SPDX-License-Identifier: MIT
"""Tables as text for people, on a terminal and in a notebook."""

from . import _look

ROWS, COLUMNS, CELL = 5, 20, 40
HTML_ROWS = 10


def cell(value):
    """A value in at most 40 characters; NA is NA, whatever the type, and a text NA is "NA"."""
    if value is None or value != value:
        return "NA"
    if isinstance(value, str) and value == "NA":
        return '"NA"'
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        shown = " ".join(cell(item) for item in value[:6])
        text = f"[{shown}{' ...' if len(value) > 6 else ''}]"
    elif isinstance(value, dict):
        shown = " ".join(f"{slot}:{cell(item)}" for slot, item in list(value.items())[:4])
        text = f"{{{shown}{' ...' if len(value) > 4 else ''}}}"
    else:
        text = str(value)
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= CELL else text[:CELL - 3] + "..."


def _cells(rows):
    """The rows as texts.  A column of dates without times shows dates."""
    columns = [list(column) for column in zip(*rows)]
    return [list(row) for row in zip(*[_as_dates(column) for column in columns])]


def _as_dates(column):
    import datetime

    times = [value for value in column if value is not None]
    if times and all(isinstance(value, datetime.datetime) and value.tzinfo is None
                     and value.time() == datetime.time.min for value in times):
        return ["NA" if value is None else value.date().isoformat() for value in column]
    return [cell(value) for value in column]


def _plural(n, word):
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def title(table, found=None):
    """The first line.  found: a look at the rows, which may have counted them."""
    rows = len(found.rows) if found is not None and found.is_all else table.num_rows
    if rows is not None:
        counted = _plural(rows, "row")
    elif found is not None and found.has_more:
        counted = f"more than {_plural(len(found.rows), 'row')}"
    else:
        counted = "rows not counted"
    hidden = len(table.schema.fields) - table.num_columns
    kind = f"{table.kind} table" if table.kind in _FORMATS else "table"
    return f"{kind}, {counted}, {_plural(table.num_columns, 'column')}{f' ({hidden:,} hidden)' if hidden else ''}"


def _remark(found):
    """A sentence on the rows that a look has not shown; "": none are left."""
    if found is None:
        return "rows not shown, since a look may take long: t.head().to_pylist() reads some"
    if found.rows and (found.has_more or found.is_all or not found.is_filtered):
        return ""
    if not found.is_filtered:
        return "no rows"
    if found.rows:
        return f"{_plural(len(found.rows), 'matching row')} in the first {_plural(found.read, 'row')} read"
    return f"no matching row in the first {_plural(found.read, 'row')} read"


_FORMATS = ("idv", "btable", "datadings", "text", "parquet", "arrow", "jsonl")


def _widths(rows):
    return [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]


def _that_fit(widths):
    """How many columns the terminal has room for, at least one."""
    import shutil

    room = shutil.get_terminal_size((120, 24)).columns
    n = used = 0
    while n < len(widths) and (n == 0 or used + widths[n] <= room):
        used += widths[n] + 2
        n += 1
    return n


def _grid(head, rows, numeric):
    widths = _widths([*head, *rows])
    return "\n".join("  ".join(
        text.rjust(w) if right else text.ljust(w)
        for text, w, right in zip(row, widths, numeric)).rstrip() for row in [*head, *rows])


def _first_rows(table, n, fields):
    """A look at the first rows; None: the table is not looked at."""
    return _look.look(table, n, [f.name for f in fields]) if fields and _look.can_look(table) else None


def _types_of(fields):
    return [f"{f.type.word} {f.type.notation}" for f in fields]


def text(table):
    """The schema, and five rows that a bounded look finds (_look.py)."""
    if table._closed:
        return "<closed Table>"
    try:
        fields = list(table.schema)[:COLUMNS]
        found = _first_rows(table, ROWS, fields)
        lines = [title(table, found)]
        if not fields:
            return lines[0]
        rows = _cells(found.rows) if found is not None else []
        names, types = [cell(f.name) for f in fields], _types_of(fields)
        numeric = [f.type.is_number for f in fields]
        n = _that_fit(_widths([names, types, *rows]))
        lines.append(_grid([names[:n], types[:n]], [row[:n] for row in rows], numeric))
        left = table.num_columns - n
        if left:
            lines.append(f"... and {_plural(left, 'more column')}")
        if rows and found.has_more:
            lines.append("...")
        remark = _remark(found)
        return "\n".join([*lines, remark] if remark else lines)
    except Exception as error:  # what is shown to a person must not fail
        return f"<Table: {error}>"


def html(table):
    """The schema and at most 10 rows of 20 columns, escaped, with thumbnails of pictures; an error becomes a line."""
    if table._closed:
        return "<p>closed Table</p>"
    from html import escape

    from . import _thumbnails

    try:
        fields = list(table.schema)[:COLUMNS]
        found = _first_rows(table, HTML_ROWS, fields)
        rows = _cells(found.rows) if found is not None else []
        head = "".join(f"<th>{escape(cell(f.name))}<br><small>{escape(type_)}</small></th>"
                       for f, type_ in zip(fields, _types_of(fields)))
        if table.num_columns > COLUMNS:
            head += f"<th>{table.num_columns - COLUMNS:,} more</th>"
        pictures, failed = _thumbnails.of(table, fields, HTML_ROWS) if rows and not found.is_filtered else ({}, {})
        notes = "".join(f"<p>no thumbnails of {escape(f'{name}: {error}')}</p>" for name, error in failed.items())

        def shown(text, at):
            if at not in pictures:
                return escape(text)
            return f'<img src="{pictures[at]}" title="{escape(text)}" alt="{escape(text)}">'

        body = "".join("<tr>" + "".join(f"<td>{shown(text, (i, k))}</td>" for k, text in enumerate(row)) + "</tr>"
                       for i, row in enumerate(rows))
        remark = _remark(found)
        notes = (f"<p>{escape(remark)}</p>" if remark else "") + notes
        return (f"<div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
                f"<p>{escape(title(table, found))}</p>{notes}</div>")
    except Exception as error:
        return f"<p>Table: {escape(str(error))}</p>"


class Description:
    """Statistics of a table for people: repr() and notebooks show them, `.stats` has them all."""

    def __init__(self, table, stats):
        self.stats = stats
        self.types = {f.name: f"{f.type.word} {f.type.notation}" for f in table.schema}

    def __getitem__(self, name):
        return self.stats[name]

    def _rows(self):
        for name, s in self.stats.items():
            numbers = ["" if v is None or v != v else cell(v)
                       for v in (s["mean"], s["sd"], s["min"], s["quantiles"][3], s["max"])]
            distinct = "" if s["distinct"] < 0 else f"{s['distinct']:,}"
            yield [name, self.types.get(name, ""), f"{s['values']:,}", f"{s['na']:,}", distinct,
                   *numbers]

    _head = ["column", "type", "values", "NA", "distinct", "mean", "sd", "min", "median", "max"]

    def __repr__(self):
        return _grid([self._head], list(self._rows()), [False, False] + [True] * 8)

    def _repr_html_(self):
        from html import escape

        head = "".join(f"<th>{h}</th>" for h in self._head)
        body = "".join("<tr>" + "".join(f"<td>{escape(t)}</td>" for t in row) + "</tr>"
                       for row in self._rows())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
