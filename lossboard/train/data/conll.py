"""CoNLL files: one token per line with its tag in the last column, and an empty line after each sentence.

The token is the first column. Columns between them, such as parts of speech, are ignored, as are lines that start with
`-DOCSTART-`. Columns are separated by tabs or spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TextIO

from lossboard.errors import DataError
from lossboard.train.data.table import CHUNK_ROWS, Chunk, RowStream

SUFFIXES = (".conll", ".bio", ".iob", ".iob2")
TOKENS, TAGS = "tokens", "tags"
# Lines that tell whether a file of another name is a CoNLL file.
SAMPLE_LINES = 200
TAG = re.compile(r"O|[BIESLU]-\S+")


def is_conll(lines: TextIO) -> bool:
    """Returns whether the first lines look like tokens with tags: B-PER, I-PER, O."""
    sample = [line.split() for line in islice(lines, SAMPLE_LINES)]
    filled = [fields for fields in sample if fields and not fields[0].startswith("-DOCSTART-")]
    return bool(filled) and all(len(fields) > 1 and TAG.fullmatch(fields[-1]) for fields in filled)


def conll_stream(path: Path, lines: Iterable[str]) -> RowStream:
    return RowStream(_chunks(_sentences(path, lines)))


_Sentence = tuple[int, list[str], list[str]]


def _chunks(sentences: Iterator[_Sentence]) -> Iterator[Chunk]:
    while chunk := list(islice(sentences, CHUNK_ROWS)):
        numbers, tokens, tags = zip(*chunk, strict=True)
        yield Chunk({TOKENS: tokens, TAGS: tags}, numbers)


def _sentences(path: Path, lines: Iterable[str]) -> Iterator[_Sentence]:
    """Yields the number of the first line, the tokens and the tags of each sentence."""
    first, tokens, tags = 0, list[str](), list[str]()
    for number, line in enumerate(lines, start=1):
        fields = line.split("\t") if "\t" in line else line.split()
        fields = [field.strip() for field in fields]
        if not any(fields) or fields[0].startswith("-DOCSTART-"):
            if tokens:
                yield first, tokens, tags
                tokens, tags = [], []
            continue
        if len(fields) < 2:
            raise DataError(f"{path}, line {number}: a token without a tag. Each line needs a token and its tag.")
        first = first if tokens else number
        tokens.append(fields[0])
        tags.append(fields[-1])
    if tokens:
        yield first, tokens, tags
