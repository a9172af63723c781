"""Routes of attention over a real logdir."""

import numpy as np
import pytest

from lossboard import SummaryWriter
from lossboard.kinds.attention.analysis import jensen_shannon
from lossboard.kinds.attention.measures import MEASURES
from lossboard.store.run_ids import run_id
from tests.kinds.attention.conftest import (
    WORDS,
    AttentionBoard,
    older_form,
    softmax_maps,
    unpacked,
    write_values,
)

LAYERS, HEADS, TOKENS = 3, 4, len(WORDS)


def maps_at(step: int, run: str = "run") -> np.ndarray:
    return softmax_maps(LAYERS, HEADS, TOKENS, seed=step + 100 * (run == "other"))


@pytest.fixture
def logged(board: AttentionBoard) -> AttentionBoard:
    for run in ("run", "other"):
        with SummaryWriter(board.folder / run) as log:
            for step in (0, 10):
                log.add_attention("probe", maps_at(step, run), WORDS, step)
    board.poll()
    return board


def test_series_lists_tags_with_steps_and_tokens(logged: AttentionBoard) -> None:
    series = {one["run"]: one for one in logged.ask("series").json()["series"]}
    assert len(series) == 2
    assert (series[run_id("run")]["tag"], series[run_id("run")]["steps"]) == ("probe", [0, 10])
    assert series[run_id("run")]["tokens"] == WORDS


def test_overview_has_layers_thumbnails_and_measures(logged: AttentionBoard) -> None:
    head, (packed, measures) = logged.ask("overview", **logged.at(10)).frames()
    assert head["tokens"] == head["keys"] == WORDS
    assert head["layers"] == [{"layer": layer, "heads": [0, 1, 2, 3]} for layer in range(LAYERS)]
    assert (head["kind"], head["causal"], head["maps"], head["problems"]) == ("self", False, True, [])
    small = unpacked(packed, LAYERS, HEADS, *head["thumbnail"])
    assert np.abs(small - maps_at(10)).max() < 0.005
    assert list(measures) == list(MEASURES)
    expected = maps_at(10).max(-1).mean(-1).ravel()
    np.testing.assert_allclose(measures["confidence"], expected, rtol=1e-5)


def test_head_returns_the_map_of_one_head(logged: AttentionBoard) -> None:
    head, (packed,) = logged.ask("head", **logged.at(0), layer=2, head=1).frames()
    weights = unpacked(packed, head["queries"], head["keys"])
    assert np.abs(weights - maps_at(0)[2, 1]).max() < 0.005


@pytest.mark.parametrize("side", ["from", "to"])
def test_token_returns_one_token_in_all_heads(logged: AttentionBoard, side: str) -> None:
    _, (packed,) = logged.ask("token", **logged.at(0), token=3, side=side).frames()
    expected = maps_at(0)[:, :, 3] if side == "from" else maps_at(0)[..., 3]
    assert np.abs(unpacked(packed, LAYERS * HEADS, TOKENS) - expected.reshape(-1, TOKENS)).max() < 0.005


def test_rollout_follows_its_formula(logged: AttentionBoard) -> None:
    expected = np.eye(TOKENS)
    for layer in maps_at(10).astype(np.float64):
        mixed = 0.5 * layer.mean(0) + 0.5 * np.eye(TOKENS)
        expected = mixed / mixed.sum(-1, keepdims=True) @ expected
    _, (packed,) = logged.ask("rollout", **logged.at(10)).frames()
    found = unpacked(packed, TOKENS, TOKENS)
    assert np.abs(found - expected).max() < 0.006


def test_change_is_the_jensen_shannon_divergence_of_rows(logged: AttentionBoard) -> None:
    other = logged.at(0, run="other")
    head, (table,) = logged.ask("change", **logged.at(10), other=other).frames()
    p, q = maps_at(10).astype(np.float64), maps_at(0, "other").astype(np.float64)
    middle = (p + q) / 2
    rows = ((p * np.log(p / middle)) + (q * np.log(q / middle))).sum(-1) / 2
    np.testing.assert_allclose(table["divergence"], rows.mean(-1).ravel(), atol=0.01)
    assert head["largest"] == pytest.approx(np.abs(p - q).max(), abs=0.01)
    assert (head["queries"], head["compared"]) == (TOKENS, TOKENS)


