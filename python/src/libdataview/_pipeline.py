# SPDX-License-Identifier: MIT
"""Pipelines: steps that learn from a table, and are then applied to any table (docs/pipelines.md).

The steps, their options and what both mean are the library's own list: `Pipeline` has a method for
each step, made of it."""

import collections
import hashlib
import inspect
import itertools
import operator
import os
import pathlib

from . import _core, _errors, _from, _open, _pickle, _progress, _recipe, _remote, _repr, _table, _trust, _types, _write
from ._notation import column_texts, option_text as _option, quoted, wrong

TERMS_NBYTES = 1 << 30
KEYS_NBYTES = 1 << 28  # what dv_view_pipe keeps
_IN_MEMORY = "<table "  # how names of tables begin that are no files

Step = collections.namedtuple("Step", "name ml_net summary columns options")
Option = collections.namedtuple("Option", "name kind initial summary least most words")
Learned = collections.namedtuple("Learned", "step column name table")

STEPS = {name: Step(name, ml_net, summary, columns, {o[0]: Option(*o) for o in options})
         for name, ml_net, summary, columns, options in _core.transforms()}


# --- Tables --------------------------------------------------------------------------------------


def _table_option(step, option, value, tables):
    """An option that is a table: the path of a file, or one in memory, which is added to `tables`."""
    if isinstance(value, (str, os.PathLike)):
        name = os.fspath(value)
        if tables.get(name) is None:  # also where what was not kept has this name
            tables[name] = _open.open(name)
    else:
        try:
            table = table_of(value)
        except TypeError:
            raise wrong(step, option, value) from None
        name = next(name for n in itertools.count(1) if (name := f"{_IN_MEMORY}{n}>") not in tables)
        tables[name] = table
    return f"{option.name}=@{quoted(name, chr(34) + '#')}"


def table_of(source):
    """A Table of what `fit` and `apply` take."""
    if hasattr(source, "__array_interface__") or isinstance(source, (list, tuple)):
        raise TypeError(f"{type(source).__name__} has no names of columns: expected a Table, Arrow data, a "
                        "frame, or a mapping of names to arrays")
    if hasattr(source, "keys") and hasattr(source, "items") and not hasattr(source, "columns"):
        return _from.from_numpy(source)  # copied: what is applied is read later
    return _write.table_of(_without_categories(source))


def _without_categories(source):
    """Frames with the values of their categories, whose numbers may differ from frame to frame."""
    module = type(source).__module__.partition(".")[0]
    if module == "pandas" and hasattr(source, "dtypes"):
        found = {name: dtype.categories.dtype for name, dtype in source.dtypes.items() if hasattr(dtype, "categories")}
        return source.astype({name: "object" if dtype.kind in "iub" else dtype for name, dtype in found.items()}) \
            if found else source
    if module == "pyarrow" and hasattr(source, "schema") and hasattr(source, "set_column"):
        for i, field in enumerate(source.schema):
            if hasattr(field.type, "value_type") and hasattr(field.type, "index_type"):
                source = source.set_column(i, field.name, source.column(i).cast(field.type.value_type))
    if module == "polars" and hasattr(source, "with_columns"):
        import polars

        source = source.with_columns(polars.col(polars.Categorical, polars.Enum).cast(polars.String))
    return source


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


