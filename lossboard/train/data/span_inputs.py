"""Inputs for extractive question answering: a question with a part of its context. The same for both engines.

A context that does not fit into the maximum length is cut into windows. Neighboring windows share a quarter of their
tokens, so that an answer at the end of one is whole in the next. A window without the answer points to its first token.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lossboard.train.data.batches import Ids
from lossboard.train.data.cache import EntryWriter, cache_key, cached
from lossboard.train.data.split import Split
from lossboard.train.data.targets import Array, ExampleTargets
from lossboard.train.data.tokenization import EncodedExamples, TokenizedTable, Tokenizer, inputs_of

# Neighboring windows share this share of their tokens.
OVERLAP = 0.25
# A question takes at most this share of an input. The rest of a longer one is cut off.
MAX_QUESTION = 0.5
# The place of tokens that are not in the context.
NO_PLACE = -1

# A question, its context, and where the answer is in the context; None without an answer.
Question = tuple[str, str, tuple[int, int] | None]


@dataclass(frozen=True)
class SpanTargets(ExampleTargets):
    """The first and last token of the answer in each input, and where each token of a context begins and ends in it."""

    table: TokenizedTable
    rows: Ids
    begins: Array
    stops: Array

    def places(self, index: int) -> tuple[Array, Array]:
        """Returns where the tokens of an input begin and end in the context; NO_PLACE for those outside of it."""
        span = self.table.span(int(self.rows[index]))
        return self.begins[span], self.stops[span]


def encode_questions(
    tokenizer: Tokenizer, split: Split, rows: Iterable[Question], *, max_length: int
) -> EncodedExamples:
    """Returns the inputs of a split. `rows` has those of the whole table."""

    def build(writer: EntryWriter) -> None:
        encoder = _WindowEncoder(tokenizer, max_length=max_length)
        for number, row in enumerate(rows):
            encoder.write(writer, number, row)
        writer.facts = {"max_type": encoder.max_type}

    columns = split.columns
    names = [columns.text, columns.pair, columns.labels]
    entry = cached(cache_key("windows", split.table.key, names, max_length, tokenizer.digest), build)
    table, arrays = TokenizedTable.from_entry(entry), entry.arrays
    inputs, examples = inputs_of(arrays["examples"], split.rows)
    positions = arrays["targets"].reshape(-1, 2)[inputs].astype(np.int64)
    targets = SpanTargets(positions, table, inputs, arrays["begins"], arrays["stops"])
    return EncodedExamples(table, inputs, targets, tokenizer.pad_id, split, examples)


class _WindowEncoder:
    """Encodes questions with windows of their contexts, and writes them to a cache entry."""

    def __init__(self, tokenizer: Tokenizer, *, max_length: int) -> None:
        self._tokenizer, self._max_length = tokenizer, max_length
        self._frame = tokenizer.frame(pairs=True)
        self._last: tuple[str, Any] = ("", tokenizer.encode_text(""))
        self.max_type = 0

    def write(self, writer: EntryWriter, row: int, question: Question) -> None:
        text, context, answer = question
        asked = list(self._tokenizer.encode_text(text).ids)[: max(1, int(self._max_length * MAX_QUESTION))]
        # Several questions in a row often have the same context.
        if self._last[0] != context:
            self._last = (context, self._tokenizer.encode_text(context))
        encoded = self._last[1]
        begins, stops = np.array(encoded.offsets, np.int32).reshape(-1, 2).T
        first_token, last_token = _tokens_of(answer, begins, stops)
        special = len(self._frame.join([[], []])[0])
        for window in _windows(len(encoded.ids), room=max(1, self._max_length - special - len(asked))):
            ids, types, _ = self._frame.join([asked, encoded.ids[window]])
            offset = self._frame.second_offset + len(asked)
            inside = answer is not None and window.start <= first_token and last_token < window.stop
            shift = offset - window.start
            places = np.full((2, len(ids)), NO_PLACE, np.int32)
            places[:, offset : offset + window.stop - window.start] = begins[window], stops[window]
            self.max_type = max(self.max_type, *types)
            writer.append("ids", np.asarray(ids, np.uint32))
            writer.append("types", np.asarray(types, np.uint8))
            writer.append("begins", places[0])
            writer.append("stops", places[1])
            writer.append(
                "targets", np.asarray([first_token + shift, last_token + shift] if inside else [0, 0], np.int32)
            )
            writer.append("unknown", np.asarray([ids.count(self._tokenizer.unknown_id or -1)], np.int32))
            writer.append("lengths", np.asarray([len(ids)], np.int32))
            writer.append("full_lengths", np.asarray([len(ids)], np.int64))
            writer.append("examples", np.asarray([row], np.int64))


def _tokens_of(answer: tuple[int, int] | None, begins: Array, stops: Array) -> tuple[int, int]:
    """Returns the first and the last token that overlap with an answer."""
    if answer is None:
        return 0, 0
    inside = np.flatnonzero((stops > answer[0]) & (begins < answer[1]))
    # Characters that the tokenizer drops have no token.
    return (int(inside[0]), int(inside[-1])) if len(inside) else (len(begins), len(begins))


def _windows(tokens: int, *, room: int) -> Iterator[slice]:
    step, start = max(1, room - int(room * OVERLAP)), 0
    while True:
        yield slice(start, min(start + room, tokens))
        if start + room >= tokens:
            return
        start += step
