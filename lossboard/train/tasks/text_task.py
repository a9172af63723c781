"""What the tasks with one label for a whole text, or for a text pair, have in common."""

from __future__ import annotations

from typing import ClassVar

from lossboard.train.data.columns import Columns, GivenColumns, choose_text_columns
from lossboard.train.data.split import Split
from lossboard.train.data.table import Table
from lossboard.train.data.tokenization import EncodedExamples, Tokenizer
from lossboard.train.models.heads import HeadName


class TextTask:
    """A part of classification, regression and multi-label."""

    head: ClassVar[HeadName] = "text"
    takes_objects: ClassVar[bool] = False
    shares_pairs: ClassVar[bool] = False

    @classmethod
    def choose_inputs(cls, table: Table, given: GivenColumns) -> Columns:
        return choose_text_columns(table, given)

    def encode(self, tokenizer: Tokenizer, split: Split, *, max_length: int) -> EncodedExamples:
        return tokenizer.encode(split, max_length=max_length)
