# SPDX-License-Identifier: MIT
"""How columns and options of a step are written in the notation of pipelines (docs/pipelines.md)."""

import math
import operator
import os

from . import _core, _values


_ESCAPES = {ord(c): f"\\x{ord(c):02x}" for c in map(chr, (*range(32), 127))} | {
    ord(c): "\\" + name for c, name in zip('"\\\t\n\r', '"\\tnr')}


def quoted(text, marks=":,=\"[]#@"):
    """A text in the notation: in quotes if it needs them."""
    text = str(text)
    bare = text and text[-1] not in "+-" and text[0] != "'" and not any(
        c in " ;" or c in marks or ord(c) in _ESCAPES for c in text)
    return text if bare else f'"{text.translate(_ESCAPES)}"'


def _mark_end(text, at):
    """Where a quoted name, a pattern 'A*' or #V<R4,3>, or one character that begins at `at` ends."""
    end = at + 1
    if text[at] == "#":
        depth = 0
        while end < len(text) and (depth > 0 or text[end] not in ":,"):
            depth += (text[end] in "<[") - (text[end] in ">]")
            end += 1
        return end
    if text[at] not in "\"'":
        return end
    while end < len(text) and text[end] != text[at]:
        end += 2 if text[at] == '"' and text[end] == "\\" else 1
    return min(end + 1, len(text))


def _parts(text):
    """The names of "New:A,B" and what separates them; what is in quotes stays as it is."""
    parts, at = [""], 0
    while at < len(text):
        if text[at] in ":,":
            parts += [text[at], ""]
            at += 1
            continue
        end = at + 1 if parts[-1] else _mark_end(text, at)
        parts[-1] += text[at:end]
        at = end
    return parts


def _is_pattern(part):
    """'A*', or #R4; another text that begins with # is a name."""
    if part.startswith("'"):
        return len(part) > 2 and part.endswith("'")
    return part.startswith("#") and _core.is_type(part[1:])


def column_text(step, column):
    if hasattr(column, "name"):  # dv.col, a Column
        return quoted(column.name)
    if not isinstance(column, str):
        raise TypeError(f"{step.name}: a column is a text such as 'New:Source' or 'Column', not {column!r}")
    return "".join(part if part in (":", ",") or part.startswith('"') or _is_pattern(part) else quoted(part)
                   for part in _parts(column))


def _is_list(columns):
    return not isinstance(columns, str) and not hasattr(columns, "name") and hasattr(columns, "__iter__")


def _listed(step, new, columns):
    """"New:A,B" of a name and a list."""
    sources = [column_text(step, c) for c in columns] if _is_list(columns) else [column_text(step, columns)]
    if not sources:
        raise TypeError(f"{step.name}: the list of columns is empty")
    return f"{quoted(new)}:{','.join(sources)}"


def column_texts(step, names):
    """The columns that a step's method is given: texts, columns, lists of them, {"New": "Source"}."""
    texts, names = [], list(names)
    if step.columns == "many" and len(names) == 2 and isinstance(names[0], str) and _is_list(names[1]):
        return [_listed(step, *names)]  # combine("F", ["a", "b"])
    for column in names:
        if hasattr(column, "items") and not hasattr(column, "name"):
            texts += [_listed(step, new, source) for new, source in column.items()]
        elif _is_list(column) and step.columns == "many":
            raise TypeError(f"{step.name} makes a column of several: {step.name}('New', {list(column)!r})")
        elif _is_list(column):
            texts += [column_text(step, c) for c in column]
        else:
            texts.append(column_text(step, column))
    return texts


_EXPECTED = {"flag": "True or False", "integer": "a whole number", "number": "a number",
             "word": "one of ", "text": "a str", "texts": "a list of texts or numbers",
             "table": "the path of a table, or what fit takes"}


def wrong(step, option, value):
    expected = _EXPECTED[option.kind]
    if option.kind == "word":
        expected += ", ".join(map(repr, option.words.split("|")))
    kind = ValueError if isinstance(value, str) and option.kind == "word" else TypeError
    return kind(f"{step.name}({option.name}={value!r}): expected {expected}")


def _number(value):
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def option_text(step, option, value):
    """An option in the notation."""
    try:
        if option.kind == "flag":
            return option.name + ("-", "+")[(False, True).index(value)]
        if option.kind == "integer" and not isinstance(value, bool):
            return f"{option.name}={operator.index(value)}"
        if option.kind == "number" and not isinstance(value, (bool, str)):
            return f"{option.name}={_number(float(value))}"
    except (TypeError, ValueError):
        raise wrong(step, option, value) from None
    if option.kind == "word" and str(value) in option.words.split("|"):
        return f"{option.name}={value}"
    if option.kind == "text":
        text = getattr(value, "notation", value)  # a Type has one
        if isinstance(text, os.PathLike):
            text = os.fspath(text)
        if isinstance(text, str):
            is_marked = text.startswith(("[", "@")) or text.endswith(("+", "-"))
            return f"{option.name}={quoted(text, ':,=[]@' if is_marked else chr(34) + '#')}"
    if option.kind == "texts" and not isinstance(value, (str, bytes)):
        try:
            return f"{option.name}=[{' '.join(quoted(_values.text_of(item)) for item in value)}]"
        except TypeError:
            pass
    raise wrong(step, option, value)
