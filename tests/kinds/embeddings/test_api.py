"""Routes of embeddings over a real logdir: what was logged, neighbors, and change over steps."""

import io
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from lossboard.kinds import kinds
from lossboard.store.run_ids import run_id
from tests.kinds.embeddings.conftest import COLUMNS, ROWS, STEPS, EmbeddingBoard, rows_at, write_embedding

SPRITE = 'sprite {{ image_path: "s" single_image_dim: {0} single_image_dim: {1} }}'


def png(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height)).save(out, "png")
    return out.getvalue()


def entry(name: str, fields: str) -> str:
    return f'embeddings {{ tensor_name: "{name}" {fields} }}\n'


# ---- what was logged -------------------------------------------------------------------------------------
def test_series_lists_steps_and_shapes(board: EmbeddingBoard) -> None:
    (series,) = board.ask("series").json()["series"]
    assert (series["run"], series["tag"], series["has_metadata"], series["has_sprite"]) == (
        run_id("run"),
        "cls",
        True,
        False,
    )
    assert [(one["step"], one["rows"], one["columns"]) for one in series["steps"]] == [
        (step, ROWS, COLUMNS) for step in STEPS
    ]


def test_metadata_columns_are_typed(board: EmbeddingBoard) -> None:
    head, tables = board.ask("metadata", **board.at(10)).frames()
    assert [(column["name"], column["type"]) for column in head["columns"]] == [
        ("label", "category"),
        ("score", "number"),
        ("text", "category"),  # 90 different texts are few enough
    ]
    assert head["columns"][0]["categories"] == ["bad", "good"]
    assert tables[0]["category"][:3].tolist() == [1, 0, 1]
    assert tables[1]["number"][:3].tolist() == [0, 0.25, 0.5]
    assert head["problems"] == []


def test_long_lists_of_texts_are_sent_as_text(tmp_path: Path) -> None:
    write_embedding(
        tmp_path / "run",
        entry("e", 'tensor_path: "t" metadata_path: "m"'),
        t=b"1\t2\n" * 300,
        m=b"".join(b"text %d\n" % i for i in range(300)),
    )
    board = EmbeddingBoard(tmp_path)
    board.poll()
    head, (table,) = board.ask("metadata", **board.at(0, tag="e")).frames()
    assert head["columns"] == [{"name": "label", "type": "text"}]
    assert table["text"][299] == "text 299"


@pytest.mark.parametrize("cosine", [True, False])
def test_neighbors_are_those_of_the_full_dimension(board: EmbeddingBoard, cosine: bool) -> None:
    answer = board.ask("neighbors", **board.at(20), row=5, count=4, cosine=cosine).json()
    rows = rows_at(20).astype(np.float64)
    if cosine:
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        wanted = 1 - unit @ unit[5]
    else:
        wanted = np.linalg.norm(rows - rows[5], axis=1)
    order = [int(row) for row in np.argsort(wanted) if row != 5][:4]
    assert [one["row"] for one in answer["neighbors"]] == order
    assert [one["distance"] for one in answer["neighbors"]] == pytest.approx(wanted[order], abs=1e-5)
    assert answer["norm"] == pytest.approx(float(np.linalg.norm(rows[5])), rel=1e-6)


# ---- change over steps -----------------------------------------------------------------------------------
def test_moved_lists_the_rows_that_moved_most(board: EmbeddingBoard) -> None:
    answer = board.ask("moved", **board.at(0), **{"from": 0, "to": 20}, count=45).json()
    assert {one["row"] % 2 for one in answer["rows"]} == {1}  # rows of the other class stay
    distances = [one["distance"] for one in answer["rows"]]
    assert distances == sorted(distances, reverse=True)
    assert answer["notes"] == []


def test_separation_grows_with_the_classes(board: EmbeddingBoard) -> None:
    answer = board.ask("separation", run=run_id("run"), tag="cls", column="label").json()
    accuracies = [step["accuracy"] for step in answer["steps"]]
    assert accuracies[0] < 0.75
    assert accuracies[2] == 1
    assert answer["baseline"] == 0.5


def test_separation_by_an_unknown_column_returns_a_message(board: EmbeddingBoard) -> None:
    answer = board.ask("separation", run=run_id("run"), tag="cls", column="none").json()
    assert [step["problem"] for step in answer["steps"]] == ["The metadata has no column 'none'."] * 3


# ---- hostile files ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fields", "files", "message"),
    [
        ('tensor_path: "../../secret"', {}, "within the logdir"),
        ('tensor_path: "/etc/hostname"', {}, "within the logdir"),
        (
            'tensor_path: "t" tensor_shape: 2 tensor_shape: 3',
            {"t": b"\0" * 20},
            "20 bytes.*2 × 3, which takes 24 bytes",
        ),
        ('tensor_path: "t" tensor_shape: 9999999 tensor_shape: 9999999', {"t": b"\0\0"}, "takes 399999920000004 bytes"),
        ('tensor_path: "t" tensor_shape: -1 tensor_shape: -6', {"t": b"\0" * 24}, "states no shape of a matrix"),
        ('tensor_path: "t"', {"t": b"\0\0"}, "states no shape"),
        ("", {}, "checkpoint"),
    ],
)
def test_unreadable_tensor_is_listed_with_a_message(
    board: EmbeddingBoard, fields: str, files: dict[str, bytes], message: str
) -> None:
    (board.folder / "secret").write_text("1\t2\n")
    write_embedding(board.folder / "hostile", entry("e", fields), **files)
    board.poll()
    answer = board.ask("series").json()["series"]
    broken = next(series for series in answer if series["tag"] == "e")["steps"][0]["broken"]
    assert re.search(message, broken), broken
    assert len(answer) == 2
    assert board.ask("neighbors", **board.at(0, run="hostile", tag="e"), row=0).status == 409


