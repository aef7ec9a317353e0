# SPDX-License-Identifier: MIT
"""Conditions and computed columns: `dv.col("Age") >= 18`, joined by `&`, `|` and `~`, and
`dv.col("area") * 2`.  Each becomes a text of the expression language (docs/spec/expressions.md), and
the library evaluates it while it reads rows."""

LESS, EQUAL, GREATER, NA = 1, 2, 4, 8
VALUE = LESS | EQUAL | GREATER
SIGNS = {LESS: "<", EQUAL: "==", LESS | EQUAL: "<=", GREATER: ">", LESS | GREATER: "!=",
         GREATER | EQUAL: ">="}


def quoted(text, quote="'"):
    return quote + text.replace(quote, 2 * quote) + quote


class Condition:
    """A test of rows.  `&`, `|` and `~` join conditions; NA passes no comparison, so that it passes
    the `~` of one, as a NaN does in pandas.

    >>> import libdataview as dv
    >>> (dv.col("Age") > 80) & ~dv.col("Active").is_in([True])
    ((col('Age') > 80) & ~(col('Active') == True))
    """

    __slots__ = ()
    __hash__ = None

    def __and__(self, other):
        return _All(_parts(_All, self) + _parts(_All, _condition(other)))

    def __or__(self, other):
        return _Any(_parts(_Any, self) + _parts(_Any, _condition(other)))

    def __invert__(self):
        return _Not(self)

    def __getattr__(self, name):
        from . import _hints

        raise AttributeError(_hints.of_condition(name), name=name, obj=self)

    def __iter__(self):
        raise TypeError("a condition is not a list of values: t.filter(condition) has the rows that pass, and "
                        "t.filter(condition).count() their number")

    __len__ = __iter__

    def __bool__(self):
        raise TypeError("a condition has no truth value: join conditions with & and |, not with "
                        "'and' and 'or', and put each in parentheses")


class Compare(Condition):
    """A column and a value, which `_fit` makes one of the column's type."""

    __slots__ = ("column", "relations", "value")

    def __init__(self, column, relations, value=""):
        self.column, self.relations, self.value = column, relations, value

    def __repr__(self):
        if self.relations == NA:
            return f"col({self.column!r}).is_na()"
        if self.relations == VALUE:
            return f"col({self.column!r}).is_valid()"
        return f"(col({self.column!r}) {SIGNS[self.relations]} {self.value!r})"


class Said(Condition):
    """A condition as a text of the expression language."""

    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return f"({self.text})"


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
    if isinstance(value, str):
        return Said(value)
    raise TypeError(f"expected a condition such as dv.col('Age') >= 18 or \"Age >= 18\", not "
                    f"{value!r}; put comparisons in parentheses: (a > 1) & (b < 2)")


def _parts(cls, condition):
    return condition.parts if isinstance(condition, cls) else (condition,)


def _plain(value):
    from ._values import plain

    return plain(value)


def _operand(value):
    """The text of a value or column in an expression."""
    if isinstance(value, Comparable):
        return value._text()
    from ._values import text_of

    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value != value:
        raise TypeError("nothing compares with NaN: use is_na() or is_valid()")
    if isinstance(value, float) and value - value != 0:
        return "'Infinity'" if value > 0 else "'-Infinity'"
    return repr(value) if isinstance(value, (int, float)) else quoted(text_of(value))


