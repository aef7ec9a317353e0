# SPDX-License-Identifier: MIT
"""Types of columns: the notation (`R4`, `TX`, `U4[0-9]`, `V<R4,3>`) and the field's own words."""

from . import _core

# Notation, NumPy's word, others that mean it.
_WORDS = (
    ("I1", "int8", ""),
    ("I2", "int16", ""),
    ("I4", "int32", ""),
    ("I8", "int64", "int"),
    ("U1", "uint8", ""),
    ("U2", "uint16", ""),
    ("U4", "uint32", ""),
    ("U8", "uint64", ""),
    ("R4", "float32", "float"),
    ("R8", "float64", "double"),
    ("TX", "string", "str utf8 text large_string large_utf8 string_view object"),
    ("BY", "bytes", "binary large_binary"),
    ("BL", "bool", "boolean bool_"),
    ("TS", "timedelta", "duration duration[us] timedelta64 timedelta64[us] timedelta64[ns]"),
    ("DT", "datetime", "timestamp timestamp[us] datetime64 datetime64[us] datetime64[ns] date"),
    ("DZ", "datetime with zone", "timestamptz"),
    ("UG", "uint128", "uuid"),
)
WORD = {notation: word for notation, word, _ in _WORDS}
_NOTATION = {word: notation for notation, word, _ in _WORDS}
_NOTATION.update((other, notation) for notation, _, others in _WORDS for other in others.split())
_NOTATION["float32"] = "R4"
_NOTATION["float"] = "R8"  # as in Python and NumPy; Arrow's "float" arrives as an object
_parsed = {}  # notation -> Type
_PYTHON = {int: "I8", float: "R8", str: "TX", bytes: "BY", bool: "BL"}


class Type:
    """The type of a column.  Types compare equal if their notation is the same.

    `kind` ("R4", "TX"; of a vector that of its items), `is_key`, `key_min`, `key_count` (0: unknown),
    `shape` (of a vector; 0: varies; () for scalars), `word` ("float32").

    >>> import libdataview as dv
    >>> dv.Type("R4") == "float32", dv.Type("V<R4,3>").word
    (True, 'float32[3]')
    """

    __slots__ = ("notation", "kind", "is_key", "key_min", "key_count", "shape", "width")

    def __init__(self, notation):
        for name, value in _core.type_parse(str(notation)).items():
            setattr(self, name, value)

    @property
    def is_vector(self):
        return bool(self.shape)

    @property
    def size(self):
        """Slots of each vector; 0: varies.  1 for scalars."""
        size = 1
        for dim in self.shape:
            size *= dim
        return size

    @property
    def word(self):
        item = "category" if self.is_key else WORD.get(self.kind, self.kind)
        if not self.shape:
            return item
        return f"{item}[{', '.join(str(d) if d else '*' for d in self.shape)}]"

    @property
    def is_number(self):
        return not self.is_key and self.kind[0] in "IUR" and self.kind != "UG"

    def __str__(self):
        return self.notation

    def __repr__(self):
        return f"Type({self.notation!r})"  # `word` says it in NumPy's terms

    def __eq__(self, other):
        if isinstance(other, Type):
            return self.notation == other.notation
        text = _text_of(other)
        is_type = text is not None and text.isascii() and _core.is_type(text)
        return self.notation == parse(text).notation if is_type else NotImplemented

    def __hash__(self):
        return hash(self.notation)

    def __reduce__(self):
        return Type, (self.notation,)


def parse(notation):
    found = _parsed.get(notation)
    if found is None:
        if len(_parsed) >= 1024:
            _parsed.clear()
        found = _parsed[notation] = Type(notation)
    return found


def as_type(value):
    """A Type of the notation, a word ("float32"), a Python type, a NumPy dtype or an Arrow type."""
    if isinstance(value, Type):
        return value
    text = _text_of(value)
    if text is None:
        raise TypeError(f"a type is the notation ('R4'), a word ('float32'), a dtype or an Arrow type, "
                        f"not {value!r}")
    return parse(text)


def _text_of(value):
    """The notation of a value that as_type() takes, which need not be valid; None for other values."""
    if isinstance(value, type) and value in _PYTHON:
        return _PYTHON[value]
    module = type(value).__module__.partition(".")[0]
    if module == "pyarrow":
        text = {"float": "R4", "halffloat": "R4", "double": "R8"}.get(str(value)) or str(value)
        if text.startswith("timestamp") and "tz=" in text:
            text = "DZ"
        return _of_word(text.partition("[")[0] if text[:4] in ("time", "dura") else text)
    if isinstance(value, type) and value.__module__ == "numpy":
        return _of_word(value.__name__)
    if module == "numpy" and getattr(value, "kind", "") in "USOTmM":  # of any width, unit or order
        return {"S": "BY", "m": "TS", "M": "DT"}.get(value.kind, "TX")
    if module == "numpy" and hasattr(value, "name"):
        return _of_word(value.name)
    if module in ("numpy", "pandas"):
        return _of_word(str(value))
    return _of_word(value) if isinstance(value, str) else None


def _of_word(text):
    notation = _NOTATION.get(text) or _NOTATION.get(text.lower())
    if not notation and text[:10] in ("datetime64", "timedelta6") and text[-1] == "]":
        notation = "DZ" if "," in text else _NOTATION[text.partition("[")[0]]
    return notation or text
