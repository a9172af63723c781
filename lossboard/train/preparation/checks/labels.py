"""Checks of the labels: valid values, number of classes, balance."""

from collections import Counter
from collections.abc import Sequence

from lossboard.train.data.labels import IGNORED, label_key
from lossboard.train.data.split import Split
from lossboard.train.data.text_tables import is_number
from lossboard.train.preparation.checks.base import (
    MAX_LOCATIONS,
    Observation,
    check,
    class_counts,
    examples,
    observe_if,
)
from lossboard.train.preparation.checks.context import CheckContext


@check(
    "label-ignored",
    why="Cross-entropy skips −100, so these examples teach nothing. A batch with no other labels gives a NaN loss.",
    advice="Remove the examples, or set their real labels. −100 is for padded positions in token tasks.",
)
def label_ignored(context: CheckContext) -> Observation | None:
    """Labels of −100, which the loss ignores."""
    faults = [fault for fault in context.data.faults if fault.value.strip("'\"") == str(IGNORED)]
    number = sum(fault.examples for fault in faults)
    locations = (location for fault in faults for location in fault.locations)
    return observe_if(faults, "error", f"{examples(number)} labeled −100.", locations, examples=number)


@check(
    "label-invalid",
    why="The loss uses the label as an index. A label out of range stops training with an index error.",
    advice="Correct or remove the examples. Check that --label-column names the right column.",
)
def label_invalid(context: CheckContext) -> Observation | None:
    """Labels that are missing or are not one of the classes."""
    faults = [fault for fault in context.data.faults if fault.value.strip("'\"") != str(IGNORED)]
    reasons: Counter[str] = Counter()
    for fault in faults:
        reasons[fault.why] += fault.examples
    message = "; ".join(f"{examples(number)}: {why}" for why, number in reasons.most_common(3))
    if faults and all(label_key(fault.value.strip("'\"")) in _next_to(context.data.classes) for fault in faults):
        message += ". They are off by one, so the labels probably count from another number"
    locations = (f"{location}: {fault.value}" for fault in faults for location in fault.locations)
    return observe_if(faults, "error", f"{message}.", locations, examples=reasons.total())


def _next_to(classes: Sequence[str]) -> set[int]:
    """Returns the numbers just below and above those of numbered classes."""
    numbers = [key for key in map(label_key, classes) if isinstance(key, int)]
    return {min(numbers) - 1, max(numbers) + 1} if numbers and len(numbers) == len(classes) else set()


@check(
    "label-not-a-class",
    why="A classifier has one output per distinct label. Ratings, ids or free text create thousands of outputs.",
    advice="Choose another --label-column. For numbers such as ratings, use --task regression.",
)
def label_not_a_class(context: CheckContext) -> Observation | None:
    """More than 20 distinct labels, if most are fractions or if there is more than one per five training examples."""
    classes, rows = context.data.classes, len(context.data.train)
    fractions = sum(is_number(name) and "." in name for name in classes)
    many = len(classes) > 20 and (len(classes) > rows / 5 or fractions > len(classes) / 2)
    return observe_if(
        many,
        "error",
        f"{len(classes)} distinct labels in {rows} training examples, {fractions} of them fractions.",
        classes=len(classes),
        fractions=fractions,
    )


@check(
    "label-one-class",
    why="With one class there is nothing to learn, and any model scores 100 %.",
    advice="Check --label-column. Check whether the file was filtered, or sorted and truncated.",
)
def label_one_class(context: CheckContext) -> Observation | None:
    """Fewer than two classes in the training set."""
    used = class_counts(context, context.data.train)
    if used is None:
        return None
    names = ", ".join(context.data.classes[label] for label in sorted(used))
    message = f"The training set has only one class: {names}." if used else "The training set has no valid labels."
    return observe_if(len(used) < 2, "error", message)


@check(
    "label-rare",
    why="The model cannot learn a class from a handful of examples, and the score of such a class is noise.",
    advice="Collect more examples, merge the class into another, or drop it.",
)
def label_rare(context: CheckContext) -> Observation | None:
    """Classes with fewer than 8 training examples, or without validation examples."""
    data = context.data
    train, held = class_counts(context, data.train), class_counts(context, data.validation)
    if train is None or held is None:
        return None
    rare = [f"{name} ({train[i]} training examples)" for i, name in enumerate(data.classes) if train[i] < 8]
    unseen = [
        f"{name} (no validation examples)" for i, name in enumerate(data.classes) if train[i] >= 8 and not held[i]
    ]
    listed = rare + unseen
    return observe_if(
        listed, "warning", f"{len(listed)} of {len(data.classes)} classes: {', '.join(listed[:MAX_LOCATIONS])}."
    )


@check(
    "label-imbalance",
    why="Always predicting the largest class already gives a high accuracy, and small classes are neglected.",
    advice="Use F1 (--metric f1) and the per-class metrics. Try --class-weights or --balanced-sampling.",
)
def label_imbalance(context: CheckContext) -> Observation | None:
    """A largest class at least four times the size of the smallest."""
    counts = class_counts(context, context.data.train)
    if counts is None or not context.data.task.balances_classes or len(counts) < 2:
        return None
    if max(counts.values()) < 4 * min(counts.values()):
        return None
    (largest, most), (smallest, least) = counts.most_common()[0], counts.most_common()[-1]
    names, total = context.data.classes, sum(counts.values())
    message = (
        f"{names[largest]} has {most} examples, {names[smallest]} has {least}. "
        f"Always predicting {names[largest]} gives an accuracy of {most / total:.1%}."
    )
    return Observation("warning", message, evidence={"largest": most, "smallest": least, "examples": total})


@check(
    "label-drift",
    why="A score on a different class mix says little about the mix that the model was trained on.",
    advice="Omit the validation file to hold out a proportional part, or sample it with the same proportions.",
)
def label_drift(context: CheckContext) -> Observation | None:
    """Class proportions that differ by more than 10 percentage points between the training and validation sets."""
    train, held = _shares(context, context.data.train), _shares(context, context.data.validation)
    if not train or not held:
        return None
    gap, label = max((abs(train.get(i, 0) - held.get(i, 0)), i) for i in train | held)
    before, after = train.get(label, 0), held.get(label, 0)
    message = f"{context.data.classes[label]}: {before:.1%} of the training set, {after:.1%} of the validation set."
    # Small samples differ by chance. Three standard errors are more than that.
    by_chance = 3 * (0.25 / len(context.data.validation)) ** 0.5
    return observe_if(gap > max(0.1, by_chance), "warning", message, train_share=before, validation_share=after)


def _shares(context: CheckContext, split: Split) -> dict[int, float]:
    """Returns the share of the labeled examples that have each class."""
    labeled = len(split) - len(context.data.task.invalid_rows(split.labels))
    return {label: number / labeled for label, number in (class_counts(context, split) or {}).items()}
