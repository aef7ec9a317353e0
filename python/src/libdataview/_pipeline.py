# SPDX-License-Identifier: MIT
"""Pipelines: steps that learn from a table, and are then applied to any table (docs/pipelines.md).

The steps, their options and what both mean are the library's own list: `Pipeline` has a method for
each step, made of it."""

import collections
import hashlib
import inspect
import math
import operator
import os
import pathlib

from . import _core, _errors, _from, _open, _pickle, _progress, _recipe, _repr, _table, _types, _values, _write

TERMS_NBYTES = 1 << 30
KEYS_NBYTES = 1 << 28  # what dv_view_pipe keeps
_IN_MEMORY = "<table "  # how names of tables begin that are no files

Step = collections.namedtuple("Step", "name ml_net summary columns options")
Option = collections.namedtuple("Option", "name kind initial summary least most words")
Learned = collections.namedtuple("Learned", "step column name table")

STEPS = {name: Step(name, ml_net, summary, columns, {o[0]: Option(*o) for o in options})
         for name, ml_net, summary, columns, options in _core.transforms()}


# --- The notation --------------------------------------------------------------------------------


def quoted(text, marks=":,=\"[]#@"):
    """A text as it stands in the notation: in quotes if it needs them."""
    text = str(text)
    bare = text and text[-1] not in "+-" and text[0] != "'" and not any(c in " \t\r\n;\\\0" or c in marks for c in text)
    return text if bare else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


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
    try:
        return part.startswith("#") and bool(_types.parse(part[1:]))
    except _errors.Error:
        return False


def _column(step, column):
    if hasattr(column, "name"):  # dv.col, a Column
        return quoted(column.name)
    if not isinstance(column, str):
        raise TypeError(f"{step.name}: a column is a text such as 'New:Source' or 'Column', not {column!r}")
    return "".join(part if part in (":", ",") or part.startswith('"') or _is_pattern(part) else quoted(part)
                   for part in _parts(column))


_EXPECTED = {"flag": "True or False", "integer": "a whole number", "number": "a number",
             "word": "one of ", "text": "a str", "texts": "a list of texts or numbers",
             "table": "the path of a table, or what fit takes"}


def _wrong(step, option, value):
    expected = _EXPECTED[option.kind]
    if option.kind == "word":
        expected += ", ".join(map(repr, option.words.split("|")))
    kind = ValueError if isinstance(value, str) and option.kind == "word" else TypeError
    return kind(f"{step.name}({option.name}={value!r}): expected {expected}")


def _number(value):
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def _option(step, option, value):
    """An option as it stands in the notation."""
    try:
        if option.kind == "flag":
            return option.name + ("-", "+")[(False, True).index(value)]
        if option.kind == "integer" and not isinstance(value, bool):
            return f"{option.name}={operator.index(value)}"
        if option.kind == "number" and not isinstance(value, (bool, str)):
            return f"{option.name}={_number(float(value))}"
    except (TypeError, ValueError):
        raise _wrong(step, option, value) from None
    if option.kind == "word" and str(value) in option.words.split("|"):
        return f"{option.name}={value}"
    if option.kind == "text":
        text = getattr(value, "notation", value)  # of a Type
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
    raise _wrong(step, option, value)


def _table_option(step, option, value, tables):
    """An option that is a table: the path of a file, or one in memory, which is added to `tables`."""
    if isinstance(value, (str, os.PathLike)):
        name = os.fspath(value)
        if tables.get(name, "") is None:
            del tables[name]  # what was not kept has this name too: now it is known which file is meant
    else:
        try:
            table = table_of(value)
        except (TypeError, _errors.Error):
            raise _wrong(step, option, value) from None
        name = f"<table {sum(name.startswith(_IN_MEMORY) for name in tables) + 1}>"
        tables[name] = table
    return f"{option.name}=@{quoted(name, chr(34) + '#')}"


