"""Token classification: a tag for each word, such as the entities of a text as B-PER, I-PER and O.

Data has a list of words and a list of tags, two texts of words and tags with spaces between them, or is a CoNLL file.
Words of raw texts, which `predict` takes too, are split at spaces and punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from lossboard.errors import DataError
from lossboard.train.config import TaskName
from lossboard.train.data import presence
from lossboard.train.data.batches import Ids
from lossboard.train.data.column_names import TEXTS
from lossboard.train.data.columns import Columns, GivenColumns, choose_text_columns, first_named
from lossboard.train.data.conll import TAG
from lossboard.train.data.labels import IGNORED, ids_by_key, label_key, listed_classes, positions, unknown_class
from lossboard.train.data.split import Labels, Split
from lossboard.train.data.table import Table
from lossboard.train.data.texts import as_text, is_words
from lossboard.train.data.token_inputs import NO_WORD, LabeledWords, TokenTargets, encode_words
from lossboard.train.data.tokenization import EncodedExamples, Tokenizer
from lossboard.train.models.heads import HeadName
from lossboard.train.tasks.classification import entropy
from lossboard.train.tasks.entities import OUTSIDE, entities_of, entity_text
from lossboard.train.tasks.metrics import log_softmax
from lossboard.train.tasks.task import LossName, Outputs, Prediction
from lossboard.train.tasks.token_evaluation import TokenEvaluation

WORDS = ("tokens", "words", *TEXTS)
TAGS = ("ner_tags", "tags", "labels", "ner", "word_labels", "entities", "bio", "label", "pos_tags", "chunk_tags")
SAMPLE_ROWS = 200
# Words of a raw text. Dots, hyphens and apostrophes inside of a word belong to it.
_WORD = re.compile(r"\w(?:[\w.'’-]*\w)?|[^\w\s]")


@dataclass(frozen=True)
class TokenClassification:
    """The tags, in the order of their ids."""

    name: ClassVar[TaskName] = "token-classification"
    head: ClassVar[HeadName] = "token"
    loss: ClassVar[LossName] = "cross-entropy"
    metrics: ClassVar[tuple[str, ...]] = ("f1", "precision", "recall", "accuracy", "loss")
    balances_classes: ClassVar[bool] = False
    takes_objects: ClassVar[bool] = False
    shares_pairs: ClassVar[bool] = False
    guess: ClassVar[str] = "Predicting the frequencies of the tags alone"
    model_settings: ClassVar[Mapping[str, Any]] = {}

    classes: tuple[str, ...]
    labels_are_ids: bool = False  # as in a column of lists of ClassLabel of `datasets`

    @classmethod
    def fits(cls, table: Table, given: GivenColumns) -> bool:
        return _columns(table, given) is not None

    @classmethod
    def choose_columns(cls, table: Table, given: GivenColumns) -> Columns:
        if (found := _columns(table, given)) is None:
            raise DataError(
                f"{table.path}: no column with words and a column with as many tags in each row. "
                "Name them with --text-column and --label-column, or use a CoNLL file. "
                f"Columns: {', '.join(map(repr, table.columns))}"
            )
        return found

    @classmethod
    def choose_inputs(cls, table: Table, given: GivenColumns) -> Columns:
        named = first_named(list(table.columns), WORDS)
        return choose_text_columns(table, GivenColumns(given.text or named, None, given.label))

    @classmethod
    def from_table(cls, table: Table, columns: Columns, *, classes: Sequence[str] | None) -> Self:
        (label,) = columns.labels
        named = table.class_names.get(label)
        values = {tag for row in table.columns[label] for tag in _tags(row) or () if tag is not None}
        numbered = bool(values) and all(isinstance(tag, int) for tag in values)
        if numbered and not (classes or named):
            raise DataError(
                f"{table.path}: the tags in {label!r} are numbers. "
                "Set --classes to their names in the order of the numbers, e.g. --classes O,B-PER,I-PER"
            )
        names = classes or named or sorted(map(str, values), key=_tag_order)
        return cls(tuple(names), labels_are_ids=numbered)

    @classmethod
    def from_classes(cls, classes: Sequence[str]) -> Self:
        return cls(tuple(classes))

    def describe(self) -> str:
        return f"a tag for each word, {len(self.classes)} tags: {listed_classes(self.classes)}"

    # ---- labels

    def read_labels(self, table: Table, columns: Columns) -> Labels:
        """Returns which tags each text has."""
        labels = np.zeros((len(table), len(self.classes)), np.int8)
        for row, (words, tags) in enumerate(self._labeled(table, columns)):
            labels[row, tags] = 1
            if len(words) != len(tags) or NO_WORD in tags:
                labels[row] = presence.INVALID
        return labels

    def _labeled(self, table: Table, columns: Columns) -> Iterator[LabeledWords]:
        """Yields the words and the tag ids of each row. Unknown tags have the id -1."""
        ids = positions(self.classes) if self.labels_are_ids else ids_by_key(self.classes)
        for words, tags in zip(table.columns[columns.text], table.columns[columns.labels[0]], strict=True):
            keys = map(label_key, _tags(tags) or ())
            yield labeled_words(words), [NO_WORD if key is None else ids.get(key, NO_WORD) for key in keys]

    def invalid_rows(self, labels: Labels) -> Ids:
        return presence.invalid_rows(labels)

    def why_invalid(self, table: Table, columns: Columns, row: int) -> str:
        tags = _tags(table.columns[columns.labels[0]][row])
        words = labeled_words(table.columns[columns.text][row])
        if tags is None:
            return "no list of tags"
        if len(tags) != len(words):
            return "not as many tags as words"
        return f"a tag is {unknown_class(self.classes)}"

    def class_counts(self, labels: Labels) -> Ids:
        return presence.class_counts(labels)

    def strata(self, labels: Labels) -> Ids:
        return presence.rarest_class(labels)

    def label_text(self, split: Split, row: int) -> str:
        tags = _tags(split.table.columns[split.columns.labels[0]][int(split.rows[row])]) or ()
        names = [self.classes[tag] if self.labels_are_ids else str(tag) for tag in tags]
        return entity_text(self._words(split, row), names)

    # ---- inputs and outputs

    def encode(self, tokenizer: Tokenizer, split: Split, *, max_length: int) -> EncodedExamples:
        columns = split.columns
        if columns.labels:
            rows = self._labeled(split.table, columns)
        else:
            texts = map(words_of, split.table.columns[columns.text])
            rows = ((words, [IGNORED] * len(words)) for words in texts)
        key = [columns.labels, self.classes, self.labels_are_ids]
        return encode_words(tokenizer, split, rows, max_length=max_length, key=key)

    def chance_loss(self, data: EncodedExamples, *, balanced: bool) -> float:
        targets = _targets(data)
        values = targets.values[targets.flat(np.arange(len(data)))]
        return entropy(values[values != IGNORED])

    def evaluate(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> TokenEvaluation:
        targets = _targets(data)
        flat = targets.flat(rows)
        # Without invalid rows, each first token of a word has a target.
        first = targets.values[flat] != IGNORED
        examples = np.repeat(data.examples[rows], data.lengths[rows])[first]
        return TokenEvaluation(
            outputs.logits[first],
            targets.values[flat][first].astype(np.int64),
            examples,
            np.unique(data.examples[rows]),
            partial(self._words, data.split),
            self.classes,
        )

    def _words(self, split: Split, example: int) -> list[str]:
        return labeled_words(split.table.columns[split.columns.text][int(split.rows[example])])

    def predictions(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> Iterator[Prediction]:
        targets = _targets(data)
        words = targets.words[targets.flat(rows)]
        owners = np.repeat(data.examples[rows], data.lengths[rows])
        probabilities = np.exp(log_softmax(outputs.logits))
        column = data.split.table.columns[data.split.columns.text]
        read = labeled_words if data.split.columns.labels else words_of
        for example in np.unique(data.examples[rows]):
            value = column[int(data.split.rows[example])]
            tokens = slice(*np.searchsorted(owners, (example, example + 1)))
            first = words[tokens] != NO_WORD
            yield self._prediction(value, read(value), words[tokens][first], probabilities[tokens][first])

    def _prediction(self, value: Any, words: Sequence[str], tagged: Ids, probabilities: Any) -> Prediction:
        """Returns the entities and the tags of one text. `tagged` are the words that the model has seen."""
        tags, shares = [OUTSIDE] * len(words), [0.0] * len(words)
        for word, row in zip(tagged.tolist(), probabilities, strict=True):
            best = int(row.argmax())
            tags[word], shares[word] = self.classes[best], float(row[best])
        text, spans = _spans(value, words)
        entities = [
            {
                "type": kind,
                "text": text[spans[start][0] : spans[stop - 1][1]],
                "start": spans[start][0],
                "end": spans[stop - 1][1],
                "probability": float(np.mean(shares[start:stop])),
            }
            for kind, start, stop in entities_of(tags)
        ]
        return {"entities": entities, "words": list(words), "tags": tags}


def _targets(data: EncodedExamples) -> TokenTargets:
    assert isinstance(data.targets, TokenTargets)
    return data.targets


def _tag_order(tag: str) -> tuple[bool, str, str]:
    """Sorts O first, then the tags of each entity together."""
    prefix, _, kind = tag.partition("-")
    return tag != OUTSIDE, kind or prefix, prefix


# ---- columns and words ----------------------------------------------------------------------------------------------


def _columns(table: Table, given: GivenColumns) -> Columns | None:
    """Returns a column with words and one with as many tags in each row."""
    names = list(table.columns)
    texts = [given.text] if given.text in names else [name for name in names if given.text is None]
    labels = [given.label] if given.label in names else [name for name in names if given.label is None]
    for text in _named_first(texts, WORDS):
        for label in _named_first(labels, TAGS):
            if text != label and _are_aligned(table.columns[text], table.columns[label]):
                return Columns(text, None, (label,))
    return None


def _named_first(names: Sequence[str], common: Sequence[str]) -> list[str]:
    return sorted(names, key=lambda name: common.index(name.lower()) if name.lower() in common else len(common))


def _are_aligned(words: Sequence[Any], tags: Sequence[Any]) -> bool:
    """Returns whether nearly all rows have words and as many tags, and no longer texts that only happen to fit."""
    sample = list(zip(words[:SAMPLE_ROWS], tags[:SAMPLE_ROWS], strict=True))
    filled = [(text, row) for text, row in sample if text and row]
    fitting = [(text, row) for text, row in filled if _is_aligned(text, row)]
    return len(fitting) > 0.9 * len(filled) and any(len(labeled_words(text)) > 1 for text, _ in fitting)


def _is_aligned(text: Any, row: Any) -> bool:
    if isinstance(text, str) and isinstance(row, str):
        tags = row.split()
        return len(tags) == len(text.split()) and all(TAG.fullmatch(tag) for tag in tags)
    return is_words(text) and isinstance(row, list) and len(row) == len(text) and not isinstance(row[0], (list, dict))


def _tags(value: Any) -> list[Any] | None:
    if isinstance(value, str):
        return value.split()
    return value if isinstance(value, list) else None


def labeled_words(value: Any) -> list[str]:
    """Returns the words of a text that has tags."""
    return list(map(str, value)) if isinstance(value, list) else as_text(value).split()


def words_of(value: Any) -> list[str]:
    """Returns the words of a list, or of a raw text."""
    return labeled_words(value) if isinstance(value, list) else _WORD.findall(as_text(value))


def _spans(value: Any, words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Returns the text, and where each word is in it. A list of words is joined with spaces."""
    text, end, spans = as_text(value), 0, []
    for word in words:
        start = text.index(word, end)
        end = start + len(word)
        spans.append((start, end))
    return text, spans
