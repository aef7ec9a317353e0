# SPDX-License-Identifier: MIT
"""Conditions for the type of their column: the values that the library compares with, as text.

A condition compares with values as to_pylist() shows them: a real number with integers, a category
with keys.  What no value of the type equals is answered here."""

import math
import numbers

from ._expr import EQUAL, GREATER, LESS, NA, VALUE, Compare, Said, _All, _Any, _Not, _parts
from ._values import text_of

_F4_MOST = 3.4028234663852886e38
_R8_END = 2**1024 - 2**970  # numbers from here on round to infinity


def fitted(condition, schema):
    """The condition with texts for the types of a schema."""
    if isinstance(condition, Compare):
        return _compare(condition, schema[condition.column])
    if isinstance(condition, Said):
        return condition
    if isinstance(condition, _Not):
        return ~fitted(condition.parts[0], schema)
    several = _All if isinstance(condition, _All) else _Any
    return several([part for whole in condition.parts for part in _parts(several, fitted(whole, schema))])


def _no_row(name):
    return Compare(name, VALUE) & Compare(name, NA)


def _decided(compare, order):
    """The rows of a comparison that comes out alike for all values: they are all less or greater."""
    if compare.relations & order:
        return Compare(compare.column, VALUE)
    return _no_row(compare.column)


def _compare(compare, field):
    type_, value = field.type, compare.value
    if compare.relations in (NA, VALUE):
        return compare
    if isinstance(value, float) and math.isnan(value):
        raise TypeError("nothing compares with NaN: use is_na() or is_valid()")
    if type_.is_key and not type_.is_vector:
        return _key(compare, field)
    if type_.kind == "UG" and isinstance(value, int):
        return _with(compare, f"0x{value:032x}" if 0 <= value < 1 << 128 else str(value))
    if isinstance(value, (int, float)) and type_.kind == "BL":
        return _whole(compare, 0, 1)
    if isinstance(value, (int, float)) and type_.kind[0] in "IU":
        bits = 8 * int(type_.kind[1])
        least = 0 if type_.kind[0] == "U" else 1 - (1 << bits - 1)
        return _whole(compare, least, (1 << bits if type_.kind[0] == "U" else 1 << bits - 1) - 1)
    if isinstance(value, (int, float)) and type_.kind[0] == "R":
        return _real(compare, type_.kind)
    if type_.kind == "TX" and not isinstance(value, str):
        raise TypeError(f"column {field.name!r} is text: compare it with a str, not with {value!r}")
    return _with(compare, text_of(value))


def _with(compare, text, relations=None):
    return Compare(compare.column, relations or compare.relations, text)


def _whole(compare, least, most, text=str):
    """A comparison of whole numbers from least to most with any number."""
    value, relations = compare.value, compare.relations
    if value > most:
        return _decided(compare, LESS)
    if value < least:
        return _decided(compare, GREATER)
    if value == int(value):
        return _with(compare, text(int(value)))
    if relations == EQUAL:
        return _no_row(compare.column)
    if relations == LESS | GREATER:
        return Compare(compare.column, VALUE)
    if relations & LESS:
        return _with(compare, text(math.floor(value)), LESS | EQUAL)
    return _with(compare, text(math.ceil(value)), GREATER | EQUAL)


def _real(compare, kind):
    if isinstance(compare.value, numbers.Rational) and abs(compare.value) >= _R8_END:
        return _beyond(compare, compare.value, "1.7976931348623157e308")
    value = float(compare.value)
    if math.isinf(value):
        return _with(compare, "Infinity" if value > 0 else "-Infinity")
    if kind == "R4" and abs(value) > _F4_MOST:
        return _beyond(compare, value, repr(_F4_MOST))
    return _with(compare, repr(value))


def _beyond(compare, value, most):
    """A finite number beyond the largest of the type: only infinity is further."""
    relations = compare.relations
    if relations == EQUAL:
        return _no_row(compare.column)
    if relations == LESS | GREATER:
        return Compare(compare.column, VALUE)
    if value > 0:
        return _with(compare, most, LESS | EQUAL if relations & LESS else GREATER)
    return _with(compare, "-" + most, LESS if relations & LESS else GREATER | EQUAL)


def _key(compare, field):
    """Keys compare by what they stand for: values in their order of keys, else class numbers."""
    type_, value, relations = field.type, compare.value, compare.relations
    values = field.metadata.get("KeyValues")
    if isinstance(values, list) and len(values) == type_.key_count:
        if relations in (EQUAL, LESS | GREATER):
            found = [i for i, v in enumerate(values) if v == value and v is not None]
        else:
            found = [i for i, v in enumerate(values) if v is not None and _holds(v, relations, value)]
        if relations == LESS | GREATER:
            parts = [_with(compare, str(type_.key_min + i)) for i in found]
            return Compare(compare.column, VALUE) if not parts else \
                parts[0] if len(parts) == 1 else _All(parts)
        parts = [_with(compare, str(type_.key_min + i), EQUAL) for i in found]
        return _no_row(compare.column) if not parts else parts[0] if len(parts) == 1 else _Any(parts)
    if not isinstance(value, (int, float)):
        raise TypeError(f"column {field.name!r} has keys without values: compare its class numbers "
                        f"from 0, not {value!r}")
    count = type_.key_count or (1 << 8 * int(type_.kind[1])) - 1
    return _whole(compare, 0, count - 1, lambda n: str(type_.key_min + n))


def _holds(a, relations, b):
    try:
        return bool(relations & (LESS if a < b else EQUAL if a == b else GREATER))
    except TypeError as error:
        raise TypeError(f"a category such as {a!r} does not compare with {b!r}") from error
