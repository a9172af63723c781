"""Histograms as the board asks for them."""

from __future__ import annotations

import numpy as np
import pytest

from lossboard.errors import UsageError
from lossboard.kinds.histograms.decode import histograms
from lossboard.kinds.routes import ArrowResult
from lossboard.store.logdir import Logdir
from tests.kinds.views import RUN, ask


def test_columns_are_merged_to_what_the_picture_holds_and_keep_every_count(logdir: Logdir) -> None:
    card = {"key": "a", "run": RUN, "tag": "layer.0.weight"}
    answer = ask(logdir, "histograms", "cards", cards=[card], columns=4, rows=30)
    assert isinstance(answer, ArrowResult)
    (head,), (columns, grid) = answer.head["cards"], answer.tables
    assert (head["steps"], head["columns"], head["rows"]) == (10, 4, 30)
    assert columns["merged"].sum() == 10
    assert columns["first"][0] == 0 and columns["last"][-1] == 9
    np.testing.assert_allclose(grid["count"].reshape(4, 30).sum(axis=1), 1000, rtol=1e-5)


def test_with_room_each_step_has_its_column_and_the_exact_nine_values(logdir: Logdir) -> None:
    card = {"key": "a", "run": RUN, "tag": "layer.0.weight"}
    columns = ask(logdir, "histograms", "cards", cards=[card], columns=100).tables[0]
    wanted = [point.distribution for point in histograms(logdir.runs["run"], "layer.0.weight")]
    np.testing.assert_array_equal(np.array([columns[f"b{i}"] for i in range(9)]).T, wanted)


def test_a_picture_that_shows_no_bands_need_not_have_them(logdir: Logdir) -> None:
    card = {"key": "a", "run": RUN, "tag": "relu"}
    (whole, counts), (plain, same) = (
        ask(logdir, "histograms", "cards", cards=[card], bands=b).tables for b in (True, False)
    )
    assert set(whole) - set(plain) == {f"b{i}" for i in range(9)}
    np.testing.assert_array_equal(counts["count"], same["count"])


def test_a_range_of_steps_leaves_the_others_out(logdir: Logdir) -> None:
    card = {"key": "a", "run": RUN, "tag": "relu"}
    answer = ask(logdir, "histograms", "cards", cards=[card], range=[3, 5])
    assert answer.tables[0]["first"].tolist() == [3, 4, 5]


def test_layers_tell_what_moved_and_what_is_mostly_zero(logdir: Logdir) -> None:
    answer = ask(logdir, "histograms", "layers")
    layers = {layer["tag"]: layer for layer in answer.document["layers"][RUN]}
    assert layers["layer.0.weight"]["change"] > 5 * layers["relu"]["change"]
    assert layers["relu"]["zeros"] == pytest.approx(0.5, abs=0.06)
    assert layers["layer.0.weight"]["spread"] == pytest.approx(10, rel=0.1)


def test_runs_are_those_that_have_histograms(logdir: Logdir) -> None:
    assert ask(logdir, "histograms", "layers").document["runs"] == [RUN]
    none = ask(logdir, "histograms", "layers", runs={"only": []}).document
    assert (none["runs"], none["layers"]) == ([], {})
    named = ask(logdir, "histograms", "layers", runs={"only": []}, of=[RUN]).document
    assert (named["runs"], list(named["layers"])) == ([], [RUN])


def test_an_unknown_run_and_a_bad_question_are_refused_in_words(logdir: Logdir) -> None:
    with pytest.raises(LookupError, match="No such run"):
        ask(logdir, "histograms", "cards", cards=[{"run": "../etc", "tag": "relu"}])
    with pytest.raises(UsageError, match='"rows" to be a number from 1 to 400'):
        ask(logdir, "histograms", "cards", cards=[], rows=10**9)
    with pytest.raises(UsageError, match='"bands" to be true or false'):
        ask(logdir, "histograms", "cards", cards=[], bands="no")
