# SPDX-License-Identifier: MIT
"""Mixes: the rows of several tables in proportion to weights."""

import operator

from ._table import Table, _several


def _listed(tables):
    """The names of the tables, None for a list, and the tables."""
    if hasattr(tables, "keys"):
        return list(tables.keys()), _several(list(tables.values()), "mix")
    return None, _several(tables, "mix")


def _weights(weights, names, n):
    """A number for each table, or None."""
    if weights is None:
        return None
    if hasattr(weights, "keys"):
        if names is None or set(weights) != set(names):
            wanted = "a list of weights, as the tables are one" if names is None else f"weights of {names}"
            raise ValueError(f"weights of {list(weights)}: expected {wanted}")
        weights = [weights[name] for name in names]
    weights = [float(weight) for weight in weights]
    if len(weights) != n:
        raise ValueError(f"{len(weights)} weights of {n} tables")
    return tuple(weights)


def _marked(tables, column):
    """The tables, each with a column of its number."""
    for table in tables:
        if column in table.schema:
            raise ValueError(f"source_column={column!r}: the tables have a column of this name")
    return [table.with_columns(**{column: str(i)}) for i, table in enumerate(tables)]


def mix(tables, weights=None, *, stop="first", order="exact", shuffle=False, seed=0, rows=None, source_column=None):
    """The rows of several tables with the same columns, mixed in proportion to weights.

    tables         a dict or a list of Tables
    weights        of each table, as a dict or a list: positive; None: equal
    stop           'first': until a row is due from a table that has none left; 'last': then the others go on, so
                   that every row comes once; 'repeat': then that table begins again
    order          'exact': each row is of the table that lacks most of its share; 'random': 4,096 such choices at a
                   time are shuffled
    shuffle        the rows of each table come in a random order, another one in each epoch and each pass
    rows           of an epoch, unless `stop` ends it before; None: no limit, and 'repeat' never ends
    source_column  a column of this name has the number of the table, from 0 on

    >>> import libdataview as dv
    >>> web = dv.from_numpy({"x": [1, 2, 3, 4]})
    >>> books = dv.from_numpy({"x": [10, 20]})
    >>> dv.mix({"web": web, "books": books}, weights={"web": 2, "books": 1})["x"].to_numpy()
    array([ 1, 10,  2,  3, 20,  4])
    """
    names, tables = _listed(tables)
    weights = _weights(weights, names, len(tables))
    options = {"stop": stop, "order": order, "shuffle": bool(shuffle), "seed": operator.index(seed)}
    if rows is not None:
        options["rows"] = operator.index(rows)
        if options["rows"] < 1:
            raise ValueError(f"rows={rows}: expected 1 or more, or None")
    if source_column is not None:
        tables = _marked(tables, source_column)
    return Table._of(("mix", (weights, options), tuple(t._recipe for t in tables)), None, tables)
