# SPDX-License-Identifier: MIT
"""Matrices of a feed: their columns, the items that they have, and what NA becomes."""

import operator

from ._column import names_of

_REAL = ("R4", "R8")
NUMBERS = ("I1", "U1", "I2", "U2", "I4", "U4", "I8", "U8", "R4", "R8", "BL")
#: by letter, which is NumPy's; y has no type of NumPy
DTYPES = {"b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "i": "int32", "I": "uint32", "q": "int64",
          "Q": "uint64", "e": "float16", "y": "bfloat16", "f": "float32", "d": "float64", "?": "bool"}
NBYTES = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "e": 2, "y": 2, "f": 4, "d": 8, "?": 1}
_SHORT = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f2": "e",
          "bf16": "y", "f4": "f", "f8": "d", "half": "e", "float": "f", "double": "d"}
_LETTERS = {**_SHORT, **{name: letter for letter, name in DTYPES.items() if letter != "?"}}
REALS = "eyfd"


def letter_of(dtype, option):
    """The letter of a dtype, by its name in NumPy or torch."""
    text = getattr(dtype, "__name__", None) or str(getattr(dtype, "name", dtype))
    text = text.removeprefix("torch.").lstrip("<=|")
    if text not in _LETTERS:
        raise ValueError(f"{option}={dtype!r}: expected int8 to int64, uint8 to uint64, float16, bfloat16, float32 or "
                         "float64")
    return _LETTERS[text]


def _na(na, letter, option):
    """What NA becomes, as an option of the library; None: NaN, or an error where there is none."""
    is_real = letter in REALS
    if isinstance(na, str) and na == "raise" or na is None and not is_real:
        return {"na": "refused"}
    if isinstance(na, str) and na == "nan" and is_real or na is None:
        return {"na": "keep"}
    if isinstance(na, (str, bool)) or not isinstance(na, (int, float)) or not is_real and na != int(na):
        raise ValueError(f"{option}={na!r}: expected " + ("'nan', 'raise' or a number" if is_real else
                                                         "'raise' or a whole number"))
    return {"na": "value", "na_value": float(na)}


def _natural(types):
    """float32 for reals; integers, Booleans and keys become int64."""
    return "f" if any(t.kind in _REAL for t in types) else "q"


class Matrix:
    """One matrix of each batch.  is_flat: a single scalar column, which has the shape (N,)."""

    def __init__(self, name, columns, letter, na, widths, is_flat=False):
        self.name, self.columns, self.letter, self.na = name, columns, letter, na
        self.widths, self.is_flat = widths, is_flat

    def request(self, schema):
        """As the library takes it."""
        numbers = [schema[name].index for name in self.columns]
        return numbers, "B" if self.letter == "?" else self.letter, self.na, self.widths, self.name

    def mask(self):
        """The matrix of the same shape that says where NA is."""
        return Matrix(self.name + "_na", self.columns, "?", {"na": "mask"}, self.widths, self.is_flat)


class _Options:
    """Options of which a dict has one value for each matrix, or each column."""

    def __init__(self, names, **given):
        self._given = given
        for option, value in given.items():
            for name in value if isinstance(value, dict) else ():
                if name not in names:
                    raise ValueError(f"{option}: no matrix is called {name!r}: there are {', '.join(names)}")

    def of(self, option, name, default=None):
        value = self._given[option]
        return value.get(name, default) if isinstance(value, dict) else value


def _widths(widths, columns, schema):
    """Slots of each column, 0: as its type says; None: all as their types say."""
    if widths is None:
        return None
    if isinstance(widths, dict):
        found = {names_of(name, schema)[0]: operator.index(slots) for name, slots in widths.items()}
    elif isinstance(widths, (list, tuple)):
        if len(widths) != len(columns):
            raise ValueError(f"widths has {len(widths)} numbers for {len(columns)} columns: {', '.join(columns)}")
        found = {name: operator.index(slots) for name, slots in zip(columns, widths)}
    else:
        found = dict.fromkeys(columns, operator.index(widths))
    varies = [schema[name].type.is_vector and not schema[name].type.size for name in columns]
    sizes = [found.get(name, 0) if is_one else 0 for name, is_one in zip(columns, varies)]
    if any(slots < 1 for name, slots in found.items()):
        raise ValueError(f"widths={widths!r}: each is at least 1")
    return sizes if any(sizes) else None