_COLUMNS = {"one": "names: \"New:Source\", or \"Column\", which is replaced; lists of them, or {\"New\": \"Source\"}.",
            "many": "names: \"New:A,B\", or (\"New\", [\"A\", \"B\"]).", "names": "names: of columns; lists of them.",
            "none": ""}


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
        words = [step.name, *column_texts(step, names)]
        for name, value in options.items():
            if name not in step.options:
                raise TypeError(f"{step.name} has no option {name!r}: "
                                + (_errors.nearest(name, step.options) if step.options else "it has none"))
            if value is not None and step.options[name].kind == "table":
                words.append(_table_option(step, step.options[name], value, tables))
            elif value is not None:
                words.append(_option(step, step.options[name], value))
        return _with_tables("\n".join([*self, " ".join(words)]), tables, self._allowed)

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

    allow_folder: the steps of a file may open regular files below this folder.  None: steps of a file that
    open files are an ArgumentError, `terms=@terms.txt` here and `loadbytes` where they are fitted.  Steps in
    the text itself are the caller's, and may open any file (docs/security.md).

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

    __slots__ = ("_steps", "_tables", "_allowed")

    def __init__(self, text="", *, allow_folder=None):
        if not isinstance(text, str):
            raise TypeError(f"a pipeline is a text such as 'term Category; onehot Color', not {text!r}")
        if text.startswith("@"):
            self._read(_text_of(pathlib.Path(text[1:])), {}, _trust.folder_of(allow_folder))
            return
        if allow_folder is not None:
            raise _errors.ArgumentError("allow_folder is for steps that a file has, '@prep.pipe': those in the text "
                                        "may open any file")
        if text.endswith((".zip", ".dvp", ".pipe")) and len(text.split()) == 1:
            raise _errors.ArgumentError(f"{text!r} is the name of a file: dv.Pipeline.load opens what was fitted, "
                                        "and '@' before the name reads steps")
        self._read(text, {}, _trust.TRUSTED)

    def _read(self, text, tables, allowed):
        """tables: by the names that the text has for them; others are files, which are opened if they are
        allowed.  None in the place of a table: it was not kept, and only fitting needs it."""
        self._tables, self._allowed = tables, allowed
        self._steps = tuple(_core.pipeline_steps(text, self._open, allowed))

    def _open(self, name):
        """The View of a table; None: it was not kept when the pipeline was saved."""
        if name not in self._tables:
            self._tables[name] = self._open_file(name)
        table = self._tables[name]
        return table and table._view

    def _open_file(self, name):
        if self._allowed is _trust.TRUSTED:
            return _open.open(name)
        if self._allowed == _trust.NOTHING:
            raise _errors.ArgumentError(f"@{name}: an untrusted pipeline opens only files below a folder that you allow: "
                                        "allow_folder=DIR, or dv.allow_folder(DIR) around pickle.load")
        return _table.Table._of(("open_below", (self._allowed, name), ()))

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
        text, tables = str(self), {name: table and _pickle.reduce(table)[1] for name, table in self._tables.items()}
        signature = None if self._allowed == _trust.NOTHING else \
            _trust.sign("pipeline", text, self._allowed, *_outside(tables))
        return unpickled, (text, tables, self._allowed, signature)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        from . import _hints

        raise AttributeError(_hints.of_step(name, STEPS), name=name, obj=self)

    def fit(self, table, *, threads=0, terms_nbytes=TERMS_NBYTES, progress=None):
        """Let the steps learn from the rows of a Table, or of what dv.write takes (Arrow data, arrays by
        name): a Fitted.  A list of these is learned from as one table, each after the one before it, and so is a
        dataset of Ray, in its order (docs/scale.md).

        threads: 0: one for each CPU; what is learned does not depend on it.  terms_nbytes: of the
        distinct texts that a step learns from one column, at most: LimitError."""
        if type(table).__module__.startswith("ray.data"):
            from . import _ray_fit

            return _ray_fit.fit(self, table, threads, terms_nbytes, _progress.of(progress))
        is_several = isinstance(table, (list, tuple)) and len(table) > 0
        whole = _table.concat([table_of(one) for one in table]) if is_several else table_of(table)
        return Fitted._of(self, whole, threads, terms_nbytes, _progress.of(progress))

    def fit_part(self, table, *, threads=0, terms_nbytes=TERMS_NBYTES, progress=None):
        """Let the steps see a part of the rows: a Table for `fit_merge` that holds all they need of it.  It can be pickled,
        and written as .idv.  A step that has to see all rows itself is an ArgumentError (docs/pipelines.md)."""
        from . import _parts

        return _open.open(_parts.part_of(self, table_of(table), threads, terms_nbytes, _progress.of(progress)))

    def fit_merge(self, parts, *, terms_nbytes=TERMS_NBYTES):
        """The Fitted of all rows of which `fit_part` has made these parts, a list in the order of the rows: what
        `fit` learns from all of them, bit for bit."""
        from . import _parts

        return _parts.merged(self, parts, terms_nbytes)

    def allow_folder(self, folder):
        """The same steps of a loaded or unpickled pipeline, which may open regular files below a folder."""
        if self._allowed is _trust.TRUSTED:
            raise _errors.ArgumentError("the caller wrote these steps, which may open any file")
        tables = {name: table for name, table in self._tables.items() if table is not None}
        return _pipeline_of(self._steps, tables, _trust.folder_of(folder))

    @staticmethod
    def load(path, *, until_unknown=False, allow_folder=None):
        """The Fitted that `Fitted.save` or `dataview pipe fit -o` has written, or of the model.zip that
        ML.NET has saved.  The file may come from anyone: all of it is checked.

        until_unknown: a model of ML.NET ends before its first step that is not known, such as a
        trainer; `Fitted.left_out` names it.  allow_folder: steps such as `loadbytes` may open regular files
        below this folder.  None: `apply` refuses them with ArgumentError."""
        try:
            return _loaded(os.path.abspath(os.fspath(path)), None, bool(until_unknown), _trust.folder_of(allow_folder))
        except _errors.UnsupportedError as error:
            if error.rule == "modelzip:S2":
                error.args = (f"{error}; with until_unknown=True it is left out, and all after it",)
            raise

    def fit_apply(self, table, *, threads=0, terms_nbytes=TERMS_NBYTES, progress=None):
        """Learn from a table, and apply what was learned to the same table.  Keys that its rows get while
        `term` and `onehot` learn are kept, up to 256 MiB, so its memory must not change meanwhile."""
        table = table_of(table)
        return Fitted._of(self, table, threads, terms_nbytes, _progress.of(progress), KEYS_NBYTES).apply(table)

    fit_transform = fit_apply

    def transformer(self, *, threads=0, terms_nbytes=TERMS_NBYTES):
        """A step of a pipeline of scikit-learn."""
        from ._transformer import Transformer

        return Transformer(self, threads=threads, terms_nbytes=terms_nbytes)


