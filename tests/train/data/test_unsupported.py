"""Data that no task can use is named in words, with what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from lossboard.errors import DataError
from lossboard.train import finetune
from lossboard.train.preparation.examples import load_data
from train.tiny_bert import tiny_config

WORDS = "a film that was long and good"


def rows(label: Any, name: str = "label") -> list[dict[str, Any]]:
    return [{"text": f"{WORDS} {number}", name: label(number) if callable(label) else label} for number in range(8)]


CASES: dict[str, tuple[list[dict[str, Any]], str]] = {
    "spans": (
        rows([{"start": 2, "end": 6, "label": "WORK"}]),
        "are spans, as positions.*make a list of words and a list",
    ),
    "spans of doccano": (rows([[2, 6, "WORK"], [8, 9, "DATE"]]), "are spans, as positions.*use the format of SQuAD"),
    "answers without text": (
        [{"question": f"what is it {n}?", "context": WORDS, "answers": [{"start": 2, "end": 6}]} for n in range(8)],
        "are spans, as positions.*For answers to questions, use the format of SQuAD",
    ),
    "answers by their start": (
        [{"question": f"what is it {n}?", "context": WORDS, "answers": {"answer_start": [2]}} for n in range(8)],
        "are spans, as positions",
    ),
    "objects": (
        rows(lambda n: {"joy": n / 8, "fear": 1 - n / 8}),
        "'label' is an object with the fields fear, joy.*Choose",
    ),
    "lists of objects": (rows([{"name": "joy"}]), "are lists of objects.*Make lists of class names"),
    "lists of lists": (rows([["O", "O"], ["O"]]), "are lists of lists.*list of words with as many tags"),
    "soft labels": (rows([0.25, 0.75]), "are lists of numbers.*use the most probable class"),
    "vectors of flags": (rows([0, 1, 0]), "are lists of 0 and 1, one for each class.*Make a column for each class"),
    "texts": (
        rows(lambda n: f"a short text about film {n}"),
        "are texts, different for most examples.*--task question",
    ),
    "summaries": (rows(lambda n: f"about film {n}", "summary"), "'summary' is a text to generate.*--label-column"),
    "audio": (
        [{"audio": {"path": "x.wav", "array": [0.1], "sampling_rate": 8000}, "label": 1}] * 8,
        "'audio' is audio",
    ),
    "images": ([{"image": {"bytes": "x", "path": "x.png"}, "label": 1}] * 8, "'image' is an image"),
    "preferences": ([{"chosen": f"good {n}", "rejected": f"bad {n}"} for n in range(8)], "are preferences between two"),
    "chats": ([{"messages": [{"role": "user", "content": "hi"}]}] * 8, "a column has chats"),
}


@pytest.mark.parametrize("case", CASES)
def test_unsupported_data_is_named_with_what_to_do(case: str, tmp_path: Path) -> None:
    records, message = CASES[case]
    file = tmp_path / "data.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(DataError, match=message) as raised:
        load_data(file)
    assert str(raised.value).startswith(str(file))


@pytest.mark.parametrize("case", ["objects", "audio", "spans"])
def test_python_rows_are_refused_like_those_of_a_file(case: str, tmp_path: Path) -> None:
    records, message = CASES[case]
    with pytest.raises(DataError, match=message):
        finetune(tiny_config(tmp_path), data=records)


@pytest.mark.parametrize(
    ("label", "task"),
    [
        (lambda n: [0, 1] if n % 2 else [1, 2], "multi-label, 3 classes"),
        (lambda n: ["a long name", "b"] if n % 2 else ["b"], "multi-label, 2 classes"),
        (lambda n: "not at all what we had hoped for" if n % 2 else "just as good as they say", "2 classes"),
        (lambda n: f"class {n}", "8 classes"),
        (lambda n: "O O O O O B-X O " + ("O" if n % 2 else "I-X"), "a tag for each word, 3 tags"),
    ],
)
def test_similar_labels_that_are_supported_still_are(label: Any, task: str, tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in rows(label)))
    assert load_data(file).task.describe().startswith(task)
