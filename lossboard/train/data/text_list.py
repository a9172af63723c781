"""Texts and text pairs of Python as a table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lossboard.train.data.table import Table


def table_of_texts(texts: Sequence[str] | Sequence[tuple[str, str]]) -> Table:
    """Returns a table with the columns `text` and, for pairs, `pair`.

    Its key is the content, so the same texts are tokenized once.
    """
    pairs = [(text,) if isinstance(text, str) else tuple(text) for text in texts]
    columns: dict[str, Sequence[Any]] = dict(zip(("text", "pair"), map(list, zip(*pairs, strict=True)), strict=False))
    key = hashlib.sha256(json.dumps(pairs).encode()).hexdigest()
    return Table(Path("texts"), columns, np.arange(1, len(pairs) + 1), key, "item")
