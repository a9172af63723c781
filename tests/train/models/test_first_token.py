"""First-token optimization, compared with the full last layer."""

import copy
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification

from lossboard.train.models import first_token
from lossboard.train.models.transformers_internals import BERT_LIKE

SIZES = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 40}
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def models(family: str, **settings: Any) -> tuple[Any, Any]:
    """Returns the same model twice: full, and with the optimization."""
    torch.manual_seed(0)
    config = AutoConfig.for_model(family, **SIZES, **settings)
    full = AutoModelForSequenceClassification.from_config(config, attn_implementation="sdpa").train()
    optimized = copy.deepcopy(full)
    first_token.compute_first_token_only(optimized)
    return full, optimized


def batch() -> dict[str, torch.Tensor]:
    """Three texts of different lengths, padded."""
    ids = torch.randint(5, 40, (3, 9), generator=torch.Generator().manual_seed(1))
    mask = torch.tensor([[1] * 9, [1] * 5 + [0] * 4, [1] * 2 + [0] * 7])
    return {"input_ids": ids, "attention_mask": mask}


@pytest.mark.parametrize("family", BERT_LIKE)
@pytest.mark.parametrize("checkpointing", [False, True])
def test_logits_and_gradients_do_not_change(family: str, checkpointing: bool) -> None:
    full, optimized = models(family, **NO_DROPOUT)
    if checkpointing:
        optimized.gradient_checkpointing_enable()
    logits = [model(**batch()).logits for model in (full, optimized)]
    torch.testing.assert_close(logits[1], logits[0])
    for one in logits:
        (one * torch.tensor([1.0, -2.0])).sum().backward()
    for (name, expected), (_, found) in zip(full.named_parameters(), optimized.named_parameters(), strict=True):
        torch.testing.assert_close(found.grad, expected.grad, msg=lambda text, name=name: f"{name}: {text}")


def test_last_layer_computes_one_token() -> None:
    _, optimized = models("bert")
    seen: list[int] = []
    for layer in optimized.bert.encoder.layer:
        layer.intermediate.register_forward_hook(lambda _, args, __: seen.append(args[0].shape[1]))
    optimized(**batch())
    assert seen == [9, 9, 1]


def test_dropout_applies_to_the_attention_of_the_last_layer() -> None:
    _, optimized = models("bert", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.5)
    for layer in optimized.bert.encoder.layer[:-1]:
        layer.eval()
    assert not torch.equal(optimized(**batch()).logits, optimized(**batch()).logits)
    optimized.eval()
    assert torch.equal(optimized(**batch()).logits, optimized(**batch()).logits)


def test_attention_maps_cover_every_layer_and_token() -> None:
    full, optimized = models("bert", **NO_DROPOUT)
    for model in (full, optimized):
        model.set_attn_implementation("eager")
    expected, found = (model(**batch(), output_attentions=True).attentions for model in (full, optimized))
    assert [attention.shape for attention in found] == [(3, 2, 9, 9)] * 3
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)
