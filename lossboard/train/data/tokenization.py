"""Tokenization with the checkpoint's own `tokenizer.json`, once for each text. The same for both engines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from lossboard.errors import UsageError
from lossboard.train.data import word_cache
from lossboard.train.data.batches import Ids, Padded, pad
from lossboard.train.data.cache import Array, Entry, EntryWriter, cache_key, cached, file_digest
from lossboard.train.data.columns import Columns
from lossboard.train.data.split import Split
from lossboard.train.data.table import Table
from lossboard.train.data.targets import ExampleTargets, Targets
from lossboard.train.data.texts import iterate_texts


@dataclass(frozen=True)
class TokenizedTable:
    """Token ids of all rows of a table, memory-mapped. `ends` has the end of each row in `ids` and `types`."""

    ids: Array
    types: Array
    ends: Ids
    full_lengths: Ids  # before truncation
    unknown: Ids  # tokens that the vocabulary lacks, in each row
    max_type: int

    @classmethod
    def from_entry(cls, entry: Entry) -> TokenizedTable:
        arrays = entry.arrays
        lengths = np.cumsum(arrays["lengths"], dtype=np.int64)
        return cls(
            arrays["ids"],
            arrays["types"],
            lengths,
            arrays["full_lengths"],
            arrays["unknown"],
            entry.facts["max_type"],
        )

    def span(self, row: int) -> slice:
        return slice(int(self.ends[row - 1]) if row else 0, int(self.ends[row]))


@dataclass(frozen=True)
class EncodedExamples:
    """What a model reads of a split: token ids without padding, and the targets of the loss.

    A task may cut one example into several inputs. So `examples` has the row of the split for each input.
    """

    table: TokenizedTable
    rows: Ids
    targets: Targets
    pad_id: int
    split: Split
    examples: Ids

    @cached_property
    def lengths(self) -> Ids:
        lengths: Ids = np.diff(self.table.ends, prepend=0)[self.rows]
        return lengths

    @property
    def full_lengths(self) -> Ids:
        """The number of tokens before truncation."""
        return self.table.full_lengths[self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def ids(self, index: int) -> Ids:
        return self.table.ids[self.table.span(int(self.rows[index]))].astype(np.int64)

    def types(self, index: int) -> Ids:
        return self.table.types[self.table.span(int(self.rows[index]))].astype(np.int64)

    def padded(self, indices: Ids) -> Padded:
        return pad([self.ids(i) for i in indices], [self.types(i) for i in indices], pad_id=self.pad_id)

    @property
    def unknown(self) -> Ids:
        """The number of tokens in each example that the vocabulary lacks."""
        return self.table.unknown[self.rows]


class Tokenizer:
    """The tokenizer of a checkpoint, without the padding and truncation that some files contain."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer as Backend

        self.file = folder / "tokenizer.json"
        if not self.file.is_file():
            raise UsageError(f"{folder} has no tokenizer.json. Save one there with tokenizer.save_pretrained(folder).")
        self.backend: Any = Backend.from_file(str(self.file))
        self.backend.no_padding()
        self.backend.no_truncation()
        config = folder / "config.json"
        pad_id = json.loads(config.read_text(encoding="utf-8")).get("pad_token_id") if config.is_file() else None
        self.pad_id: int = 0 if pad_id is None else pad_id

    @property
    def vocab_size(self) -> int:
        return int(self.backend.get_vocab_size())

    @property
    def unknown_id(self) -> int | None:
        for token in ("[UNK]", "<unk>"):
            if (found := self.backend.token_to_id(token)) is not None:
                return int(found)
        return None

    def encode(self, split: Split, *, max_length: int) -> EncodedExamples:
        """Returns the texts as token ids, from the cache or tokenized now, with their labels as targets."""
        table = self.encode_table(split.table, split.columns, max_length=max_length)
        targets, examples = ExampleTargets(split.labels), np.arange(len(split))
        return EncodedExamples(table, split.rows, targets, self.pad_id, split, examples)

    def encode_table(self, table: Table, columns: Columns, *, max_length: int) -> TokenizedTable:
        """Tokenizes all rows of a table, so any split of it uses the same cache entry."""

        def build(writer: EntryWriter) -> None:
            encoder = _Encoder(self.backend, max_length=max_length, unknown_id=self.unknown_id)
            for block in iterate_texts(table, columns):
                encoder.write(writer, block)
            writer.facts = {"max_type": encoder.max_type}

        key = cache_key("tokens", table.key, columns.text, columns.pair, max_length, self.digest)
        return TokenizedTable.from_entry(cached(key, build))

    @cached_property
    def digest(self) -> str:
        """Identifies the tokenizer in the keys of caches."""
        return file_digest(self.file)

    @cached_property
    def _word_cache(self) -> word_cache.WordCache | None:
        return word_cache.WordCache(self.backend) if word_cache.is_supported(self.backend) else None

    def encode_words(self, words: Sequence[str]) -> list[list[int]]:
        """Returns the token ids of each word, as if it followed a space."""
        if self._word_cache is not None:
            return self._word_cache.encode(words)
        spaced = [f" {word}" for word in words] if self._marks_spaces else list(words)
        return [encoding.ids for encoding in self.backend.encode_batch_fast(spaced, add_special_tokens=False)]

    def encode_text(self, text: str) -> Any:
        """Returns the tokens of a text without special tokens, with `ids` and the `offsets` of their characters."""
        return self.backend.encode(text, add_special_tokens=False)

    @cached_property
    def _marks_spaces(self) -> bool:
        """Returns whether a word has other tokens after a space than at the beginning, as in RoBERTa."""
        return '"ByteLevel"' in json.dumps(json.loads(self.backend.to_str())["pre_tokenizer"])

    def frame(self, *, pairs: bool) -> Frame:
        """Returns the special tokens around texts or text pairs."""
        return Frame.of(self.backend, pairs=pairs)

    def tokens(self, ids: Sequence[int]) -> list[str]:
        return [self.backend.id_to_token(int(i)) for i in ids]


