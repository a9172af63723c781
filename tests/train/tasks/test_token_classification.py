"""Token classification: entities, CoNLL files, long texts, and predictions for raw texts."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import seqeval.metrics

from lossboard.errors import DataError
from lossboard.train.data.labels import IGNORED
from lossboard.train.data.tokenization import Tokenizer
from lossboard.train.preparation.examples import TextData, load_data
from lossboard.train.tasks.entities import entities_of
from lossboard.train.tasks.task import Outputs
from lossboard.train.tasks.token_classification import TokenClassification, words_of
from lossboard.train.tasks.token_evaluation import TokenEvaluation
from train.tiny_bert import make_checkpoint

TAGS = ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")
RECORDS = [{"tokens": ["the", "film", "was", "good"], "ner_tags": ["O", "B-PER", "I-PER", "O"]},
           {"tokens": ["bad", "cast"], "ner_tags": ["O", "B-LOC"]}] * 20  # fmt: skip


def load(folder: Path, records: list[dict[str, Any]], **settings: Any) -> TextData:
    file = folder / "data.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return load_data(file, **settings)


def random_tags(rng: random.Random, names: list[str], size: int) -> list[list[str]]:
    return [rng.choices(names, k=rng.randint(1, 12)) for _ in range(size)]


@pytest.mark.parametrize(
    "names", [list(TAGS), ["O", "I-A", "I-B"], ["O", *(f"{p}-{t}" for p in "BIES" for t in ("A", "B"))]]
)
def test_metrics_are_those_of_seqeval(names: list[str]) -> None:
    rng = random.Random(len(names))
    true, predicted = random_tags(rng, names, 300), []
    for tags in true:
        predicted.append([tag if rng.random() < 0.7 else rng.choice(names) for tag in tags])
    owners = np.repeat(np.arange(300), list(map(len, true)))
    ids = [np.array([names.index(tag) for tags in each for tag in tags]) for each in (true, predicted)]
    logits = np.eye(len(names), dtype=np.float32)[ids[1]]
    found = TokenEvaluation(logits, ids[0], owners, np.arange(300), lambda _: [], tuple(names))
    metrics = found.metrics()
    for name in ("f1", "precision", "recall", "accuracy"):
        reference = getattr(seqeval.metrics, f"{name}_score")
        assert metrics[name] == pytest.approx(reference(true, predicted)), name
    report = seqeval.metrics.classification_report(true, predicted, output_dict=True)
    for kind in found.kinds:
        assert found.class_metrics()[f"f1/{kind}"] == pytest.approx(report[kind]["f1-score"])


def test_tags_without_prefixes_are_an_entity_each() -> None:
    assert list(entities_of(["NOUN", "NOUN", "O", "VERB"])) == [("NOUN", 0, 1), ("NOUN", 1, 2), ("VERB", 3, 4)]


CONLL = """-DOCSTART- -X- O O

EU NNP B-NP B-ORG
rejects VBZ B-VP O

