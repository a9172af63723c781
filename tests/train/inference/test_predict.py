"""Trained models in use: predictions and metrics, from the command line and from Python."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import lossboard
from lossboard.cli import main as cli
from lossboard.errors import DataError, UsageError
from lossboard.train import finetune, load, predict
from lossboard.train.inference import trained_model
from lossboard.train.inference.trained_model import TrainedModel, read_rows
from lossboard.train.runner import Result
from train.tiny_bert import make_data, texts, tiny_config

REVIEWS = ["a very good film", "the story was awful and dull", "great, lovely and warm"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return finetune(tiny_config(tmp_path_factory.mktemp("trained"), epochs=12, dropout=0.0))


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    file = tmp_path / "new.csv"
    file.write_text("id,text\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(REVIEWS)))
    return file


def huggingface_probabilities(folder: Path, reviews: list[str]) -> Any:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(reviews, padding=True, return_tensors="pt", return_token_type_ids=False)
    with torch.no_grad():
        return AutoModelForSequenceClassification.from_pretrained(folder)(**inputs).logits.softmax(dim=1).numpy()


def test_predictions_are_those_of_hugging_face(trained: Result) -> None:
    predictions = predict(trained.run.path, REVIEWS)
    expected = huggingface_probabilities(trained.best, REVIEWS)
    found = [[row["probabilities"][name] for name in ("negative", "positive")] for row in predictions]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert [row["label"] for row in predictions] == ["positive", "negative", "positive"]


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_command_writes_the_rows_with_their_predictions(
    trained: Result, reviews: Path, tmp_path: Path, suffix: str
) -> None:
    out = tmp_path / f"out{suffix}"
    runs = str(trained.run.path.parent)
    assert cli.main(["predict", trained.run.id, str(reviews), "-o", str(out), "--runs-dir", runs]) == 0
    if suffix == ".jsonl":
        rows = [json.loads(line) for line in out.read_text().splitlines()]
        rows = [row | {"predicted_probabilities.positive": row["predicted_probabilities"]["positive"]} for row in rows]
    elif suffix == ".csv":
        rows = list(csv.DictReader(out.read_text().splitlines()))
    else:
        found = duckdb.sql(f"select * from read_parquet('{out}')")
        rows = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
        assert isinstance(rows[0]["predicted_probability"], float)
    assert [(row["id"], row["text"]) for row in rows] == [(str(n), text) for n, text in enumerate(REVIEWS)]
    assert [row["predicted_label"] for row in rows] == ["positive", "negative", "positive"]
    expected = huggingface_probabilities(trained.best, REVIEWS)[:, 1]
    np.testing.assert_allclose([float(row["predicted_probabilities.positive"]) for row in rows], expected, atol=1e-5)


def test_command_prints_jsonl_without_an_output_file(
    trained: Result, reviews: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["predict", str(trained.run.path), str(reviews)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [json.loads(line)["predicted_label"] for line in lines] == ["positive", "negative", "positive"]


def test_chunks_give_the_same_predictions_in_order(
    trained: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, model = read_rows(make_data(tmp_path / "many.csv", examples=50, seed=3)), load(trained.run.path)
    whole = list(model.predict(table))
    monkeypatch.setattr(trained_model, "CHUNK_EXAMPLES", 7)
    parts = list(model.predict(table, batch_size=3))
    assert [row["label"] for row in parts] == [row["label"] for row in whole]
    assert [row["probability"] for row in parts] == pytest.approx([row["probability"] for row in whole], abs=1e-5)


def test_interrupted_prediction_leaves_no_file(
    trained: Result, reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = TrainedModel.predict

    def interrupted(self: TrainedModel, *args: Any, **kwargs: Any) -> Iterator[Any]:
        yield next(complete(self, *args, **kwargs))
        raise KeyboardInterrupt

    monkeypatch.setattr(TrainedModel, "predict", interrupted)
    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("out.jsonl", "out.parquet"):
        assert cli.main(["predict", str(trained.run.path), str(reviews), "-o", str(folder / name)]) == 130
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "flags", "message"),
    [
        ("id,number\n1,2\n", [], r"cannot tell which column holds the texts"),
        (
            "id,text\n1,good\n",
            ["--text-column", "body"],
            r"no column 'body'. Set --text-column to one of: 'id', 'text'",
        ),
        ("id,text\n1,good\n", ["-o", "out.xlsx"], r"out.xlsx: unknown format.*\.csv, \.jsonl, \.parquet"),
        ("", [], r"new.csv"),
    ],
)
def test_unusable_input_is_reported(
    trained: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, flags: list[str], message: str
) -> None:
    file = tmp_path / "new.csv"
    file.write_text(content)
    assert cli.main(["predict", str(trained.run.path), str(file), *flags]) == 1
    assert re.search(message, capsys.readouterr().err)


def test_model_without_a_head_is_refused(trained: Result, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"was not trained for a task"):
        load(trained.run.config().model)


# ---- evaluate -------------------------------------------------------------------------------------------------------


def test_evaluation_is_printed_and_logged_as_its_own_run(
    trained: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = make_data(tmp_path / "held-out.csv", examples=40, seed=5)
    for _ in range(2):  # the second one replaces the first
        assert cli.main(["evaluate", str(trained.run.path), str(data), "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
    labels = [row["label"] for row in csv.DictReader(data.read_text().splitlines())]
    predicted = [row["label"] for row in predict(trained.run.path, data)]
    assert report["examples"] == 40
    assert report["accuracy"] == np.mean([a == b for a, b in zip(labels, predicted, strict=True)])
    run = lossboard.open(str(trained.run.path / "evaluations"))["held-out"]
    accuracy = run.scalars("test/accuracy")
    assert (accuracy.steps.tolist(), accuracy.values.tolist()) == ([trained.metrics["best_step"]], [report["accuracy"]])
    assert "held-out.csv, line" in texts(run, "test/worst")
    assert "negative" in texts(run, "test/confusion")

    assert cli.main(["evaluate", str(trained.run.path), str(data)]) == 0
    assert "accuracy" in capsys.readouterr().out


def test_evaluation_names_labels_that_the_model_lacks(trained: Result, tmp_path: Path) -> None:
    file = tmp_path / "odd.csv"
    file.write_text("text,label\na good film,positive\na film,mixed\n")
    with pytest.raises(DataError, match=r"1 of 2 examples cannot be evaluated: odd.csv, line 3.*not one of"):
        load(trained.run.path).evaluate(read_rows(file))


def test_plain_texts_without_a_header_are_all_predicted(
    trained: Result, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plain.txt").write_text("\n".join(REVIEWS) + "\n")
    assert cli.main(["predict", str(trained.run.path), str(tmp_path / "plain.txt")]) == 0
    out, err = capfd.readouterr()
    assert [json.loads(line)["predicted_label"] for line in out.splitlines()] == ["positive", "negative", "positive"]
    assert "3 examples (no header)" in err