def table_of(source):
    """A Table of what `fit` and `apply` take."""
    if hasattr(source, "__array_interface__") or isinstance(source, (list, tuple)):
        raise TypeError(f"{type(source).__name__} has no names of columns: expected a Table, Arrow data, a "
                        "frame, or a mapping of names to arrays")
    if hasattr(source, "keys") and hasattr(source, "items") and not hasattr(source, "columns"):
        return _from.from_numpy(source)  # copied: what is applied is read later
    return _write.table_of(source)


# --- A method for each step ----------------------------------------------------------------------


def initial(option):
    """What an option is where it is not given, as a Python value; None: nothing."""
    if option.initial == "":
        return None
    if option.kind == "flag":
        return option.initial == "+"
    return {"integer": int, "number": float}.get(option.kind, str)(option.initial)


def _signature(step):
    P = inspect.Parameter
    columns = [] if step.columns == "none" else [P("names", P.VAR_POSITIONAL)]
    return inspect.Signature([P("self", P.POSITIONAL_OR_KEYWORD), *columns,
                              *(P(o.name, P.KEYWORD_ONLY, default=initial(o)) for o in step.options.values())])


_COLUMNS = {"one": "names: \"New:Source\", or \"Column\", which is replaced.",
            "many": "names: \"New:A,B\".", "names": "names: of columns.", "none": ""}


def _doc(step):
    ml_net = f"ML.NET: {step.ml_net}.  " if step.ml_net else ""
    lines = [step.summary, "", f"{ml_net}{_COLUMNS[step.columns]}".rstrip()]
    if step.options:
        lines.append("")
    for o in step.options.values():
        values = {"integer": f", {o.least}..{o.most}", "word": f", {o.words}", "texts": ", a list"}
        lines.append(f"{o.name}{values.get(o.kind, '')}: {o.summary}")
    return "\n".join(lines)


def _method(step):
    def method(self, *names, **options):
        tables = dict(self._tables)
        words = [step.name, *(_column(step, column) for column in names)]
        for name, value in options.items():
            if name not in step.options:
                raise TypeError(f"{step.name} has no option {name!r}: "
                                + (_errors.nearest(name, step.options) if step.options else "it has none"))
            if value is not None and step.options[name].kind == "table":
                words.append(_table_option(step, step.options[name], value, tables))
            elif value is not None:
                words.append(_option(step, step.options[name], value))
        return _with_tables("\n".join([*self, " ".join(words)]), tables)

    method.__name__ = step.name
    method.__qualname__ = f"Pipeline.{step.name}"
    method.__doc__ = _doc(step)
    method.__signature__ = _signature(step)
    return method


def _text_of(path):
    if path.is_file() and _core.fitted_format(os.fspath(path)):
        raise _errors.ArgumentError(f"{path} is fitted already: dv.Pipeline.load opens it")
    return path.read_text(encoding="utf-8-sig")


