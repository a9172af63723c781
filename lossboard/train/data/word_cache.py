"""Tokenization word by word with a cache of words, for BERT's tokenizers: several times faster than text by text.

BERT's tokenizers treat each word between two spaces alone: their normalizer works on single characters, they split at
whitespace and punctuation, and WordPiece sees one word at a time. So the tokens of a text are the tokens of its words,
and the words of a language repeat. `is_supported` tells whether a tokenizer works like this, and a test compares both
ways on arbitrary texts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

# Bounds the memory of the cache, about 50 MB. Texts with many rare words start it over.
MAX_WORDS = 1 << 18


def is_supported(backend: Any) -> bool:
    """Returns whether the tokens of a text are the tokens of its words."""
    settings = json.loads(backend.to_str())
    parts = [(settings[name] or {}).get("type") for name in ("normalizer", "pre_tokenizer", "model")]
    return parts == ["BertNormalizer", "BertPreTokenizer", "WordPiece"] and all(
        " " not in token["content"] and not (token["lstrip"] or token["rstrip"] or token["single_word"])
        for token in settings["added_tokens"]
    )


class WordCache:
    """Token ids of the words that were seen."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self._ids: dict[str, list[int]] = {}

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Returns the token ids of the texts, without special tokens and without truncation."""
        # Only plain spaces. Other whitespace stays inside of a word, and the tokenizer splits it there.
        split = [text.split(" ") for text in texts]
        self._add(set(chain.from_iterable(split)))
        ids = self._ids
        return [list(chain.from_iterable([ids[word] for word in words])) for words in split]

    def _add(self, words: set[str]) -> None:
        if len(self._ids) + len(words) > MAX_WORDS:
            self._ids.clear()
        new = [word for word in words if word not in self._ids]
        encodings = self._backend.encode_batch_fast(new, add_special_tokens=False)
        self._ids.update(zip(new, (encoding.ids for encoding in encodings), strict=True))
