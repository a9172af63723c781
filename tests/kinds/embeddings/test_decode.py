from pathlib import Path

import numpy as np
import pytest

from lossboard.errors import DecodeError
from lossboard.kinds.embeddings.decode import Embedding, embeddings
from lossboard.kinds.embeddings.kind import KIND
from lossboard.store.logdir import Logdir, Root


def found(folder: Path, name: str = "") -> list[Embedding]:
    logdir = Logdir([Root(folder, name)], assets=[KIND])
    logdir.poll()
    return list(embeddings(logdir))


def entry(**fields: str) -> str:
    return "embeddings {\n" + "".join(f'{name}: "{value}"\n' for name, value in fields.items()) + "}\n"


def test_vectors_labels_and_sprite_are_read(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "t.tsv").write_text("1\t2.5\n\n-3e-2\t1e39\n")
    (run / "m.tsv").write_text("word\tcount\na\t1\nb\t2\n")
    (run / "s.png").write_bytes(b"png")
    sprite = 'sprite { image_path: "s.png" single_image_dim: 4 single_image_dim: 5 }'
    config = entry(tensor_name="e:00001", tensor_path="t.tsv", metadata_path="m.tsv")
    (run / "projector_config.pbtxt").write_text(config.replace("}", sprite + "}"))
    (embedding,) = found(tmp_path)
    assert (embedding.run, embedding.tag, embedding.sprite_size) == ("run", "e:00001", (4, 5))
    assert embedding.tensor().tolist() == np.array([[1, 2.5], [-3e-2, np.inf]], np.float32).tolist()
    assert embedding.metadata() == (["word", "count"], [["a", "1"], ["b", "2"]])
    assert embedding.sprite() == b"png"


@pytest.mark.parametrize(
    ("text", "rows"),
    [("a\nb\n", 2), ("a\nb", 2), ("h1\th2\na\tb\n", 1), ("", 0), ("\n", 1), ("a\u2028b\u0085c\n", 1)],
)
def test_metadata_rows_are_counted_without_the_header(tmp_path: Path, text: str, rows: int) -> None:
    (tmp_path / "m.tsv").write_text(text, "utf-8", newline="")
    (tmp_path / "projector_config.pbtxt").write_text(entry(tensor_name="e", metadata_path="m.tsv"))
    assert KIND.fields(found(tmp_path)[0])["metadata_rows"] == rows


def test_raw_float32_of_the_stated_shape_is_read(tmp_path: Path) -> None:
    numbers = np.array([[1.5, -2.0, 3.0], [0.1, 0.2, 0.3]], "<f4")
    (tmp_path / "t.bytes").write_bytes(numbers.tobytes())
    config = entry(tensor_name="e", tensor_path="t.bytes").replace("}", "tensor_shape: 2 tensor_shape: 3 }")
    (tmp_path / "projector_config.pbtxt").write_text(config)
    np.testing.assert_array_equal(found(tmp_path)[0].tensor(), numbers, strict=True)


@pytest.mark.parametrize("content", ["1\t2\n3\n", "a\tb\n", "", "1\t\n"], ids=["ragged", "words", "empty", "a gap"])
def test_invalid_tensor_is_still_listed(tmp_path: Path, content: str) -> None:
    (tmp_path / "t.tsv").write_text(content)
    (tmp_path / "projector_config.pbtxt").write_text(entry(tensor_name="e", tensor_path="t.tsv", metadata_path="gone"))
    (embedding,) = found(tmp_path)
    assert KIND.fields(embedding) == {"tensor_name": "e", "shape": None, "sha256": None, "metadata_rows": 0}


def test_paths_do_not_leave_the_logdir(tmp_path: Path) -> None:
    logdir = tmp_path / "logs"
    logdir.mkdir()
    (tmp_path / "secret.tsv").write_text("1\t2\n")
    (logdir / "projector_config.pbtxt").write_text(entry(tensor_name="e", tensor_path="../secret.tsv"))
    with pytest.raises(DecodeError, match="within the logdir"):
        found(logdir)[0].tensor()


def test_changed_files_of_a_config_advance_the_cursor(tmp_path: Path) -> None:
    config = entry(tensor_name="e", tensor_path="t.tsv", metadata_path="m.tsv")
    (tmp_path / "projector_config.pbtxt").write_text(config)
    logdir = Logdir([Root(tmp_path)], assets=[KIND])
    assert dict(logdir.poll().grown) == {".": {(KIND.plugin, "e")}}
    for name, content in (("t.tsv", "1\t2\n"), ("t.tsv", "1\t2\n3\t4\n"), ("m.tsv", "a\nb\n")):
        cursor = logdir.cursor
        (tmp_path / name).write_text(content)
        changes = logdir.poll()
        assert (changes.cursor, dict(changes.grown)) == (cursor + 1, {".": {(KIND.plugin, "e")}})
        assert not logdir.poll()
    (embedding,) = embeddings(logdir)
    assert (embedding.tensor().shape, len(embedding.metadata()[1])) == ((2, 2), 2)


def test_changed_file_outside_of_the_logdir_is_ignored(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "projector_config.pbtxt").write_text(entry(tensor_name="e", tensor_path="../secret.tsv"))
    logdir = Logdir([Root(folder)], assets=[KIND])
    assert dict(logdir.poll().grown)
    (tmp_path / "secret.tsv").write_text("1\t2\n")
    assert not logdir.poll()


def test_last_of_several_entries_with_one_name_counts(tmp_path: Path) -> None:
    text = entry(tensor_name="e", tensor_path="old") + entry(tensor_name="e", tensor_path="new")
    (tmp_path / "projector_config.pbtxt").write_text(text)
    assert [e.tensor_path for e in found(tmp_path)] == ["new"]


def test_config_belongs_to_the_run_of_its_folder(tmp_path: Path) -> None:
    for folder in (".", "a/b", "c/plugins/org_tensorflow_tensorboard_projector"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "projector_config.pbtxt").write_text(entry(tensor_name="e"))
    assert sorted(e.run for e in found(tmp_path)) == [".", "a/b", "c"]
    assert sorted(e.run for e in found(tmp_path, "x")) == ["x", "x/a/b", "x/c"]


def test_invalid_config_is_reported_as_corrupt(tmp_path: Path) -> None:
    (tmp_path / "projector_config.pbtxt").write_text("embeddings {")
    logdir = Logdir([Root(tmp_path)], assets=[KIND])
    logdir.poll()
    assert list(embeddings(logdir)) == []
    health = logdir.runs["."].health
    assert (health.records, health.bytes, [place.file for place in health.places]) == (
        1,
        12,
        ["projector_config.pbtxt"],
    )
    (tmp_path / "projector_config.pbtxt").write_text(entry(tensor_name="e"))
    logdir.poll()
    assert [e.tag for e in embeddings(logdir)] == ["e"]
    assert logdir.runs["."].health.records == 0
