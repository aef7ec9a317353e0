# SPDX-License-Identifier: MIT
"""Remote files: objects in stores and files on web servers, through fsspec."""

import atexit
import math
import os
import re
import threading
import time
import weakref

from . import _calls, _errors
from ._calls import Call, Final

SOURCE_OPTIONS = {"requests", "attempts", "piece_nbytes", "least_nbytes", "request_nbytes", "cache_nbytes", "timeout",
                  "disk_cache", "disk_cache_nbytes"}
_IN_CORE = {"disk_cache": "disk_folder", "disk_cache_nbytes": "disk_nbytes"}  # names in source.h that differ

# Sizes in source.h, which follow those that are given.
_SIZES = {"piece_nbytes": 1 << 10, "least_nbytes": 1 << 16, "request_nbytes": 4 << 20, "cache_nbytes": 64 << 20}

_PUT_TIMEOUT_S = 3600.0  # of one attempt to send a file

CHANGED = "the file has changed since it was opened"
_NBYTES_MOST = 1 << 60  # the longest file
_FOLDERS_MOST = 31  # KEY=VALUE below each other, as open_list.c has it
# These entries of an `info` differ between versions of a file; each file system has its own names for them.
_VERSIONS = ("ETag", "etag", "e_tag", "VersionId", "version_id", "generation", "md5Hash", "content_hash", "Digest",
             "Content-MD5", "LastModified", "last_modified", "Last-Modified", "mtime", "updated", "modified", "created",
             "ino", "size")


def is_url(item):
    """Whether an item names a file by a URL: "s3://bucket/key", "simplecache::https://host/file"."""
    return isinstance(item, str) and "://" in item


def local_path(item):
    """The path in the URL of a local file; None for other URLs."""
    for scheme in ("file://", "local://"):
        if item.startswith(scheme):
            return item[len(scheme):]
    return None


def _fsspec():
    return _errors.needed("fsspec", "remote", "opening a URL")


def _checked(name, value, kinds, least, expected):
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise TypeError(f"{name}={value!r}: expected a number")
    if not least <= value < math.inf:
        raise _errors.ArgumentError(f"source options: {name} must be {expected}, not {value!r}")
    return value


class How:
    """The source options that Python uses: `attempts`, `requests`, `timeout`, and whether there is a `disk_cache`."""

    def __init__(self, how):
        self.attempts = _checked("attempts", how.get("attempts", 4), int, 1, "at least 1")
        self.requests = _checked("requests", how.get("requests", 4), int, 1, "1 to 256")
        self.on_disk = how.get("disk_cache") is not None
        self.timeout_s = _checked("timeout", how.get("timeout", _calls.TIMEOUT_S), (int, float), 1e-3, "seconds, at least 0.001")

    def ask(self, name, fs, method, *args, **options):
        """Call a method of a file system, which may fail for a moment."""
        return _calls.tried(name, self.attempts, lambda: Call.of(fs, method, *args, **options).result(self.timeout_s))

    def info(self, fs, path):
        """The `info` of a file or a folder; None if neither exists."""
        found = _calls.unless_missing(lambda: self.ask(path, fs, "info", path))
        if not isinstance(found, dict | None):
            raise _errors.FileError(f"{path}: cannot be opened: the file system describes it as {found!r:.40}", path)
        return found


def files_of(items, filesystem, storage_options, how=None):
    """(file system, paths in it) of URLs; a pattern or a folder stands for the files that it holds."""
    if filesystem is not None:
        if storage_options:
            raise TypeError("a filesystem has its options already: leave storage_options out")
        pairs = [(filesystem, filesystem._strip_protocol(item)) for item in items]
    else:
        pairs = [_file_system(item, storage_options or {}) for item in items]
    first = pairs[0][0]
    if any(fs is not first for fs, _ in pairs):
        raise TypeError("files of several stores at once: open each, and join the tables with dv.concat")
    how = How(how or {})
    return first, [path for _, path in pairs for path in _expanded(first, path, how)]


