# SPDX-License-Identifier: MIT
import os
from collections.abc import Iterable
from typing import Any, Literal

__all__ = ["read", "write"]

_Path = str | os.PathLike[str]

def read(paths: _Path | Iterable[_Path], columns: str | Iterable[str] | None = None, where: Any = (), *,
         rows_per_task: int | None = None, override_num_blocks: int | None = None, local: bool = False,
         ray_remote_args: dict[str, Any] | None = None, **options: Any) -> Any: ...
def write(dataset: Any, folder: _Path, *, format: Literal["idv", "btable", "csv", "tsv"] = "idv",
          rows_per_shard: int | None = None, concurrency: int | None = None,
          ray_remote_args: dict[str, Any] | None = None, **options: Any) -> int: ...
