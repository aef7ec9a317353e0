# SPDX-License-Identifier: MIT
"""Pipelines: steps by text and by methods, which write the same notation."""

import inspect
import pathlib
import pickle
import pydoc
import re

import pytest

pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402
from libdataview import _core, _pipeline  # noqa: E402

PACKAGE = pathlib.Path(dv.__file__).parent


# --- Text ----------------------------------------------------------------------------------------


def test_text():
    pipeline = dv.Pipeline("term A;onehot C:Color max=100  # a comment\n\nselect A C hidden+")
    assert list(pipeline) == ["term A", "onehot C:Color max=100", "select A C hidden+"]
    assert str(pipeline) == "term A; onehot C:Color max=100; select A C hidden+"
    assert repr(pipeline) == "Pipeline of 3 steps\n  term A\n  onehot C:Color max=100\n  select A C hidden+"
    assert len(pipeline) == 3 and pipeline == dv.Pipeline(str(pipeline)) and pipeline != dv.pipe
    assert len({pipeline, pickle.loads(pickle.dumps(pipeline))}) == 1
    assert list(dv.pipe) == [] and str(dv.pipe) == "" and repr(dv.pipe) == "Pipeline of 0 steps" and dv.pipe


@pytest.mark.parametrize("text, message, offset", [
    ("term A; onehot", "step 2, onehot: .* expected a column, found the end", 14),
    ("onhot A", "expected one of convert, .*, found onhot", 0),
    ("term A max=0", 'step 1, term: option "max": .* expected an integer, 1 to 2147483646, found 0', 7),
    ("term A mx=3", "step 1, term: .* expected one of max, sort, terms, textkv, found mx", 7)])
def test_text_at_fault(text, message, offset):
    with pytest.raises(dv.ArgumentError, match=message) as raised:
        dv.Pipeline(text)
    assert raised.value.offset == offset


def test_a_name_of_a_file_is_no_text():
    with pytest.raises(dv.ArgumentError, match="'model.zip' is the name of a file: dv.Pipeline.load opens"):
        dv.Pipeline("model.zip")


def test_text_is_a_str():
    with pytest.raises(TypeError, match="a pipeline is a text such as .*, not b'term A'"):
        dv.Pipeline(b"term A")


# --- Methods -------------------------------------------------------------------------------------


def test_methods_write_the_notation():
    assert str(dv.pipe.term("Category").onehot("Color", max=100)) == "term Category; onehot Color max=100"
    assert str(dv.pipe.term("K:A", "B", sort="value", textkv=True)) == "term K:A B sort=value textkv+"
    assert str(dv.pipe.select("A", hidden=False).slice(skip=2, take=5)) == "select A hidden-; slice skip=2 take=5"
    assert str(dv.pipe.combine("V:A,B", "W:C,A")) == "combine V:A,B W:C,A"
    assert str(dv.pipe.range("A", min=-1.5, max=float("inf"))) == "range A min=-1.5 max=Infinity"
    assert str(dv.pipe.convert("A", type="U4[0-9]").convert(dv.col("x y"), type=dv.Type("R4"))) == \
        'convert A type=U4[0-9]; convert "x y" type=R4'
    assert str(dv.pipe.hash("A", hashversion=1, bits=None)) == "hash A hashversion=1"
    assert str(dv.pipe.optional("A", type=pathlib.PurePosixPath("a/b"))) == "optional A type=a/b"
    assert str(dv.pipe.term("A", max=None, terms=["b c", 3])) == 'term A terms=["b c" 3]'


@pytest.mark.parametrize("text", ["a b", "x;y", 'q"q', "back\\slash", "", "é#", "+", "end-", "a=b", "[l", "l]",
                                  "@f", "new\nline", "a,b", "a:b"])
def test_any_text_is_a_term_and_a_name(text):
    pipeline = dv.pipe.term("A", terms=[text, "z"])
    assert dv.Pipeline(str(pipeline)) == pipeline
    table = dv.from_numpy({"A": ["z", text]})
    assert pipeline.fit_apply(table)["A"].to_pylist() == ["z", text or None]
    if text:
        named = dv.from_numpy({text: ["z"]})
        assert dv.pipe.copy("New name:" + _pipeline.quoted(text)).fit_apply(named)["New name"].to_pylist() == ["z"]
        assert dv.pipe.select(dv.col(text)).fit_apply(named).columns == [text]


def test_names_with_blanks_need_no_quotes():
    assert str(dv.pipe.copy("New one:Old one", '"a:b":c d')) == 'copy "New one":"Old one" "a:b":"c d"'
    assert str(dv.pipe.term("A max=3")) == 'term "A max=3"'


