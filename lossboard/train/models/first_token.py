"""A classifier reads the first token of the last layer alone, so only that one is computed there.

The same numbers for less work: the other tokens still give it keys and values, but no query, no mixing and no
feed-forward of theirs. Of six layers this spares a seventh of all arithmetic, of twelve a fourteenth.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from lossboard.train.models.architecture import Architecture

_LIKE_BERT = ("bert", "roberta", "xlm-roberta", "camembert", "electra")


def is_supported(sizes: Architecture) -> bool:
    """Whether the head reads the first token alone, and the modules have BERT's names."""
    return sizes.model_type in _LIKE_BERT


def compute_first_token_only(model: Any) -> None:
    """Makes the model's last layer compute its first token alone, except where attention maps are asked for."""
    last = model.base_model.encoder.layer[-1]
    last.forward = partial(_forward, last, last.forward)


def _forward(layer: Any, whole: Any, hidden: torch.Tensor, mask: torch.Tensor | None, *args: Any, **kwargs: Any) -> Any:
    if layer.attention.self.config._attn_implementation != "sdpa":
        return whole(hidden, mask, *args, **kwargs)
    first = hidden[:, :1]
    return layer.feed_forward_chunk(layer.attention.output(_mix(layer.attention.self, first, hidden, mask), first))


def _mix(attention: Any, first: torch.Tensor, hidden: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    from torch.nn.functional import scaled_dot_product_attention

    def by_head(tokens: torch.Tensor) -> torch.Tensor:
        return tokens.view(*tokens.shape[:2], attention.num_attention_heads, -1).transpose(1, 2)

    mixed = scaled_dot_product_attention(
        by_head(attention.query(first)),
        by_head(attention.key(hidden)),
        by_head(attention.value(hidden)),
        attn_mask=None if mask is None else mask[..., :1, :],
        dropout_p=attention.dropout.p if attention.training else 0.0,
    )
    return mixed.transpose(1, 2).flatten(2)
