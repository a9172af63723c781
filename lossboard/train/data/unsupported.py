"""Kinds of data that no task can use, recognized so that a message can name them and say what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lossboard.train.data.table import Table

SAMPLE_ROWS = 200
# Labels that are different for most texts, and this long, are texts to generate.
MIN_TARGET_WORDS = 4.0
_AUDIO, _IMAGE = {"array", "sampling_rate"}, {"bytes", "path"}
_AUDIO_NAMES, _IMAGE_NAMES = ("audio", "speech"), ("image", "img", "picture")
_TARGET_NAMES = ("summary", "highlights", "translation", "target", "target_text", "completion", "response", "output")
_POSITIONS = (
    {"start", "end"},
    {"start_offset", "end_offset"},
    {"offset", "length"},
    {"begin", "end"},
    {"answer_start"},
)


@dataclass(frozen=True)
class Kind:
    """Values of a column that are no labels: what they are, and what to do. Both continue a sentence."""

    what: str
    advice: str
    matches: Callable[[Sequence[Any]], bool]


def unsupported_labels(table: Table, column: str) -> str | None:
    """Returns what is wrong with all labels of a column, and what to do. None if they look usable."""
    sample = _sample(table, column)
    kind = next((kind for kind in _LABELS if sample and kind.matches(sample)), None)
    if column.endswith("answer_start"):
        kind = _SPANS
    if kind is None:
        return None
    return f"{table.path}: the labels in {column!r} are {kind.what}, which no task learns. {kind.advice}"


def texts_to_generate(table: Table, column: str) -> str | None:
    """Returns what to do if the labels of a column are texts of their own, and not classes."""
    if not _are_texts(_sample(table, column)):
        return None
    return (
        f"{table.path}: the labels in {column!r} are texts, different for most examples, which no task learns to "
        f"generate. {_CHOOSE} For answers that are a part of the text, use --task question-answering."
    )


def unsupported_data(table: Table) -> str | None:
    """Returns why a table without usable columns cannot be used, if its columns show what it is for."""
    fields: dict[str, set[str]] = {}
    for name in table.columns:
        column, _, field = name.partition(".")
        fields.setdefault(column, set()).add(field)
    for column, names in fields.items():
        name, values = column.lower(), table.columns.get(column, ())[:1]
        if names & _AUDIO or name in _AUDIO_NAMES or _holds(values, _AUDIO):
            return f"{table.path}: {column!r} is audio. Models of texts cannot use it. Transcribe it to a text column."
        if names & _IMAGE or name in _IMAGE_NAMES or _holds(values, _IMAGE):
            return f"{table.path}: {column!r} is an image. Models of texts cannot use it. Add a text column."
    lowered = {name.lower(): name for name in table.columns}
    if {"chosen", "rejected"} <= lowered.keys():
        return (
            f"{table.path}: 'chosen' and 'rejected' are preferences between two texts, which no task learns. "
            "Make a row of each text, with a label that says whether it was chosen."
        )
    if "messages" in lowered or "conversations" in lowered:
        return f"{table.path}: a column has chats, for a model that generates answers, which no task trains."
    nested = {column: sorted(names - {""}) for column, names in fields.items() if len(names - {""}) > 1}
    if len(nested) == 1:
        ((column, parts),) = nested.items()
        paths = [f"{column}.{part}" for part in parts]
        return (
            f"{table.path}: {column!r} is an object with the fields {', '.join(parts)}. Choose the labels: "
            f"--label-column {paths[0]}. If each is 0 or 1, choose several: --label-column {','.join(paths[:2])}"
        )
    if target := next((lowered[name] for name in _TARGET_NAMES if name in lowered), None):
        return f"{table.path}: {target!r} is a text to generate, which no task trains. {_CHOOSE}"
    spans = (name for name in table.columns if name.endswith("answer_start") or _are_spans(_sample(table, name)))
    return next((unsupported_labels(table, name) for name in spans), None)


_CHOOSE = "Choose a column with classes or numbers with --label-column."


def _sample(table: Table, column: str) -> list[Any]:
    return [value for value in table.columns[column][:SAMPLE_ROWS] if value is not None]


def _holds(values: Sequence[Any], fields: set[str]) -> bool:
    return bool(values) and isinstance(values[0], dict) and fields <= values[0].keys()


def _all_lists(sample: Sequence[Any]) -> bool:
    return all(isinstance(value, list) for value in sample) and any(sample)


def _elements(sample: Sequence[Any]) -> list[Any]:
    return [each for value in sample for each in value]


def _are_spans(sample: Sequence[Any]) -> bool:
    if not _all_lists(sample):
        return False
    elements = _elements(sample)
    if all(isinstance(each, dict) for each in elements):
        return all(any(names <= each.keys() for names in _POSITIONS) for each in elements)
    return all(
        isinstance(each, list) and len(each) in (2, 3) and all(isinstance(place, int) for place in each[:2])
        for each in elements
    )


def _are_objects(sample: Sequence[Any]) -> bool:
    return all(isinstance(value, dict) for value in sample)


def _are_lists_of_objects(sample: Sequence[Any]) -> bool:
    return _all_lists(sample) and any(isinstance(each, dict) for each in _elements(sample))


def _are_nested_lists(sample: Sequence[Any]) -> bool:
    return _all_lists(sample) and any(isinstance(each, list) for each in _elements(sample))


def _are_lists_of_fractions(sample: Sequence[Any]) -> bool:
    return _all_lists(sample) and any(isinstance(each, float) and each % 1 for each in _elements(sample))


def _are_flags_by_position(sample: Sequence[Any]) -> bool:
    """Lists of 0 and 1 are lists of classes, too, but no class would be in a list twice."""
    if not _all_lists(sample) or not all(each in (0, 1) for each in _elements(sample)):
        return False
    return len({len(value) for value in sample}) == 1 and any(len(set(value)) < len(value) for value in sample)


def _are_texts(sample: Sequence[Any]) -> bool:
    if not all(isinstance(value, str) for value in sample):
        return False
    words = sum(len(value.split()) for value in sample) / len(sample)
    return len(sample) > 2 and words >= MIN_TARGET_WORDS and len(set(sample)) > len(sample) / 2


_SPANS = Kind(
    "spans, as positions in the text",
    "For entities, make a list of words and a list of as many tags (B-PER, I-PER, O). "
    "For answers to questions, use the format of SQuAD, which has the text of each answer.",
    _are_spans,
)
_LABELS = (
    _SPANS,
    Kind("objects with fields", "Choose one field as the label, in a column of its own.", _are_objects),
    Kind("lists of objects", "Make lists of class names, or one class per text.", _are_lists_of_objects),
    Kind("lists of lists", "Make lists of class names, or a list of words with as many tags.", _are_nested_lists),
    Kind(
        "lists of numbers",
        "For several numbers per text, train a model for each, with a column of its own. "
        "Of the probabilities of classes, use the most probable class.",
        _are_lists_of_fractions,
    ),
    Kind(
        "lists of 0 and 1, one for each class",
        "Make a column for each class and choose them with --label-column, or make lists of class names.",
        _are_flags_by_position,
    ),
)
