"""Heads: the last layer of a model, as transformers defines it for each kind of task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HeadName = Literal["text", "token", "span"]


@dataclass(frozen=True)
class Head:
    """A head of transformers. Both engines write checkpoints that it can load."""

    model_class: str  # the end of its class names, e.g. of BertForSequenceClassification
    weight: str  # the name of its weights in a checkpoint
    lora_task: str  # its name in peft
    reads_every_token: bool


HEADS: dict[HeadName, Head] = {
    # One output for a text, computed from its first token.
    "text": Head("ForSequenceClassification", "classifier", "SEQ_CLS", reads_every_token=False),
    # One output for each token.
    "token": Head("ForTokenClassification", "classifier", "TOKEN_CLS", reads_every_token=True),
    # Two outputs for each token: how well a span starts and ends there.
    "span": Head("ForQuestionAnswering", "qa_outputs", "QUESTION_ANS", reads_every_token=True),
}
