"""Checks of the texts as they are: empty, garbled, repeated, contradictory, leaked."""

from collections import Counter

from lossboard.train.checks.engine import Seen, Severity, check, examples, repeats, when
from lossboard.train.data import Split
from lossboard.train.subject import Subject


@check(
    "text-empty",
    why="The model sees only [CLS] and [SEP] and learns to guess a label from nothing.",
    advice="Remove the rows; check that --text-column is the right column.",
)
def text_empty(subject: Subject) -> Seen | None:
    """Texts with nothing but spaces."""
    empty = [split.places[row] for split in _splits(subject) for row in range(len(split)) if _is_empty(split, row)]
    share = len(empty) / _total(subject)
    severity: Severity = "error" if share > 0.1 else "warning"
    return when(empty, severity, f"{examples(len(empty))} ({share:.1%}) without text.", empty)


@check(
    "text-mojibake",
    why="Text decoded with the wrong encoding turns letters into pairs of signs that the model has never seen.",
    advice="Write the file again as UTF-8 from its source.",
)
def text_mojibake(subject: Subject) -> Seen | None:
    """Replacement characters, or UTF-8 that was read as Latin-1 (Ã©, â€™)."""
    broken = [
        split.places[row]
        for split in _splits(subject)
        for row, text in enumerate(split.texts)
        if any(sign in text for sign in ("\ufffd", "Ã©", "Ã¨", "Ã¼", "Ã¶", "â€", "ï»¿"))
    ]
    return when(
        broken, "warning", f"{examples(len(broken))} ({len(broken) / _total(subject):.1%}) look garbled.", broken
    )


@check(
    "duplicates",
    why="Repeated examples count twice in training and pretend that there is more data than there is.",
    advice="Remove repeats; a held-out part never splits them, so the score is safe.",
)
def duplicates(subject: Subject) -> Seen | None:
    """Training examples that repeat, up to case and spacing."""
    rows = repeats(subject.data.train)
    extra = [row for group in rows for row in group[1:]]
    share = len(extra) / max(1, len(subject.data.train))
    severity: Severity = "warning" if share > 0.01 else "note"
    places = (f"{subject.data.train.places[group[1]]} repeats {subject.data.train.places[group[0]]}" for group in rows)
    return when(extra, severity, f"{examples(len(extra))} ({share:.1%}) of train repeat another.", places)


@check(
    "label-conflict",
    why="The same text with two labels cannot be learnt: it puts a ceiling on every score.",
    advice="Decide which label is right, or remove the rows.",
)
def label_conflict(subject: Subject) -> Seen | None:
    """Equal texts, up to case and spacing, with different labels."""
    train = subject.data.train
    groups = [rows for rows in repeats(train) if len({train.labels[row] for row in rows}) > 1]
    wrong = sum(len(rows) - Counter(train.labels[row] for row in rows).most_common(1)[0][1] for rows in groups)
    ceiling = 1 - wrong / max(1, len(train))
    what = (
        f"{len(groups)} texts have different labels; no model can score above {ceiling:.2%} on the training examples."
    )
    places = (" and ".join(train.places[row] for row in rows[:2]) for rows in groups)
    return when(groups, "warning", what, places)


@check(
    "leak",
    why="An example seen in training is remembered, not classified: the validation score is too good to be true.",
    advice="Remove them from one side, or leave out the validation file to have a clean part held out.",
)
def leak(subject: Subject) -> Seen | None:
    """Validation examples that are also training examples, up to case and spacing."""
    train, held = subject.data.train, subject.data.validation
    where = dict(zip(train.keys(), train.places, strict=True))
    places = [f"{held.places[row]} is {where[key]}" for row, key in enumerate(held.keys()) if key in where]
    share = len(places) / max(1, len(held))
    severity: Severity = "error" if share > 0.01 else "warning"
    return when(places, severity, f"{examples(len(places))} of validation ({share:.1%}) are in train too.", places)


@check(
    "validation-small",
    why="A score on few examples moves by chance more than by training.",
    advice="Hold out more (--val-fraction), or compare several seeds.",
)
def validation_small(subject: Subject) -> Seen | None:
    """Fewer than 200 validation examples, or none."""
    held = len(subject.data.validation)
    if not held:
        return Seen("error", "There are no validation examples.")
    error = 196 * (0.25 / held) ** 0.5
    return when(
        held < 200, "warning", f"{held} validation examples: accuracy is known to ± {error:.0f} points at best."
    )


def _splits(subject: Subject) -> tuple[Split, Split]:
    return subject.data.train, subject.data.validation


def _total(subject: Subject) -> int:
    return max(1, len(subject.data.train) + len(subject.data.validation))


def _is_empty(split: Split, row: int) -> bool:
    return not split.texts[row].strip() or (split.pairs is not None and not split.pairs[row].strip())
