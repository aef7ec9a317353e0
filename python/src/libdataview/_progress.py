# SPDX-License-Identifier: MIT
"""Progress of long calls: True (tqdm, or a line on a terminal), a callable, or an object of tqdm."""

import importlib.util
import sys
import time


class _Line:
    """A line on standard error, from the first second on, that is gone at the end."""

    def __init__(self):
        self.started, self.shown = time.monotonic(), False

    def __call__(self, done, total):
        seconds = time.monotonic() - self.started
        if seconds < 1 and not self.shown:
            return True
        rate = done / seconds if seconds else 0
        share = f" {100 * done / total:.0f} %" if total > 0 else ""
        sys.stderr.write(f"\r{done:,} rows{share}, {rate:,.0f} rows/s\033[K")
        self.shown = True
        if done == total:
            sys.stderr.write("\r\033[K")
        sys.stderr.flush()
        return True


class _Bar:
    """An object with `update` and `total`, as tqdm has them."""

    def __init__(self, bar):
        self.bar, self.done = bar, 0

    def __call__(self, done, total):
        if total >= 0 and self.bar.total != total:
            self.bar.total = total
        self.bar.update(done - self.done)
        self.done = done
        return True


def of(progress):
    """The callable (done, total) that the extension takes; None: only signals are looked for."""
    if progress is None or progress is False:
        return None
    if progress is True:
        if importlib.util.find_spec("tqdm") is None:
            return _Line() if sys.stderr.isatty() else None
        from tqdm.auto import tqdm

        return _Bar(tqdm(unit="rows", unit_scale=True, leave=False))
    if hasattr(progress, "update") and hasattr(progress, "total"):
        return _Bar(progress)
    if callable(progress):
        return progress
    raise TypeError("progress is True, a callable (done, total), or an object such as tqdm's")
