# SPDX-License-Identifier: MIT
"""Tables as lazy frames of polars."""

from . import _errors

pl = _errors.needed("polars", "polars", "libdataview.polars")

from polars.io.plugins import register_io_source  # noqa: E402

ROWS = 65536


def scan(table):
    """A polars.LazyFrame of a Table: only the columns that a query needs are read, and only as many
    rows; its filter is applied to each batch."""
    schema = pl.DataFrame(table.slice(0, 0)).schema if table.num_columns else pl.Schema()

    def read(with_columns, predicate, n_rows, batch_size):
        source = table if with_columns is None else table.select(*with_columns)
        if n_rows is not None and predicate is None:
            source = source.slice(0, n_rows)
        left = n_rows
        for batch in source.batches(rows=batch_size or ROWS):
            frame = pl.DataFrame(batch)
            if predicate is not None:
                frame = frame.filter(predicate)
            if left is not None:
                frame = frame.head(left)
                left -= len(frame)
            yield frame
            if left == 0:
                return

    return register_io_source(read, schema=schema)
