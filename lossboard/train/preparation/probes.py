"""Probe texts that the user chose: their attention is logged over the run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lossboard.errors import UsageError
from lossboard.train.data.columns import Columns
from lossboard.train.data.split import Split
from lossboard.train.data.text_list import table_of_texts
from lossboard.train.data.tokenization import EncodedExamples, Tokenizer

MAX_PROBES = 100


def read_probes(file: Path, tokenizer: Tokenizer, *, max_length: int) -> EncodedExamples:
    """Returns the texts of a file with one text per line, or one pair with a tab between its texts."""
    try:
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Cannot read the probe texts in {file}: {error}") from error
    if not 0 < len(lines) <= MAX_PROBES:
        raise UsageError(f"{file} has {len(lines)} probe texts. --probe-texts needs a file with 1 to {MAX_PROBES}.")
    pairs = [tuple(line.split("\t", 1)) for line in lines]
    if len({len(pair) for pair in pairs}) > 1:
        raise UsageError(f"{file} has lines with and without a tab. Probes are either all texts or all pairs.")
    has_pairs = len(pairs[0]) > 1
    table = table_of_texts([(first, second) for first, second in pairs] if has_pairs else lines)
    rows, no_keys = np.arange(len(table)), np.zeros(len(table), np.uint64)
    columns = Columns("text", "pair" if has_pairs else None, ())
    split = Split("probes", table, columns, rows, np.zeros(len(table), np.int64), no_keys)
    return tokenizer.encode(split, max_length=max_length)