@pytest.mark.parametrize("call, error, message", [
    (lambda p: p.concatenate("F:A,B"), AttributeError, "there is no step 'concatenate': ML.NET's Concatenate is 'combine' here"),
    (lambda p: p.map_value_to_key("A"), AttributeError, "ML.NET's MapValueToKey is 'term' here"),
    (lambda p: p.onhot("A"), AttributeError, "there is no step 'onhot': did you mean 'onehot'"),
    (lambda p: p.term("A", mx=3), TypeError, "term has no option 'mx': did you mean 'max'"),
    (lambda p: p.copy("A", x=3), TypeError, "copy has no option 'x': it has none"),
    (lambda p: p.term("A", max="3"), TypeError, r"term\(max='3'\): expected a whole number"),
    (lambda p: p.term("A", max=True), TypeError, r"term\(max=True\): expected a whole number"),
    (lambda p: p.term("A", textkv="+"), TypeError, r"term\(textkv='\+'\): expected True or False"),
    (lambda p: p.term("A", sort="up"), ValueError, r"term\(sort='up'\): expected one of 'occurrence', 'value'"),
    (lambda p: p.term("A", terms="abc"), TypeError, r"term\(terms='abc'\): expected a list of texts"),
    (lambda p: p.range("A", min="1"), TypeError, r"range\(min='1'\): expected a number"),
    (lambda p: p.convert("A", type=3), TypeError, r"convert\(type=3\): expected a str"),
    (lambda p: p.term(3), TypeError, "term: a column is a text such as 'New:Source' or 'Column', not 3"),
    (lambda p: p.copy("A").term("A", max=0), dv.ArgumentError, 'step 2, term: option "max"'),
    (lambda p: p.term(), dv.ArgumentError, "expected a column"),
    (lambda p: p.slice("A"), dv.ArgumentError, "expected no column"),
    (lambda p: p.range("A", min=float("nan")), dv.ArgumentError, "expected a number")])
def test_methods_refuse(call, error, message):
    with pytest.raises(error, match=message):
        call(dv.pipe)


def test_methods_are_those_of_the_list():
    for step in _pipeline.STEPS.values():
        method = getattr(dv.Pipeline, step.name)
        parameters = inspect.signature(method).parameters
        assert [n for n in parameters if n not in ("self", "names")] == list(step.options)
        assert ("names" in parameters) == (step.columns != "none")
        assert method.__doc__.startswith(step.summary) and all(o.summary in method.__doc__
                                                               for o in step.options.values())
        assert (f"ML.NET: {step.ml_net}." in method.__doc__) == ("ML.NET:" in method.__doc__) == bool(step.ml_net)
        text = pydoc.render_doc(getattr(dv.pipe, step.name), renderer=pydoc.plaintext)
        assert step.summary in text and all(f"{name}=" in text for name in step.options)
        assert step.name not in ("fit", "fit_apply", "transformer")
        for option in step.options.values():  # what is shown as the default is what holds
            value = _pipeline.initial(option)
            if value is not None:
                assert _core.pipeline_steps(f"{step.name} {'' if step.columns == 'none' else 'A'} "
                                            + _pipeline._option(step, option, value), None)
    assert len(_pipeline.STEPS) == len(_core.transforms())


def stub_of(step):
    """A method of a step as the stub has it, in one line."""
    kinds = {"flag": "bool", "integer": "int", "number": "float", "text": "str", "texts": "Iterable[object]",
             "table": "Any"}
    parts = ["self", *(["*"] if step.columns == "none" else ["*names: _Names"])]
    for option in step.options.values():
        kind = "Type | str" if option.name == "type" else kinds.get(option.kind)
        kind = kind or "Literal[{}]".format(", ".join(f'"{word}"' for word in option.words.split("|")))
        value = _pipeline.initial(option)
        shown = f'"{value}"' if isinstance(value, str) else repr(value)
        parts.append(f"{option.name}: {kind}{' | None' if value is None else ''} = {shown}")
    return f"def {step.name}({', '.join(parts)}) -> Pipeline: ..."


def test_stubs_are_those_of_the_list():
    stub = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    found = re.sub(r"\s+", " ", re.search(r"# steps:.*?\n(.*?)\n\nclass ", stub, re.DOTALL)[1]).strip()
    if "image" not in _pipeline.STEPS:  # the optional steps for pictures come last
        found = found.partition(" def loadbytes(")[0]
    assert found == " ".join(map(stub_of, _pipeline.STEPS.values()))
