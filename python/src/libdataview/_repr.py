# SPDX-License-Identifier: MIT
"""Tables as text for people, on a terminal and in a notebook."""

ROWS, COLUMNS, CELL = 5, 20, 40
HTML_ROWS = 10


def _cheap(table):
    """Whether a look at the first rows costs at most one block: not behind a step that reads all."""
    return _is_cheap(table._recipe)


def _is_cheap(recipe):
    waiting = [recipe]
    while waiting:
        name, args, sources = waiting.pop()
        if name in ("materialize", "open_bytes", "learned"):
            continue  # whatever they were made of
        if not _is_cheap_step(name, args):
            return False
        waiting += sources
    return True


def _is_cheap_step(name, args):
    if name == "open_files":
        return not any(path in ("-", "/dev/stdin") for path in args[0]) and not _is_pipe(args[0])
    if name == "held":
        return args[0].options.get("hold", True)
    if name == "apply_fitted" and {"range", "dropna"} & set(args[0].names):
        return False  # whose first row may be far
    return name in ("apply_fitted", "select", "drop", "keep", "combine", "convert", "generate", "slice_rows", "take",
                    "concat", "zip_columns")


def _is_pipe(paths):
    import os

    return not all(map(os.path.isfile, paths))


def cell(value):
    """A value in at most 40 characters."""
    if value is None:
        return "NA"
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


def _first_rows(table, n, columns):
    cells = []
    with table.slice(0, n).batches(columns) as cursor:
        for batch in cursor:
            cells += zip(*[batch[name].to_pylist() for name in batch.columns])
    return [[cell(value) for value in row] for row in cells]


def title(table, rows=None):
    """What a table is; rows: how many there are, if that was found on the way."""
    rows = table.num_rows if rows is None else rows
    counted = "rows not counted" if rows is None else f"{rows:,} row{'' if rows == 1 else 's'}"
    n = table.num_columns
    kind = f"{table.kind} table" if table.kind in _FORMATS else "table"
    return f"{kind}, {counted}, {n:,} column{'' if n == 1 else 's'}"


_FORMATS = ("idv", "btable", "datadings", "text")


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


def text(table):
    """The schema, and five rows where they cost at most one block."""
    if table._closed:
        return "<closed Table>"
    try:
        fields = list(table.schema)[:COLUMNS]
        cheap = bool(fields) and _cheap(table)
        rows = _first_rows(table, ROWS, [f.name for f in fields]) if cheap else []
        all_rows = len(rows) if cheap and len(rows) < ROWS else table.num_rows
        lines = [title(table, all_rows)]
        if not fields:
            return lines[0]
        names = [cell(f.name) for f in fields]
        types = [f.type.notation for f in fields]
        numeric = [f.type.is_number for f in fields]
        n = _that_fit(_widths([names, types, *rows]))
        lines.append(_grid([names[:n], types[:n]], [row[:n] for row in rows], numeric))
        left = table.num_columns - n
        if left:
            lines.append(f"... and {left:,} more column{'' if left == 1 else 's'}")
        if rows and (all_rows is None or all_rows > len(rows)):
            lines.append("...")
        return "\n".join(lines)
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
        rows = _first_rows(table, HTML_ROWS, [f.name for f in fields]) if fields and _cheap(table) \
            else []
        head = "".join(f"<th>{escape(cell(f.name))}<br><small>{escape(f.type.notation)}</small></th>"
                       for f in fields)
        if table.num_columns > COLUMNS:
            head += f"<th>{table.num_columns - COLUMNS:,} more</th>"
        pictures, failed = _thumbnails.of(table, fields, HTML_ROWS) if rows else ({}, {})
        notes = "".join(f"<p>no thumbnails of {escape(f'{name}: {error}')}</p>" for name, error in failed.items())

        def shown(text, at):
            if at not in pictures:
                return escape(text)
            return f'<img src="{pictures[at]}" title="{escape(text)}" alt="{escape(text)}">'

        body = "".join("<tr>" + "".join(f"<td>{shown(text, (i, k))}</td>" for k, text in enumerate(row)) + "</tr>"
                       for i, row in enumerate(rows))
        return (f"<div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
                f"<p>{escape(title(table))}</p>{notes}</div>")
    except Exception as error:
        return f"<p>Table: {escape(str(error))}</p>"


class Description:
    """Statistics of a table for people: repr() and notebooks show them, `.stats` has them all."""

    def __init__(self, table, stats):
        self.stats = stats
        self.types = {f.name: f.type.notation for f in table.schema}

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
