# SPDX-License-Identifier: MIT
"""Sentences for names that do not exist here: what other libraries call what this package has."""

from . import _errors

# The code that each word stands for here.
MODULE = {
    **dict.fromkeys(("read_csv", "scan_csv", "read_table", "load", "read", "load_dataset"),
                    "dv.open(path) opens files"),
    **dict.fromkeys(("read_parquet", "scan_parquet"), "dv.open('x.parquet')"),
    **dict.fromkeys(("DataFrame", "from_dict", "from_pydict", "from_arrays"),
                    "dv.from_numpy({'a': array}) makes a table of arrays"),
    **dict.fromkeys(("MsgpackReader", "ShardedReader"), "dv.datadings has it"),
    **dict.fromkeys(("from_polars", "from_duckdb"), "dv.from_arrow(data)"),
    **dict.fromkeys(("to_csv", "write_csv", "save"), "dv.write(table, path)"),
    **dict.fromkeys(("Dataset", "DataLoader"), "dv.torch.Dataset, or t.feed(...)"),
    **dict.fromkeys(("interleave", "interleave_datasets", "sample_from_datasets", "blend"), "dv.mix({'a': a, 'b': b})"),
}
TABLE = {
    **dict.fromkeys(("dtypes", "types"), "t.schema"),
    **dict.fromkeys(("sort", "sort_values", "sort_by", "order_by", "arg_sort", "argsort"),
                    "t.to_polars().sort('a'), or t[numpy.argsort(t['a'].to_numpy())]"),
    **dict.fromkeys(("group_by", "groupby", "agg", "aggregate", "pivot", "pivot_table", "crosstab", "melt", "explode"),
                    "t.to_polars().group_by('a'), or t.to_pandas(); t.value_counts('a') counts"),
    **dict.fromkeys(("join", "merge"), "t.to_polars().join(...), or t.to_pandas().merge(...); dv.zip([a, b]) puts columns side by side"),
    **dict.fromkeys(("append", "vstack", "extend"), "dv.concat([a, b])"),
    **dict.fromkeys(("hstack", "insert", "insert_column", "add_column"), "dv.zip([a, b]), or t.with_columns(x2='area * 2')"),
    **dict.fromkeys(("sum", "mean", "std", "var", "median", "min", "max", "quantile", "corr"),
                    "t['a'].mean(), t.describe(), or t.to_pandas()"),
    **dict.fromkeys(("notna", "notnull", "is_null"), "t.filter(dv.col('a').notna()), or t.dropna('a')"),
    **dict.fromkeys(("to_json", "write_json", "to_ndjson", "write_ndjson"), "t.write('x.jsonl')"),
    **dict.fromkeys(("lazy", "collect", "compute", "persist"), "a Table is lazy already; t.materialize() copies its rows into memory"),
    **dict.fromkeys(("plot", "hist"), "t.to_pandas().plot(), or t['a'].to_numpy() and matplotlib"),
    **dict.fromkeys(("copy", "clone"), "a Table never changes, so that it needs no copy"),
    "pipe": "dv.Pipeline('normalize a').fit_apply(t)",
    "to_excel": "t.to_pandas().to_excel(path)",
    "index": "t.with_row_number()",
    "empty": "len(t) == 0",
    **dict.fromkeys(("to_csv", "write_csv", "save", "save_to_disk"), "t.write(path) saves .idv, .csv and others"),
    **dict.fromkeys(("to_parquet", "write_parquet"), "t.write('x.parquet'), or pyarrow.parquet.write_table(t.to_arrow(), path)"),
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
    "summary": "t.describe(), or t.info()",
    **dict.fromkeys(("bucket_by_sequence_length", "group_by_length"), "t.bucket('ids') puts rows of similar lengths together"),
    **dict.fromkeys(("pack_dataset", "group_texts"), "t.pack('ids', tokens=2048)"),
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
    **dict.fromkeys(("collate_fn", "padding", "padding_value", "max_length"), "pad=dv.Pad(...)"),
}
FITTED = {
    **dict.fromkeys(("transform", "fit_transform", "predict_transform"), "fitted.apply(table)"),
    **dict.fromkeys(("predict", "score"), "fitted.apply(table) makes features, and scores where a model.zip ends in a predictor; other models predict from them"),
    "fit": "fitted.pipeline.fit(table) learns anew",
    **dict.fromkeys(("schema", "columns", "feature_names_in_", "input_schema"), "fitted.inputs, or fitted.apply(table).schema"),
    "load": "dv.Pipeline.load(path)",
    "steps": "fitted.pipeline",
}


def of_table(table, name):
    """Say what a missing attribute of a Table is called here."""
    sentence = f"a Table has no attribute {name!r}"
    if not table._closed and name in table.schema:
        return f"{sentence}: its column is t[{name!r}]"
    return f"{sentence}; here: {TABLE[name]}" if name in TABLE else sentence


