# SPDX-License-Identifier: MIT
"""Files elsewhere: in stores and behind web servers, through fsspec."""

import atexit
import os
import time
import weakref

from . import _errors

SOURCE_OPTIONS = {"requests", "attempts", "piece_nbytes", "least_nbytes", "request_nbytes", "cache_nbytes"}

_CHANGED = "the file has changed since it was opened"
_NO_RANGES = "the server does not serve ranges: simplecache::"
_END = 65 << 10  # bytes at each end of a file that are fetched as it is opened
_CHECK_S = 5.0  # between looks at the version of a file in a store, while it is read
# what tells a content from another one, by the names that file systems give it
_VERSIONS = ("ETag", "etag", "e_tag", "VersionId", "version_id", "generation", "md5Hash", "content_hash", "Digest",
             "Content-MD5", "LastModified", "last_modified", "Last-Modified", "mtime", "updated", "modified", "created",
             "ino", "size")


def is_url(item):
    """Whether an item names a file by a URL: "s3://bucket/key", "simplecache::https://host/file"."""
    return isinstance(item, str) and "://" in item


def local_path(item):
    """The path that a URL of a local file means; None: it is no such URL."""
    for scheme in ("file://", "local://"):
        if item.startswith(scheme):
            return item[len(scheme):]
    return None


def _fsspec():
    try:
        import fsspec
    except ImportError as error:
        raise _errors.missing("fsspec", "remote", "opening a URL") from error
    return fsspec


def files_of(items, filesystem, storage_options):
    """(file system, paths in it) of URLs; patterns and folders stand for the files in them."""
    if filesystem is not None:
        if storage_options:
            raise TypeError("a filesystem has its options already: leave storage_options out")
        pairs = [(filesystem, filesystem._strip_protocol(item)) for item in items]
    else:
        pairs = [_file_system(item, storage_options or {}) for item in items]
    first = pairs[0][0]
    if any(fs is not first for fs, _ in pairs):
        raise TypeError("files of several stores at once: open each, and join the tables with dv.concat")
    return first, [path for _, path in pairs for path in _expanded(first, path)]


def _file_system(item, storage_options):
    try:
        return _fsspec().core.url_to_fs(item, **storage_options)
    except ValueError as error:  # of a protocol that fsspec does not know
        raise _errors.ArgumentError(f"{item}: {error}", item) from error


def _is_http(fs):
    return "http" in _protocols(fs)


def _protocols(fs):
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)


def _expanded(fs, path):
    from . import _core

    # in a URL of the web `?` begins the query
    if any(c in path for c in ("*[" if _is_http(fs) else "*?[")) and not fs.exists(path):
        found = sorted(fs.glob(path))
        if not found:
            raise _errors.FileMissing(f"no file matches {path!r}", path, os_code=2)
        return found
    if _is_http(fs) or not fs.isdir(path):
        return [path]
    found = sorted(entry["name"] for entry in fs.ls(path, detail=True)
                   if entry["type"] == "file" and _suffix(entry["name"]) in _core.extensions)
    if not found:
        raise _errors.ArgumentError(f"the folder {path!r} holds no tables "
                                    f"({' '.join(sorted(_core.extensions))}): name its files")
    return found


def _suffix(path):
    name = path.rsplit("/", 1)[-1]
    return "." + name.rsplit(".", 1)[1].lower() if "." in name else ""


def open_source(fs, paths, how, options):
    """A view of files in a file system of fsspec."""
    from . import _core

    if getattr(fs, "_pid", os.getpid()) != os.getpid():  # a forked child: threads of the parent are not here
        fs = type(fs)(*fs.storage_args, **fs.storage_options)
    return _core.open_source(_sources(fs, paths, how), how, options)


def _sources(fs, paths, how):
    """Those of all files, which are found some at a time."""
    if len(paths) == 1:
        return [_source_of(fs, paths[0], how)]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(how.get("requests", 4), len(paths))) as pool:
        return list(pool.map(lambda path: _source_of(fs, path, how), paths))


