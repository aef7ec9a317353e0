# SPDX-License-Identifier: MIT
"""Filters of Ray as conditions of the library, where both keep the same rows.

In Ray a comparison with null is null, and so is its `~`; a filter keeps the rows in which it is true.  NaN is a
value there, which differs from all others.  A condition of the library is true or false, and NaN is NA: so each
part of a filter is asked for the rows in which it is true, or for those in which it is false."""

import struct

from ray.data.expressions import BinaryExpr, ColumnExpr, Expr, LiteralExpr, Operation, UnaryExpr

from ._expr import EQUAL, GREATER, LESS, VALUE, _All, _Any, col

_RELATIONS = {Operation.GT: GREATER, Operation.GE: GREATER | EQUAL, Operation.LT: LESS, Operation.LE: LESS | EQUAL,
              Operation.EQ: EQUAL, Operation.NE: LESS | GREATER}
_EXACT = {"R4": 1 << 24, "R8": 1 << 53}  # integers up to here are reals
_SURROGATES = "\ud800\udfff"  # below them, Ray's order of bytes and the library's of UTF-16 units agree


_PARTS_MOST = 64  # a filter of more is left to Ray


def condition_of(expr, types):
    """The condition that keeps the rows of a filter of Ray; None: there is none.  types: by name of the column."""
    return _rows(expr, types, True) if _parts(expr, _PARTS_MOST) <= _PARTS_MOST else None


def _parts(expr, most):
    """The number of parts of an expression, or one that is greater than `most`."""
    waiting, count = [expr], 0
    while waiting and count <= most:
        part = waiting.pop()
        count += 1
        waiting += [below for below in (getattr(part, name, None) for name in ("left", "right", "operand", "expr"))
                    if isinstance(below, Expr)]
    return count


def _rows(expr, types, wanted):
    """The rows in which an expression is true, or false; None: the library has no condition for them."""
    expr = expr._unalias()
    if isinstance(expr, ColumnExpr) and _kind(expr, types) == "BL":
        return col(expr.name) == wanted
    if isinstance(expr, UnaryExpr) and expr.op is Operation.NOT:
        return _rows(expr.operand, types, not wanted)
    if isinstance(expr, UnaryExpr) and expr.op in (Operation.IS_NULL, Operation.IS_NOT_NULL):
        return _null(expr.operand._unalias(), types, (expr.op is Operation.IS_NULL) == wanted)
    if not isinstance(expr, BinaryExpr):
        return None
    if expr.op in (Operation.AND, Operation.OR):
        join = _All if (expr.op is Operation.AND) == wanted else _Any
        sides = _rows(expr.left, types, wanted), _rows(expr.right, types, wanted)
        return None if any(side is None for side in sides) else join(sides)
    if expr.op in (Operation.IN, Operation.NOT_IN):
        found = _listed(expr.left._unalias(), expr.right, types)
        return found if found is None or (expr.op is Operation.IN) == wanted else ~found
    return _compared(expr, types, wanted)


def _kind(column, types):
    """The kind of a column whose values are compared alike; "": they are not."""
    if not isinstance(column, ColumnExpr) or column.name not in types:
        return ""
    type_ = types[column.name]
    if type_.is_key or type_.is_vector or not (type_.is_number or type_.kind in ("BL", "TX")):
        return ""
    return type_.kind


def _null(column, types, wanted):
    if _kind(column, types)[:1] in ("", "R"):  # NaN is not null
        return None
    return col(column.name).is_na() if wanted else col(column.name).is_valid()


def _compared(expr, types, wanted):
    left, right, relations = expr.left._unalias(), expr.right._unalias(), _RELATIONS.get(expr.op)
    if relations is None:
        return None
    if isinstance(left, LiteralExpr):
        left, right = right, left
        relations = relations & EQUAL | (GREATER if relations & LESS else 0) | (LESS if relations & GREATER else 0)
    kind = _kind(left, types)
    other = _other(right, kind, relations, types) if kind else None
    if other is None:
        return None
    if kind[0] != "R":
        return col(left.name)._compare(relations if wanted else VALUE ^ relations, other)
    if relations == LESS | GREATER:
        relations, wanted = EQUAL, not wanted
    found = col(left.name)._compare(relations, other)
    return found if wanted else ~found


def _other(expr, kind, relations, types):
    """The other side of a comparison with a column of this kind: a constant, or a column; None: there is none."""
    has_order = relations not in (EQUAL, LESS | GREATER)
    if isinstance(expr, ColumnExpr):
        other = _kind(expr, types)
        is_alike = other == kind or other[:1] == kind[0] == "I"
        return None if not is_alike or has_order and kind in ("BL", "TX") or kind == "U8" else col(expr.name)
    if not isinstance(expr, LiteralExpr):
        return None
    value = expr.value.item() if hasattr(expr.value, "item") else expr.value
    return value if _is_alike(value, kind, has_order) else None


def _is_alike(value, kind, has_order):
    """Whether Arrow and the library compare a column with this value alike."""
    if kind == "BL":
        return isinstance(value, bool) and not has_order
    if kind == "TX":
        return isinstance(value, str) and all(
            c != "\0" and (c < _SURROGATES[0] or not has_order and c > _SURROGATES[1]) for c in value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return False
    if isinstance(value, int):
        return abs(value) <= _EXACT.get(kind, (1 << 63) - 1)
    if kind == "R4":
        return abs(value) < 1e38 and struct.unpack("f", struct.pack("f", value))[0] == value
    return kind == "R8" or abs(value) < 1 << 53


def _listed(column, values, types):
    kind, values = _kind(column, types), values.value if isinstance(values, LiteralExpr) else None
    if kind[:1] in ("", "R") or kind == "BL" or not isinstance(values, list) or not values:
        return None
    known = [value for value in values if value is not None]
    if not known or not all(_is_alike(v, kind, False) and not isinstance(v, float) for v in known):
        return None
    return col(column.name).isin(values)

