# SPDX-License-Identifier: MIT
"""Sentences for names that do not exist here: what other libraries call what this package has."""

from . import _errors

# What each word means here.
MODULE = {
    **dict.fromkeys(("read_csv", "scan_csv", "read_table", "load", "read", "load_dataset"),
                    "dv.open(path) opens files"),
    **dict.fromkeys(("read_parquet", "scan_parquet"), "dv.from_arrow(pyarrow.parquet.read_table(path))"),
    **dict.fromkeys(("DataFrame", "from_dict", "from_pydict", "from_arrays"),
                    "dv.from_numpy({'a': array}) makes a table of arrays"),
    **dict.fromkeys(("MsgpackReader", "ShardedReader"), "dv.datadings has it"),
    **dict.fromkeys(("from_polars", "from_duckdb"), "dv.from_arrow(data)"),
    **dict.fromkeys(("to_csv", "write_csv", "save"), "dv.write(table, path)"),
    **dict.fromkeys(("Dataset", "DataLoader"), "dv.torch.Dataset, or t.feed(...)"),
}
TABLE = {
    **dict.fromkeys(("dtypes", "types"), "t.schema"),
    **dict.fromkeys(("sort", "sort_values", "group_by", "groupby", "join", "merge", "agg", "pivot"),
                    "t.to_polars() or t.to_pandas() has it"),
    **dict.fromkeys(("to_csv", "write_csv", "save", "save_to_disk"), "t.write(path) saves .idv, .csv and others"),
    **dict.fromkeys(("to_parquet", "write_parquet"), "pyarrow.parquet.write_table(t.to_arrow(), path)"),
    **dict.fromkeys(("assign", "with_column", "mutate"), "t.with_columns(x2='area * 2')"),
    **dict.fromkeys(("astype", "convert"), "t.cast({'a': 'R4'})"),
    **dict.fromkeys(("train_test_split", "random_split"), "t.split(0.8, 0.2, shuffle=True)"),
    **dict.fromkeys(("values", "numpy"), "t.to_numpy()"),
    **dict.fromkeys(("pandas", "df"), "t.to_pandas()"),
    **dict.fromkeys(("loc", "iloc"), "t[10:20], t[[7, 3]], t[t['a'] >= 18]"),
    **dict.fromkeys(("query", "where"), "t.filter(dv.col('a') >= 18)"),
    "limit": "t.head(n)",
    **dict.fromkeys(("rows", "iterrows", "itertuples"), "t.iter_rows(), or t.batches()"),
    **dict.fromkeys(("to_dict", "to_dicts", "to_list"), "t.to_pylist(), or t.to_pydict()"),
    **dict.fromkeys(("to_torch", "tensor", "with_format", "set_format"), "dv.torch.Dataset(t), or t.to_numpy()"),
    **dict.fromkeys(("isna", "isnull", "null_count"), "t.describe() counts missing values"),
    **dict.fromkeys(("unique", "nunique", "drop_duplicates"), "t['a'].unique(), or t.value_counts('a')"),
    **dict.fromkeys(("info", "summary"), "t.describe(), or t.facts()"),
    **dict.fromkeys(("width", "height", "num_examples"), "t.num_columns, t.num_rows, or t.count()"),
    **dict.fromkeys(("fillna", "fill_null", "get_dummies"), "a step of a pipeline: docs/pipelines.md"),
    **dict.fromkeys(("map", "apply"), "t.map_batches(function), or a pipeline's apply(t)"),
    **dict.fromkeys(("batch", "iter_batches"), "t.batches(), or t.feed(...) for training"),
}
OPEN = {
    **dict.fromkeys(("sep", "delimiter", "separator"), "text='auto sep=semicolon', or comma, tab, bar, space"),
    **dict.fromkeys(("dtype", "dtypes", "types", "schema", "schema_overrides"), "text='auto type=id:TX', or t.cast({'id': 'I4'})"),
    **dict.fromkeys(("header", "has_header"), "text='auto header+', or header-"),
    **dict.fromkeys(("usecols", "select"), "t.select('a', 'b'): other columns are not read"),
    **dict.fromkeys(("nrows", "n_rows"), "t.head(n): further rows are not read"),
    **dict.fromkeys(("na_values", "null_values"), "text='auto missing=[none NA]'"),
    **dict.fromkeys(("skiprows", "skip_rows"), "text='auto skip=1'"),
    "decimal": "text='auto decimal=,'",
    **dict.fromkeys(("quotechar", "quote_char"), "text='auto quote-' reads quotes as they are"),
    **dict.fromkeys(("threads", "num_workers"), "give threads= to what reads rows, such as t.to_numpy()"),
}
FEED = {
    **dict.fromkeys(("batch_size", "batch"), "batch_rows"),
    **dict.fromkeys(("num_workers", "workers"), "threads; dv.torch.Dataset(...).loader(workers=2) has processes"),
    **dict.fromkeys(("prefetch_factor", "buffer_size"), "prefetch"),
    **dict.fromkeys(("shuffle_buffer", "shuffle_buffer_size"), "shuffle='pool' and pool_rows"),
    **dict.fromkeys(("random_state", "generator"), "seed"),
    **dict.fromkeys(("rank", "world_size"), "shard=(rank, ranks)"),
    **dict.fromkeys(("x", "X", "feature", "columns"), "features"),
    **dict.fromkeys(("y", "label", "target"), "labels"),
}
FITTED = {
    **dict.fromkeys(("transform", "fit_transform", "predict_transform"), "fitted.apply(table)"),
    **dict.fromkeys(("predict", "score"), "fitted.apply(table) makes features; a model, as of scikit-learn, predicts from them"),
    "fit": "fitted.pipeline.fit(table) learns anew",
    **dict.fromkeys(("schema", "columns", "feature_names_in_", "input_schema"), "fitted.inputs, or fitted.apply(table).schema"),
    "load": "dv.Pipeline.load(path)",
    "steps": "fitted.pipeline",
}


