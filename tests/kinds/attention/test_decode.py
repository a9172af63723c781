"""Writing and reading of attention: shapes that models give, older files, and values that lie."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lossboard
from lossboard import SummaryWriter
from lossboard.errors import DecodeError
from lossboard.kinds.attention.decode import AttentionStep, attentions
from lossboard.kinds.attention.measures import MEASURES
from lossboard.store.logdir import Logdir, Root
from lossboard.store.run import Run
from tests.kinds.attention.conftest import WORDS, older_form, softmax_maps, write_values


def read(folder: Path, tag: str = "probe") -> list[AttentionStep]:
    return list(attentions(stored(folder), tag))


def stored(folder: Path) -> Run:
    logdir = Logdir([Root(folder)])
    logdir.poll()
    (run,) = logdir.runs.values()
    return run


def log(folder: Path, weights: Any, tokens: list[str], **arguments: Any) -> AttentionStep:
    with SummaryWriter(folder) as writer:
        writer.add_attention("probe", weights, tokens, 3, **arguments)
    (point,) = read(folder)
    return point


def test_maps_and_measures_come_back(tmp_path: Path) -> None:
    weights = softmax_maps(3, 4, 6)
    point = log(tmp_path, weights, WORDS)
    assert (point.step, point.tokens, point.layers, point.heads) == (3, tuple(WORDS), 3, 4)
    assert np.abs(np.stack(point.weights) - weights).max() < 0.005
    expected = -(weights * np.log(weights)).sum(-1).mean(-1).ravel()
    np.testing.assert_allclose(point.measured[:, MEASURES.index("entropy")], expected, rtol=1e-5)


def test_layers_may_have_different_heads_and_names(tmp_path: Path) -> None:
    ragged = [softmax_maps(1, heads, 4)[0] for heads in (2, 4)]
    point = log(tmp_path, ragged, list("abcd"), layers=[0, 11], kv_heads=2)
    assert [(part.number, part.numbers, part.kv_heads) for part in point.parts] == [
        (0, (0, 1), 2),
        (11, (0, 1, 2, 3), 2),
    ]
    assert [layer.shape for layer in point.weights] == [(2, 4, 4), (4, 4, 4)]


def test_cross_attention_keeps_both_sides(tmp_path: Path) -> None:
    point = log(tmp_path, softmax_maps(1, 2, 2, 5), ["a", "b"], keys=list("vwxyz"), kind="cross")
    assert (point.tokens, point.keys, point.kind) == (("a", "b"), tuple("vwxyz"), "cross")
    assert point.weights[0].shape == (2, 2, 5)


def test_a_mask_removes_padding_anywhere(tmp_path: Path) -> None:
    weights = np.zeros((1, 1, 4, 4), np.float32)
    weights[..., 1:3] = 0.5
    point = log(tmp_path, weights, ["[PAD]", "a", "b", "[PAD]"], mask=[0, 1, 1, 0])
    assert point.tokens == ("a", "b")
    assert point.weights[0].tolist() == [[[0.5, 0.5], [0.5, 0.5]]]


def test_torch_tensors_of_any_precision_are_accepted(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    scores = torch.randn(2, 1, 3, 4, 4, requires_grad=True)
    point = log(tmp_path, tuple(scores.softmax(-1).to(torch.bfloat16)), list("abcd"))
    assert (point.layers, point.heads) == (2, 3)


def test_causal_maps_are_recognized(tmp_path: Path) -> None:
    causal = np.tril(np.ones((4, 4)))
    assert log(tmp_path / "a", (causal / causal.sum(-1, keepdims=True))[None, None], list("abcd")).is_causal
    assert not log(tmp_path / "b", softmax_maps(1, 1, 4), list("abcd")).is_causal


def test_a_summary_has_thumbnails_and_measures_but_no_maps(tmp_path: Path) -> None:
    point = log(tmp_path, softmax_maps(1, 2, 100), ["t"] * 100, keep="summary")
    assert point.thumbnail == (64, 64)
    assert np.isfinite(point.measured[:, MEASURES.index("entropy")]).all()
    with pytest.raises(DecodeError, match="Only measures and thumbnails"):
        point.map_of(0, 0)


def test_thumbnails_keep_a_diagonal(tmp_path: Path) -> None:
    point = log(tmp_path, np.eye(100, dtype=np.float32)[None, None], ["t"] * 100)
    small = np.frombuffer(zlib.decompress(point.packed_thumbnails), np.uint8).reshape(64, 64)
    assert (small.diagonal() == 255).all()
    assert (np.triu(small, 2) == 0).all()


def test_layers_are_not_tags_of_their_own(tmp_path: Path) -> None:
    log(tmp_path, softmax_maps(3, 1, 4), list("abcd"))
    assert list(lossboard.open(tmp_path).tags) == ["probe"]


def test_a_step_that_was_logged_again_has_its_own_maps(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_attention("probe", np.eye(3)[None, None], list("abc"), 5)
        writer.add_attention("probe", np.eye(3)[None, None, ::-1], list("abc"), 5)
    both = list(attentions(stored(tmp_path), "probe", attempts=True))
    assert [point.hidden for point in both] == [True, False]
    assert [point.weights[0][0].argmax(-1).tolist() for point in both] == [[0, 1, 2], [2, 1, 0]]


def test_files_in_the_older_form_are_read(tmp_path: Path) -> None:
    weights = softmax_maps(2, 3, 6)
    write_values(tmp_path, {"probe": older_form(weights, WORDS)}, step=7)
    (point,) = read(tmp_path)
    assert (point.step, point.tokens, point.layers, point.heads) == (7, tuple(WORDS), 2, 3)
    assert np.abs(np.stack(point.weights) - weights).max() < 0.005
    expected = -(weights * np.log(weights)).sum(-1).mean(-1).ravel()
    assert np.abs(point.measured[:, MEASURES.index("entropy")] - expected).max() < 0.05
    assert np.isfinite(point.measured[:, MEASURES.index("sep")]).all()


HEAD: dict[str, Any] = {
    "version": 2,
    "tokens": ["a", "b"],
    "kind": "self",
    "causal": False,
    "measures": ["entropy"],
    "maps": True,
    "layers": [{"layer": 0, "heads": [0]}],
}
SMALL = zlib.compress(bytes(4))


def strings(head: Any, measures: bytes = bytes(4), small: bytes = SMALL) -> list[bytes]:
    return [json.dumps(head).encode(), measures, small]


@pytest.mark.parametrize(
    "value",
    [
        [],
        [b"[]"],
        [b"not json", b"", b""],
        [b"[" * 100_000, b"", b""],
        strings(HEAD | {"tokens": []}),
        strings(HEAD | {"tokens": "ab"}),
        strings(HEAD | {"layers": []}),
        strings(HEAD | {"layers": [{"layer": 0, "heads": list(range(1 << 15))}]}),
        strings(HEAD | {"layers": [{"layer": 1e999, "heads": [0]}]}),
        [b'{"layers": 1000000, "heads": 1000000, "tokens": ["a"]}', b""],
        [b'{"layers": 1, "heads": 1, "tokens": ["a", "b"]}', zlib.compress(bytes(3))],
        [b'{"layers": 1, "heads": 1, "tokens": ["a", "b"]}', zlib.compress(bytes(1 << 20))],
        [b'{"layers": -1, "heads": -1, "tokens": ["a"]}', zlib.compress(bytes(1))],
    ],
    ids=range(13),
)
def test_a_value_that_cannot_be_read_is_an_error_in_words(tmp_path: Path, value: list[bytes]) -> None:
    write_values(tmp_path, {"probe": value})
    with pytest.raises(DecodeError, match=r"\w+ \w+"):
        attentions(stored(tmp_path), "probe")[0]


def test_what_cannot_be_read_leaves_the_rest(tmp_path: Path) -> None:
    write_values(
        tmp_path,
        {"probe//layer/0": [zlib.compress(bytes(9))], "probe": strings(HEAD, bytes(400), zlib.compress(bytes(7)))},
    )
    (point,) = read(tmp_path)
    assert point.problems == (
        "The measures are 100 numbers. Expected 1.",
        "The overview has more than 4 weights, expected 4.",
    )
    with pytest.raises(DecodeError, match="The map of layer 0 head 0 has more than 4 weights"):
        point.map_of(0, 0)


def test_missing_layers_are_named(tmp_path: Path) -> None:
    write_values(tmp_path, {"probe": strings(HEAD)})
    (point,) = read(tmp_path)
    with pytest.raises(DecodeError, match="The maps of layer 0 at step 0 are not in the event files"):
        point.map_of(0, 0)


@pytest.mark.parametrize(
    ("weights", "tokens", "arguments", "message"),
    [
        (softmax_maps(1, 1, 2, 3), ["a", "b"], {}, "Name the keys"),
        (softmax_maps(1, 1, 2, 3), ["a", "b"], {"keys": list("xyz")}, "set kind='cross'"),
        (softmax_maps(1, 1, 2), ["a", "b"], {"kind": "cross"}, "needs keys"),
        (softmax_maps(1, 1, 2), ["a", "b"], {"kind": "other"}, "'self' or 'cross'"),
        (softmax_maps(1, 1, 2), ["a", "b"], {"layers": [0, 1]}, "2 layers are named"),
        (softmax_maps(1, 3, 2), ["a", "b"], {"kv_heads": 2}, "must divide the 3 heads"),
        (softmax_maps(1, 3, 2), ["a", "b"], {"heads": [1]}, "1 heads are named, but layer 0 has 3"),
        (softmax_maps(1, 1, 2), ["a", "b"], {"grid": (2, 2)}, "does not fit 2 tokens"),
        (softmax_maps(1, 1, 2), ["a", "b"], {"mask": [1]}, "must have 2 values"),
        (softmax_maps(1, 1, 2), ["a", "b"], {"keep": "all"}, "keep must be"),
        ([None, None], ["a", "b"], {}, "attn_implementation='eager'"),
        ([softmax_maps(1, 1, 2)[0], softmax_maps(1, 1, 3)[0]], ["a", "b"], {}, "as many tokens in each layer"),
        (np.empty((1, 0, 2, 2)), ["a", "b"], {}, "must be"),
    ],
)
def test_wrong_arguments_are_refused_in_words(
    tmp_path: Path, weights: Any, tokens: list[str], arguments: dict[str, Any], message: str
) -> None:
    with SummaryWriter(tmp_path) as writer, pytest.raises(ValueError, match=message):
        writer.add_attention("probe", weights, tokens, 0, **arguments)