class Pipeline:
    """Steps that have learned nothing yet: Pipeline("term Category; onehot Color max=100"), or
    dv.pipe.term("Category").onehot("Color", max=100).

    Pipeline("@prep.pipe") reads the steps from a file, `terms=@terms.txt` in the notation the lines of
    one, a list, and `table=@towns.csv` its rows.

    It never changes: each step's method returns a new Pipeline.  `str()` is the notation
    (docs/pipelines.md), iteration gives the text of each step.

    >>> import libdataview as dv
    >>> dv.pipe.term("Town:town").onehot("rooms", max=3)
    Pipeline of 2 steps
      term Town:town
      onehot rooms max=3
    >>> str(dv.Pipeline("copy A:B  # a comment"))
    'copy A:B'
    """

    __slots__ = ("_steps", "_tables")

    def __init__(self, text=""):
        if not isinstance(text, str):
            raise TypeError(f"a pipeline is a text such as 'term Category; onehot Color', not {text!r}")
        if text.startswith("@"):
            text = _text_of(pathlib.Path(text[1:]))
        elif text.endswith((".zip", ".dvp", ".pipe")) and len(text.split()) == 1:
            raise _errors.ArgumentError(f"{text!r} is the name of a file: dv.Pipeline.load opens what was fitted, "
                                        "and '@' before the name reads steps")
        self._read(text, {})

    def _read(self, text, tables):
        """tables: by the names that the text has for them; others are files, which are opened.  None
        in the place of a table: it was not kept, and only fitting needs it."""
        self._tables = tables
        self._steps = tuple(_core.pipeline_steps(text, self._open))

    def _open(self, name):
        """The View of a table; None: it was not kept when the pipeline was saved."""
        if name not in self._tables:
            self._tables[name] = _open.open(name)
        table = self._tables[name]
        return table and table._view

    def __str__(self):
        return "; ".join(self)

    def __repr__(self):
        n = len(self)
        return "\n".join([f"Pipeline of {n} step{'' if n == 1 else 's'}", *("  " + step for step in self)])

    @property
    def _names(self):
        return [name for name, _ in self._steps]

    def __len__(self):
        return len(self._steps)

    def __bool__(self):
        return True

    def __iter__(self):
        return iter([text for _, text in self._steps])

    def __eq__(self, other):
        if not isinstance(other, Pipeline):
            return NotImplemented
        return self._steps == other._steps and all(
            _is_same(name, table, other._tables.get(name)) for name, table in self._tables.items())

    def __hash__(self):
        return hash(self._steps)

    def __reduce__(self):
        return (_with_tables, (str(self), self._tables)) if self._tables else (Pipeline, (str(self),))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        from . import _hints

        raise AttributeError(_hints.of_step(name, STEPS), name=name, obj=self)

    def fit(self, table, *, threads=0, terms_nbytes=TERMS_NBYTES, progress=None):
        """Let the steps learn from the rows of a Table, or of what dv.write takes (Arrow data, arrays by
        name): a Fitted.

        threads: 0: one for each CPU; what is learned does not depend on it.  terms_nbytes: of the
        distinct texts that a step learns from one column, at most: LimitError."""
        return Fitted._of(self, table_of(table), threads, terms_nbytes, _progress.of(progress))

    @staticmethod
    def load(path, *, until_unknown=False):
        """The Fitted that `Fitted.save` or `dataview pipe fit -o` has written, or of the model.zip that
        ML.NET has saved.  The file may come from anyone: all of it is checked.

        until_unknown: a model of ML.NET ends before its first step that is not known, such as a
        trainer; `Fitted.left_out` names it."""
        try:
            return _loaded(os.path.abspath(os.fspath(path)), None, bool(until_unknown))
        except _errors.UnsupportedError as error:
            if error.rule == "modelzip:S2":
                error.args = (f"{error}; with until_unknown=True it is left out, and all after it",)
            raise

    def fit_apply(self, table, *, threads=0, terms_nbytes=TERMS_NBYTES, progress=None):
        """Learn from a table, and apply what was learned to the same table.  Keys that its rows get while
        `term` and `onehot` learn are kept, up to 256 MiB, so its memory must not change meanwhile."""
        table = table_of(table)
        return Fitted._of(self, table, threads, terms_nbytes, _progress.of(progress), KEYS_NBYTES).apply(table)

    def transformer(self, *, threads=0, terms_nbytes=TERMS_NBYTES):
        """A step of a pipeline of scikit-learn."""
        from ._transformer import Transformer

        return Transformer(self, threads=threads, terms_nbytes=terms_nbytes)


def _is_same(name, table, other):
    """Whether two tables that have the same name in two pipelines are the same: the text says so of files."""
    if table is other or table is None or other is None or not name.startswith(_IN_MEMORY):
        return (table is None) == (other is None)
    try:
        if table.identity() == other.identity():
            return True
    except _errors.Error:
        pass  # one of them has none
    travel = _recipe.travels(table._recipe) and _recipe.travels(other._recipe)
    return not travel and table.equals(other)  # data in memory are other bytes where they are unpickled


def _with_tables(text, tables):
    pipeline = object.__new__(Pipeline)
    pipeline._read(text, dict(tables))
    return pipeline