def _file_system(item, storage_options):
    try:
        return _fsspec().core.url_to_fs(item, **storage_options)
    except ValueError as error:  # fsspec does not know the protocol
        raise _errors.ArgumentError(f"{item}: {error}", item) from error


def _is_http(fs):
    return "http" in _protocols(fs)


def _protocols(fs):
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)


def _expanded(fs, path, how):
    is_http = _is_http(fs)
    magic = "*[" if is_http else "*?["  # in a URL of the web, `?` begins the query
    is_pattern = any(c in path for c in magic)
    if is_http and not is_pattern:
        return [path]
    if is_http:
        from . import _web

        info = {} if _web.exists(fs, path, how) else None
    else:
        info = how.info(fs, path)
    if info is None and is_pattern:
        found = _matching(fs, path, magic, how)
        if not found:
            raise _errors.FileMissing(f"no file matches {path!r}", path, os_code=2)
        return found
    return _tables_in(fs, path, how) if info and info.get("type") == "directory" else [path]


def _tables_in(fs, path, how):
    """The tables of a folder, and of the folders KEY=VALUE in it, which are marked (open.h)."""
    from . import _core

    found, folders = [], [(path, 0)]
    while folders:
        folder, depth = folders.pop()
        if depth > _FOLDERS_MOST:
            raise _errors.UnsupportedError(f"{folder}: more than {_FOLDERS_MOST} folders KEY=VALUE below each other", folder)
        for entry in how.ask(folder, fs, "ls", folder, detail=True):
            name = entry["name"].rstrip("/")
            base = name.rsplit("/", 1)[-1]
            if base == ".unfinished":
                raise _errors.UnsupportedError(f"{folder}: expected a job that wrote all of its files, found .unfinished: "
                                               "run the job again, or name the files that are to be read", folder)
            if entry["type"] == "directory" and "=" in base[1:] and base[0] not in ".=":
                folders.append((name, depth + 1))
            elif entry["type"] == "file" and _suffix(name) in _core.extensions:
                found.append(_marked(name, depth))
    found.sort(key=_unmarked)
    if not found:
        raise _errors.ArgumentError(f"the folder {path!r} holds no tables "
                                    f"({' '.join(sorted(_core.extensions))}): name its files")
    return found


def _marked(path, depth):
    """The path with the mark /./ before its last `depth` folders (open.h)."""
    parts = path.rsplit("/", depth + 1)
    return "/".join([parts[0], ".", *parts[1:]]) if depth else path


def _unmarked(path):
    return path.replace("/./", "/")


def _matching(fs, pattern, magic, how):
    """The files that match a pattern.  fs.glob() would omit the files of a folder that it fails to list."""
    from fsspec.utils import glob_translate

    def matches(parts):
        text = "/".join(parts)
        return re.compile(glob_translate(text if "?" in magic else text.replace("?", "[?]"))).match

    parts = pattern.split("/")
    first = next(i for i, part in enumerate(parts) if any(c in part for c in magic))
    is_deep, is_match = "**" in pattern, matches(parts)
    found, folders = [], [(fs._strip_protocol("/".join(parts[:first]) + "/" if first else ""), first)]
    while folders:
        folder, level = folders.pop()
        goes_on = matches(parts[:level + 1]) if level + 1 < len(parts) else None
        for entry in how.ask(folder, fs, "ls", folder, detail=True):
            name = entry["name"].rstrip("/")
            if entry["type"] != "directory":
                found += [name] if is_match(name) else []
            elif name != folder.rstrip("/") and (is_deep or goes_on and goes_on(name)):
                folders.append((name, level + 1))
    return sorted(found)


def _suffix(path):
    name = path.rsplit("/", 1)[-1]
    return "." + name.rsplit(".", 1)[1].lower() if "." in name else ""


def open_source(fs, paths, how, options):
    """A view of files in a file system of fsspec."""
    from . import _core

    if getattr(fs, "_pid", os.getpid()) != os.getpid():  # a forked child, which lacks the parent's threads
        fs = type(fs)(*fs.storage_args, **fs.storage_options)
    in_core = _sizes({_IN_CORE.get(name, name): value for name, value in how.items() if name != "timeout"})
    return _core.open_source(_sources(fs, paths, How(how)), in_core, options)


