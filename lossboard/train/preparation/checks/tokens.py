"""Checks of the tokenized texts, of the tokenizer against the model, and of its weights. They need a checkpoint."""

from collections.abc import Callable
from functools import wraps

import numpy as np

from lossboard.findings import Severity
from lossboard.train.preparation.checks.base import MAX_LOCATIONS, Check, Observation, check, examples, observe_if
from lossboard.train.preparation.checks.context import CheckContext, Checkpoint

TokenCheck = Callable[[CheckContext, Checkpoint], Observation | None]


def token_check(code: str, *, why: str, advice: str) -> Callable[[TokenCheck], Check]:
    def register(token_check: TokenCheck) -> Check:
        @wraps(token_check)
        def run(context: CheckContext) -> Observation | None:
            return token_check(context, context.checkpoint) if context.checkpoint else None

        return check(code, why=why, advice=advice)(run)

    return register


@token_check(
    "truncated",
    why="The model never sees the truncated tokens, neither in training nor in use.",
    advice="Raise --max-length if the end of a text matters.",
)
def truncated(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """Examples longer than --max-length, the share of tokens lost, and the cost of keeping nearly all of them."""
    lengths, limit = checkpoint.train.lengths, context.max_length
    cut = lengths > limit
    if not cut.any():
        return None
    lost = (lengths - limit)[cut].sum() / lengths.sum()
    longest = min(checkpoint.architecture.max_length, int(np.ceil(np.quantile(lengths, 0.99) / 8) * 8))
    whole = (lengths <= longest).mean()
    cost = np.minimum(lengths, longest).sum() / np.minimum(lengths, limit).sum()
    message = f"{cut.mean():.1%} of the training set is truncated to {limit} tokens, losing {lost:.1%} of all tokens."
    if longest > limit:
        message += f" --max-length {longest} would keep {whole:.1%} whole for {cost:.2f}× the tokens."
    evidence = {"truncated_share": float(cut.mean()), "lost_share": float(lost)}
    return Observation("warning" if cut.mean() > 0.05 else "note", message, evidence=evidence)


@token_check(
    "text-long",
    why="The first lines rarely determine the label of a whole document.",
    advice="Split long documents into passages, or keep the part that determines the label.",
)
def text_long(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """Texts with more than four times --max-length tokens."""
    long = np.flatnonzero(checkpoint.train.lengths > 4 * context.max_length)
    locations = context.data.train.locations(checkpoint.train.examples[long])
    message = f"{examples(len(long))} of the training set have more than {4 * context.max_length} tokens."
    return observe_if(len(long), "warning", message, locations, examples=len(long))


@token_check(
    "unknown-tokens",
    why=(
        "To the model, all unknown words are the same word. Many of them indicate another language or another "
        "model's tokenizer."
    ),
    advice="Use the tokenizer that came with the checkpoint, and a checkpoint for this language.",
)
def unknown_tokens(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """More than 0.5 % of tokens that are not in the vocabulary."""
    tokens = checkpoint.train
    share = tokens.unknown.sum() / max(1, tokens.kept.sum())
    worst = np.argsort(-tokens.unknown, kind="stable")[:MAX_LOCATIONS]
    locations = (
        f"{context.data.train.location(tokens.examples[row])}: {tokens.unknown[row]} of {tokens.kept[row]} tokens"
        for row in worst
    )
    severity: Severity = "error" if share > 0.1 else "warning"
    return observe_if(
        share > 0.005, severity, f"{share:.1%} of the training tokens are unknown.", locations, share=float(share)
    )


@token_check(
    "vocabulary-mismatch",
    why="An id outside the embedding table stops training with an index error. Ids of other words train on nonsense.",
    advice="Use the tokenizer.json that came with the checkpoint.",
)
def vocabulary_mismatch(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """A tokenizer whose ids exceed the model's embedding table, or use too little of it."""
    model, tokenizer = checkpoint.architecture, checkpoint.vocabulary
    if tokenizer.max_id >= model.vocab_size:
        return Observation(
            "error", f"The tokenizer has ids up to {tokenizer.max_id}, but the model has {model.vocab_size} embeddings."
        )
    few = tokenizer.size < 0.9 * model.vocab_size
    return observe_if(
        few, "warning", f"The tokenizer has {tokenizer.size} tokens, but the model has {model.vocab_size} embeddings."
    )


@token_check(
    "special-tokens",
    why="BERT classifies from [CLS], separates texts with [SEP] and masks padding with [PAD].",
    advice="Use the tokenizer.json that came with the checkpoint.",
)
def special_tokens(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """A tokenizer without the special tokens that BERT was trained with."""
    missing = checkpoint.vocabulary.missing_specials
    return observe_if(missing, "error", f"The tokenizer has no {', '.join(missing)}.")


@token_check(
    "pad-id",
    why="If the mask is missing, every padded position trains the embedding of a real word.",
    advice="Set pad_token_id in config.json to the tokenizer's id of [PAD].",
)
def pad_id(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """A pad id in the model's config that differs from the tokenizer's."""
    model, tokenizer = checkpoint.architecture.pad_id, checkpoint.vocabulary.pad_id
    differ = model is not None and tokenizer is not None and model != tokenizer
    return observe_if(differ, "error", f"The pad id is {model} in config.json, but {tokenizer} in the tokenizer.")


@token_check(
    "position-range",
    why="The model has no embeddings for the extra positions, so the forward pass fails.",
    advice="Lower --max-length.",
)
def position_range(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """A --max-length greater than the model's number of positions."""
    limit = checkpoint.architecture.max_length
    return observe_if(
        context.max_length > limit,
        "error",
        f"--max-length is {context.max_length}, but the model has {limit} positions.",
    )


@token_check(
    "pair-types",
    why="The second text has token type 1. A model without that type fails or cannot tell the two texts apart.",
    advice="Use a checkpoint with type_vocab_size 2, as BERT has, or the checkpoint's own tokenizer.json.",
)
def pair_types(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """Token types that the model has no embedding for."""
    types = max(checkpoint.train.max_type, checkpoint.validation.max_type) + 1
    have = checkpoint.architecture.types
    return observe_if(
        have and types > have, "error", f"The tokenizer produces {types} token types, but the model has {have}."
    )


@token_check(
    "weights-non-finite",
    why="One NaN makes every output of the model NaN, so no step can change the weights.",
    advice="Use another checkpoint. If a training wrote this one, use an earlier checkpoint of it.",
)
def weights_non_finite(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """Weights of the checkpoint that contain NaN or infinity."""
    names = checkpoint.non_finite_weights
    message = f"{len(names)} weights of the checkpoint contain NaN or infinity."
    return observe_if(names, "error", message, names, weights=len(names))