def _is_same(name, table, other):
    """Whether two tables that have the same name in two pipelines are the same: the text says so of files."""
    if table is other or table is None or other is None or not name.startswith(_IN_MEMORY):
        return (table is None) == (other is None)
    if None is not _identity_of(table._view) == _identity_of(other._view):
        return True
    travel = _recipe.travels(table._recipe) and _recipe.travels(other._recipe)
    return not travel and table.equals(other)  # data in memory are other bytes where they are unpickled


def _with_tables(text, tables, allowed):
    pipeline = object.__new__(Pipeline)
    pipeline._read(text, dict(tables), allowed)
    return pipeline


def _outside(tables):
    """A text for each table that is not all data in the pickle: its name, and how its parts are opened."""
    parts = []
    for name, kept in tables.items():
        leaves = [(how, args) for how, args, n in kept[0] if n == 0 and how != "open_bytes"] if kept else []
        if leaves:
            parts.append(repr((name, [(how, args if how in ("open_files", "open_below") else None)
                                      for how, args in leaves])))
    return sorted(parts)


def unpickled(text, tables, allowed, signature):
    """A pipeline that this program did not make opens nothing, unless the caller allows a folder: its tables are
    kept only as data in the pickle."""
    is_own = _trust.is_own(signature, "pipeline", text, allowed, *_outside(tables))
    made = {name: _pickle.rebuild(*kept) if kept and (is_own or not _outside({name: kept})) else None
            for name, kept in tables.items()}
    if is_own:
        return _with_tables(text, made, allowed)
    pipeline = _with_tables(text, made, _trust.NOTHING)
    return pipeline.allow_folder(_trust.granted()) if _trust.granted() != _trust.NOTHING else pipeline


for _step in STEPS.values():
    setattr(Pipeline, _step.name, _method(_step))
pipe = Pipeline()


# --- Fitted --------------------------------------------------------------------------------------


def _identity(recipe, view):
    """What tells whether files are those that were learned from; None: nothing does."""
    return _identity_of(view) if _recipe.travels(recipe) else None


def _identity_of(view):
    try:
        return view.identity()
    except _errors.ArgumentError:  # a pipe has none
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
        self.made = view.fit("\n".join(self.pipeline), self.pipeline._open, self.pipeline._allowed, threads,
                             self.terms_nbytes, keys_nbytes, progress)
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

    def allow_folder(self, folder):
        return _Fitting(self.pipeline.allow_folder(folder), self.recipe, self.terms_nbytes, self.identity)

    def __reduce__(self):
        return _fitting, (self.pipeline, _pickle.rebuild(_recipe.steps(self.recipe), None), self.terms_nbytes, self.identity)


def _fitting(pipeline, table, terms_nbytes, identity):
    return _Fitting(pipeline, table._recipe, terms_nbytes, identity)


class _Saved:
    """A pipeline that was opened, in recipes.  A forked child, or another process, opens the file again."""

    def __init__(self, path, digest, until_unknown, allowed=_trust.NOTHING):
        self.path, self.digest, self.until_unknown, self.allowed = path, digest, until_unknown, allowed
        self.made = self.made_in = None

    def open(self):
        made = _core.fitted_open(self.path, self.until_unknown, self.allowed)
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

    def allow_folder(self, folder):
        return _Saved(self.path, self.digest, self.until_unknown, _trust.folder_of(folder))

    def __reduce__(self):
        parts = self.path, self.digest, self.until_unknown, self.allowed
        return _saved_of, (*parts, None if self.allowed == _trust.NOTHING else _trust.sign("saved", *parts))