def with_folder(how):
    """The source options with the absolute path of `disk_cache`, so that processes elsewhere mean the same folder."""
    if "disk_cache" in how:
        return {**how, "disk_cache": os.path.abspath(os.path.expanduser(os.fsdecode(how["disk_cache"])))}
    if "disk_cache_nbytes" in how:
        raise TypeError("disk_cache_nbytes= bounds the folder that disk_cache= names: give both")
    return how


def target_of(path, filesystem, storage_options):
    """(file system, path in it) of a file to be written."""
    if filesystem is not None and storage_options:
        raise TypeError("a filesystem has its options already: leave storage_options out")
    fs, inside = (filesystem, filesystem._strip_protocol(os.fspath(path))) if filesystem is not None \
        else _file_system(path, storage_options or {})
    if _is_http(fs):
        raise _errors.UnsupportedError(f"{path}: web servers take no files: write to a path, or to a store (s3://, gs://)",
                                       str(path))
    if not inside.rpartition("/")[2]:
        raise _errors.ArgumentError(f"{path}: name the file to be written", str(path))
    return fs, inside


def here_only(path, what):
    """The path of a file that is written in place; an error for a URL."""
    if not is_url(path):
        return path
    found = local_path(path)
    if found is None:
        raise _errors.UnsupportedError(f"{path}: {what} is a local file: give a path; dv.write() can copy it to a URL", path)
    return found


# Stores whose objects appear as a whole, once their last byte has arrived.
_WHOLE = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci"}


def put(fs, folder, path):
    """Copy a file, after its sidecar files, from a local folder to `path`, which keeps its bytes until the new
    ones have arrived."""
    how = How({"timeout": _PUT_TIMEOUT_S})
    parent, main = path.rpartition("/")[::2]
    mark = "" if _WHOLE & set(_protocols(fs)) else f".{os.urandom(6).hex()}.part"
    names = sorted(os.listdir(folder), key=lambda name: name == main)
    pairs = [(os.path.join(folder, name), path.removesuffix(main) + name) for name in names]
    if mark and parent:
        how.ask(parent, fs, "makedirs", parent, exist_ok=True)
    arrived = []
    try:
        for here, there in pairs:
            arrived.append(there + mark)
            how.ask(there, fs, "put_file", here, there + mark)
        while mark and arrived:
            name = arrived[0].removesuffix(mark)
            how.ask(name, fs, "mv", arrived[0], name)
            del arrived[0]
        arrived = []
    finally:
        for name in arrived if mark else ():
            if fs.exists(name):
                fs.rm_file(name)