def _version(info):
    found = {key: str(info[key]) for key in _VERSIONS if info.get(key) is not None}
    return repr(sorted(found.items()))


def _source_of(fs, path, how):
    if _is_http(fs):
        return _Web(fs, path, how.get("attempts", 4), how.get("requests", 4) > 1)
    return _Stored(fs, path)


class _Source:
    """What the extension reads: `name`, `version`, `nbytes`, `read_at`, `beside`, `cancel`.

    read_at raises for what may pass, and returns a str, which says what happened, for what will not."""

    living = weakref.WeakSet()
    is_ending = False  # the program ends: no request may begin

    def __init__(self, fs, path):
        self._fs, self._path, self._running = fs, path, set()
        self.living.add(self)

    def read_at(self, offset, nbytes):
        if _Source.is_ending:
            return "the program ends"
        try:
            return self._read(offset, nbytes)
        except _Final as error:
            return str(error)
        except FileNotFoundError:
            return "the file is gone"
        except PermissionError as error:
            return str(error) or "no permission"

    def _wait_for(self, coroutine):
        """The result of a coroutine in fsspec's thread; another thread may cancel it."""
        import asyncio
        import concurrent.futures

        future = asyncio.run_coroutine_threadsafe(coroutine, self._fs.loop)
        self._running.add(future)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise _Final("cancelled") from None
        finally:
            self._running.discard(future)

    def cancel(self):
        for future in list(self._running):
            future.cancel()


@atexit.register
def _cancel_all():
    """The end of the program waits for the requests that run: none may be slow."""
    _Source.is_ending = True
    for source in list(_Source.living):
        source.cancel()


class _Stored(_Source):
    """A file in a file system of fsspec."""

    def __init__(self, fs, path):
        super().__init__(fs, path)
        info = _found(fs, path)
        if info.get("type") == "directory":
            raise _errors.FileError(f"{path}: a directory: name a file in it", path, os_code=21)
        self.name, self.nbytes, self.version = fs.unstrip_protocol(path), info.get("size"), _version(info)
        self._checked = time.monotonic()
        if self.nbytes is None:
            raise _errors.UnsupportedError(f'{self.name}: it is not known how long the file is: open '
                                           f'"simplecache::{self.name}", which fetches it whole first', self.name)

    def _read(self, offset, nbytes):
        self._check_version()
        if self._fs.async_impl:
            return self._wait_for(self._fs._cat_file(self._path, start=offset, end=offset + nbytes))
        return self._fs.cat_file(self._path, start=offset, end=offset + nbytes)

    def _check_version(self):
        """A store is asked now and then, a file system in this machine each time."""
        now = time.monotonic()
        if now - self._checked < (0 if _protocols(self._fs)[0] in ("file", "memory") else _CHECK_S):
            return
        self._fs.invalidate_cache(self._fs._parent(self._path))
        if _version(self._fs.info(self._path)) != self.version:
            raise _Final(_CHANGED)
        self._checked = now

    def beside(self, suffix):
        try:
            return _Stored(self._fs, self._path + suffix)
        except (FileNotFoundError, PermissionError):
            return None


