# SPDX-License-Identifier: MIT
"""Opening files."""

import io
import os
import stat

from . import _errors, _hints, _remote
from ._table import Table

_OPTIONS = {
    "format", "io", "strict_text", "lenient", "text", "datadings", "bad_fields", "columns",
    "metadata_nbytes", "metadata_toc_nbytes", "block_nbytes", "cursor_nbytes", "rows_without_columns",
    "nesting", "message_nbytes", "spool", "spool_nbytes", "window_nbytes",
    "drop_behind", "plain_folders", "depth", "chain_columns", "row_nbytes",
    "line_nbytes", "block_cache_nbytes",
}


def _mode_of(path):
    """None: there is no such file."""
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _errors.of_system(error, path) from error


def _paths_of(source, options):
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    paths = []
    for item in source:
        path = os.path.expanduser(os.fsdecode(item))
        mode = _mode_of(path)
        if mode is None and any(c in path for c in "*?["):
            import glob

            found = sorted(glob.glob(path))
            if not found:
                raise _errors.FileMissing(f"no file matches {path!r}", path, os_code=2)
            paths += found
        elif mode is not None and stat.S_ISDIR(mode):
            paths += _tables_of(path, options)
        else:
            paths.append(path)
    if not paths:
        raise ValueError("no files")
    return [_absolute(p) if p != "-" else "/dev/stdin" for p in paths]


def _absolute(path):
    """The path with the mark /./ before folders KEY=VALUE (open.h)."""
    root, mark, rest = path.rpartition("/./")
    return os.path.abspath(root) + mark + rest if mark else os.path.abspath(path)


def _tables_of(folder, options):
    from . import _core

    how = {name: value for name, value in options.items() if name in ("format", "text")}
    return [os.fsdecode(path) for path in _core.open_list(folder, how)]


def _is_elsewhere(source, filesystem):
    """Whether these are URLs, and none of them a path."""
    items = [source] if isinstance(source, (str, os.PathLike)) else source
    if not isinstance(items, (list, tuple)) or not items:
        return False
    urls = [filesystem is not None or _remote.is_url(item) for item in items]
    if any(urls) and not all(urls):
        raise TypeError("paths and URLs at once: open each, and join the tables with dv.concat")
    return all(urls)


def _elsewhere(source, filesystem, storage_options, how, options):
    items = [os.fspath(item) for item in ([source] if isinstance(source, (str, os.PathLike)) else source)]
    files = [_remote.local_path(item) for item in items]
    if filesystem is None and all(files):
        return ("open_files", (_paths_of(files, options), options), ())
    return ("open_remote", (*_remote.files_of(items, filesystem, storage_options, how), how, options), ())