Peter NNP B-NP B-PER
Blackburn NNP I-NP I-PER
"""


@pytest.mark.parametrize("name", ["train.conll", "train.txt", "train.tsv"])
def test_conll_files_are_read(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(CONLL.replace(" ", "\t") if name.endswith("tsv") else CONLL)
    data = load_data(file, fraction=0.5)
    assert data.task == TokenClassification(("O", "B-ORG", "B-PER", "I-PER"))
    (table,) = {id(split.table): split.table for split in (data.train, data.validation)}.values()
    assert list(table.columns["tokens"]) == [["EU", "rejects"], ["Peter", "Blackburn"]]
    assert [table.location(row) for row in range(2)] == [f"{name}, line 3", f"{name}, line 6"]


def test_conll_line_without_a_tag_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.conll").write_text("a O\nb\n")
    with pytest.raises(DataError, match=r"x.conll, line 2: a token without a tag"):
        load_data(tmp_path / "x.conll")


def test_tags_may_be_texts_or_numbers(tmp_path: Path) -> None:
    texts = [{key: " ".join(words) for key, words in record.items()} for record in RECORDS]
    assert load(tmp_path, texts).task == load(tmp_path, RECORDS).task
    numbers = [record | {"ner_tags": [TAGS.index(tag) for tag in record["ner_tags"]]} for record in RECORDS]
    data = load(tmp_path, numbers, classes=list(TAGS))
    assert {data.task.label_text(data.train, row) for row in range(len(data.train))} == {"film was = PER", "cast = LOC"}
    with pytest.raises(DataError, match="Set --classes to their names"):
        load(tmp_path, numbers)


def test_invalid_tags_are_named(tmp_path: Path) -> None:
    odd = [{"tokens": ["a", "b"], "ner_tags": ["O"]}, *({"tokens": ["a"], "ner_tags": tags} for tags in (None, ["X"]))]
    data = load(tmp_path, [*RECORDS, *odd], classes=list(TAGS))
    reasons = sorted(fault.why for fault in data.faults)
    assert reasons[1:] == ["no list of tags", "not as many tags as words"]
    assert reasons[0].startswith("a tag is not one of the 5 classes")


def test_long_text_becomes_several_inputs_that_have_every_word_once(tmp_path: Path) -> None:
    words, tags = ["good", "bad", "film"] * 9, ["B-PER", "O", "B-LOC"] * 9
    data = load(tmp_path, [{"tokens": words, "ner_tags": tags}, {"tokens": ["film"], "ner_tags": ["O"]}] * 3)
    encoded = data.task.encode(Tokenizer(make_checkpoint(tmp_path / "model")), data.train, max_length=10)
    assert encoded.lengths.max() == 10
    first = np.flatnonzero(encoded.examples == 0)
    targets = encoded.targets.batch(first, width=10)
    found = [data.task.classes[target] for target in targets[targets != IGNORED]]
    assert found in (tags, ["O"])
    total = sum(len(data.train.table.columns["tokens"][row]) for row in data.train.rows)
    assert encoded.targets.count(np.arange(len(encoded))) == total
    logits = np.zeros((int(encoded.lengths.sum()), len(data.task.classes)), np.float32)
    rows = np.arange(len(encoded))
    outputs = Outputs(logits, np.cumsum(encoded.lengths), np.zeros((len(encoded), 1), np.float32))
    evaluation = data.task.evaluate(outputs, encoded, rows)
    assert len(evaluation.examples) == len(data.train) and len(evaluation.labels) == total
    assert evaluation.metrics()["loss"] == pytest.approx(np.log(len(data.task.classes)))


def test_words_of_raw_texts() -> None:
    assert words_of("Mr. O'Neill (U.S.) paid 3.5 %, e.g.") == [
        "Mr", ".", "O'Neill", "(", "U.S", ".", ")", "paid", "3.5", "%", ",", "e.g", "."]  # fmt: skip
    assert words_of(["a b", "c"]) == ["a b", "c"]


def test_entities_of_raw_texts_have_their_positions(tmp_path: Path) -> None:
    task = TokenClassification(TAGS)
    file = tmp_path / "new.jsonl"
    file.write_text('{"text": "Well,  Jane Doe left Rome."}\n')
    text = "Well,  Jane Doe left Rome."
    words = words_of(text)
    assert words == ["Well", ",", "Jane", "Doe", "left", "Rome", "."]
    probabilities = np.eye(5)[[0, 0, 3, 4, 0, 1, 0]]
    prediction = task._prediction(text, words, np.arange(7), probabilities)
    assert [(e["type"], e["text"], text[e["start"] : e["end"]]) for e in prediction["entities"]] == [
        ("PER", "Jane Doe", "Jane Doe"),
        ("LOC", "Rome", "Rome"),
    ]
    assert prediction["tags"] == ["O", "O", "B-PER", "I-PER", "O", "B-LOC", "O"]
