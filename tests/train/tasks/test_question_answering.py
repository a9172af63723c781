"""Question answering: forms of answers, windows of long contexts, the best answer, and SQuAD's metrics."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lossboard.errors import DataError
from lossboard.train.data.span_inputs import NO_PLACE, SpanTargets
from lossboard.train.data.tokenization import EncodedExamples, Tokenizer
from lossboard.train.preparation.examples import TextData, load_data
from lossboard.train.tasks.answers import Answers, exact_match, f1, read_answers
from lossboard.train.tasks.question_answering import QuestionAnswering
from lossboard.train.tasks.task import Outputs
from train.tiny_bert import make_checkpoint

CONTEXT = "the film was good and the cast was bad"


@pytest.mark.parametrize(
    "values",
    [
        [["good"], [13]],
        [{"text": ["good"], "answer_start": [13]}],
        [[{"text": "good", "answer_start": 13}]],
        ["good", "13"],
        ["good"],
    ],
)
def test_forms_of_answers(values: list[Any]) -> None:
    assert read_answers(values, CONTEXT) == Answers(("good",), (13, 17))


@pytest.mark.parametrize("values", [[[], []], [{"text": [], "answer_start": []}], [[]], [""]])
def test_question_without_an_answer(values: list[Any]) -> None:
    assert read_answers(values, CONTEXT) == Answers()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([None], "no answers with their texts."),
        ([[{"start": 2, "end": 6}]], "no answers with their texts."),
        ([["good"], [12]], "the answer 'good' is not at character 12 of its context"),
        (["dull"], "the answer 'dull' is not in its context"),
        ([["good"], [1, 2]], "no answers with their texts."),
    ],
)
def test_invalid_answers_are_named(values: list[Any], reason: str) -> None:
    assert str(read_answers(values, CONTEXT)).startswith(reason)


@pytest.mark.parametrize(
    ("predicted", "answers", "exact", "overlap"),
    [
        ("The Film!", ["film"], 1, 1),
        ("a good film", ["good film of the year", "bad"], 0, 2 * 2 / (2 + 4)),
        ("film film", ["film"], 0, 2 / 3),
        ("", [], 1, 1),
        ("film", [], 0, 0),
        ("", ["film"], 0, 0),
    ],
)
def test_metrics_are_those_of_squad(predicted: str, answers: list[str], exact: float, overlap: float) -> None:
    assert exact_match(predicted, answers) == exact
    assert f1(predicted, answers) == pytest.approx(overlap)


def squad_file(folder: Path, *, indent: int | None = None, **question: Any) -> Path:
    asked = {"id": "7", "question": "how was it", "answers": [{"text": "good", "answer_start": 13}]} | question
    paragraphs = [{"context": f"{CONTEXT} {number}", "qas": [asked, asked | {"id": "8"}]} for number in range(10)]
    file = folder / "train.json"
    file.write_text(json.dumps({"version": "2.0", "data": [{"title": "x", "paragraphs": paragraphs}]}, indent=indent))
    return file


@pytest.mark.parametrize("indent", [None, 1])
def test_squad_file_is_read_and_contexts_are_held_out_as_a_whole(tmp_path: Path, indent: int | None) -> None:
    data = load_data(squad_file(tmp_path, indent=indent), fraction=0.3)
    assert isinstance(data.task, QuestionAnswering) and not data.faults
    assert not set(data.train.pairs or ()) & set(data.validation.pairs or ())
    assert len(data.validation) == 6 and data.train.location(0).startswith("train.json, question ")
    assert data.task.label_text(data.train, 0) == "good"


def test_impossible_question_has_no_answer(tmp_path: Path) -> None:
    data = load_data(squad_file(tmp_path, is_impossible=True))
    assert data.task.label_text(data.train, 0) == "no answer" and not data.faults


def test_file_unlike_squad_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"train.json, question 1: not as in SQuAD \('answers'\)"):
        file = squad_file(tmp_path)
        file.write_text(file.read_text().replace('"answers"', '"replies"'))
        load_data(file)
    (tmp_path / "x.json").write_text('{\n"a": 1\n}')
    with pytest.raises(DataError, match="one JSON object, but not as in SQuAD"):
        load_data(tmp_path / "x.json")


def encoded(folder: Path, records: list[dict[str, Any]], *, max_length: int) -> tuple[TextData, EncodedExamples]:
    file = folder / "data.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    data = load_data(file, file)
    tokenizer = Tokenizer(make_checkpoint(folder / "model"))
    return data, data.task.encode(tokenizer, data.train, max_length=max_length)


def long_record(at: int) -> dict[str, Any]:
    words = ["film", "cast", "story"] * 10
    words[at] = "good"
    return {"question": "how was it", "context": " ".join(words), "answer": "good"}


def perfect_outputs(data: EncodedExamples) -> Outputs:
    """Returns the outputs of a model that is sure of all targets."""
    logits = np.zeros((int(data.lengths.sum()), 2), np.float32)
    outputs = Outputs(logits, np.cumsum(data.lengths), np.zeros((len(data), 1), np.float32))
    for index, (start, end) in enumerate(data.targets.batch(np.arange(len(data)), width=0)):
        outputs.of(index)[start, 0] = outputs.of(index)[end, 1] = 9
    return outputs


@pytest.mark.parametrize("at", range(30))
def test_windows_of_a_long_context_cover_every_token_and_find_the_answer(tmp_path: Path, at: int) -> None:
    data, inputs = encoded(tmp_path, [long_record(at), long_record(29 - at)], max_length=16)
    targets = inputs.targets
    assert isinstance(targets, SpanTargets) and inputs.lengths.max() == 16
    first = np.flatnonzero(inputs.examples == 0)
    covered = {int(place) for index in first for place in targets.places(index)[0] if place != NO_PLACE}
    assert len(covered) == 30
    rows = np.arange(len(inputs))
    evaluation = data.task.evaluate(perfect_outputs(inputs), inputs, rows)
    assert evaluation.metrics()["exact_match"] == evaluation.metrics()["f1"] == 1
    (answer, _) = data.task.predictions(perfect_outputs(inputs), inputs, rows)
    assert data.train.pairs and data.train.pairs[0][answer["start"] : answer["end"]] == answer["answer"] == "good"


def test_no_answer_is_predicted_and_scored(tmp_path: Path) -> None:
    record = {"question": "how was it", "context": CONTEXT, "answer": ""}
    data, inputs = encoded(tmp_path, [record, record | {"answer": "good"}], max_length=32)
    evaluation = data.task.evaluate(perfect_outputs(inputs), inputs, np.arange(2))
    assert evaluation.class_metrics() == {"f1/answerable": 1, "f1/unanswerable": 1}
    assert evaluation.predicted(0) == "no answer" and evaluation.predicted(1) == "good"
    zeros = np.zeros((int(inputs.lengths.sum()), 2), np.float32)
    nothing = Outputs(zeros, np.cumsum(inputs.lengths), np.zeros((2, 1), np.float32))
    assert data.task.evaluate(nothing, inputs, np.arange(2)).metrics()["loss"] == pytest.approx(
        np.log(inputs.lengths).mean()
    )


def test_end_is_never_before_the_start(tmp_path: Path) -> None:
    data, inputs = encoded(tmp_path, [{"question": "was it", "context": CONTEXT, "answer": "good"}] * 2, max_length=32)
    logits = np.random.default_rng(0).normal(size=(int(inputs.lengths.sum()), 2)).astype(np.float32)
    outputs = Outputs(logits, np.cumsum(inputs.lengths), np.zeros((2, 1), np.float32))
    begins, stops = inputs.targets.places(0)  # type: ignore[attr-defined]
    tokens = np.flatnonzero(begins != NO_PLACE)
    scores = {(i, j): logits[i, 0] + logits[j, 1] for i in tokens for j in tokens if i <= j}
    (i, j), best = max(scores.items(), key=lambda item: item[1])
    expected = "" if logits[0].sum() >= best else CONTEXT[begins[i] : stops[j]]
    assert next(iter(data.task.predictions(outputs, inputs, np.arange(1))))["answer"] == expected


def test_yes_and_no_are_classes(tmp_path: Path) -> None:
    rows = [{"question": f"was film {i} good", "passage": CONTEXT, "answer": i % 2 == 0} for i in range(40)]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert load_data(tmp_path / "x.jsonl", label="answer").task.name == "classification"
