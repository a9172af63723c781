"""The last layer computed for its first token alone, against the whole of it."""

import copy
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification

from lossboard.train.models import first_token

SIZES = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 40}
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def models(family: str, **settings: Any) -> tuple[Any, Any]:
    """One model twice: whole, and sparing."""
    torch.manual_seed(0)
    config = AutoConfig.for_model(family, **SIZES, **settings)
    whole = AutoModelForSequenceClassification.from_config(config, attn_implementation="sdpa").train()
    sparing = copy.deepcopy(whole)
    first_token.compute_first_token_only(sparing)
    return whole, sparing


def batch() -> dict[str, torch.Tensor]:
    """Three texts of different lengths, padded."""
    ids = torch.randint(5, 40, (3, 9), generator=torch.Generator().manual_seed(1))
    mask = torch.tensor([[1] * 9, [1] * 5 + [0] * 4, [1] * 2 + [0] * 7])
    return {"input_ids": ids, "attention_mask": mask}


@pytest.mark.parametrize("family", first_token._LIKE_BERT)
@pytest.mark.parametrize("checkpointing", [False, True])
def test_the_same_logits_and_gradients(family: str, checkpointing: bool) -> None:
    whole, sparing = models(family, **NO_DROPOUT)
    if checkpointing:
        sparing.gradient_checkpointing_enable()
    logits = [model(**batch()).logits for model in (whole, sparing)]
    torch.testing.assert_close(logits[1], logits[0])
    for one in logits:
        (one * torch.tensor([1.0, -2.0])).sum().backward()
    for (name, expected), (_, found) in zip(whole.named_parameters(), sparing.named_parameters(), strict=True):
        torch.testing.assert_close(found.grad, expected.grad, msg=lambda text, name=name: f"{name}: {text}")


def test_the_last_layer_is_computed_for_one_token() -> None:
    _, sparing = models("bert")
    seen: list[int] = []
    for layer in sparing.bert.encoder.layer:
        layer.intermediate.register_forward_hook(lambda _, args, __: seen.append(args[0].shape[1]))
    sparing(**batch())
    assert seen == [9, 9, 1]


def test_dropout_falls_on_the_attention_of_the_last_layer_too() -> None:
    _, sparing = models("bert", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.5)
    for layer in sparing.bert.encoder.layer[:-1]:
        layer.eval()
    assert not torch.equal(sparing(**batch()).logits, sparing(**batch()).logits)
    sparing.eval()
    assert torch.equal(sparing(**batch()).logits, sparing(**batch()).logits)


def test_attention_maps_are_of_every_layer_and_token() -> None:
    whole, sparing = models("bert", **NO_DROPOUT)
    for model in (whole, sparing):
        model.set_attn_implementation("eager")
    expected, found = (model(**batch(), output_attentions=True).attentions for model in (whole, sparing))
    assert [attention.shape for attention in found] == [(3, 2, 9, 9)] * 3
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)
