# SPDX-License-Identifier: MIT
"""Files on web servers, of which any answer may be wrong (docs/remote.md)."""

import asyncio
import hashlib
import re

from . import _calls
from ._calls import Call, Final, Unsupported
from ._remote import CHANGED, Source, checked_nbytes

_END = 65 << 10  # bytes at each end of a file that are fetched as it is opened
_NO_RANGES = "the server does not serve ranges: simplecache::"
_SPAN = re.compile(r"bytes (\d{1,19})-(\d{1,19})/(\d{1,19}|\*)")
_MAY_PASS = {408, 425, 429}  # and 5xx: statuses of a server that may answer later


class _Answer:
    """Bytes of a file from `first` on, the file's length, and what identifies its version."""

    def __init__(self, first, data, nbytes, headers):
        self.first, self.data, self.nbytes = first, data, nbytes
        self.etag = headers.get("ETag")
        # without an ETag only the date and the length can show a change
        self.version = nbytes, self.etag, None if self.etag else headers.get("Last-Modified")


def exists(fs, url, how):
    """Whether a server has a file; not if it answers 404 or 410."""
    return _calls.unless_missing(lambda: File(fs, url, how, spans=["0-0"])) is not None


class File(Source):
    """A file on a web server.  Its beginning and its end are fetched as it is opened: the answers give its length, and
    a server that signs its URLs may refuse HEAD.  With a disk cache, which may have them, one byte is fetched."""

    def __init__(self, fs, path, how, spans=None):
        super().__init__(fs, path, how)
        self._spans = spans or (["0-0"] if how.on_disk else [f"0-{_END - 1}", f"-{_END}"][:how.requests])
        self._silence_s = how.timeout_s / how.attempts  # of one attempt
        self.name = path.partition("?")[0]
        self._opened = None  # the first answer
        self._ends = _calls.tried(self.name, how.attempts, lambda: self._wait_for(Call.in_loop(fs, self._fetch_ends())))
        self._opened = self._ends[0]
        self.nbytes, etag = checked_nbytes(self.name, self._opened.nbytes), self._opened.etag
        self.version = self._version_on_disk(etag) if how.on_disk else repr((etag, self.nbytes)) if etag else None

    def _version_on_disk(self, etag):
        """A text that identifies the bytes to later programs.  A weak ETag may stay when they change, and a query may
        name another file."""
        if not etag or etag.startswith("W/"):
            return None
        return repr((etag, self.nbytes, hashlib.sha256(self._path.partition("?")[2].encode()).hexdigest()))

    async def _fetch_ends(self):
        head, *tail = await asyncio.gather(*map(self._end, self._spans))
        for end in (head, *tail):
            if isinstance(end, BaseException) and (end is head or not isinstance(end, Exception)):
                raise end
        return [head] + [end for end in tail if isinstance(end, _Answer) and end.version == head.version]

    async def _end(self, span):
        """The answer or the error.  A server need not serve ranges from the end, and bytes that did not come are
        requested again when they are needed."""
        try:
            return await self._range(span)
        except BaseException as error:  # in a task of its own, an interrupt would end the event loop of fsspec
            return error

    async def _range(self, span):
        """The answer to a request for a range."""
        import aiohttp

        fs, kwargs, opened = self._fs, dict(self._fs.kwargs), self._opened
        kwargs["headers"] = {**kwargs.get("headers", {}), "Accept-Encoding": "identity", "Range": f"bytes={span}"}
        kwargs["timeout"] = aiohttp.ClientTimeout(total=None, sock_connect=self._silence_s, sock_read=self._silence_s)
        if opened and opened.etag and not opened.etag.startswith("W/"):
            kwargs["headers"]["If-Match"] = opened.etag
        session = await fs.set_session()
        try:
            async with session.get(fs.encode_url(self._path), **kwargs) as answer:
                return await self._checked(answer, span)
        except asyncio.TimeoutError as error:
            raise OSError(f"no byte came for {self._silence_s:g} s (timeout=)") from error

    async def _checked(self, answer, span):
        """The answer, if it has the bytes of the span."""
        status, headers = answer.status, answer.headers
        if status == 416 and not self._opened and headers.get("Content-Range", "").endswith("/0"):
            return _Answer(0, b"", 0, headers)
        if status not in (200, 206):
            raise self._refusal(status)
        if (headers.get("Content-Encoding") or "identity").lower() != "identity":
            raise Unsupported("the server compresses its answers: simplecache::" + self._path)
        if status == 200:
            return await self._whole(answer, span)
        found = _SPAN.fullmatch(headers.get("Content-Range", ""))
        if not found:
            raise OSError("the server answered 206 without a range")
        if found[3] == "*":
            raise Unsupported(_NO_RANGES + self._path)
        first, last, nbytes = map(int, found.groups())
        made = _Answer(first, b"", nbytes, headers)
        self._check_version(made)
        if (first, last) != _ends_of(span, nbytes):
            raise OSError(f"other bytes came: those from {first} on")
        made.data = await _body(answer, last - first + 1)
        return made

    async def _whole(self, answer, span):
        """A short file that comes whole, although a part of it was asked for."""
        data = await _read_up_to(answer, _END + 1)
        if len(data) > _END:
            raise Unsupported(_NO_RANGES + self._path)
        made = _Answer(0, data, len(data), answer.headers)
        self._check_version(made)
        return made

    def _check_version(self, answer):
        if self._opened and answer.version != self._opened.version:
            raise Final(CHANGED)

    def _refusal(self, status):
        if status in (404, 410):
            return FileNotFoundError(self._path)
        if status in (401, 403):
            return PermissionError(f"the server answered {status}")
        if self._opened and status in (412, 416):
            return Final(CHANGED)
        kind = OSError if status >= 500 or status in _MAY_PASS else Final
        return kind(f"the server answered {status}")

    def _read(self, offset, nbytes):
        for end in list(self._ends):
            if end.first <= offset and offset + nbytes <= end.first + len(end.data):
                self._ends = [other for other in self._ends if other is not end]
                return memoryview(end.data)[offset - end.first:offset - end.first + nbytes]
        answer = self._wait_for(Call.in_loop(self._fs, self._range(f"{offset}-{offset + nbytes - 1}")))
        return memoryview(answer.data)[offset - answer.first:offset - answer.first + nbytes]

    def beside(self, suffix):
        path, mark, query = self._path.partition("?")
        return _calls.unless_missing(lambda: File(self._fs, path + suffix + mark + query, self._how))


def _ends_of(span, nbytes):
    """The first and the last byte that the answer to a span has."""
    first, last = span.split("-")
    if not first:
        return max(nbytes - int(last), 0), nbytes - 1
    return int(first), min(int(last), nbytes - 1)


async def _read_up_to(answer, most):
    """The body; of a longer one, not much more than `most` bytes."""
    data = bytearray()
    while len(data) < most and (more := await answer.content.read(most - len(data))):
        data += more
    return bytes(data)


async def _body(answer, nbytes):
    data = await _read_up_to(answer, nbytes + 1)
    if len(data) != nbytes:
        raise OSError(f"{nbytes} bytes were asked for, {'more' if len(data) > nbytes else len(data)} came")
    return data
