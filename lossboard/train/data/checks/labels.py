"""Checks of the labels: their range, their number, their balance."""

from collections import Counter
from collections.abc import Sequence

from lossboard.train.data.checks.base import (
    MAX_PLACES,
    Observation,
    check,
    class_counts,
    class_shares,
    examples,
    observe_if,
)
from lossboard.train.data.checks.context import CheckContext
from lossboard.train.data.labels import IGNORED, NO_LABEL, label_key
from lossboard.train.data.tables import is_number


@check(
    "label-ignored",
    why="Cross-entropy passes over −100: those rows teach nothing, and a batch of them gives NaN.",
    advice="Remove the rows, or give their real labels; −100 belongs to padded positions in token tasks.",
)
def label_ignored(context: CheckContext) -> Observation | None:
    """Labels of −100, the id that the loss ignores."""
    faults = [fault for fault in context.data.faults if fault.value.strip("'\"") == str(IGNORED)]
    return observe_if(faults, "error", f"{examples(len(faults))} labelled −100.", (fault.place for fault in faults))


@check(
    "label-invalid",
    why="The loss indexes its output by the label: one outside the range ends training with an index error.",
    advice="Correct or remove the rows; with --label-column check that the right column was taken.",
)
def label_invalid(context: CheckContext) -> Observation | None:
    """Labels that are missing or not one of the classes."""
    faults = [fault for fault in context.data.faults if fault.value.strip("'\"") != str(IGNORED)]
    reasons = Counter(fault.why for fault in faults)
    what = "; ".join(f"{examples(number)}: {why}" for why, number in reasons.most_common(3))
    if faults and all(label_key(fault.value.strip("'\"")) in _next_to(context.data.classes) for fault in faults):
        what += ". They are one off: labels are counted from another number there"
    return observe_if(faults, "error", f"{what}.", (f"{fault.place}: {fault.value}" for fault in faults))


def _next_to(classes: Sequence[str]) -> set[int]:
    """The numbers before the first and after the last of numbered classes."""
    numbers = [key for key in map(label_key, classes) if isinstance(key, int)]
    return {min(numbers) - 1, max(numbers) + 1} if len(numbers) == len(classes) else set()


@check(
    "label-not-a-class",
    why="A classifier has one output for each distinct label; ratings, ids or free text make thousands of them.",
    advice="Choose another --label-column, or turn ratings into a few classes first.",
)
def label_not_a_class(context: CheckContext) -> Observation | None:
    """Many distinct labels that are fractions, or nearly as many labels as examples."""
    classes, rows = context.data.classes, len(context.data.train)
    fractions = sum(is_number(name) and "." in name for name in classes)
    many = len(classes) > 20 and (len(classes) > rows / 5 or fractions > len(classes) / 2)
    return observe_if(
        many, "error", f"{len(classes)} distinct labels in {rows} training examples, {fractions} of them fractions."
    )


@check(
    "label-one-class",
    why="With one class there is nothing to learn; any model scores 100 %.",
    advice="Check the --label-column and whether the file was filtered or sorted and cut.",
)
def label_one_class(context: CheckContext) -> Observation | None:
    """Fewer than two classes in the training examples."""
    used = {label for label in context.data.train.labels if label != NO_LABEL}
    names = ", ".join(context.data.classes[label] for label in sorted(used)) or "none"
    return observe_if(len(used) < 2, "error", f"The only class in the training examples: {names}.")


@check(
    "label-rare",
    why="A class with a handful of examples is not learnt, and its score is noise.",
    advice="Collect more, merge the class into another, or drop it.",
)
def label_rare(context: CheckContext) -> Observation | None:
    """Classes with fewer than 8 training examples, or none for validation."""
    data = context.data
    train, held = class_counts(data.train), class_counts(data.validation)
    rare = [f"{name} ({train[i]} to train)" for i, name in enumerate(data.classes) if train[i] < 8]
    unseen = [f"{name} (none to validate)" for i, name in enumerate(data.classes) if train[i] >= 8 and not held[i]]
    listed = rare + unseen
    return observe_if(
        listed, "warning", f"{len(listed)} of {len(data.classes)} classes: {', '.join(listed[:MAX_PLACES])}."
    )


@check(
    "label-imbalance",
    why="Always guessing the largest class already looks good in accuracy, and small classes are neglected.",
    advice="Judge by F1 (--metric f1) and the per-class metrics; consider resampling.",
)
def label_imbalance(context: CheckContext) -> Observation | None:
    """A largest class at least four times the smallest."""
    counts = class_counts(context.data.train)
    if len(counts) < 2 or max(counts.values()) < 4 * min(counts.values()):
        return None
    (largest, most), (smallest, least) = counts.most_common()[0], counts.most_common()[-1]
    names, total = context.data.classes, sum(counts.values())
    what = f"{names[largest]} has {most} examples, {names[smallest]} {least}; always guessing {names[largest]} scores"
    return Observation("warning", f"{what} {most / total:.1%}.")


@check(
    "label-drift",
    why="A score on another mix of classes says little about the one trained on.",
    advice="Leave out the validation file to have one held out in proportion, or sample it alike.",
)
def label_drift(context: CheckContext) -> Observation | None:
    """Class shares that differ by more than 10 points between training and validation examples."""
    train, held = class_shares(context.data.train), class_shares(context.data.validation)
    if not train or not held:
        return None
    gap, label = max((abs(train.get(i, 0) - held.get(i, 0)), i) for i in train | held)
    what = (
        f"{context.data.classes[label]} is {train.get(label, 0):.1%} of train, {held.get(label, 0):.1%} of validation."
    )
    # Small samples differ by chance: three standard errors are more than that.
    by_chance = 3 * (0.25 / len(context.data.validation)) ** 0.5
    return observe_if(gap > max(0.1, by_chance), "warning", what)