def _all_numbers(schema, but, widths, choice):
    return [f.name for f in schema if f.type.kind in NUMBERS and not f.type.is_key and f.name not in but
            and (not f.type.is_vector or f.type.size or widths is not None
                 or choice is not None and choice.covers("features", f.name))]


def _make(name, columns, schema, letter, na, choice, widths=None, is_flat=False):
    """A matrix, which is a padded one if `pad` names it or one of its columns."""
    pads = choice.of(name, columns, schema) if choice else []
    if not any(pads):
        return Matrix(name, columns, letter, na, _widths(widths, columns, schema), is_flat)
    from . import _pad

    if widths is not None:
        raise ValueError(f"{name}: pad and widths both say how wide it is: leave one of them out")
    return _pad.Padded(name, columns, letter, na, pads, [schema[column].type.size for column in columns])


def _labels(labels, schema, dtype, na, choice):
    columns = names_of(labels, schema)
    types = [schema[name].type for name in columns]
    letter = _natural(types) if dtype is None else letter_of(dtype, "label_dtype")
    is_flat = len(types) == 1 and not types[0].is_vector
    return _make("labels", columns, schema, letter, _na(na, letter, "label_na"), choice, None, is_flat)


def _is_whole(name, columns, schema, widths, choice):
    """Whether a named column comes as it is, without a matrix: texts, or vectors whose size varies."""
    type_ = schema[columns[0]].type
    if len(columns) > 1:
        return False
    if type_.kind not in NUMBERS and not type_.is_key:
        return not (choice and choice.of(name, columns, schema)[0])
    return bool(type_.is_vector and not type_.size and not _widths(widths, columns, schema)
                and not (choice and choice.covers(name, columns[0])))


def _of_pad(pad):
    if pad is None:
        return None
    from . import _pad

    return _pad.Choice(pad)


def plan(schema, features, labels, *, dtype, na, na_mask, label_dtype, label_na, widths, pad):
    """The matrices of each batch, other columns by name, and whether the caller gave names."""
    choice = _of_pad(pad)
    made = [] if labels is None else [_labels(labels, schema, label_dtype, label_na, choice)]
    made = [m for m in made if m.columns]
    if isinstance(features, dict):
        groups = {name: names_of(columns, schema) for name, columns in features.items()}
    else:
        taken = made[0].columns if made else ()
        groups = {"features": _all_numbers(schema, taken, widths, choice) if features is None
                  else names_of(features, schema)}
    for name, columns in groups.items():
        if not columns:
            raise ValueError("no column of numbers is left for features: name them (features=[...])"
                             if features is None else f"{name}: name its columns")
    is_named = isinstance(features, dict)
    options = _Options(list(groups), dtype=dtype, na=na)
    found, whole = [], {}
    for name, columns in groups.items():
        if is_named and _is_whole(name, columns, schema, widths, choice):
            whole[name] = columns[0]
            continue
        types = [schema[column].type for column in columns]
        kind = options.of("dtype", name)
        is_natural = is_named or choice is not None and any(choice.of(name, columns, schema))
        letter = letter_of(kind, "dtype") if kind is not None else _natural(types) if is_natural else "f"
        is_flat = is_named and len(types) == 1 and not types[0].is_vector
        found.append(_make(name, columns, schema, letter, _na(options.of("na", name), letter, "na"), choice, widths,
                           is_flat))
    masks = [m.mask() for m in found] if na_mask else []
    masks += [extra for m in found + made if hasattr(m, "extras") for extra in m.extras()]
    if choice:
        choice.check_used()
    names = [m.name for m in found + masks + made] + list(whole)
    if len(set(names)) < len(names):
        raise ValueError(f"two matrices have the same name: {', '.join(names)}")
    return found + masks + made, whole, is_named or bool(masks)
