"""Checks of the raw texts: empty, garbled, repeated, contradictory, leaked."""

from collections import Counter

from lossboard.findings import Severity
from lossboard.train.data.checks.base import Observation, check, examples, observe_if, repeats
from lossboard.train.data.checks.context import CheckContext
from lossboard.train.data.examples import Split


@check(
    "text-empty",
    why="The model sees only [CLS] and [SEP] and learns to guess the label.",
    advice="Remove the examples. Check that --text-column names the right column.",
)
def text_empty(context: CheckContext) -> Observation | None:
    """Texts that contain only whitespace."""
    empty = [split.locations[row] for split in _splits(context) for row in range(len(split)) if _is_empty(split, row)]
    share = len(empty) / _total(context)
    severity: Severity = "error" if share > 0.1 else "warning"
    return observe_if(
        empty, severity, f"{examples(len(empty))} ({share:.1%}) without text.", empty, examples=len(empty)
    )


@check(
    "text-mojibake",
    why="Text decoded with the wrong encoding contains character sequences that the model has never seen.",
    advice="Export the file again from its source, as UTF-8.",
)
def text_mojibake(context: CheckContext) -> Observation | None:
    """Replacement characters, or UTF-8 that was decoded as Latin-1 (Ã©, â€™)."""
    broken = [
        split.locations[row]
        for split in _splits(context)
        for row, text in enumerate(split.texts)
        if any(sign in text for sign in ("\ufffd", "Ã©", "Ã¨", "Ã¼", "Ã¶", "â€", "ï»¿"))
    ]
    message = f"{examples(len(broken))} ({len(broken) / _total(context):.1%}) with garbled characters."
    return observe_if(broken, "warning", message, broken, examples=len(broken))


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
    groups = repeats(train)
    extra = sum(len(group) - 1 for group in groups)
    share = extra / max(1, len(train))
    severity: Severity = "warning" if share > 0.01 else "note"
    locations = (f"{train.locations[group[1]]} repeats {train.locations[group[0]]}" for group in groups)
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
    groups = [rows for rows in repeats(train) if len({train.labels[row] for row in rows}) > 1]
    wrong = sum(len(rows) - Counter(train.labels[row] for row in rows).most_common(1)[0][1] for rows in groups)
    ceiling = 1 - wrong / max(1, len(train))
    message = (
        f"{len(groups)} texts have several labels. "
        f"No model can exceed an accuracy of {ceiling:.2%} on the training set."
    )
    locations = (" and ".join(train.locations[row] for row in rows[:2]) for rows in groups)
    return observe_if(groups, "warning", message, locations, texts=len(groups), max_accuracy=ceiling)


@check(
    "leak",
    why="The model remembers training examples instead of classifying them, so the validation score is too high.",
    advice="Remove them from one of the sets, or omit the validation file to hold out a clean part.",
)
def leak(context: CheckContext) -> Observation | None:
    """Validation examples that are also in the training set, ignoring case and spacing."""
    train, held = context.data.train, context.data.validation
    where = dict(zip(train.keys(), train.locations, strict=True))
    locations = [f"{held.locations[row]} is {where[key]}" for row, key in enumerate(held.keys()) if key in where]
    share = len(locations) / max(1, len(held))
    severity: Severity = "error" if share > 0.01 else "warning"
    message = f"{examples(len(locations))} of the validation set ({share:.1%}) are also in the training set."
    return observe_if(locations, severity, message, locations, examples=len(locations))


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
    message = f"{held} validation examples: accuracy has an error of at least ± {error:.0f} percentage points."
    return observe_if(held < 200, "warning", message, examples=held)


def _splits(context: CheckContext) -> tuple[Split, Split]:
    return context.data.train, context.data.validation


def _total(context: CheckContext) -> int:
    return max(1, len(context.data.train) + len(context.data.validation))


def _is_empty(split: Split, row: int) -> bool:
    return not split.texts[row].strip() or (split.pairs is not None and not split.pairs[row].strip())