def test_metadata_with_another_number_of_rows_leaves_the_points(board: EmbeddingBoard) -> None:
    write_embedding(
        board.folder / "other", entry("e", 'tensor_path: "t" metadata_path: "m"'), t=b"1\t2\n3\t4\n5\t7\n", m=b"a\nb\n"
    )
    board.poll()
    head, tables = board.ask("metadata", **board.at(0, run="other", tag="e")).frames()
    assert head["problems"] == ["The metadata has 2 rows and the tensor 3, so labels cannot be assigned."]
    assert (head["rows"], head["columns"], tables) == (3, [], [])
    _, (points,) = board.projected(sources=[board.at(0, run="other", tag="e")], method="pca")
    assert np.isfinite(points["x"]).all()


@pytest.mark.parametrize(
    ("width", "height", "data", "message"),
    [
        (2, 2, png(4, 2), "holds 2 images of 2 × 2, and the tensor has 3 rows"),
        (0, 2, png(4, 4), "does not say how large"),
        (2, 2, b"\x89PNG\r\n\x1a\n but no image", "not an image"),
    ],
)
def test_sprite_with_a_wrong_size_returns_a_message(
    board: EmbeddingBoard, width: int, height: int, data: bytes, message: str
) -> None:
    fields = 'tensor_path: "t" ' + SPRITE.format(width, height)
    write_embedding(board.folder / "other", entry("e", fields), t=b"1\t2\n3\t4\n5\t7\n", s=data)
    board.poll()
    head, _ = board.ask("metadata", **board.at(0, run="other", tag="e")).frames()
    assert message in head["problems"][0]
    assert board.get(f"/api/embeddings/sprite?run={run_id('other')}&tag=e&step=0").status == 409


def test_sprites_are_served_as_images(board: EmbeddingBoard) -> None:
    data = png(4, 4)
    fields = 'tensor_path: "t" ' + SPRITE.format(2, 2)
    write_embedding(board.folder / "other", entry("e", fields), t=b"1\t2\n3\t4\n5\t7\n", s=data)
    board.poll()
    head, _ = board.ask("metadata", **board.at(0, run="other", tag="e")).frames()
    assert head["sprite"] == {"width": 2, "height": 2, "columns": 2}
    answer = board.get(f"/api/embeddings/sprite?run={run_id('other')}&tag=e&step=0")
    assert (answer.body, answer.headers["content-type"]) == (data, "image/png")


def test_steps_of_different_shapes_are_not_compared(board: EmbeddingBoard) -> None:
    config = entry("e:1", 'tensor_path: "a"') + entry("e:2", 'tensor_path: "b"')
    write_embedding(board.folder / "other", config, a=b"1\t2\n3\t4\n", b=b"1\t2\n3\t4\n5\t6\n")
    board.poll()
    answer = board.ask("moved", run=run_id("other"), tag="e", **{"from": 1, "to": 2})
    assert "different shapes, 2 × 2 and 3 × 2" in answer.json()["error"]["message"]


# ---- hostile requests ------------------------------------------------------------------------------------
odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=4),
    st.lists(st.integers(-1, 100) | st.text(max_size=2), max_size=3),
)
names = ["run", "tag", "step", "row", "count", "cosine", "from", "to", "column", "text", "job", "page", "method"]
names += ["dimensions", "components", "neighbors", "min_dist", "perplexity", "seed", "axes", "spherize"]


@pytest.fixture(scope="module")
def shared_board(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("logs")
    write_embedding(folder / "run", entry("cls", 'tensor_path: "t" metadata_path: "m"'), t=b"1\t2\n3\t5\n", m=b"a\nb\n")
    board = EmbeddingBoard(folder)
    board.poll()
    yield board
    board.context.jobs.close()


@settings(max_examples=80, deadline=None)
@given(
    path=st.sampled_from([route.path for route in kinds()["embeddings"].routes if route.method == "POST"]),
    changed=st.dictionaries(st.sampled_from(names), odd, max_size=3),
)
def test_no_request_makes_the_board_fail(shared_board: EmbeddingBoard, path: str, changed: dict[str, object]) -> None:
    usual = {"sources": [shared_board.at(0)], "method": "pca", "page": "p", "from": 0, "to": 0, "row": 0, "text": "a"}
    asked = {**shared_board.at(0), **usual, "column": "label", **changed}
    assert shared_board.ask(path, **asked).status < 500
