# SPDX-License-Identifier: MIT
"""Recipes: how a view is made, so that another process, or a forked child, can make it again.

A recipe is (operation, arguments, recipes of its sources), all of plain values.  Each operation is
a function of the sources' views; tables are made by them in the first place too.
"""

import operator
import os
import stat

from . import _core

OPERATIONS = {}


def operation(function):
    OPERATIONS[function.__name__] = function
    return function


@operation
def open_files(paths, options):
    return _core.open([os.fsencode(p) for p in paths], options)


@operation
def open_below(folder, name):
    """A file that an untrusted pipeline names, below the folder that it is allowed."""
    return _core.open_below(folder, name)


@operation
def open_bytes(data, name, options):
    return _core.open_memory(data, name, options)


@operation
def open_remote(filesystem, paths, how, options):
    from . import _remote

    return _remote.open_source(filesystem, paths, how, options)


@operation
def held(source):
    """Data of other libraries in memory, which a recipe holds as an object."""
    return source.view()


@operation
def select(view, pairs):
    return view.select(pairs, 1)


@operation
def keep(view, names):
    return view.keep(names)


@operation
def drop(view, names):
    return view.drop(names)


@operation
def combine(view, name, pairs):
    return view.combine(name, pairs)


@operation
def convert(view, name, notation, strict=True):
    return view.convert(name, None, notation, strict)


@operation
def generate(view, name, seed, counts):
    return view.generate(name, seed, counts)


@operation
def slice_rows(view, skip, take):
    return view.slice(skip, take)


@operation
def take(view, rows):
    return view.take(rows)


@operation
def exclude(view, rows):
    return view.exclude(rows)


@operation
def sample(view, options, weights):
    return view.draw(options, weights, None)


@operation
def bucket(view, column, options):
    return view.bucket(column, options, None)


@operation
def pack(view, columns, options):
    return view.pack(columns, options, None)


@operation
def where(view, condition):
    return view.where(condition)


@operation
def compute(view, columns):
    return view.compute(columns)


@operation
def filter_na(view, names, complement):
    return view.filter_na(names, complement)


@operation
def filter_range(view, name, low, high, ends, complement):
    return view.filter_range(name, low, high, *ends, complement)


@operation
def bootstrap(view, seed, complement):
    return view.bootstrap(seed, complement)


@operation
def epoch(view, options):
    return view.epoch(options, None)


@operation
def materialize(view, columns, threads):
    return view.materialize(columns, threads, None)


@operation
def cache(view, path, threads, memory_nbytes, check):
    return view.cache(path, threads, memory_nbytes, check, None)


@operation
def concat(*views):
    return _core.concat(views)


@operation
def mix(*views_and_how):
    *views, weights, options = views_and_how
    return _core.mix(views, weights, options)


@operation
def zip_columns(*views):
    return _core.zip(views)


@operation
def apply_fitted(view, fitting):
    return fitting.core.apply(view)


@operation
def learned(fitting, i):
    return fitting.core.table(i)[3]


def is_known(name, args, n):
    """Whether an operation of another process, which may have another version, is one of these, with as many
    sources and arguments.  Filters and computed columns are texts."""
    operation = OPERATIONS.get(name)
    if operation is None or name == "where" and not all(isinstance(condition, str) for condition in args):
        return False
    code, defaults = operation.__code__, len(operation.__defaults__ or ())
    has_any_number = bool(code.co_flags & 0x04)
    return has_any_number or code.co_argcount - defaults <= n + len(args) <= code.co_argcount


def steps(recipe):
    """The operations of a recipe as a list, however deep it is, each after its sources: name, arguments, number of
    sources."""
    waiting, found = [recipe], []
    while waiting:
        name, args, sources = waiting.pop()
        found.append((name, args, len(sources)))
        waiting += sources
    return found[::-1]


def make(recipe):
    """The view of a recipe."""
    views = []
    for name, args, n in steps(recipe):
        sources = views[len(views) - n:]
        del views[len(views) - n:]
        views.append(OPERATIONS[name](*sources, *args))
    return views[0]


def refusing(recipe):
    """The recipe, but text refuses what it does not hold, unless bad_fields says otherwise; the same one if
    nothing changes.  A pipe cannot be opened again, and rows in memory or in a cache were read before."""
    name, args, sources = recipe
    if name in ("cache", "materialize"):
        return recipe
    if name in ("open_files", "open_bytes", "open_remote"):
        *rest, options = args
        is_pipe = name == "open_files" and any(_is_pipe(path) for path in rest[0])
        if options.get("bad_fields", "count") != "count" or is_pipe:
            return recipe
        return name, (*rest, {**options, "bad_fields": "refuse"}), sources
    strict = tuple(refusing(source) for source in sources)
    return recipe if all(map(operator.is_, strict, sources)) else (name, args, strict)


def elsewhere(recipe):
    """The recipes of remote files of which rows are read; rows in memory or in a cache are here."""
    waiting, found = [recipe], []
    while waiting:
        name, args, sources = step = waiting.pop()
        if name == "open_remote":
            found.append(step)
        elif name not in ("cache", "materialize"):
            waiting += sources
    return found


def _is_pipe(path):
    return os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode)


def travels(recipe):
    """Whether the recipe is plain values, so that another process can follow it."""
    return all(name != "held" for name, _, _ in steps(recipe))