class Comparable:
    """The operators of columns and computed values: comparisons make conditions, arithmetic makes
    values to compare or to store with Table.with_columns()."""

    __slots__ = ()

    def __getattr__(self, name):
        from . import _hints

        raise AttributeError(_hints.of_column(type(self).__name__, name))

    def _compare(self, relations, value):
        if isinstance(self, Computed) or isinstance(value, Comparable):
            self._table_with(value)
            return Said(f"{self._text()} {SIGNS[relations]} {_operand(value)}")
        return Compare(self.name, relations, _plain(value))

    def _text(self):
        return quoted(self.name, "`")

    def _table_with(self, other):
        """The table of the columns of both; None: any of these names."""
        table, others = (getattr(x, "table", None) if isinstance(x, Comparable) else None
                         for x in (self, other))
        if table is not None and others is not None and table is not others:
            raise TypeError("columns of two tables do not meet in one expression: put them into one "
                            "table first, or use dv.col(name) for a column of the table that is read")
        return others if table is None else table

    def _with(self, sign, other, is_left=True):
        left, right = self._text(), _operand(other)
        return Computed(f"({left} {sign} {right})" if is_left else f"({right} {sign} {left})",
                        self._table_with(other))

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

    def __add__(self, other):
        return self._with("+", other)

    def __radd__(self, other):
        return self._with("+", other, False)

    def __sub__(self, other):
        return self._with("-", other)

    def __rsub__(self, other):
        return self._with("-", other, False)

    def __mul__(self, other):
        return self._with("*", other)

    def __rmul__(self, other):
        return self._with("*", other, False)

    def __truediv__(self, other):
        return self._with("/", other)

    def __rtruediv__(self, other):
        return self._with("/", other, False)

    def __mod__(self, other):
        return self._with("%", other)

    def __rmod__(self, other):
        return self._with("%", other, False)

    def __neg__(self):
        return Computed(f"(-{self._text()})", self._table_with(None))

    def __abs__(self):
        return Computed(f"abs({self._text()})", self._table_with(None))

    def __round__(self):
        return Computed(f"round({self._text()})", self._table_with(None))

    def isin(self, values):
        """One of these values; None among them: NA too."""
        if isinstance(values, (str, bytes)):
            raise TypeError(f"isin() takes a list of values, not {values!r}: isin([{values!r}])")
        if not hasattr(values, "__iter__"):
            raise TypeError(f"isin() takes a list of values, not {values!r}: isin([{values!r}])")
        values = list(values)
        parts = [self == v for v in values if v is not None]
        if len(parts) < len(values):
            parts.append(self.is_na())
        if not parts:
            return self.is_valid() & self.is_na()  # no row
        return parts[0] if len(parts) == 1 else _Any(parts)

    is_in = isin

    def between(self, low, high):
        """At least `low` and at most `high`."""
        return (self >= low) & (self <= high)

    def is_na(self):
        """NA: missing."""
        return Compare(self.name, NA)

    def is_valid(self):
        """Not NA."""
        return Compare(self.name, VALUE)

    def isna(self):
        """NA: missing."""
        return self.is_na()

    isnull = isna

    def notna(self):
        """Not NA."""
        return self.is_valid()

    notnull = notna


class Computed(Comparable):
    """A value that is computed of columns: `dv.col("area") * 2`."""

    __slots__ = ("text", "table")

    def __init__(self, text, table):
        self.text, self.table = text, table

    def _text(self):
        return self.text

    def is_na(self):
        """NA: missing."""
        return Said(f"{self.text} is na")

    def is_valid(self):
        """Not NA."""
        return Said(f"{self.text} is not na")

    def __bool__(self):
        raise TypeError("a computed column has no truth value: compare it, or use is_na()")

    def __repr__(self):
        return self.text


class col(Comparable):
    """A column of the table that a condition is used on, by name: `t.filter(dv.col("Age") >= 18)`.

    >>> import libdataview as dv
    >>> dv.open("examples/sample.idv").filter(dv.col("Age").between(88, 89)).count()
    12
    """

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __bool__(self):
        raise TypeError("a column has no truth value: compare it, or use is_na()")

    def __repr__(self):
        return f"col({self.name!r})"


def columns_of(condition):
    """The columns that it compares with values."""
    if isinstance(condition, Compare):
        return {condition.column}
    return set().union(*(columns_of(p) for p in getattr(condition, "parts", ())))


def _list(parts):
    """The text of values that one column may have, as isin() joins them; None: they are something else."""
    names = {getattr(part, "column", None) for part in parts}
    if len(names) != 1 or None in names or not all(p.relations in (EQUAL, NA) for p in parts):
        return None
    values = ["na" if p.relations == NA else quoted(p.value) for p in parts]
    return f"{quoted(names.pop(), '`')} in ({', '.join(values)})"


def text_of(condition):
    """The text of a condition whose values have been fitted to their columns."""
    if isinstance(condition, Said):
        return f"({condition.text})"
    if isinstance(condition, Compare):
        name = quoted(condition.column, "`")
        if condition.relations in (NA, VALUE):
            return f"{name} is na" if condition.relations == NA else f"{name} is not na"
        return f"{name} {SIGNS[condition.relations]} {quoted(condition.value)}"
    if isinstance(condition, _Not):
        return f"not ({text_of(condition.parts[0])})"
    if isinstance(condition, _Any) and (listed := _list(condition.parts)):
        return listed
    word = " and " if isinstance(condition, _All) else " or "
    return "(" + word.join(map(text_of, condition.parts)) + ")"


def computed_text(value):
    """The text of a column to compute: an expression, a column or a constant."""
    return value if isinstance(value, str) else _operand(value)