def _saved_of(path, digest, until_unknown, allowed, signature):
    is_own = _trust.is_own(signature, "saved", path, digest, until_unknown, allowed)
    return _Saved(path, digest, until_unknown, allowed if is_own else _trust.granted())


def _digest(path):
    """What tells one saved pipeline from another: the digest at the end of the file, or one of a whole zip file."""
    is_dvp = _core.fitted_format(path) == "dvp"
    with open(path, "rb") as file:
        if not is_dvp:
            return hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(-16, os.SEEK_END)
        return file.read().hex()


def _of_saved(saved):
    return Fitted._with(_pipeline_of(saved.core.steps(), _left_out(saved.core), saved.allowed), saved)


def _left_out(core):
    """The tables that the steps of a file name, with None for each: whoever wrote the file does not
    choose which files are opened here."""
    tables = {}
    _core.pipeline_steps("\n".join(text for _, text in core.steps() if "=@" in text), tables.setdefault, _trust.NOTHING)
    return tables


def _loaded(path, digest, until_unknown, allowed):
    return _of_saved(_Saved(path, digest, until_unknown, allowed))


def _pipeline_of(steps, tables, allowed):
    """Steps that were parsed, as those of what was fitted: with names of columns in the place of patterns."""
    pipeline = object.__new__(Pipeline)
    pipeline._steps, pipeline._tables, pipeline._allowed = tuple(steps), tables, allowed
    return pipeline


class Fitted:
    """Steps with what they have learned from a table: `apply` makes a table of any table with these
    columns.  It never changes, and any number of threads may use it.

    One that was loaded pickles as the path of its file.  Otherwise it pickles as a recipe of the table that
    it was fitted on, and learns again where it arrives.  Data in memory that it was fitted on are
    kept for that.

    >>> import libdataview as dv
    >>> fitted = dv.Pipeline("normalize rooms").fit({"rooms": [1.0, 4.0]})
    >>> fitted.apply({"rooms": [2.0]}).to_pylist()
    [{'rooms': 0.5}]
    """

    __slots__ = ("_pipeline", "_fitting")

    def __init__(self, *args, **kwargs):
        raise TypeError("make a Fitted with Pipeline(text).fit(table)")

    @classmethod
    def _of(cls, pipeline, table, threads, terms_nbytes, progress, keys_nbytes=0):
        view = table._view
        fitting = _Fitting(pipeline, table._recipe, operator.index(terms_nbytes),
                           _identity(table._recipe, view))
        fitting.fit(view, operator.index(threads), progress, keys_nbytes)
        return cls._with(_pipeline_of(fitting.core.steps(), pipeline._tables, pipeline._allowed), fitting)

    @classmethod
    def _with(cls, pipeline, fitting):
        self = object.__new__(cls)
        self._pipeline, self._fitting = pipeline, fitting
        if pipeline._allowed != _trust.NOTHING:  # otherwise allow_folder may have to come first
            fitting.core.inspect()
        return self

    def __reduce__(self):
        if isinstance(self._fitting, _Saved):
            return _of_saved, (self._fitting,)
        return Fitted._with, (self._pipeline, self._fitting)

    def allow_folder(self, folder):
        """The same, loaded or unpickled, with steps that may open regular files below a folder."""
        fitting = self._fitting.allow_folder(folder)
        return Fitted._with(self._pipeline.allow_folder(folder), fitting)

    @property
    def pipeline(self):
        """The steps."""
        return self._pipeline

    @property
    def rows(self):
        """The most rows that a pass read; 0: nothing had to be read."""
        return self._fitting.core.inspect()[0]

    @property
    def passes(self):
        """How often the rows were read."""
        return self._fitting.core.inspect()[1]

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
        """The learned tables, a list of (step, column, name, table): the number of the step, from 1; its
        new column; and a table of that name: "terms", "scales", "grams" (docs/spec/dvp.md has them all)."""
        learned = []
        for i in range(self._fitting.core.inspect()[2]):
            step, column, name, view = self._fitting.core.table(i)
            table = _table.Table._of(("learned", (self._fitting, i), ()), view)
            learned.append(Learned(step + 1, column, name, table))
        return learned

    def save(self, path):
        """Write what was learned to a file, .dvp (docs/pipelines.md), for `Pipeline.load` and
        `dataview --pipe @FILE`.  The file is replaced as a whole, or not at all."""
        self._fitting.core.save(os.fspath(_remote.here_only(path, "a fitted pipeline")))

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
        rows = [[str(i), _repr.cell(step), ", ".join(found[i])] for i, step in enumerate(self._pipeline, 1)]
        return "\n".join([title, _repr._grid([["", "step", "learned"]], rows, [True, False, False])]
                         if rows else [title])
