"""Small data sets, one for each task, with words that a tiny tokenizer knows. For both engines."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lossboard.train.config import TaskName

Record = dict[str, Any]


@dataclass(frozen=True)
class Words:
    """Words that decide labels, and words that do not."""

    good: Sequence[str]
    bad: Sequence[str]
    filler: Sequence[str]


def write_records(file: Path, records: Sequence[Record]) -> Path:
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


def task_records(task: TaskName, words: Words, *, examples: int = 120, seed: int = 0) -> list[Record]:
    """Returns examples of unequal length for a task."""
    rng = random.Random(seed)
    return [_MAKERS[task](rng, words) for _ in range(examples)]


def _sentence(rng: random.Random, words: Words, decisive: Sequence[str]) -> list[str]:
    sentence = [*rng.choices(words.filler, k=rng.randint(2, 16)), *decisive]
    rng.shuffle(sentence)
    return sentence


def _regression(rng: random.Random, words: Words) -> Record:
    good, bad = rng.randint(0, 3), rng.randint(0, 3)
    decisive = [*rng.choices(words.good, k=good), *rng.choices(words.bad, k=bad)]
    return {"text": " ".join(_sentence(rng, words, decisive)), "score": (good - bad) / 2}


def _multi_label(rng: random.Random, words: Words) -> Record:
    good, bad = rng.random() < 0.5, rng.random() < 0.5
    decisive = [rng.choice(words.good)] * good + [rng.choice(words.bad)] * bad
    return {"text": " ".join(_sentence(rng, words, decisive)), "labels": ["praise"] * good + ["blame"] * bad}


def _token_classification(rng: random.Random, words: Words) -> Record:
    """Returns entities of one or two words. The second one looks like the first."""
    tokens, tags = [], []
    for _ in range(rng.randint(1, 4)):
        tokens += (filler := rng.choices(words.filler, k=rng.randint(1, 6)))
        tags += ["O"] * len(filler)
        kind, names = rng.choice([("PER", words.good), ("LOC", words.bad)])
        tokens += (entity := rng.choices(names, k=rng.randint(1, 2)))
        tags += [f"B-{kind}", f"I-{kind}"][: len(entity)]
    return {"tokens": tokens, "ner_tags": tags}


def _question_answering(rng: random.Random, words: Words) -> Record:
    """Returns a context with one good word, which is the answer, and a question that hints at nothing."""
    context = _sentence(rng, words, [answer := rng.choice(words.good)])
    answers = {"text": [answer], "answer_start": [" ".join(context).index(answer)]}
    return {"question": " ".join(rng.choices(words.filler, k=3)), "context": " ".join(context), "answers": answers}


_MAKERS = {
    "question-answering": _question_answering,
    "regression": _regression,
    "multi-label": _multi_label,
    "token-classification": _token_classification,
}