def of_table(table, name):
    """Of an attribute that a Table has not."""
    sentence = f"a Table has no attribute {name!r}"
    if not table._closed and name in table.schema:
        return f"{sentence}: its column is t[{name!r}]"
    return f"{sentence}; here: {TABLE[name]}" if name in TABLE else sentence


COLUMN = {
    **dict.fromkeys(("dtype", "dtypes"), "t['a'].type; t.schema shows all"),
    **dict.fromkeys(("sum", "std", "var", "median"), "t['a'].mean(), t.describe(), or t['a'].to_numpy() and NumPy"),
    **dict.fromkeys(("to_list", "tolist"), "t['a'].to_pylist()"),
    **dict.fromkeys(("astype", "cast"), "t.cast({'a': 'R4'})"),
    **dict.fromkeys(("str", "dt", "list"), "t.filter(\"a like 'x%'\"), length(a), lower(a), year(a) in an expression, isin(), or t.to_polars()"),
    **dict.fromkeys(("fillna", "fill_null"), "t.with_columns(a='coalesce(a, 0)')"),
}


def of_column(kind, name):
    """Say what a missing attribute of a Column or col is called here."""
    return f"a {kind} has no attribute {name!r}" + (f"; here: {COLUMN[name]}" if name in COLUMN else "")


def of_fitted(name):
    """Of an attribute that a Fitted has not."""
    return f"a Fitted has no attribute {name!r}" + (f"; here: {FITTED[name]}" if name in FITTED else "")


def of_step(name, steps):
    """Of a step that is none: its name in ML.NET, or names that are like it."""
    plain = name.replace("_", "").lower()
    for step in steps.values():
        if step.ml_net and plain == step.ml_net.lower():
            return f"there is no step {name!r}: ML.NET's {step.ml_net} is {step.name!r} here"
    return f"there is no step {name!r}: {_errors.nearest(name, steps)}"


def of(name, words, names):
    """A clause that says what the name means here, or which names are like it."""
    return f"here: {words[name]}" if name in words else _errors.nearest(name, sorted(names))


def refuse(function, options, words, names):
    """Raise TypeError for the first option that is none of `names`."""
    for name in options:
        if name not in names:
            raise TypeError(f"{function}() has no option {name!r}; {of(name, words, names)}")
