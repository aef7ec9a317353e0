# SPDX-License-Identifier: MIT
import polars as pl

from . import Table

ROWS: int

def scan(table: Table) -> pl.LazyFrame: ...