for _step in STEPS.values():
    setattr(Pipeline, _step.name, _method(_step))
pipe = Pipeline()


# --- Fitted --------------------------------------------------------------------------------------


def _identity(recipe, view):
    """What tells whether files are those that were learned from; None: nothing does."""
    try:
        return view.identity() if _recipe.travels(recipe) else None
    except _errors.Error:
        return None


class _Fitting:
    """A fitted pipeline in recipes.  A forked child, or another process, learns the same again from
    the same rows."""

    def __init__(self, pipeline, recipe, terms_nbytes, identity):
        self.pipeline, self.recipe, self.terms_nbytes, self.identity = pipeline, recipe, terms_nbytes, identity
        self.made = self.made_in = None

    @property
    def names(self):
        return self.pipeline._names

    def fit(self, view, threads=0, progress=None, keys_nbytes=0):
        self.made = view.fit("\n".join(self.pipeline), self.pipeline._open, threads, self.terms_nbytes, keys_nbytes,
                             progress)
        self.made_in = _table._generation

    @property
    def core(self):
        if self.made_in != _table._generation:
            view = _recipe.make(self.recipe)
            if self.identity not in (None, found := _identity(self.recipe, view)):
                raise _errors.ArgumentError(
                    "the files that the pipeline was fitted on have changed since: fit it again",
                    expected=f"{self.identity:032x}", found=f"{found or 0:032x}")
            self.fit(view)
        return self.made

    def __reduce__(self):
        return _fitting, (self.pipeline, _pickle.rebuild(self.recipe, None), self.terms_nbytes, self.identity)


def _fitting(pipeline, table, terms_nbytes, identity):
    return _Fitting(pipeline, table._recipe, terms_nbytes, identity)


class _Saved:
    """A pipeline that was opened, in recipes.  A forked child, or another process, opens the file again."""

    def __init__(self, path, digest, until_unknown):
        self.path, self.digest, self.until_unknown = path, digest, until_unknown
        self.made = self.made_in = None

    def open(self):
        made = _core.fitted_open(self.path, self.until_unknown)
        digest = _digest(self.path)
        if self.digest not in (None, digest):
            raise _errors.ArgumentError(f"{self.path} has changed since it was opened: load it again",
                                        expected=self.digest, found=digest)
        self.made, self.made_in, self.digest = made, _table._generation, digest

    @property
    def core(self):
        if self.made_in != _table._generation:
            self.open()
        return self.made

    @property
    def names(self):
        return [name for name, _ in self.core.steps()]

    def __reduce__(self):
        return _Saved, (self.path, self.digest, self.until_unknown)


def _digest(path):
    """What tells one saved pipeline from another: the digest at the end of the file, or one of a whole zip file."""
    is_dvp = _core.fitted_format(path) == "dvp"
    with open(path, "rb") as file:
        if not is_dvp:
            return hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(-16, os.SEEK_END)
        return file.read().hex()


def _saved(path, digest, until_unknown):
    saved = _Saved(path, digest, until_unknown)
    return _pipeline_of(saved.core, _left_out(saved.core)), saved


def _left_out(core):
    """The tables that the steps of a file name, with None for each: whoever wrote the file does not
    choose which files are opened here."""
    tables = {}
    _core.pipeline_steps("\n".join(text for _, text in core.steps() if "=@" in text), tables.setdefault)
    return tables


def _loaded(path, digest, until_unknown):
    return Fitted._with(*_saved(path, digest, until_unknown))


def _pipeline_of(core, tables):
    """The steps of what was fitted, with names of columns in the place of patterns."""
    pipeline = object.__new__(Pipeline)
    pipeline._steps, pipeline._tables = tuple(core.steps()), tables
    return pipeline


