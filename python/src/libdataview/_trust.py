# SPDX-License-Identifier: MIT
"""Which pickled pipelines this program made: a keyed digest tells (docs/security.md).

The key comes from `multiprocessing`, which hands its `authkey` to every child: forked, spawned, or started by a
fork server.  Workers of Ray are not children; they share a key that the cluster keeps for their job."""

import contextlib
import contextvars
import hmac
import importlib.util
import os
import sys
from multiprocessing import process

from . import _errors

TRUSTED = None  # the folder that steps are allowed, where the caller wrote them
NOTHING = ""  # and where they were loaded; or the absolute path of a folder
_granted = contextvars.ContextVar("libdataview.allow_folder", default=NOTHING)

_PURPOSE = b"libdataview pipelines"


def _key():
    return hmac.digest(bytes(process.current_process().authkey), _PURPOSE, "sha256")


def _key_of_job():
    """The key of this job of Ray, whose first process makes it; None: there is no job."""
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized() or not importlib.util.find_spec("ray.experimental.internal_kv"):
        return None
    from ray.experimental import internal_kv

    name = _PURPOSE + b" " + ray.get_runtime_context().get_job_id().encode()
    internal_kv._internal_kv_put(name, os.urandom(32), overwrite=False)
    return internal_kv._internal_kv_get(name)


def _keys():
    of_job = _key_of_job()
    return [_key()] if of_job is None else [of_job, _key()]


def _digest(key, parts):
    return hmac.digest(key, repr(parts).encode("utf-8", "surrogatepass"), "sha256")


def sign(*parts):
    """A digest of strings, numbers and None that only this program can make."""
    return _digest(_keys()[0], parts)


def is_own(signature, *parts):
    """Whether this program, or a process that it comes from, signed these parts."""
    return isinstance(signature, bytes) and any(hmac.compare_digest(_digest(key, parts), signature)
                                                for key in _keys())


def folder_of(path):
    """The absolute path of a folder that a caller allows; NOTHING for None."""
    if path is None:
        return NOTHING
    text = os.fsdecode(path)
    if not text:
        raise _errors.ArgumentError("allow_folder is empty: expected the path of a folder")
    return os.path.abspath(text)


def granted():
    """The folder that the caller allows the pipelines of a pickle that this program did not make."""
    return _granted.get()


@contextlib.contextmanager
def allow_folder(folder):
    """Allow pickled pipelines of other programs to open regular files below a folder.

        with dv.allow_folder("photos"):
            table = pickle.load(file)

    It holds for pipelines, Fitted, Transformers and Tables that this thread unpickles in the block, and for the
    files that they open afterwards.  It does not make pickles safe: Python runs any code that a pickle names
    (docs/security.md).

    >>> import pickle
    >>> import libdataview as dv
    >>> with dv.allow_folder("."):
    ...     pickle.loads(pickle.dumps(dv.pipe.copy("A:B")))
    Pipeline of 1 step
      copy A:B
    """
    token = _granted.set(folder_of(folder))
    try:
        yield
    finally:
        _granted.reset(token)
