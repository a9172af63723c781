"""Checks of the raw texts: empty, garbled, repeated, contradictory, leaked."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from lossboard.findings import Severity
from lossboard.train.data.split import Split, repeats
from lossboard.train.preparation.checks.base import Observation, check, examples, observe_if
from lossboard.train.preparation.checks.context import CheckContext

# U+FFFD, and frequent characters whose UTF-8 was decoded as Latin-1.
MOJIBAKE = ("\ufffd", "Ã©", "Ã¨", "Ã¼", "Ã¶", "â€", "ï»¿")


@check(
    "text-empty",
    why="The model sees only [CLS] and [SEP] and learns to guess the label.",
    advice="Remove the examples. Check that --text-column names the right column.",
)
def text_empty(context: CheckContext) -> Observation | None:
    """Texts that contain only whitespace."""
    empty = [(split, row) for split in _splits(context) for row in _empty_rows(split)]
    share = len(empty) / _total(context)
    locations = (split.location(row) for split, row in empty)
    severity: Severity = "error" if share > 0.1 else "warning"
    return observe_if(
        empty, severity, f"{examples(len(empty))} ({share:.1%}) without text.", locations, examples=len(empty)
    )


@check(
    "text-mojibake",
    why="Text decoded with the wrong encoding contains character sequences that the model has never seen.",
    advice="Export the file again from its source, as UTF-8.",
)
def text_mojibake(context: CheckContext) -> Observation | None:
    """Replacement characters, or UTF-8 that was decoded as Latin-1 (Ã©, â€™)."""
    broken = [
        (split, row)
        for split in _splits(context)
        for row, text in enumerate(split.texts)
        # Most texts are ASCII, which is quickly seen.
        if not text.isascii() and any(sign in text for sign in MOJIBAKE)
    ]
    locations = (split.location(row) for split, row in broken)
    message = f"{examples(len(broken))} ({len(broken) / _total(context):.1%}) with garbled characters."
    return observe_if(broken, "warning", message, locations, examples=len(broken))


@check(
    "duplicates",
    why="Repeated examples count more than once in training and make the data set look larger than it is.",
    advice=(
        "Remove the duplicates. A held-out validation set never shares them with the training set, so the score is "
        "safe."
    ),
)
def duplicates(context: CheckContext) -> Observation | None:
    """Training examples that repeat, ignoring case and spacing."""
    train = context.data.train
    groups = repeats(train.keys)
    extra = sum(len(group) - 1 for group in groups)
    share = extra / max(1, len(train))
    severity: Severity = "warning" if share > 0.01 else "note"
    locations = (f"{train.location(group[1])} repeats {train.location(group[0])}" for group in groups)
    message = f"{examples(extra)} ({share:.1%}) of the training set repeat another."
    return observe_if(extra, severity, message, locations, examples=extra)


@check(
    "label-conflict",
    why="The same text with two labels cannot be learned. It limits every score.",
    advice="Decide which label is right, or remove the examples.",
)
def label_conflict(context: CheckContext) -> Observation | None:
    """Equal texts, ignoring case and spacing, with different labels."""
    train = context.data.train
    labels = np.unique(train.labels, axis=0, return_inverse=True)[1].reshape(-1)
    groups = [rows for rows in repeats(train.keys) if len(set(labels[rows])) > 1]
    wrong = sum(len(rows) - Counter(labels[rows].tolist()).most_common(1)[0][1] for rows in groups)
    ceiling = 1 - wrong / max(1, len(train))
    message = f"{len(groups)} texts have several labels."
    locations = (" and ".join(train.locations(rows[:2])) for rows in groups)
    if "accuracy" not in context.data.task.metrics:
        return observe_if(groups, "warning", message, locations, texts=len(groups))
    message += f" No model can exceed an accuracy of {ceiling:.2%} on the training set."
    return observe_if(groups, "warning", message, locations, texts=len(groups), max_accuracy=ceiling)


@check(
    "leak",
    why="The model remembers training examples instead of classifying them, so the validation score is too high.",
    advice="Remove them from one of the sets, or omit the validation file to hold out a clean part.",
)
def leak(context: CheckContext) -> Observation | None:
    """Validation examples that are also in the training set, ignoring case and spacing."""
    train, held = context.data.train, context.data.validation
    leaked = np.flatnonzero(np.isin(held.keys, train.keys))
    share = len(leaked) / max(1, len(held))
    severity: Severity = "error" if share > 0.01 else "warning"
    message = f"{examples(len(leaked))} of the validation set ({share:.1%}) are also in the training set."
    locations = (f"{held.location(int(row))} is {train.location(_first(train, held.keys[row]))}" for row in leaked)
    return observe_if(len(leaked), severity, message, locations, examples=len(leaked))


@check(
    "validation-small",
    why="A score on few examples varies more by chance than by training.",
    advice="Hold out more (--val-fraction), or compare several seeds.",
)
def validation_small(context: CheckContext) -> Observation | None:
    """Fewer than 200 validation examples, or none."""
    held = len(context.data.validation)
    if not held:
        return Observation("error", "The validation set is empty.")
    error = 196 * (0.25 / held) ** 0.5
    has_accuracy = "accuracy" in context.data.task.metrics
    by_chance = f"accuracy has an error of at least ± {error:.0f} percentage points" if has_accuracy else "few"
    message = f"{held} validation examples: {by_chance}."
    return observe_if(held < 200, "warning", message, examples=held)


def _splits(context: CheckContext) -> tuple[Split, Split]:
    return context.data.train, context.data.validation


def _total(context: CheckContext) -> int:
    return max(1, len(context.data.train) + len(context.data.validation))


def _first(split: Split, key: np.uint64) -> int:
    return int(np.argmax(split.keys == key))


def _empty_rows(split: Split) -> Iterator[int]:
    """Yields the rows without a text, or without the second text of a pair."""
    texts = zip(split.texts, split.pairs, strict=True) if split.pairs is not None else zip(split.texts, strict=True)
    return (row for row, fields in enumerate(texts) if not all(text.strip() for text in fields))
