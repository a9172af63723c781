"""Routes of histograms."""

from __future__ import annotations

import numpy as np
import pytest

from lossboard.errors import UsageError
from lossboard.kinds.histograms.decode import histograms
from lossboard.kinds.routes import ArrowResult
from lossboard.store.logdir import Logdir
from tests.kinds.views import RUN, call_route


def test_steps_are_merged_to_columns_without_losing_counts(logdir: Logdir) -> None:
    card = {"key": "a", "run": RUN, "tag": "layer.0.weight"}
    response = call_route(logdir, "histograms", "cards", cards=[card], columns=4, rows=30)
    assert isinstance(response, ArrowResult)
    (head,), (columns, grid) = response.head["cards"], response.tables
    assert (head["steps"], head["columns"], head["rows"]) == (10, 4, 30)
    assert columns["merged"].sum() == 10
    assert columns["first"][0] == 0 and columns["last"][-1] == 9
    np.testing.assert_allclose(grid["count"].reshape(4, 30).sum(axis=1), 1000, rtol=1e-5)


def test_each_step_has_its_column_if_there_are_enough(logdir: Logdir) -> None:
    card = {"key": "a", "run": RUN, "tag": "layer.0.weight"}
    columns = call_route(logdir, "histograms", "cards", cards=[card], columns=100).tables[0]
    wanted = [point.distribution for point in histograms(logdir.runs["run"], "layer.0.weight")]
    np.testing.assert_array_equal(np.array([columns[f"b{i}"] for i in range(9)]).T, wanted)


def test_bands_can_be_omitted(logdir: Logdir) -> None:
    card = {"key": "a", "run": RUN, "tag": "relu"}
    (whole, counts), (plain, same) = (
        call_route(logdir, "histograms", "cards", cards=[card], bands=b).tables for b in (True, False)
    )
    assert set(whole) - set(plain) == {f"b{i}" for i in range(9)}
    np.testing.assert_array_equal(counts["count"], same["count"])


def test_range_selects_steps(logdir: Logdir) -> None:
    card = {"key": "a", "run": RUN, "tag": "relu"}
    response = call_route(logdir, "histograms", "cards", cards=[card], range=[3, 5])
    assert response.tables[0]["first"].tolist() == [3, 4, 5]


def test_missing_run_or_tag_does_not_fail_the_batch(logdir: Logdir) -> None:
    there = {"run": RUN, "tag": "relu"}
    cards = [{**there, "run": "gone"}, there, {**there, "tag": "gone"}]
    response = call_route(logdir, "histograms", "cards", cards=cards)
    assert [("error" in card) for card in response.head["cards"]] == [True, False, True]
    assert len(response.tables) == 2
    assert list(call_route(logdir, "histograms", "layers", of=["gone", RUN]).document["layers"]) == [RUN]


def test_layers_have_change_and_zeros(logdir: Logdir) -> None:
    response = call_route(logdir, "histograms", "layers")
    layers = {layer["tag"]: layer for layer in response.document["layers"][RUN]}
    assert layers["layer.0.weight"]["change"] > 5 * layers["relu"]["change"]
    assert layers["relu"]["zeros"] == pytest.approx(0.5, abs=0.06)
    assert layers["layer.0.weight"]["spread"] == pytest.approx(10, rel=0.1)


def test_layers_list_runs_with_histograms(logdir: Logdir) -> None:
    assert call_route(logdir, "histograms", "layers").document["runs"] == [RUN]
    none = call_route(logdir, "histograms", "layers", runs={"only": []}).document
    assert (none["runs"], none["layers"]) == ([], {})
    named = call_route(logdir, "histograms", "layers", runs={"only": []}, of=[RUN]).document
    assert (named["runs"], list(named["layers"])) == ([], [RUN])


def test_invalid_parameters_raise(logdir: Logdir) -> None:
    with pytest.raises(UsageError, match='"rows" to be a number from 1 to 400'):
        call_route(logdir, "histograms", "cards", cards=[], rows=10**9)
    with pytest.raises(UsageError, match='"bands" to be true or false'):
        call_route(logdir, "histograms", "cards", cards=[], bands="no")
