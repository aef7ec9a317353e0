# SPDX-License-Identifier: MIT
"""Conditions: `dv.col("Age") >= 18`, joined by `&`, `|` and `~`."""

LESS, EQUAL, GREATER, NA = 1, 2, 4, 8
VALUE = LESS | EQUAL | GREATER


class Condition:
    """A test of rows.  `&`, `|` and `~` join conditions; NA passes no comparison, so that it passes
    the `~` of one, as a NaN does in pandas."""

    __slots__ = ()
    __hash__ = None

    def __and__(self, other):
        return _All(_parts(_All, self) + _parts(_All, _condition(other)))

    def __or__(self, other):
        return _Any(_parts(_Any, self) + _parts(_Any, _condition(other)))

    def __invert__(self):
        return _Not(self)

    def __bool__(self):
        raise TypeError("a condition has no truth value: join conditions with & and |, not with "
                        "'and' and 'or', and put each in parentheses")


class Compare(Condition):
    __slots__ = ("column", "relations", "value")

    def __init__(self, column, relations, value=""):
        self.column, self.relations, self.value = column, relations, value

    def __repr__(self):
        if self.relations == NA:
            return f"col({self.column!r}).is_na()"
        if self.relations == VALUE:
            return f"col({self.column!r}).is_valid()"
        sign = {1: "<", 2: "==", 3: "<=", 4: ">", 5: "!=", 6: ">="}[self.relations]
        return f"(col({self.column!r}) {sign} {self.value!r})"


class _Several(Condition):
    __slots__ = ("parts",)

    def __init__(self, parts):
        self.parts = tuple(parts)


class _All(_Several):
    def __repr__(self):
        return "(" + " & ".join(map(repr, self.parts)) + ")"


class _Any(_Several):
    def __repr__(self):
        return "(" + " | ".join(map(repr, self.parts)) + ")"


class _Not(_Several):
    def __init__(self, part):
        super().__init__((part,))

    def __repr__(self):
        return f"~{self.parts[0]!r}"


def _condition(value):
    if isinstance(value, Condition):
        return value
    raise TypeError(f"expected a condition such as dv.col('Age') >= 18, not {value!r}; put "
                    "comparisons in parentheses: (a > 1) & (b < 2)")


def _parts(cls, condition):
    return condition.parts if isinstance(condition, cls) else (condition,)


def _plain(value):
    from ._values import plain

    return plain(value)


class Comparable:
    """What `col("Age")` and `t["Age"]` share: comparisons become conditions."""

    __slots__ = ()

    def _compare(self, relations, value):
        return Compare(self.name, relations, _plain(value))

    def __lt__(self, value):
        return self._compare(LESS, value)

    def __le__(self, value):
        return self._compare(LESS | EQUAL, value)

    def __gt__(self, value):
        return self._compare(GREATER, value)

    def __ge__(self, value):
        return self._compare(GREATER | EQUAL, value)

    def __eq__(self, value):
        return self._compare(EQUAL, value)

    def __ne__(self, value):
        return self._compare(LESS | GREATER, value)

    __hash__ = None

    def isin(self, values):
        """One of these values; None among them: NA too."""
        if isinstance(values, (str, bytes)):
            raise TypeError(f"isin() takes a list of values, not {values!r}: isin([{values!r}])")
        values = list(values)
        parts = [Compare(self.name, EQUAL, _plain(v)) for v in values if v is not None]
        if len(parts) < len(values):
            parts.append(self.is_na())
        if not parts:
            return Compare(self.name, VALUE) & Compare(self.name, NA)  # no row
        return parts[0] if len(parts) == 1 else _Any(parts)

    def is_na(self):
        """NA: missing."""
        return Compare(self.name, NA)

    def is_valid(self):
        """Not NA."""
        return Compare(self.name, VALUE)

    isna = isnull = is_na
    notna = is_valid


class col(Comparable):
    """A column of the table that a condition is used on, by name: `t.filter(dv.col("Age") >= 18)`."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __bool__(self):
        raise TypeError("a column has no truth value: compare it, or use is_na()")

    def __repr__(self):
        return f"col({self.name!r})"

    def _no_arithmetic(self, *_):
        raise TypeError("conditions have no arithmetic: compute with NumPy, polars or DuckDB, and "
                        "select rows by t[mask]")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _no_arithmetic
    __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __neg__ = _no_arithmetic


def conjunction(condition):
    """The comparisons that a condition joins by `&` alone; None if it is more than that."""
    parts = _parts(_All, condition)
    return list(parts) if all(isinstance(p, Compare) for p in parts) else None


def columns_of(condition):
    if isinstance(condition, Compare):
        return {condition.column}
    return set().union(*(columns_of(p) for p in condition.parts))


def evaluate(condition, leaf):
    """The mask of a condition; leaf(comparisons) gives that of comparisons joined by `&`."""
    simple = conjunction(condition)
    if simple is not None:
        return leaf(simple)
    if isinstance(condition, _Not):
        return ~evaluate(condition.parts[0], leaf)
    masks = [evaluate(p, leaf) for p in condition.parts]
    result = masks[0]
    for mask in masks[1:]:
        result = result & mask if isinstance(condition, _All) else result | mask
    return result