class _Web(_Source):
    """A file behind a web server.  Its two ends are fetched as it is opened: the answers say how long it is, and
    a server that signs its URLs need not allow HEAD."""

    def __init__(self, fs, path, attempts, with_tail):
        super().__init__(fs, path)
        self._attempts, self._with_tail = attempts, with_tail
        self.name = path.partition("?")[0]
        self.nbytes = self._etag = None
        self._ends = self._opened()
        self.version = repr((self._etag, self.nbytes)) if self._etag else None

    def _opened(self):
        for attempt in range(self._attempts):
            try:
                return self._wait_for(self._fetch_ends())
            except FileNotFoundError as error:
                raise _errors.FileMissing(f"{self.name}: cannot be opened: no such file", self.name, os_code=2) from error
            except _Final as error:
                raise _errors.UnsupportedError(f"{self.name}: {error}", self.name) from None
            except Exception as error:  # of the transport: aiohttp's are of many kinds
                if attempt + 1 == self._attempts:
                    raise _errors.FileError(f"{self.name}: cannot be opened: {type(error).__name__}: {error}",
                                            self.name) from error
                time.sleep(0.05 * 2 ** attempt)

    async def _fetch_ends(self):
        import asyncio

        spans = [f"0-{_END - 1}", f"-{_END}"][:1 + self._with_tail]
        head, *tail = await asyncio.gather(*map(self._range, spans), return_exceptions=True)
        if isinstance(head, BaseException):
            raise head
        self.nbytes, self._etag = head[2:]
        # a server that does not know ranges from the end is no failure
        return [head[:2]] + [end[:2] for end in tail if not isinstance(end, BaseException) and end[2:] == head[2:]]

    async def _range(self, span, etag=None):
        """(offset, bytes, length of the file, ETag) of a range."""
        fs, kwargs = self._fs, dict(self._fs.kwargs)
        kwargs["headers"] = {**kwargs.get("headers", {}), "Accept-Encoding": "identity", "Range": f"bytes={span}"}
        if etag and not etag.startswith("W/"):
            kwargs["headers"]["If-Match"] = etag
        session = await fs.set_session()
        async with session.get(fs.encode_url(self._path), **kwargs) as answer:
            found, length = answer.headers.get("Content-Range", ""), answer.headers.get("Content-Length")
            if answer.status == 412 or (answer.status == 416 and etag):
                raise _Final(_CHANGED)
            if answer.status == 416 and found.endswith("/0"):
                return 0, b"", 0, answer.headers.get("ETag")
            if answer.status == 200 and (length is None or int(length) > _END):
                raise _Final(_NO_RANGES + self._path)
            fs._raise_not_found_for_status(answer, self._path)
            answer.raise_for_status()
            data = await answer.read()
            first, total = 0, str(len(data))
            if answer.status == 206:
                first, total = found.removeprefix("bytes ").partition("-")[0], found.rpartition("/")[2]
            if not total.isdigit():
                raise _Final(_NO_RANGES + self._path)
            return int(first), data, int(total), answer.headers.get("ETag")

    async def _fetch(self, offset, nbytes):
        first, data, total, etag = await self._range(f"{offset}-{offset + nbytes - 1}", self._etag)
        if total != self.nbytes or (self._etag and etag and etag != self._etag):
            raise _Final(_CHANGED)
        if first == 0 and offset > 0 and len(data) == total:  # a short file comes whole
            data = data[offset:offset + nbytes]
        elif first != offset:
            raise OSError(f"other bytes came: those from {first} on")
        return data

    def _read(self, offset, nbytes):
        for end in list(self._ends):
            if end[0] <= offset and offset + nbytes <= end[0] + len(end[1]):
                self._ends = [other for other in self._ends if other is not end]
                return memoryview(end[1])[offset - end[0]:offset - end[0] + nbytes]
        return self._wait_for(self._fetch(offset, nbytes))

    def beside(self, suffix):
        path, mark, query = self._path.partition("?")
        try:
            return _Web(self._fs, path + suffix + mark + query, self._attempts, self._with_tail)
        except (FileNotFoundError, PermissionError, _errors.FileError):
            return None


class _Final(Exception):
    """What no other attempt will mend."""


def _found(fs, path):
    """What the file system knows of a file; FileMissing."""
    try:
        return fs.info(path)
    except FileNotFoundError as error:
        raise _errors.FileMissing(f"{path}: cannot be opened: no such file", path, os_code=2) from error
    except PermissionError as error:
        raise _errors.FileRefused(f"{path}: cannot be opened: {error}", path, os_code=13) from error
