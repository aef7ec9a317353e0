# SPDX-License-Identifier: MIT
"""Calls of file systems: bounded in time, cancelled on request, and tried again when they fail."""

import math
import queue
import threading
import time

from . import _errors

TIMEOUT_S = 60.0
STEP_S = 0.05  # the longest wait between two looks for signals
PAUSE_S = 0.05  # before the second attempt; each later pause is twice as long


class Final(Exception):
    """A failure that a second attempt would meet again."""


class Unsupported(Final):
    """A server or a file system lacks what this package needs."""


class Call:
    """A call that runs in another thread: in a new one, or in the event loop of a file system."""

    def __init__(self):
        self._answers, self._future, self._ready = queue.SimpleQueue(), None, threading.Event()

    @classmethod
    def in_thread(cls, function, *args, **options):
        call = cls()
        threading.Thread(target=call._called, args=(function, args, options), daemon=True).start()
        return call

    @classmethod
    def in_loop(cls, fs, coroutine):
        import asyncio

        call = cls()
        call._future = asyncio.run_coroutine_threadsafe(call._awaited(coroutine), fs.loop)
        return call

    @classmethod
    def of(cls, fs, method, *args, **options):
        """Call a method of a file system, in the way that suits it."""
        if fs.async_impl:
            return cls.in_loop(fs, getattr(fs, "_" + method)(*args, **options))
        return cls.in_thread(getattr(fs, method), *args, **options)

    def _called(self, function, args, options):
        try:
            self._put(function(*args, **options), None)
        except BaseException as error:  # result() raises it
            self._put(None, error)

    async def _awaited(self, coroutine):
        try:
            self._put(await coroutine, None)
        except BaseException as error:  # result() raises it; an interrupt would end the event loop of fsspec
            self._put(None, error)

    def _put(self, answer, error):
        self._answers.put((answer, error))
        self._ready.set()

    def result(self, timeout_s=None):
        """The result or the exception of the call; Final: it was cancelled, or took longer than the timeout."""
        end = math.inf if timeout_s is None else time.monotonic() + timeout_s
        try:
            answer, error = self._answer(end)
        except queue.Empty:
            error = Final(f"no answer within {timeout_s:g} s (timeout=)")
        finally:
            self.cancel()  # has no effect on a call that has ended
        if error is not None:
            raise error
        return answer

    def _answer(self, end):
        """Wait in short steps: a signal that another thread received does not end a long wait of the main thread."""
        while self._answers.empty() and time.monotonic() < end - STEP_S:
            self._ready.wait(STEP_S)
        return self._answers.get(timeout=max(0, min(STEP_S, end - time.monotonic())))

    def cancel(self):
        """Make result() return soon.  A thread that runs a call of a file system goes on until it ends."""
        self._put(None, Final("cancelled"))
        if self._future is not None:
            self._future.cancel()


def tried(name, attempts, call):
    """The result of call(), with attempts at growing intervals; failures become errors of this package."""
    for attempt in range(attempts):
        if attempt:
            time.sleep(PAUSE_S * 2 ** (attempt - 1))
        try:
            return call()
        except Exception as error:  # each transport has its own classes
            failure = failure_of(name, error)
            if failure is error:
                raise
            if attempt + 1 == attempts or not _may_pass(error):
                raise failure from error


def unless_missing(call):
    """The result of call(); None if the file that it opens does not exist."""
    try:
        return call()
    except _errors.FileMissing:
        return None


def _may_pass(error):
    return not isinstance(error, (Final, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError,
                                  NotImplementedError, MemoryError))


def failure_of(name, error):
    """The error of this package for a failure to open a file."""
    if isinstance(error, (_errors.Error, MemoryError)):
        return error
    if isinstance(error, FileNotFoundError):
        return _errors.FileMissing(f"{name}: cannot be opened: no such file", name, os_code=2)
    if isinstance(error, PermissionError):
        return _errors.FileRefused(f"{name}: cannot be opened: {error}", name, os_code=13)
    if isinstance(error, Unsupported):
        return _errors.UnsupportedError(f"{name}: {error}", name)
    text = str(error) if isinstance(error, Final) else f"{type(error).__name__}: {error}"
    return _errors.FileError(f"{name}: cannot be opened: {text}", name)