def _sizes(how):
    """The source options, with sizes that agree with those that are given."""
    sizes = {name: how[name] for name in how.keys() & _SIZES.keys()}
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in sizes.values()):
        return how  # the extension refuses it
    piece = sizes.get("piece_nbytes", _SIZES["piece_nbytes"])
    least = sizes.get("least_nbytes", max(piece, min(_SIZES["least_nbytes"], sizes.get("request_nbytes", math.inf),
                                                     sizes.get("cache_nbytes", math.inf) // 2)))
    request = sizes.get("request_nbytes", max(piece, least, min(_SIZES["request_nbytes"],
                                                                sizes.get("cache_nbytes", math.inf) // 2)))
    cache = sizes.get("cache_nbytes", max(_SIZES["cache_nbytes"], 2 * request))
    found = {"piece_nbytes": piece, "least_nbytes": least, "request_nbytes": request, "cache_nbytes": cache}
    return {**how, **{name: int(n) for name, n in found.items()}} if sizes else how


def _sources(fs, paths, how):
    """The sources of all files, a few at a time."""
    if len(paths) == 1:
        return [_source_of(fs, paths[0], how)]
    found, left = [None] * len(paths), list(enumerate(paths))[::-1]
    turn = threading.Lock()

    def find():
        while True:
            with turn:
                if not left:
                    return
                k, path = left.pop()
            found[k] = _source_of(fs, path, how)

    calls = [Call.in_thread(find) for _ in range(min(how.requests, len(paths)))]
    try:
        for call in calls:
            call.result()
    finally:
        left.clear()  # after an error or an interrupt, threads of other files end soon
    return found


def _source_of(fs, path, how):
    if _is_http(fs):
        from . import _web

        return _web.File(fs, path, how)
    info = how.info(fs, _unmarked(path))
    if info is None:
        raise _calls.failure_of(path, FileNotFoundError())
    return _Stored(fs, path, how, info)


class Source:
    """A file for the extension, which uses the public attributes and methods.

    read_at raises an exception for a failure that may pass, and returns a str for one that will not.  Exceptions
    other than Exception, such as KeyboardInterrupt, end the call that reads, and leave it unchanged."""

    living = weakref.WeakSet()
    is_ending = False  # the program ends, so that no request may begin

    def __init__(self, fs, path, how):
        self._fs, self._path, self._how, self._running = fs, path, how, set()
        self.living.add(self)

    def read_at(self, offset, nbytes):
        if Source.is_ending:
            return "the program ends"
        try:
            return memoryview(self._read(offset, nbytes))
        except (Final, FileNotFoundError, PermissionError) as error:
            return "the file is gone" if isinstance(error, FileNotFoundError) else str(error) or "no permission"

    def _wait_for(self, call, timeout_s=None):
        """The result of a call; cancel() cancels it."""
        self._running.add(call)
        try:
            return call.result(timeout_s)
        finally:
            self._running.discard(call)

    def cancel(self):
        for call in list(self._running):
            call.cancel()


@atexit.register
def _cancel_all():
    """The end of the program waits for requests that run, so that they must end soon."""
    Source.is_ending = True
    for source in list(Source.living):
        source.cancel()


def checked_nbytes(name, nbytes):
    """The length of a file, which a server or a file system gave."""
    if isinstance(nbytes, bool) or not isinstance(nbytes, int) or not 0 <= nbytes <= _NBYTES_MOST:
        raise _errors.FileError(f"{name}: cannot be opened: its length is given as {nbytes!r:.40}", name)
    return nbytes


def _version(info):
    found = {key: str(info[key]) for key in _VERSIONS if info.get(key) is not None}
    return repr(sorted(found.items()))


def _has_version(info):
    """Whether something other than the length would show that the file has changed."""
    return any(info.get(key) is not None for key in _VERSIONS if key != "size")


def _named(fs, path):
    """The URL of a path, with its mark."""
    root, mark, rest = path.partition("/./")
    return fs.unstrip_protocol(root) + mark + rest


class _Stored(Source):
    """A file in a file system of fsspec."""

    def __init__(self, fs, path, how, info):
        super().__init__(fs, _unmarked(path), how)
        if info.get("type") == "directory":
            raise _errors.FileError(f"{path}: a directory: name a file in it", path, os_code=21)
        self.name, self._version = _named(fs, path), _version(info)
        self.version = None if how.on_disk and not _has_version(info) else self._version
        if info.get("size") is None:
            raise _errors.UnsupportedError(f'{self.name}: its length is not known: open '
                                           f'"simplecache::{self.name}", which fetches it whole first', self.name)
        self.nbytes = checked_nbytes(self.name, info["size"])
        self._turn, self._checked = threading.Lock(), 0.0

    def _ask(self, method, *args, **options):
        return self._wait_for(Call.of(self._fs, method, *args, **options), self._how.timeout_s)

    def _read(self, offset, nbytes):
        data = self._ask("cat_file", self._path, start=offset, end=offset + nbytes)
        self._check_version()
        return data

    def _check_version(self):
        """Fail if the bytes that were read may belong to a different version.  One check serves all reads that ended
        before it began."""
        ended = time.monotonic()
        with self._turn:
            if self._checked > ended:
                return
            began = time.monotonic()
            self._fs.invalidate_cache(self._fs._parent(self._path))
            if _version(self._ask("info", self._path)) != self._version:
                raise Final(CHANGED)
            self._checked = began

    def beside(self, suffix):
        info = self._how.info(self._fs, self._path + suffix)
        return None if info is None else _Stored(self._fs, self._path + suffix, self._how, info)
