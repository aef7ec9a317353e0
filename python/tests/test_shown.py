# SPDX-License-Identifier: MIT
"""Tables as people see them, and numbers of rows that do not depend on earlier calls."""

import datetime
import gzip
import re

import numpy as np
import pytest

import libdataview as dv
from libdataview import _look


@pytest.fixture
def tea(tmp_path):
    path = tmp_path / "tea.csv"
    path.write_text("leaf,grams,sold\n" + "".join(f"{'oolong' if i % 3 else 'sencha'},{i},{'true' if i % 2 else 'false'}\n" for i in range(60)))
    return dv.open(path)


@pytest.fixture
def large(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("w") as file:
        file.write("leaf,grams\n")
        file.writelines(f"oolong {i},{i}\n" for i in range(300_000))
    return dv.open(path)


VIEWS = {
    "filter": lambda t: t.filter("grams >= 50"), "head": lambda t: t.filter("grams >= 50").head(3),
    "dropna": lambda t: t.dropna("leaf"), "cache": lambda t: t.cache(), "shuffle": lambda t: t.cache().shuffle(seed=1),
    "between": lambda t: t.cast(grams="R4").between("grams", 50, 70), "computed": lambda t: t.with_columns(x="grams * 2").filter("x > 100"),
    "pipeline": lambda t: dv.Pipeline("convert grams type=R4; range grams min=50").fit_apply(t),
    "concat": lambda t: dv.concat([t.filter("grams >= 50"), t]), "zip": lambda t: dv.zip([t.filter("grams >= 50"), t]),
    "sample": lambda t: t.sample(7), "exclude": lambda t: t.exclude([0, 5]), "balance": lambda t: t.cache().balance("sold", 9),
    "take": lambda t: t[[59, 50]], "sorted out": lambda t: t.filter("grams >= 50").cache().filter("sold"), "bootstrap": lambda t: t.bootstrap(),
    "filter of head": lambda t: t.head(55).filter("grams >= 50"), "pool": lambda t: t.shuffle(kind="pool"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_show_their_first_rows(tea, name):
    table = VIEWS[name](tea)
    rows = table.to_pylist()
    for text in (repr(table), table._repr_html_()):
        for row in rows[:5]:
            assert str(row["leaf"]) in text and str(int(row["grams"])) in text
    shown = re.match(r"(?:\w+ )?table, (more than )?([\d,]+) rows", repr(table))
    assert int(shown[2]) == (5 if shown[1] else len(rows)) and (not shown[1] or len(rows) > 5)


def test_none_found_is_a_sentence(tea, large):
    none = tea.filter("grams > 100")
    assert "no matching row in the first 60 rows read" in repr(none) and "table, 0 rows" in repr(none)
    assert "no matching row in the first 60 rows read" in none._repr_html_()
    assert "no rows" in repr(tea[:0])
    late = repr(large.filter("grams == 299999"))
    assert re.search("no matching row in the first [0-9,]+ rows read", late) or "299999" in late


def test_a_look_is_bounded(large, monkeypatch):
    monkeypatch.setattr(_look, "SECONDS", 0)
    none = large.filter("grams == 299999")
    assert "rows not counted" in repr(none) and "no matching row in the first 1,024 rows read" in repr(none)
    one = repr(large.filter("grams == 3"))
    assert "oolong 3" in one and "1 matching row in the first 1,024 rows read" in one
    for table in (large.cache().shuffle(seed=1), dv.concat([none, none]), dv.zip([none, large]), large[[299_999]]):
        assert "rows not shown" in repr(table) and "rows not shown" in table._repr_html_()
    assert "table, 2 rows" in repr(large.filter("grams < 100").head(2))


def test_counts_are_exact_or_more_than(large, tea):
    assert "more than 5 rows" in repr(large) and "60 rows" in repr(tea) and "60 rows" in repr(tea.select("leaf"))
    assert "more than 5 rows" in repr(large.filter("grams > 10")) and "table, 3 rows" in repr(tea.filter("grams < 3"))


def test_one_spelling_of_na():
    table = dv.from_numpy({"x": np.array([np.nan, 1]), "s": [None, "NA"], "d": np.array(["NaT", "2020-01-01T00:00"], "M8[s]"),
                           "v": np.array([[np.nan, 1], [2, 3]])})
    rows = [line.split() for line in repr(table).splitlines()[3:]]
    assert rows == [["NA", "NA", "NA", "[NA", "1]"], ["1", '"NA"', "2020-01-01", "[2", "3]"]]
    assert "nan" not in table._repr_html_() and "NaT" not in table._repr_html_()


def test_dates_without_times_are_dates():
    midnight = datetime.datetime(2024, 5, 6)
    noon = midnight.replace(hour=12)
    text = repr(dv.from_numpy({"a": np.array([midnight, midnight]), "b": np.array([midnight, noon])}))
    assert text.splitlines()[3].split() == ["2024-05-06", "2024-05-06", "00:00:00"]


def test_types_have_their_names_in_python_first(tea):
    table = tea.cast(grams="R4")
    assert repr(table).splitlines()[2].split() == ["string", "TX", "float32", "R4", "bool", "BL"]
    assert "string TX" in table._repr_html_() and "string TX" in repr(table["leaf"]) and "string TX" in repr(table.describe())
    assert repr(table.schema).splitlines()[1].split() == ["grams", "float32", "R4"]


def test_hidden_columns_are_counted(tea):
    table = tea.with_columns(grams="grams * 2")
    assert "3 columns (1 hidden)" in repr(table) and "(1 hidden)" in table._repr_html_() and "1 hidden" in repr(table.schema)


# --- Numbers of rows ------------------------------------------------------------------------------


def test_numbers_of_rows_do_not_depend_on_earlier_calls(large, tea):
    for make in (lambda: large.select("leaf"), lambda: large.filter("grams >= 0"), lambda: dv.concat([large])):
        assert len(make()) == make().shape[0] == make().count() == 300_000
    counted = tea.filter("grams > 5")
    assert counted.num_rows is None and len(counted) == 54 == counted.num_rows
    assert tea.num_rows == tea.select("leaf").num_rows == tea.with_row_number().num_rows == 60 and tea.head(7).num_rows == 7
    assert tea[50:70].num_rows == 10 and tea[70:].num_rows == 0


def test_small_files_are_counted(tmp_path, large):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    assert dv.open(path).num_rows == dv.open([path, path]).num_rows - 2 == dv.open(path.read_bytes(), format="text").num_rows == 2
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert dv.open(packed).num_rows is None and len(dv.open(packed)) == 2  # its size says nothing


def test_orders_and_tokens_do_not_depend_on_the_count(large, tea, tmp_path):
    for table in (large, tea):
        fresh, counted = table.select("grams"), table.select("grams")
        assert counted.count() == len(table)
        for order in (lambda t: t.shuffle(seed=3, kind="pool"), lambda t: t.shard(1, 3), lambda t: t.bootstrap(seed=2),
                      lambda t: t.cache().shuffle(seed=3)):
            assert order(fresh)["grams"].to_pylist() == order(counted)["grams"].to_pylist()
        tokens = []
        for t in (fresh, counted):
            with t.batches(rows=7) as cursor:
                next(cursor)
                tokens.append(cursor.token())
        assert tokens[0] == tokens[1]


def test_scikit_learn_splits_text(large):
    selection = pytest.importorskip("sklearn.model_selection")
    small = large.head(1000).filter("grams >= 0")
    train, test = selection.train_test_split(small, test_size=0.25, random_state=0)
    assert len(train) == 750 and len(test) == 250
    assert [len(part) for part, _ in selection.KFold(4).split(large.head(100).filter("grams >= 0"))] == 4 * [75]
