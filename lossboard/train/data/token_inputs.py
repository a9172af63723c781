"""Inputs for tasks with labels on words: which token starts which word, and its target. The same for both engines.

A text that is longer than the maximum length becomes several inputs, cut between words. So no word is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lossboard.train.data.batches import Ids
from lossboard.train.data.cache import EntryWriter, cache_key, cached
from lossboard.train.data.imbalance import Weights
from lossboard.train.data.labels import IGNORED
from lossboard.train.data.split import Split
from lossboard.train.data.targets import Array
from lossboard.train.data.tokenization import EncodedExamples, TokenizedTable, Tokenizer, inputs_of

# Tokens that continue a word, and special tokens.
NO_WORD = -1

# The words of a text, and the class of each word; IGNORED if it has none.
LabeledWords = tuple[Sequence[str], Sequence[int]]


@dataclass(frozen=True)
class TokenTargets:
    """For each token of some inputs the word that it starts, and the class of that word, or IGNORED."""

    table: TokenizedTable
    rows: Ids
    values: Array
    words: Array
    counts: Array  # of targets in each input

    def batch(self, rows: Ids, *, width: int) -> Array:
        targets = np.full((len(rows), width), IGNORED, np.int64)
        for number, row in enumerate(rows):
            values = self.values[self.table.span(int(self.rows[row]))]
            targets[number, : len(values)] = values
        return targets

    def count(self, rows: Ids) -> int:
        # At least one, so that a batch of empty texts has a loss of 0.
        return max(1, int(self.counts[self.rows[rows]].sum()))

    def weight(self, rows: Ids, class_weights: Weights) -> float:
        targets = self.values[self.flat(rows)]
        return float(class_weights[targets[targets != IGNORED]].sum())

    def flat(self, rows: Ids) -> Ids:
        """Returns the positions of all tokens of these inputs in `values` and `words`, one input after the other."""
        spans = [self.table.span(int(row)) for row in self.rows[rows]]
        return np.concatenate([np.arange(span.start, span.stop) for span in spans] or [np.arange(0)])


def encode_words(
    tokenizer: Tokenizer, split: Split, rows: Iterator[LabeledWords], *, max_length: int, key: Sequence[object]
) -> EncodedExamples:
    """Returns the inputs of a split. `rows` has those of the whole table, and `key` what their labels depend on."""

    def build(writer: EntryWriter) -> None:
        encoder = _WordEncoder(tokenizer, max_length=max_length)
        for number, (words, classes) in enumerate(rows):
            encoder.write(writer, number, words, classes)
        writer.facts = {"max_type": encoder.max_type}

    columns = split.columns
    entry = cached(cache_key("words", split.table.key, columns.text, max_length, tokenizer.digest, *key), build)
    table = TokenizedTable.from_entry(entry)
    inputs, examples = inputs_of(entry.arrays["examples"], split.rows)
    arrays = entry.arrays
    targets = TokenTargets(table, inputs, arrays["targets"], arrays["words"], arrays["counts"])
    return EncodedExamples(table, inputs, targets, tokenizer.pad_id, split, examples)


class _WordEncoder:
    """Encodes words as a model reads them, and writes them to a cache entry."""

    def __init__(self, tokenizer: Tokenizer, *, max_length: int) -> None:
        self._tokenizer, self._frame = tokenizer, tokenizer.frame(pairs=False)
        self._room = max(1, max_length - len(self._frame.join([[]])[0]))
        self.max_type = 0

    def write(self, writer: EntryWriter, row: int, words: Sequence[str], classes: Sequence[int]) -> None:
        for first, pieces in self._inputs(self._tokenizer.encode_words(words)):
            ids, types, full_length = self._frame.join([[token for piece in pieces for token in piece]])
            starts = np.full(len(ids), NO_WORD, np.int32)
            targets = np.full(len(ids), IGNORED, np.int32)
            position = self._frame.offset
            for word, piece in enumerate(pieces, start=first):
                if piece:
                    starts[position], targets[position] = word, classes[word]
                position += len(piece)
            self.max_type = max(self.max_type, *types)
            writer.append("ids", np.asarray(ids, np.uint32))
            writer.append("types", np.asarray(types, np.uint8))
            writer.append("words", starts)
            writer.append("targets", targets)
            writer.append("counts", np.asarray([np.count_nonzero(targets != IGNORED)], np.int32))
            writer.append("unknown", np.asarray([ids.count(self._tokenizer.unknown_id or -1)], np.int32))
            writer.append("lengths", np.asarray([len(ids)], np.int32))
            writer.append("full_lengths", np.asarray([full_length], np.int64))
            writer.append("examples", np.asarray([row], np.int64))

    def _inputs(self, pieces: list[list[int]]) -> Iterator[tuple[int, list[list[int]]]]:
        """Yields the first word of each input, and the tokens of its words. A text without words has one input."""
        first, size = 0, 0
        for word, piece in enumerate(pieces):
            # A word that exceeds a whole input loses its last tokens. Its first one has the target.
            pieces[word] = piece = piece[: self._room]
            if size + len(piece) > self._room:
                yield first, pieces[first:word]
                first, size = word, 0
            size += len(piece)
        yield first, pieces[first:]