def open(source, *, filesystem=None, storage_options=None, **options):  # noqa: A001  dv.open
    """Open a file, several files, a glob or bytes as a Table.

    source: a path or URL; a list of them, a glob or a folder (docs/cli.md), whose rows follow each other in the order of
    their names; or an object with a buffer (bytes), in which a whole file lies.

    URLs ("s3://bucket/rows.idv", "https://host/rows.csv", "gs://", ...) are read through fsspec, in ranges
    (docs/remote.md): storage_options configure its file system; `filesystem` passes an existing one.
    requests (4): at the same time.  cache_nbytes (64 MiB): memory for fetched bytes.  timeout (60): seconds
    without a byte, of all attempts together, after which a request fails with FileError.  attempts,
    piece_nbytes, least_nbytes, request_nbytes: as in source.h.
    disk_cache: a folder in which fetched blocks are kept, for later programs and for all processes that name it; at
    most disk_cache_nbytes (16 GiB); the least recently used ones are removed first.

    format: "idv", "btable", "datadings", "text"; found by itself if it is not given.  "parquet", "arrow" and "jsonl"
        (JSON Lines) are read by pyarrow, when rows are asked for: only the columns that are needed, and only row groups
        in which rows may pass a filter.  Their rows are then held in memory.
    text: how to read delimited text (docs/formats/text.md); not given: found by itself; "mlnet":
        ML.NET's default.
    spool ("never", "needed", "always"): a pipe is copied into a temporary file, and can be read more than once.
    datadings, lenient, strict_text, bad_fields ("count", "refuse", "allow", "na"): as in open.h; "count": what a
        line lacks is NA, and a DataWarning reports it after the rows have been read.
    io: "auto"; "mmap" uses a file in place; "pread" is for files that others may cut or change while
        they are read, which would end the process with SIGBUS under a map.
    drop_behind: pages that a pass in order has left are dropped from memory and the page cache: for files
        larger than memory.  What reads them again waits for the disk.
    plain_folders: folders called KEY=VALUE make no columns.
    block_cache_nbytes: memory for decoded blocks of compressed columns that a table keeps when rows are taken by
        number (t[rows]), so that the next take does not decode them again; 256 MiB, 0: none.
    columns, metadata_nbytes, block_nbytes, cursor_nbytes, ...: limits, as in open.h.

    Raises FileMissing, FileRefused, CorruptError, UnsupportedError, LimitError, ArgumentError.  What
    is suspicious in a file is one DataWarning.

    >>> import libdataview as dv
    >>> t = dv.open("examples/sample.idv")
    >>> t.shape
    (600, 5)
    """
    _hints.refuse("open", options, _hints.OPEN, _OPTIONS | _remote.SOURCE_OPTIONS)
    options = {name: value for name, value in options.items() if value is not None}
    if isinstance(source, io.BytesIO):
        source = source.getvalue()
    how = _remote.with_folder({name: options.pop(name) for name in _remote.SOURCE_OPTIONS & options.keys()})
    if isinstance(source, Table):
        raise TypeError("this is a Table already")
    if options.get("text", "auto").partition(" ")[0] == "auto":
        options.setdefault("bad_fields", "count")
    is_elsewhere = _is_elsewhere(source, filesystem)
    if not is_elsewhere and (table := _with_pyarrow(source, options)) is not None:
        return table
    if not is_elsewhere and (how or storage_options):
        raise TypeError(f"{', '.join(how) or 'storage_options'}: only for URLs")
    if is_elsewhere:
        table = Table._of(_elsewhere(source, filesystem, storage_options, how, options))
    elif not isinstance(source, (str, os.PathLike, list, tuple)):
        try:
            memoryview(source).release()
        except TypeError:
            raise TypeError("open() takes a path, a list of paths or the bytes of a file, not "
                            f"{type(source).__name__}") from None
        name = f"memory.{options.get('format', 'csv')}"  # other formats are known by their first bytes
        table = Table._of(("open_bytes", (source, name, options), ()))
    else:
        table = Table._of(("open_files", (_paths_of(source, options), options), ()))
    _remember_options(table, options)
    _warn(table)
    return table


def _with_pyarrow(source, options):
    """The Table of files, or bytes, that pyarrow reads; None: they are others."""
    from . import _arrow_files

    given = options.get("format")
    if given is not None and given not in _arrow_files.KINDS.values():
        return None
    if not isinstance(source, (str, os.PathLike, list, tuple)):
        kind = given or (_arrow_files.kind_of_bytes(source) if _is_buffer(source) else None)
        return kind and _arrow_files.open_files(source, kind)
    first = next(iter([source] if isinstance(source, (str, os.PathLike)) else source), None)
    if given is None and (first is None or _arrow_files.kind_of(os.path.expanduser(os.fsdecode(first))) is None):
        return None
    paths = _paths_of(source, {})
    kinds = {given or _arrow_files.kind_of(path) for path in paths}
    if None in kinds or len(kinds) > 1:
        raise _errors.ArgumentError("files of several formats at once: open each, and join the tables with dv.concat")
    others = sorted(options.keys() - {"format", "bad_fields"})
    if others:
        raise TypeError(f"open() of {kinds.pop()} files has no option {others[0]!r}")
    for path in paths:
        if not os.path.exists(path):
            raise _errors.FileMissing(f"{path}: cannot be opened: No such file or directory", path, os_code=2)
    return _arrow_files.open_files(paths, kinds.pop())


def _is_buffer(source):
    return isinstance(source, (bytes, bytearray, memoryview))


def _remember_options(table, options):
    """Other processes read text with the options that were found here; other formats have no bad fields."""
    proposal = table._view.proposal
    if proposal is not None:
        options = {**options, "text": proposal}
    elif table.kind in ("idv", "btable", "datadings"):
        options = {**options, "bad_fields": "na"}
    name, args, sources = table._recipe
    table._recipe = (name, (*args[:-1], options), sources)


def _warn(table):
    is_elsewhere = table._recipe[0] == "open_remote"
    if table.kind != "idv" and not is_elsewhere:
        return
    facts = table._view.facts(True)
    note = facts["source"]["disk_note"]
    sentences = [f"disk_cache: blocks of the file are not kept: {note}"] if note else []
    if table.kind == "idv":
        sentences += facts["warnings"]
    if dead := facts["dead_columns"]:
        sentences.append(f"{dead} column{'' if dead == 1 else 's'} cannot be read (unknown codec or "
                         "compression)")
    if sentences:
        _errors.warn("; ".join(sentences))
