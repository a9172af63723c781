"""Tokenization with the checkpoint's own `tokenizer.json`. The same for both engines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lossboard.errors import UsageError
from lossboard.train.data.batches import Ids, Padded, pad


@dataclass(frozen=True)
class EncodedExamples:
    """Examples as token ids, without padding."""

    ids: list[Ids]
    types: list[Ids]
    labels: Ids
    full_lengths: list[int]  # before truncation
    pad_id: int

    @cached_property
    def lengths(self) -> list[int]:
        return [len(row) for row in self.ids]

    def __len__(self) -> int:
        return len(self.ids)

    def padded(self, indices: Ids) -> Padded:
        return pad([self.ids[i] for i in indices], [self.types[i] for i in indices], pad_id=self.pad_id)


class Tokenizer:
    """The tokenizer of a checkpoint, without the padding and truncation that some files contain."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer as Backend

        file = folder / "tokenizer.json"
        if not file.is_file():
            raise UsageError(f"{folder} has no tokenizer.json. Save one there with tokenizer.save_pretrained(folder).")
        self.backend: Any = Backend.from_file(str(file))
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

    def encode(
        self, texts: Sequence[str], pairs: Sequence[str] | None, labels: Sequence[int], *, max_length: int
    ) -> EncodedExamples:
        inputs: list[Any] = list(texts) if pairs is None else list(zip(texts, pairs, strict=True))
        full = [len(e.ids) for e in self.backend.encode_batch_fast(inputs)]
        self.backend.enable_truncation(max_length)
        try:
            encodings = self.backend.encode_batch_fast(inputs)
        finally:
            self.backend.no_truncation()
        return EncodedExamples(
            ids=[np.asarray(e.ids, np.int64) for e in encodings],
            types=[np.asarray(e.type_ids, np.int64) for e in encodings],
            labels=np.asarray(labels, np.int64),
            full_lengths=full,
            pad_id=self.pad_id,
        )

    def tokens(self, ids: Sequence[int]) -> list[str]:
        return [self.backend.id_to_token(int(i)) for i in ids]
