# SPDX-License-Identifier: MIT
"""Documents of 1 to 2,048 tokens, packed to rows of 2,048, which are read into Arrow: the time for all of them, and the
share of the slots that is used.  Whole documents are compared with TRL's `bfd`, one stream of tokens with its `wrapped`
and with the recipe group_texts of Transformers' run_clm.py, which drops the rest of every 1,000 documents.  The
table is in a file, the peers' data set in memory, which suits them best."""

import itertools

import libdataview as dv
import sides
import train_sides

DOCUMENTS = 2_000 if sides.IS_QUICK else 20_000
SLOTS = 2_048
WAYS = (("whole", "bfd"), ("stream", "wrapped"))


def documents():
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(1)
    lengths = np.clip(random.lognormal(5.9, 1.0, DOCUMENTS), 1, SLOTS).astype("i4")
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype("i4")
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(random.integers(0, 50_000, ends[-1], "i4")))


def found(lists):
    """(tokens, their sum, rows)"""
    import pyarrow.compute as pc

    return pc.sum(pc.list_value_length(lists)).as_py(), pc.sum(pc.list_flatten(lists)).as_py(), len(lists)


def trl(data, strategy):
    """huggingface.co/docs/trl, "Reducing memory usage": packing."""
    packed = train_sides.load("trl.data_utils").pack_dataset(data, SLOTS, strategy, map_kwargs={"keep_in_memory": True})
    return packed.data["input_ids"]


def grouped(examples):
    """github.com/huggingface/transformers, examples/pytorch/language-modeling/run_clm.py"""
    tokens = list(itertools.chain(*examples["input_ids"]))
    return {"input_ids": [tokens[at:at + SLOTS] for at in range(0, len(tokens) // SLOTS * SLOTS, SLOTS)]}


def group_texts(data):
    return data.map(grouped, batched=True, keep_in_memory=True).data["input_ids"]


def peers_of(data, strategy):
    """By name, what packs and the tokens that it may lose."""
    result = {}
    if sides.peers(f"train, tokens, TRL {strategy}", "trl"):
        result[f"{sides.version('trl')}, {strategy}"] = (lambda: found(trl(data, strategy)), 0)
    if strategy == "wrapped":
        result["group_texts"] = (lambda: found(group_texts(data)), SLOTS * -(-DOCUMENTS // 1000))
    return result


def compare(how, strategy, lists, data, path):
    import pyarrow as pa

    row = f"train, {DOCUMENTS:,} documents packed to {SLOTS:,} tokens, how={how}"
    if not hasattr(dv.Table, "pack"):
        print(f"{row}: skipped, this build has no t.pack")
        return
    tokens, total, _ = found(lists)
    calls = {"libdataview": (lambda: found(pa.table(dv.open(path).pack("tokens", tokens=SLOTS, how=how))["tokens"]), 0),
             **peers_of(data, strategy)}
    for name, (call, lost) in calls.items():
        kept, amount, rows = call()
        sides.require(row, tokens - lost <= kept <= tokens and (lost or amount == total),
                      f"{name}: {kept} tokens of {tokens}")
        print(f"{row}, {name}: {kept / rows / SLOTS:.2%} of the slots used; {tokens - kept} tokens lost", flush=True)
    ours, *theirs = sides.rounds(*[call for call, _ in calls.values()], n=2 if sides.IS_QUICK else 5)
    for name, side in zip(list(calls)[1:], theirs):
        sides.report(row, ours, name, side)


def main():
    if not sides.peers("train, tokens", "pyarrow", "datasets"):
        return
    import datasets
    import pyarrow as pa

    datasets.disable_caching()
    datasets.disable_progress_bars()
    lists = documents()
    data = datasets.Dataset(pa.table({"input_ids": lists}))
    with sides.folder() as folder:
        path = f"{folder}/tokens.idv"
        dv.from_arrow(pa.table({"tokens": lists})).write(path)
        for how, strategy in WAYS:
            compare(how, strategy, lists, data, path)


if __name__ == "__main__":
    main()
