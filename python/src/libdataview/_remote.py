# SPDX-License-Identifier: MIT
"""Files elsewhere: in stores and behind web servers, through fsspec."""

import os
import time

from . import _errors

SOURCE_OPTIONS = {"requests", "attempts", "piece_nbytes", "least_nbytes", "request_nbytes", "cache_nbytes"}

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
        url_to_fs = _fsspec().core.url_to_fs
        pairs = [url_to_fs(item, **(storage_options or {})) for item in items]
    first = pairs[0][0]
    if any(fs is not first for fs, _ in pairs):
        raise TypeError("files of several stores at once: open each, and join the tables with dv.concat")
    return first, [path for _, path in pairs for path in _expanded(first, path)]


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
    return _core.open_source([Source(fs, path) for path in paths], how, options)


def _version(info):
    found = {key: str(info[key]) for key in _VERSIONS if info.get(key) is not None}
    return repr(sorted(found.items()))


class Source:
    """What the extension reads: `name`, `version`, `nbytes`, `read_at`, `beside`, `cancel`.

    read_at raises for what may pass, and returns a str, which says what happened, for what will not."""

    def __init__(self, fs, path, info=None):
        self._fs, self._path, self._running = fs, path, set()
        info = info or _found(fs, path)
        if info.get("type") == "directory":
            raise _errors.FileError(f"{path}: a directory: name a file in it", path, os_code=21)
        self.nbytes = info.get("size")
        self.version = _version(info)
        self.name = path.partition("?")[0] if _is_http(fs) else fs.unstrip_protocol(path)
        self._etag = info.get("ETag")
        self._checked = time.monotonic()
        if self.nbytes is None:
            raise _errors.UnsupportedError(f'{self.name}: the server does not say how long the file is: open '
                                           f'"simplecache::{path}", which fetches it whole first', self.name)

    def read_at(self, offset, nbytes):
        try:
            if _is_http(self._fs):
                return self._wait_for(self._fetch(offset, nbytes))
            self._check_version()
            if self._fs.async_impl:
                return self._wait_for(self._fs._cat_file(self._path, start=offset, end=offset + nbytes))
            return self._fs.cat_file(self._path, start=offset, end=offset + nbytes)
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

    def beside(self, suffix):
        path, mark, query = self._path.partition("?") if _is_http(self._fs) else (self._path, "", "")
        try:
            return Source(self._fs, path + suffix + mark + query)
        except (FileNotFoundError, PermissionError, _errors.UnsupportedError):
            return None

    def _check_version(self):
        """A store is asked now and then, a file system in this machine each time."""
        now = time.monotonic()
        if now - self._checked < (0 if _protocols(self._fs)[0] in ("file", "memory") else _CHECK_S):
            return
        self._fs.invalidate_cache(self._fs._parent(self._path))
        if _version(self._fs.info(self._path)) != self.version:
            raise _Final("the file has changed since it was opened")
        self._checked = now

    async def _fetch(self, offset, nbytes):
        """One range; what the answer says of itself must be what was asked for."""
        fs, kwargs = self._fs, dict(self._fs.kwargs)
        kwargs["headers"] = {**kwargs.get("headers", {}), "Accept-Encoding": "identity",
                             "Range": f"bytes={offset}-{offset + nbytes - 1}"}
        if self._etag and not self._etag.startswith("W/"):
            kwargs["headers"]["If-Match"] = self._etag
        session = await fs.set_session()
        async with session.get(fs.encode_url(self._path), **kwargs) as answer:
            if answer.status in (412, 416):
                raise _Final("the file has changed since it was opened")
            if answer.status == 200 and nbytes < self.nbytes:
                raise _Final("the server ignores ranges: simplecache::URL")
            fs._raise_not_found_for_status(answer, self._path)
            answer.raise_for_status()
            etag, span = answer.headers.get("ETag"), answer.headers.get("Content-Range", "")
            total = span.rpartition("/")[2]
            if (self._etag and etag and etag != self._etag) or total not in ("", "*", str(self.nbytes)):
                raise _Final("the file has changed since it was opened")
            if span and not span.startswith(f"bytes {offset}-{offset + nbytes - 1}/"):
                raise OSError(f"other bytes came: {span}")
            return await answer.read()


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