def test_divergence_of_disjoint_rows_is_ln_2_and_of_equal_rows_zero() -> None:
    identity = np.eye(4, dtype=np.float32)
    assert jensen_shannon(identity, identity[::-1].copy()) == pytest.approx(np.log(2), rel=1e-5)
    assert jensen_shannon(identity, identity) == 0


def test_a_comparison_of_other_tokens_is_refused_in_words(board: AttentionBoard) -> None:
    with SummaryWriter(board.folder / "run") as log:
        log.add_attention("probe", maps_at(0), WORDS, 0)
        log.add_attention("other", maps_at(0), [*WORDS[:3], "sharp", *WORDS[4:]], 0)
        log.add_attention("short", maps_at(0)[:, :, :3, :3], WORDS[:3], 0)
        log.add_attention("small", maps_at(0)[:2], WORDS, 0)
    board.poll()
    for tag, message in {
        "other": "the first difference is 'dull' and 'sharp' at position 3",
        "short": "6 and 3 of them",
        "small": "3 layers of 4 heads and 2 layers of 4 heads",
    }.items():
        head, (table,) = board.ask("change", **board.at(0), other=board.at(0, tag=tag)).frames()
        assert message in head["refused"]
        assert len(table["divergence"]) == 0


def test_curves_have_one_measure_of_every_head_over_the_steps(logged: AttentionBoard) -> None:
    query = {"run": run_id("run"), "tag": "probe", "measure": "entropy"}
    head, (table,) = logged.ask("curves", **query).frames()
    assert (head["steps"], head["heads"], head["skipped"]) == ([0, 10], LAYERS * HEADS, 0)
    expected = [-(maps_at(step) * np.log(maps_at(step))).sum(-1).mean(-1).ravel() for step in (0, 10)]
    np.testing.assert_allclose(table["value"].reshape(2, -1), expected, rtol=1e-5)


def test_rollout_of_some_layers_or_cross_attention_is_refused(board: AttentionBoard) -> None:
    with SummaryWriter(board.folder / "run") as log:
        log.add_attention("some", maps_at(0), WORDS, 0, layers=[0, 5, 11])
        log.add_attention("cross", softmax_maps(1, 1, 2, 3), ["a", "b"], 0, keys=list("xyz"), kind="cross")
    board.poll()
    for tag, message in {"some": "every layer from 0 on", "cross": "no meaning"}.items():
        refused = board.ask("rollout", **board.at(0, tag=tag))
        assert refused.status == 409
        assert message in refused.json()["error"]["message"]


def test_the_older_form_is_served_like_the_present_one(board: AttentionBoard) -> None:
    write_values(board.folder / "run", {"probe": older_form(maps_at(0), WORDS)})
    board.poll()
    head, (packed, _) = board.ask("overview", **board.at(0)).frames()
    assert np.abs(unpacked(packed, LAYERS, HEADS, *head["thumbnail"]) - maps_at(0)).max() < 0.005
    _, (packed,) = board.ask("head", **board.at(0), layer=1, head=2).frames()
    assert np.abs(unpacked(packed, TOKENS, TOKENS) - maps_at(0)[1, 2]).max() < 0.005


def test_a_damaged_layer_leaves_the_overview_and_other_layers(board: AttentionBoard) -> None:
    folder = board.folder / "run"
    with SummaryWriter(folder) as log:
        log.add_attention("probe", maps_at(0), WORDS, 0)
    (path,) = folder.glob("events*")
    content = bytearray(path.read_bytes())
    content[content.index(b"probe//layer/1") + 60] ^= 255
    path.write_bytes(content)
    board.poll()
    assert board.ask("overview", **board.at(0)).status == 200
    assert board.ask("head", **board.at(0), layer=0, head=0).status == 200
    refused = board.ask("head", **board.at(0), layer=1, head=0)
    assert refused.status == 409
    assert "layer 1" in refused.json()["error"]["message"]
