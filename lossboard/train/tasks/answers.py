"""Answers to questions: read from the forms that data sets use, found in their context, and compared as SQuAD does."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class Answers:
    """The answers of a question, and where the first one is in the context. Without any, it cannot be answered."""

    texts: tuple[str, ...] = ()
    place: tuple[int, int] | None = None


def read_answers(values: Sequence[Any], context: str) -> Answers | str:
    """Returns the answers in the label columns of a row, or what is wrong with them.

    Forms: a dict or two columns of texts and positions, a list of dicts, or one text with or without its position.
    """
    pairs = _pairs(values)
    if pairs is None:
        return "no answers with their texts. A question that cannot be answered needs an empty list"
    pairs = [(text, start) for text, start in pairs if text]
    if not pairs:
        return Answers()
    first, start = pairs[0]
    if start is None:
        start = context.find(first)
        if start < 0:
            return f"the answer {first[:40]!r} is not in its context"
    elif context[start : start + len(first)] != first:
        return f"the answer {first[:40]!r} is not at character {start} of its context"
    return Answers(tuple(text for text, _ in pairs), (start, start + len(first)))


def _pairs(values: Sequence[Any]) -> list[tuple[str, int | None]] | None:
    """Returns the texts and positions; None if the values have another form."""
    first, *rest = values
    if isinstance(first, dict):
        return _pairs([first.get("text"), first.get("answer_start")])
    if isinstance(first, str):
        return [(first, _position(rest[0] if rest else None))]
    if not isinstance(first, list):
        return None
    if all(isinstance(each, dict) for each in first):
        if not all("text" in each for each in first):
            return None
        return [(str(each.get("text") or ""), _position(each.get("answer_start"))) for each in first]
    starts = rest[0] if rest and isinstance(rest[0], list) else [None] * len(first)
    if len(starts) != len(first) or not all(isinstance(text, str) for text in first):
        return None
    return [(text, _position(start)) for text, start in zip(first, starts, strict=True)]


def _position(value: Any) -> int | None:
    try:
        return None if value is None or value == "" else int(value)
    except (TypeError, ValueError):
        return None


def exact_match(predicted: str, answers: Sequence[str]) -> float:
    """Returns 1 if a prediction equals an answer, apart from case, punctuation, articles and spaces."""
    return max(float(normalize(predicted) == normalize(answer)) for answer in answers or [""])


def f1(predicted: str, answers: Sequence[str]) -> float:
    """Returns the F1 of the words that a prediction shares with the answer that is closest to it."""
    return max(_f1(normalize(predicted).split(), normalize(answer).split()) for answer in answers or [""])


def _f1(predicted: list[str], answer: list[str]) -> float:
    if not predicted or not answer:
        return float(predicted == answer)
    common = (Counter(predicted) & Counter(answer)).total()
    return 2 * common / (len(predicted) + len(answer))


def normalize(text: str) -> str:
    """Returns a text as the official evaluation of SQuAD compares it."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())