COLUMN = {
    "dtypes": "t['a'].dtype; t.schema shows all",
    **dict.fromkeys(("sum", "mean", "std", "min", "max"), "t['a'].mean(): a col belongs to no table"),
    **dict.fromkeys(("var", "median", "quantile", "mode", "describe", "hist"), "t['a'].stats(), t.describe(), or t['a'].to_numpy() and NumPy"),
    **dict.fromkeys(("tolist", "values", "to_frame"), "t['a'].to_list(), or t['a'].to_numpy()"),
    **dict.fromkeys(("shape", "size"), "len(t)"),
    **dict.fromkeys(("nunique", "n_unique"), "len(t['a'].unique())"),
    **dict.fromkeys(("apply", "map", "map_elements", "transform"), "t.with_columns(a2='round(a)'), or t.map_batches(function)"),
    **dict.fromkeys(("log", "exp", "lower", "upper", "abs", "floor", "clip"), "t.with_columns(a2='log(a)'): docs/spec/expressions.md has the functions"),
    **dict.fromkeys(("alias", "rename"), "t.with_columns(new='a * 2'), or t.rename({'a': 'new'})"),
    **dict.fromkeys(("sort_values", "sort", "argsort"), "numpy.sort(t['a'].to_numpy())"),
    **dict.fromkeys(("head", "slice", "tail"), "t['a'][:5]"),
    "plot": "t['a'].to_pandas().plot()",
    **dict.fromkeys(("astype", "cast"), "t.cast({'a': 'R4'})"),
    **dict.fromkeys(("str", "dt", "list"), "t.filter(\"a like 'x%'\"), length(a), lower(a), year(a) in an expression, isin(), or t.to_polars()"),
    **dict.fromkeys(("fillna", "fill_null"), "t.with_columns(a='coalesce(a, 0)')"),
}


def of_column(kind, name):
    """Say what a missing attribute of a Column or col is called here."""
    return f"a {kind} has no attribute {name!r}" + (f"; here: {COLUMN[name]}" if name in COLUMN else "")


CONDITION = {
    **dict.fromkeys(("sum", "count", "value_counts"), "t.filter(condition).count()"),
    **dict.fromkeys(("any", "all"), "t.filter(condition).count() > 0"),
    **dict.fromkeys(("mean",), "t.filter(condition).count() / len(t)"),
    **dict.fromkeys(("to_numpy", "to_list", "to_pylist", "values", "astype", "nonzero"),
                    "t.with_columns(passes=condition)['passes'], or t.filter(condition)"),
}


def of_condition(name):
    """Say what a missing attribute of a condition is called here."""
    return f"a condition has no attribute {name!r}" + (f"; here: {CONDITION[name]}" if name in CONDITION else "")


def of_fitted(name):
    """Say what a missing attribute of a Fitted is called here."""
    return f"a Fitted has no attribute {name!r}" + (f"; here: {FITTED[name]}" if name in FITTED else "")


STEP = {
    **dict.fromkeys(("standardize", "standardscaler", "zscore", "standard"), "dv.pipe.normalize('a', mode='meanvar', fixzero=False)"),
    **dict.fromkeys(("scale", "scaler", "minmax", "minmaxscaler", "rescale"), "dv.pipe.normalize('a')"),
    **dict.fromkeys(("robustscaler", "robust"), "dv.pipe.normalize('a', mode='robust')"),
    **dict.fromkeys(("bin", "bins", "cut", "qcut", "bucketize", "discretize", "kbinsdiscretizer"), "dv.pipe.normalize('a', mode='bin', bins=10)"),
    **dict.fromkeys(("impute", "imputer", "simpleimputer", "fillna", "fillnull"), "dv.pipe.replacena('a', mode='mean')"),
    **dict.fromkeys(("tfidf", "tfidfvectorizer"), "dv.pipe.wordbag('F:a', weight='tfidf')"),
    **dict.fromkeys(("countvectorizer", "bagofwords", "bow"), "dv.pipe.wordbag('F:a')"),
    **dict.fromkeys(("onehotencoder", "onehotencode", "getdummies", "dummies", "todummies"), "dv.pipe.onehot('a')"),
    **dict.fromkeys(("labelencode", "labelencoder", "ordinal", "ordinalencoder", "factorize", "categorical", "encode"), "dv.pipe.term('a')"),
    **dict.fromkeys(("astype", "cast", "totype"), "dv.pipe.convert('a', type='R4')"),
    **dict.fromkeys(("assemble", "vectorassembler", "concat", "stack", "hstack", "columntransformer"), "dv.pipe.combine('F', ['a', 'b'])"),
    **dict.fromkeys(("rename", "alias"), "dv.pipe.copy('new:a').drop('a')"),
    **dict.fromkeys(("filter", "where"), "dv.pipe.range('a', min=0), or t.filter('a >= 0') before the pipeline"),
    **dict.fromkeys(("keep", "passthrough"), "dv.pipe.select('a', 'b')"),
    **dict.fromkeys(("hashing", "featurehasher", "hashingtf"), "dv.pipe.hash('a'), or onehothash('a')"),
    **dict.fromkeys(("withcolumns", "assign", "log", "functiontransformer"), "dv.pipe.compute('new', value='a * 2')"),
    "transform": "pipeline.fit(table).apply(table)",
}


def of_step(name, steps):
    """Say what an unknown step is called here, or in ML.NET, or which names are like it."""
    plain = name.replace("_", "").lower()
    if plain in STEP:
        return f"there is no step {name!r}; here: {STEP[plain]}"
    for step in steps.values():
        if step.ml_net and plain == step.ml_net.lower():
            return f"there is no step {name!r}: ML.NET's {step.ml_net} is {step.name!r} here"
    return f"there is no step {name!r}: {_errors.nearest(name, steps)}"


def of(name, words, names):
    """A clause that says what the name means here, or which names are like it."""
    return f"here: {words[name]}" if name in words else _errors.nearest(name, sorted(names))


def refuse(function, options, words, names):
    """Raise TypeError for the first option that is not among `names`."""
    for name in options:
        if name not in names:
            raise TypeError(f"{function}() has no option {name!r}; {of(name, words, names)}")
