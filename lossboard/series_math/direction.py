"""Guess whether small or large values of a metric are better, from the words in its tag."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Direction: TypeAlias = Literal["min", "max"]

_SMALL = re.compile("bpb|bpc|cer|err|error|fid|loss|mae|mape|mse|nll|perplexity|ppl|rmse|wer")
_LARGE = re.compile(
    "acc|accuracy|auc|auprc|auroc|bleu|dice|f1|iou|map|mcc|precision|psnr|r2|recall|return|reward|rouge|score"
)
_NEUTRAL = re.compile("count|lr|num|rate|scale|size|steps?|time|weight")
"""Last words of tags that say something about training and not about the model, such as `loss_scale`."""


def guess_direction(tag: str) -> Direction | None:
    """Returns which values are better, or None if the tag does not tell."""
    words = re.findall(r"[a-z]+\d*", tag.lower().replace("error_rate", "error"))
    known = [word for word in words if _SMALL.fullmatch(word) or _LARGE.fullmatch(word)]
    if not known or _NEUTRAL.fullmatch(words[-1]):
        return None
    return "min" if _SMALL.fullmatch(known[-1]) else "max"