def inputs_of(owners: Ids, rows: Ids) -> tuple[Ids, Ids]:
    """Returns the inputs of some rows of a table, and for each of them the position of its row in `rows`.

    `owners` has the row of each input, in ascending order.
    """
    starts, ends = np.searchsorted(owners, rows), np.searchsorted(owners, rows, side="right")
    sizes = ends - starts
    examples = np.repeat(np.arange(len(rows)), sizes)
    return np.arange(sizes.sum()) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes), examples


# The token ids and token types of one example, and its number of tokens before truncation.
_Encoded = tuple[list[int], list[int], int]


class _Encoder:
    """Encodes blocks of texts or text pairs as a model reads them, and writes them to a cache entry."""

    def __init__(self, backend: Any, *, max_length: int, unknown_id: int | None) -> None:
        self._backend, self._max_length, self._unknown_id = backend, max_length, unknown_id
        self.max_type = 0
        self._words = word_cache.WordCache(backend) if word_cache.is_supported(backend) else None
        self._id_type = np.uint16 if backend.get_vocab_size(with_added_tokens=True) <= 1 << 16 else np.uint32

    def write(self, writer: EntryWriter, block: Sequence[tuple[str, ...]]) -> None:
        ids, types, full_lengths = zip(*self._encode(block), strict=True)
        writer.append("ids", np.fromiter(chain.from_iterable(ids), self._id_type))
        flat_types = np.fromiter(chain.from_iterable(types), np.uint8)
        self.max_type = max(self.max_type, int(flat_types.max(initial=0)))
        writer.append("types", flat_types)
        # Counted here, because a later pass over the mapped ids would bring all of them into memory.
        writer.append("unknown", np.fromiter((row.count(self._unknown_id) for row in ids), np.int32))
        writer.append("lengths", np.fromiter(map(len, ids), np.int32))
        writer.append("full_lengths", np.asarray(full_lengths, np.int64))

    def _encode(self, block: Sequence[tuple[str, ...]]) -> list[_Encoded]:
        if self._words is None:
            return self._encode_texts(block)
        frame = Frame.of(self._backend, pairs=len(block[0]) > 1)
        words = [self._words.encode(texts) for texts in zip(*block, strict=True)]
        rows = [frame.join(parts) for parts in zip(*words, strict=True)]
        # Truncation of pairs has rules of its own, so the tokenizer does it.
        too_long = [row for row, (ids, _, _) in enumerate(rows) if len(ids) > self._max_length]
        for row, encoded in zip(too_long, self._encode_texts([block[row] for row in too_long]), strict=True):
            rows[row] = encoded
        return rows

    def _encode_texts(self, block: Sequence[tuple[str, ...]]) -> list[_Encoded]:
        """Tokenizes each text once, counts its tokens, then truncates and adds special tokens."""
        if not block:
            return []
        size = len(block[0])
        special = self._backend.num_special_tokens_to_add(size > 1)
        parts = self._backend.encode_batch_fast(list(chain.from_iterable(block)), add_special_tokens=False)
        self._backend.enable_truncation(self._max_length)
        try:
            encoded = []
            for start in range(0, len(parts), size):
                texts = parts[start : start + size]
                full_length = special + sum(map(len, texts))
                whole = self._backend.post_process(*texts)
                encoded.append((whole.ids, whole.type_ids, full_length))
            return encoded
        finally:
            self._backend.no_truncation()


class Frame:
    """The special tokens around the texts of an example, such as [CLS] … [SEP] … [SEP], with their token types."""

    def __init__(self, ids: list[int], types: list[int], texts: list[int | None]) -> None:
        positions = [position for position, text in enumerate(texts) if text is not None]
        edges = [-1, *positions, len(ids)]
        self._ids = [ids[left + 1 : right] for left, right in pairwise(edges)]
        self._types = [types[left + 1 : right] for left, right in pairwise(edges)]
        self._text_types = [types[position] for position in positions]

    @classmethod
    def of(cls, backend: Any, *, pairs: bool) -> Frame:
        example = backend.encode("a", "a" if pairs else None)
        return cls(example.ids, example.type_ids, example.sequence_ids)

    @property
    def second_offset(self) -> int:
        """The number of special tokens before the second text of a pair."""
        return len(self._ids[0]) + len(self._ids[1])

    @property
    def offset(self) -> int:
        """The number of special tokens before the first text."""
        return len(self._ids[0])

    def join(self, texts: Sequence[list[int]]) -> _Encoded:
        ids, types = list(self._ids[0]), list(self._types[0])
        for text, text_type, next_ids, next_types in zip(
            texts, self._text_types, self._ids[1:], self._types[1:], strict=True
        ):
            ids += text
            ids += next_ids
            types += [text_type] * len(text)
            types += next_types
        return ids, types, len(ids)
