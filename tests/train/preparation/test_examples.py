"""Loading of examples: columns for text, pair and label, splits, and messages about invalid files."""

import csv
import gzip
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import polars
import pytest

from lossboard.errors import DataError
from lossboard.train.data.labels import label_key
from lossboard.train.data.split import hold_out
from lossboard.train.data.tables import read_table
from lossboard.train.preparation.examples import load_data

ROWS = [("a fine film", "pos"), ("a dull film", "neg"), ("great fun", "pos"), ("no fun at all", "neg")]


def write_csv(path: Path, header: list[str], rows: list[tuple[object, ...]], *, delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([header, *rows])
    return path


def write_jsonl(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def save_dataset(folder: Path, frame: polars.DataFrame, names: list[str]) -> Path:
    """A split as `datasets.Dataset.save_to_disk` lays it out: Arrow streams and two JSON files."""
    folder.mkdir(parents=True)
    half = len(frame) // 2
    files = ["data-00000-of-00002.arrow", "data-00001-of-00002.arrow"]
    for name, part in zip(files, (frame[:half], frame[half:]), strict=True):
        part.write_ipc_stream(folder / name, compat_level=polars.CompatLevel.oldest())
    state = {"_data_files": [{"filename": name} for name in files], "_indices_files": None, "_split": folder.name}
    (folder / "state.json").write_text(json.dumps(state))
    features = {"text": {"dtype": "string", "_type": "Value"}, "label": {"names": names, "_type": "ClassLabel"}}
    (folder / "dataset_info.json").write_text(json.dumps({"features": features}))
    return folder


# ---- formats --------------------------------------------------------------------------------------------------------


def as_csv(folder: Path) -> Path:
    return write_csv(folder / "train.csv", ["text", "label"], list(ROWS))


def as_semicolons(folder: Path) -> Path:
    return write_csv(folder / "train.csv", ["text", "label"], list(ROWS), delimiter=";")


def as_tsv(folder: Path) -> Path:
    path = folder / "train.tsv"
    path.write_bytes(b"\xef\xbb\xbftext\tlabel\r\n" + b"\r\n".join(f"{t}\t{y}".encode() for t, y in ROWS))
    return path


def as_jsonl(folder: Path) -> Path:
    return write_jsonl(folder / "train.jsonl", [{"text": t, "label": y} for t, y in ROWS])


def as_parquet(folder: Path) -> Path:
    path = folder / "train.parquet"
    polars.DataFrame(ROWS, schema=["text", "label"], orient="row").write_parquet(path)
    return path


def as_json_array(folder: Path) -> Path:
    path = folder / "train.json"
    path.write_text(json.dumps([{"text": t, "label": y} for t, y in ROWS], indent=2))
    return path


def as_nested_jsonl(folder: Path) -> Path:
    return write_jsonl(folder / "train.jsonl", [{"id": 1, "data": {"text": t, "label": y}} for t, y in ROWS])


def as_gzip(folder: Path) -> Path:
    path = folder / "train.csv.gz"
    path.write_bytes(gzip.compress(as_csv(folder).read_bytes()))
    return path


def as_utf16(folder: Path) -> Path:
    path = folder / "utf16.csv"
    path.write_text(as_csv(folder).read_text(), encoding="utf-16")
    return path


def as_quoted_tsv(folder: Path) -> Path:
    path = folder / "train.tsv"
    path.write_text('"text"\t"label"\n' + "".join(f'"{t}"\t"{y}"\n' for t, y in ROWS))
    return path


FORMATS = [
    as_csv,
    as_semicolons,
    as_tsv,
    as_jsonl,
    as_parquet,
    as_json_array,
    as_nested_jsonl,
    as_gzip,
    as_utf16,
    as_quoted_tsv,
]


@pytest.mark.parametrize("write", FORMATS)
def test_formats_give_the_same_examples(tmp_path: Path, write: object) -> None:
    data = load_data(write(tmp_path), fraction=0.5, seed=1)  # type: ignore[operator]
    both = sorted(
        (text, int(label))
        for split in (data.train, data.validation)
        for text, label in zip(split.texts, split.labels, strict=True)
    )
    assert both == sorted((text, {"neg": 0, "pos": 1}[label]) for text, label in ROWS)
    assert data.classes == ("neg", "pos")
    assert data.faults == ()


def test_saved_dataset_keeps_its_class_names(tmp_path: Path) -> None:
    names = ["bad", "good"]
    frame = polars.DataFrame({"text": [f"text {i}" for i in range(6)], "label": [0, 1, 0, 1, 1, -1]})
    save_dataset(tmp_path / "train", frame[:5], names)
    save_dataset(tmp_path / "validation", frame[4:], names)
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train", "validation"]}')
    data = load_data(tmp_path)
    assert data.classes == ("bad", "good")
    assert data.train.labels.tolist() == [0, 1, 0, 1, 1]
    assert list(data.validation.texts) == ["text 4", "text 5"]
    assert [(fault.split, fault.locations, fault.value) for fault in data.faults] == [
        ("validation", ("validation, row 2",), "-1")
    ]


def test_quoted_tsv_keeps_line_breaks_and_lines(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text('text\tlabel\n"two\nlines"\tpos\none line\tneg\n')
    table = read_table(tmp_path / "x.tsv")
    assert list(table.columns["text"]) == ["two\nlines", "one line"]
    assert table.location(1) == "x.tsv, line 4"


def test_literal_tsv_keeps_its_rows_if_quotes_match_by_chance(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text('text\tlabel\n"Hello there\tpos\nin between\tneg\nshe said bye"\tpos\n')
    table = read_table(tmp_path / "x.tsv")
    assert list(table.columns["text"]) == ['"Hello there', "in between", 'she said bye"']


def test_parquet_of_datasets_keeps_its_class_names(tmp_path: Path) -> None:
    features = {
        "text": {"dtype": "string", "_type": "Value"},
        "label": {"names": ["bad", "good"], "_type": "ClassLabel"},
    }
    metadata = json.dumps({"info": {"features": features}})
    frame = polars.DataFrame({"text": [f"text {i}" for i in range(8)], "label": [0, 1] * 4})
    frame.write_parquet(tmp_path / "train.parquet", metadata={"huggingface": metadata})
    data = load_data(tmp_path / "train.parquet")
    assert data.classes == ("bad", "good")
    assert set(data.train.labels) == {0, 1}


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        (["good movie,positive", "bad movie,negative", "fine movie,positive"], False),
        (["review,sentiment", "bad movie,negative", "fine movie,positive"], True),
        (["text,label", "bad movie,0", "text,label", "fine movie,1"], True),
        (["How old are you,What is your age", "Where is it,In which place is it", "Why so,For what reason"], False),
        (["first phrase,other", "Where is it by now,In which place is it", "Why was it so,For what reason"], True),
    ],
)
def test_first_row_is_a_header_unless_its_label_occurs_again(tmp_path: Path, rows: list[str], named: bool) -> None:
    (tmp_path / "x.csv").write_text("\n".join(rows))
    table = read_table(tmp_path / "x.csv")
    assert (table.header, len(table)) == (
        ("line 1 is the header", len(rows) - 1) if named else ("no header", len(rows))
    )
    assert read_table(tmp_path / "x.csv", header=True).columns.keys() == set(rows[0].split(","))


def test_shards_in_a_directory_are_joined(tmp_path: Path) -> None:
    for shard in range(2):
        frame = polars.DataFrame({"sentence": [f"shard {shard} row {i}" for i in range(3)], "label": [0, 1, 1]})
        (tmp_path / "data").mkdir(exist_ok=True)
        frame.write_parquet(tmp_path / "data" / f"train-{shard:05}-of-00002.parquet")
    write_csv(tmp_path / "dev.csv", ["sentence", "label"], [("held out", 0)])
    data = load_data(tmp_path)
    assert len(data.train) == 6
    assert list(data.validation.texts) == ["held out"]


def test_test_split_is_not_used_for_validation(tmp_path: Path) -> None:
    rows = [(f"text number {i}", i % 2) for i in range(40)]
    write_csv(tmp_path / "train.csv", ["text", "label"], rows)
    write_csv(tmp_path / "test.csv", ["text", "label"], [("final score", 0)])
    data = load_data(tmp_path)
    assert "final score" not in data.validation.texts
    assert len(data.validation) == 4


def test_parquet_without_a_reader_names_the_package_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSSBOARD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"needs pyarrow or duckdb: pip install"):
        read_table(as_parquet(tmp_path))
    assert "pyarrow" not in sys.modules


# ---- columns --------------------------------------------------------------------------------------------------------

PAIR = ("He said so.", "So he said.")


@pytest.mark.parametrize(
    ("header", "rows", "chosen"),
    [
        (["id", "Sentence", "Label"], [(1, "a b c", 0), (2, "d e f", 1)], ("Sentence", None, "Label")),
        (
            ["sentence1", "sentence2", "label", "idx"],
            [(*PAIR, 1, 0), (*PAIR, 0, 1)],
            ("sentence1", "sentence2", "label"),
        ),
        (
            ["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"],
            [(1, 7, 8, *PAIR)],
            ("#1 String", "#2 String", "Quality"),
        ),
        (["premise", "hypothesis", "gold_label"], [(*PAIR, "neutral")], ("premise", "hypothesis", "gold_label")),
        (["opinion", "verdict"], [("a long one here", "x"), ("b is long too", "y")] * 4, ("opinion", None, "verdict")),
    ],
)
def test_columns_are_detected(
    tmp_path: Path, header: list[str], rows: list[tuple[object, ...]], chosen: tuple[str | None, ...]
) -> None:
    data = load_data(write_csv(tmp_path / "x.csv", header, rows))
    assert (data.columns.text, data.columns.pair, *data.columns.labels) == chosen
    assert repr(data.columns.text) in data.notes[0], "what was taken is said"
    assert (data.train.pairs is None) == (data.columns.pair is None)


def test_file_without_a_header_has_numbered_columns(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text('1\t1\tit "sings\r\n2\t0\tit sinks slowly', newline="")
    data = load_data(tmp_path / "x.txt", label="1")
    assert data.columns.text == "2"
    assert sorted(data.train.texts) == ['it "sings', "it sinks slowly"]


def test_flags_override_detected_columns(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "x.csv", ["text", "title", "label", "stars"], [("t", "the title", 0, 5)])
    data = load_data(path, text="title", pair="text", label="stars")
    assert (list(data.train.texts), list(data.train.pairs or ()), data.classes) == (["the title"], ["t"], ("5",))


# ---- labels ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "key"),
    [(1, 1), ("1", 1), (" 1 ", 1), (1.0, 1), ("1.0", 1), (True, 1), (-1, -1), ("pos", "pos"), ("0.5", "0.5"),
     (0.5, "0.5"), ("inf", "inf"), (None, None), ("", None), ("nan", None), (float("nan"), None), ([1], None)],
)  # fmt: skip
def test_label_key_of_equal_labels_is_equal(value: object, key: object) -> None:
    assert label_key(value) == key


@pytest.mark.parametrize(
    ("labels", "classes", "ids"),
    [
        ([0, 1, 1], ("0", "1"), [0, 1, 1]),
        ([1, 2, 2], ("1", "2"), [0, 1, 1]),
        ([-1, 1, 1], ("-1", "1"), [0, 1, 1]),
        ([0, 4, 10], ("0", "4", "10"), [0, 1, 2]),
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        ([0, -100, 1], ("0", "1"), [0, -1, 1]),
        ([0, None, 1], ("0", "1"), [0, -1, 1]),
    ],
)
def test_labels_are_mapped_to_ids(
    tmp_path: Path, labels: list[object], classes: tuple[str, ...], ids: list[int]
) -> None:
    path = write_jsonl(tmp_path / "x.jsonl", [{"text": f"text {i}", "label": y} for i, y in enumerate(labels)])
    data = load_data(path, path)
    assert data.classes == classes
    assert data.train.labels.tolist() == ids


def test_labels_outside_the_given_classes_are_reported_with_their_lines(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "x.csv", ["text", "label"], [("a b", 1), ("c d", 2), ("e f", 0)])
    data = load_data(path, path, classes=["0", "1"])
    assert [(fault.split, fault.locations) for fault in data.faults] == [
        ("train", ("x.csv, line 3",)),
        ("validation", ("x.csv, line 3",)),
    ]
    assert "not one of the 2 classes 0, 1" in data.faults[0].why


# ---- splitting ------------------------------------------------------------------------------------------------------


def test_split_is_seeded_stratified_and_keeps_duplicates_together() -> None:
    labels = np.array([0] * 300 + [1] * 100)
    keys = np.array([f"text {i // 2}" for i in range(400)])
    train, held = hold_out(keys, labels, fraction=0.25, seed=7)
    assert sorted([*train, *held]) == list(range(400))
    assert Counter(labels[held].tolist()) == {0: 74, 1: 24}
    assert not set(keys[train]) & set(keys[held])
    again, other = (hold_out(keys, labels, fraction=0.25, seed=seed)[1].tolist() for seed in (7, 8))
    assert held.tolist() == again != other


@pytest.mark.parametrize(
    ("keys", "labels", "held"), [(["a"], [0], 0), (["a", "b"], [0, 1], 0), (["a", "b"], [0, 0], 1)]
)
def test_split_of_very_few_examples_keeps_a_training_set(keys: list[str], labels: list[int], held: int) -> None:
    assert len(hold_out(np.array(keys), np.array(labels), fraction=0.1, seed=0)[1]) == held


def test_texts_that_differ_in_case_and_spacing_are_duplicates(tmp_path: Path) -> None:
    rows = [(f"{'Some  Text' if i % 2 else 'some text'} {i // 2}", i // 2 % 2) for i in range(80)]
    data = load_data(write_csv(tmp_path / "x.csv", ["text", "label"], rows), fraction=0.3)
    assert not set(data.train.keys.tolist()) & set(data.validation.keys.tolist())
    assert len(data.validation) == 24


# ---- what cannot be read --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.csv", b"text,label\na,1\nb,2,3\n", r"x.csv, line 3: 3 fields, but 2 in the header. Quote fields"),
        ("x.csv", b"exported today\ntext,label\na,1\n", r"x.csv, line 2: 2 fields, but 1 in line 1"),
        ("x.csv", b'text,label\na,1\n"b,2\n', r"x.csv, line 3: unexpected end of data. Close or double the quote"),
        ("x.csv", b"text,text\na,1\n", r"line 1: the header has a column name twice"),
        ("x.csv", b"text,label\n", r"no rows"),
        ("x.csv", b"", r"empty"),
        ("x.csv", b"text,label\ngood,1\ncaf\xe9,0\n", r"x.csv, line 3: not UTF-8 .* iconv"),
        ("x.csv", b"one,two\nfoo bar baz,qux quux corge\n", r"labels\. Set --label-column to one of: 'one', 'two'"),
        ("x.csv", b"label,n\n0,1\n1,2\n", r"which column holds the texts\. Set --text-column"),
        ("x.jsonl", b'{"text": "a", "label": 1}\n{"text": "b"\n', r"line 2: not valid JSON .* Use one object per line"),
        ("x.jsonl", b'["a", 1]\n', r"line 1: expected an object .* got a list"),
        ("x.jsonl", b'{"text": [1], "label": 1}\n', r"x.jsonl, line 1, field 'text': expected a text, got a list"),
        ("x.json", b'[{"text": "a"},\n {"text": ]\n', r"x.json, line 2: not valid JSON .* an array of objects"),
        ("x.json", b'[{"text": "a", "label": 1}, 2]', r"x.json, record 2: expected an object .* got a int"),
        ("x.csv.gz", b"text,label", r"x.csv.gz: cannot be read .* Compress the file again"),
        ("x.parquet", b"PAR0", r"x.parquet: not a valid Parquet file"),
        ("x.arrow", b"ARROW?", r"x.arrow: not a valid Arrow stream"),
        ("x.doc", b"hello", r"unknown file type .doc. Supported: .csv"),
    ],
)  # fmt: skip
def test_bad_file_is_reported_with_its_location(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=says):
        load_data(path)


def test_missing_file_or_column_is_reported(tmp_path: Path) -> None:
    path = as_csv(tmp_path)
    with pytest.raises(DataError, match="No such file or directory"):
        load_data(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match=r"no column 'body'\. Set --text-column to one of: 'text', 'label'"):
        load_data(path, text="body")
    with pytest.raises(DataError, match="no column 'text', which the training data has"):
        load_data(path, write_csv(tmp_path / "v.csv", ["review", "label"], [("x", "pos")]))
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no train or training split"):
        load_data(tmp_path / "empty")


PLAIN = ["Great film, loved it", "Dull", "Too long; too loud, and odd"]


@pytest.mark.parametrize(
    ("name", "lines", "texts"),
    [
        ("x.txt", PLAIN, PLAIN),
        ("x.txt", PLAIN[:1], PLAIN[:1]),
        ("x.txt", ["great", "awful"], ["great", "awful"]),
        ("x.csv", ["a very good film", "a bad one"], ["a very good film", "a bad one"]),
        ("x.txt", ["text", *PLAIN[1:]], PLAIN[1:]),
        ("x.csv", ["Review", "a bad one"], ["a bad one"]),
        ("x.txt", ["text,label", "good,1", "bad,0"], ["good", "bad"]),
        (
            "x.txt",
            ["good one,1", "bad one,0", "fine one,1", "dull one,0"],
            ["good one", "bad one", "fine one", "dull one"],
        ),
    ],
)
def test_lines_of_a_text_file_are_texts(tmp_path: Path, name: str, lines: list[str], texts: list[str]) -> None:
    (tmp_path / name).write_text("\n".join(lines) + "\n")
    table = read_table(tmp_path / name)
    assert list(next(iter(table.columns.values()))) == texts
