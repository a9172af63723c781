"""Input of the data checks: the examples and, with a checkpoint, the same examples as tokens."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lossboard.train.data.split import Split
from lossboard.train.data.tokenization import Tokenizer
from lossboard.train.models.architecture import Architecture, read_architecture
from lossboard.train.models.stored_weights import non_finite_weights
from lossboard.train.preparation.examples import TextData
from lossboard.train.tasks.task import Task

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Tokens:
    """Token counts of the inputs of one split. `lengths` is before truncation; `kept` and `unknown` are after it."""

    examples: Counts  # the row of the split for each input
    lengths: Counts
    unknown: Counts
    kept: Counts
    max_type: int


@dataclass(frozen=True)
class Vocabulary:
    """Properties of the tokenizer that must agree with the model."""

    size: int
    max_id: int
    pad_id: int | None
    missing_specials: tuple[str, ...]


@dataclass(frozen=True)
class Checkpoint:
    """The model, its tokenizer, and the token counts of both splits."""

    architecture: Architecture
    vocabulary: Vocabulary
    train: Tokens
    validation: Tokens
    non_finite_weights: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckContext:
    """Everything that a check can use. Token checks are skipped if there is no checkpoint."""

    data: TextData
    max_length: int
    checkpoint: Checkpoint | None = None


# Special tokens of BERT, and their names in RoBERTa.
_SPECIALS = (("[CLS]", "<s>"), ("[SEP]", "</s>"), ("[PAD]", "<pad>"), ("[UNK]", "<unk>"))


def build_context(data: TextData, folder: Path | None, *, max_length: int) -> CheckContext:
    """Returns the input of `run_checks`. Tokenizes the texts, unless the cache has them."""
    if folder is None:
        return CheckContext(data, max_length)
    tokenizer = Tokenizer(folder)
    train, validation = (
        _tokens(data.task, tokenizer, split, max_length=max_length) for split in (data.train, data.validation)
    )
    sizes, weights = read_architecture(folder), tuple(non_finite_weights(folder))
    checkpoint = Checkpoint(sizes, _vocabulary(tokenizer), train, validation, weights)
    return CheckContext(data, max_length, checkpoint)


def _tokens(task: Task, tokenizer: Tokenizer, split: Split, *, max_length: int) -> Tokens:
    encoded = task.encode(tokenizer, split, max_length=max_length)
    return Tokens(
        examples=encoded.examples,
        lengths=encoded.full_lengths,
        unknown=encoded.unknown,
        kept=encoded.lengths,
        max_type=encoded.table.max_type,
    )


def _vocabulary(tokenizer: Tokenizer) -> Vocabulary:
    ids: dict[str, int] = tokenizer.backend.get_vocab(with_added_tokens=True)
    missing = tuple(names[0] for names in _SPECIALS if not any(name in ids for name in names))
    pad_id = next((ids[name] for name in _SPECIALS[2] if name in ids), None)
    return Vocabulary(len(ids), max(ids.values()), pad_id, missing)