class Fitted:
    """Steps with what they have learned from a table: `apply` makes a table of any table with these
    columns.  It never changes, and any number of threads may use it.

    One that was loaded pickles as the path of its file.  Else it pickles as a recipe of the table that
    it was fitted on, and learns again where it arrives.  Data in memory that it was fitted on are
    kept for that."""

    __slots__ = ("_pipeline", "_fitting", "_rows", "_passes")

    def __init__(self, *args, **kwargs):
        raise TypeError("make a Fitted with Pipeline(text).fit(table)")

    @classmethod
    def _of(cls, pipeline, table, threads, terms_nbytes, progress, keys_nbytes=0):
        view = table._view
        fitting = _Fitting(pipeline, table._recipe, operator.index(terms_nbytes),
                           _identity(table._recipe, view))
        fitting.fit(view, operator.index(threads), progress, keys_nbytes)
        return cls._with(_pipeline_of(fitting.core, pipeline._tables), fitting)

    @classmethod
    def _with(cls, pipeline, fitting):
        self = object.__new__(cls)
        self._pipeline, self._fitting = pipeline, fitting
        self._rows, self._passes, _ = fitting.core.inspect()
        return self

    def __reduce__(self):
        if isinstance(self._fitting, _Saved):
            return _loaded, self._fitting.__reduce__()[1]
        return Fitted._with, (self._pipeline, self._fitting)

    @property
    def pipeline(self):
        """The steps."""
        return self._pipeline

    @property
    def rows(self):
        """The most rows that a pass read; 0: nothing had to be read."""
        return self._rows

    @property
    def passes(self):
        """How often the rows were read."""
        return self._passes

    @property
    def left_out(self):
        """The unknown step before which a model of ML.NET was cut off: "BIN PRED (...)"; "": nothing was."""
        return self._fitting.core.left_out()

    @property
    def inputs(self):
        """The columns that it takes of a table, with their types when it was fitted: {"Age": Type("R4")},
        which `t.cast(**fitted.inputs)` takes.  Empty of a model that ML.NET saved with a loader."""
        return {name: _types.Type(text) for name, text in self._fitting.core.inputs()}

    @property
    def tables(self):
        """What was learned, a list of (step, column, name, table): the number of the step, from 0; its
        new column; and a table of that name: "terms", "scales", "grams" (docs/spec/dvp.md has them all)."""
        learned = []
        for i in range(self._fitting.core.inspect()[2]):
            step, column, name, view = self._fitting.core.table(i)
            table = _table.Table._of(("learned", (self._fitting, i), ()), view)
            learned.append(Learned(step, column, name, table))
        return learned

    def save(self, path):
        """Write what was learned to a file, .dvp (docs/pipelines.md), for `Pipeline.load` and
        `dataview --pipe @FILE`.  The file is replaced as a whole, or not at all."""
        self._fitting.core.save(os.fspath(path))

    def apply(self, table):
        """The Table that the steps make of a table, or of what dv.write takes.  Reads no row."""
        return table_of(table)._then("apply_fitted", self._fitting)

    def __getattr__(self, name):
        if name.startswith("_"):  # what Python itself looks for
            raise AttributeError(f"a Fitted has no attribute {name!r}")
        from . import _hints

        raise AttributeError(_hints.of_fitted(name), name=name, obj=self)

    def __repr__(self):
        try:
            return self._text()
        except Exception as error:  # what is shown to a person must not fail
            return f"<Fitted: {error}>"

    def _text(self):
        found = collections.defaultdict(list)
        for step, column, name, table in self.tables:
            rows = table.num_rows  # a name is a plural: terms
            found[step].append(f"{_repr.cell(column)}: {rows:,} {name if rows != 1 else name.removesuffix('s')}")
        title = f"Fitted on {self.rows:,} row{'' if self.rows == 1 else 's'}, " \
                f"{self.passes} pass{'' if self.passes == 1 else 'es'}"
        rows = [[str(i), _repr.cell(step), ", ".join(found[i])] for i, step in enumerate(self._pipeline)]
        return "\n".join([title, _repr._grid([["", "step", "learned"]], rows, [True, False, False])]
                         if rows else [title])
