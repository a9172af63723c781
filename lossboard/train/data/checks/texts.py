"""Checks of the texts as they are: empty, garbled, repeated, contradictory, leaked."""

from collections import Counter

from lossboard.train.data.checks.base import Observation, Severity, check, examples, observe_if, repeats
from lossboard.train.data.checks.context import CheckContext
from lossboard.train.data.examples import Split


@check(
    "text-empty",
    why="The model sees only [CLS] and [SEP] and learns to guess a label from nothing.",
    advice="Remove the rows; check that --text-column is the right column.",
)
def text_empty(context: CheckContext) -> Observation | None:
    """Texts with nothing but spaces."""
    empty = [split.locations[row] for split in _splits(context) for row in range(len(split)) if _is_empty(split, row)]
    share = len(empty) / _total(context)
    severity: Severity = "error" if share > 0.1 else "warning"
    return observe_if(empty, severity, f"{examples(len(empty))} ({share:.1%}) without text.", empty)


@check(
    "text-mojibake",
    why="Text decoded with the wrong encoding turns letters into pairs of signs that the model has never seen.",
    advice="Write the file again as UTF-8 from its source.",
)
def text_mojibake(context: CheckContext) -> Observation | None:
    """Replacement characters, or UTF-8 that was read as Latin-1 (Ã©, â€™)."""
    broken = [
        split.locations[row]
        for split in _splits(context)
        for row, text in enumerate(split.texts)
        if any(sign in text for sign in ("\ufffd", "Ã©", "Ã¨", "Ã¼", "Ã¶", "â€", "ï»¿"))
    ]
    return observe_if(
        broken, "warning", f"{examples(len(broken))} ({len(broken) / _total(context):.1%}) look garbled.", broken
    )


@check(
    "duplicates",
    why="Repeated examples count twice in training and pretend that there is more data than there is.",
    advice="Remove repeats; a held-out part never splits them, so the score is safe.",
)
def duplicates(context: CheckContext) -> Observation | None:
    """Training examples that repeat, up to case and spacing."""
    rows = repeats(context.data.train)
    extra = [row for group in rows for row in group[1:]]
    share = len(extra) / max(1, len(context.data.train))
    severity: Severity = "warning" if share > 0.01 else "note"
    places = (
        f"{context.data.train.locations[group[1]]} repeats {context.data.train.locations[group[0]]}" for group in rows
    )
    return observe_if(extra, severity, f"{examples(len(extra))} ({share:.1%}) of train repeat another.", places)


@check(
    "label-conflict",
    why="The same text with two labels cannot be learnt: it puts a ceiling on every score.",
    advice="Decide which label is right, or remove the rows.",
)
def label_conflict(context: CheckContext) -> Observation | None:
    """Equal texts, up to case and spacing, with different labels."""
    train = context.data.train
    groups = [rows for rows in repeats(train) if len({train.labels[row] for row in rows}) > 1]
    wrong = sum(len(rows) - Counter(train.labels[row] for row in rows).most_common(1)[0][1] for rows in groups)
    ceiling = 1 - wrong / max(1, len(train))
    what = (
        f"{len(groups)} texts have different labels; no model can score above {ceiling:.2%} on the training examples."
    )
    places = (" and ".join(train.locations[row] for row in rows[:2]) for rows in groups)
    return observe_if(groups, "warning", what, places)


@check(
    "leak",
    why="An example seen in training is remembered, not classified: the validation score is too good to be true.",
    advice="Remove them from one side, or leave out the validation file to have a clean part held out.",
)
def leak(context: CheckContext) -> Observation | None:
    """Validation examples that are also training examples, up to case and spacing."""
    train, held = context.data.train, context.data.validation
    where = dict(zip(train.keys(), train.locations, strict=True))
    places = [f"{held.locations[row]} is {where[key]}" for row, key in enumerate(held.keys()) if key in where]
    share = len(places) / max(1, len(held))
    severity: Severity = "error" if share > 0.01 else "warning"
    return observe_if(
        places, severity, f"{examples(len(places))} of validation ({share:.1%}) are in train too.", places
    )


@check(
    "validation-small",
    why="A score on few examples moves by chance more than by training.",
    advice="Hold out more (--val-fraction), or compare several seeds.",
)
def validation_small(context: CheckContext) -> Observation | None:
    """Fewer than 200 validation examples, or none."""
    held = len(context.data.validation)
    if not held:
        return Observation("error", "There are no validation examples.")
    error = 196 * (0.25 / held) ** 0.5
    return observe_if(
        held < 200, "warning", f"{held} validation examples: accuracy is known to ± {error:.0f} points at best."
    )


def _splits(context: CheckContext) -> tuple[Split, Split]:
    return context.data.train, context.data.validation


def _total(context: CheckContext) -> int:
    return max(1, len(context.data.train) + len(context.data.validation))


def _is_empty(split: Split, row: int) -> bool:
    return not split.texts[row].strip() or (split.pairs is not None and not split.pairs[row].strip())
