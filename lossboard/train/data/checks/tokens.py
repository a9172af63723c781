"""Checks of the texts as tokens, and of the tokenizer against the model. Silent without a checkpoint."""

from collections.abc import Callable
from functools import wraps

import numpy as np

from lossboard.train.data.checks.base import MAX_PLACES, Check, Observation, Severity, check, examples, observe_if
from lossboard.train.data.checks.context import CheckContext, Checkpoint

Look = Callable[[CheckContext, Checkpoint], Observation | None]


def token_check(code: str, *, why: str, advice: str) -> Callable[[Look], Check]:
    def register(look: Look) -> Check:
        @wraps(look)
        def run(context: CheckContext) -> Observation | None:
            return look(context, context.checkpoint) if context.checkpoint else None

        return check(code, why=why, advice=advice)(run)

    return register


@token_check(
    "truncated",
    why="What is cut off is not seen, in training or after.",
    advice="Raise --max-length if the end of a text matters.",
)
def truncated(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """Examples longer than max_length, how much of them is lost, and what keeping nearly all would cost."""
    lengths, limit = checkpoint.train.lengths, context.max_length
    cut = lengths > limit
    if not cut.any():
        return None
    lost = (lengths - limit)[cut].sum() / lengths.sum()
    longest = min(checkpoint.architecture.max_length, int(np.ceil(np.quantile(lengths, 0.99) / 8) * 8))
    whole = (lengths <= longest).mean()
    cost = np.minimum(lengths, longest).sum() / np.minimum(lengths, limit).sum()
    what = f"{cut.mean():.1%} of train is cut at {limit} tokens, losing {lost:.1%} of all tokens."
    if longest > limit:
        what += f" --max-length {longest} would keep {whole:.1%} whole for {cost:.2f}× the tokens."
    return Observation("warning" if cut.mean() > 0.05 else "note", what)


@token_check(
    "text-long",
    why="A label for a whole document can rarely be told from its first lines.",
    advice="Split long documents into passages, or keep the part that decides.",
)
def text_long(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """Texts of more than four times max_length tokens."""
    long = np.flatnonzero(checkpoint.train.lengths > 4 * context.max_length)
    places = (context.data.train.locations[row] for row in long)
    return observe_if(
        len(long), "warning", f"{examples(len(long))} of train are over {4 * context.max_length} tokens.", places
    )


@token_check(
    "unknown-tokens",
    why="All unknown words are one word to the model; many mean another language or another model's tokenizer.",
    advice="Use the tokenizer that came with the checkpoint, and a checkpoint for this language.",
)
def unknown_tokens(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """More than half a percent of tokens that the vocabulary does not have."""
    tokens = checkpoint.train
    share = tokens.unknown.sum() / max(1, tokens.kept.sum())
    worst = np.argsort(-tokens.unknown, kind="stable")[:MAX_PLACES]
    places = (
        f"{context.data.train.locations[row]}: {tokens.unknown[row]} of {tokens.kept[row]} tokens" for row in worst
    )
    severity: Severity = "error" if share > 0.1 else "warning"
    return observe_if(share > 0.005, severity, f"{share:.1%} of the training tokens are unknown.", places)


@token_check(
    "vocabulary-mismatch",
    why="An id beyond the embedding table ends training with an index error; other words' ids train on nonsense.",
    advice="Use the tokenizer.json that came with the checkpoint.",
)
def vocabulary_mismatch(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """A tokenizer whose ids do not fit in the model's embedding table, or fill little of it."""
    model, tokenizer = checkpoint.architecture, checkpoint.vocabulary
    if tokenizer.max_id >= model.vocab_size:
        return Observation(
            "error", f"The tokenizer has ids up to {tokenizer.max_id}, the model {model.vocab_size} embeddings."
        )
    few = tokenizer.size < 0.9 * model.vocab_size
    return observe_if(
        few, "warning", f"The tokenizer has {tokenizer.size} tokens, the model {model.vocab_size} embeddings."
    )


@token_check(
    "special-tokens",
    why="BERT classifies from [CLS], tells texts apart by [SEP] and hides padding by [PAD].",
    advice="Use the tokenizer.json that came with the checkpoint.",
)
def special_tokens(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """A tokenizer without the special tokens that BERT was trained with."""
    missing = checkpoint.vocabulary.missing_specials
    return observe_if(missing, "error", f"The tokenizer has no {', '.join(missing)}.")


@token_check(
    "pad-id",
    why="Padding with a real word's id trains that word's embedding on every pad where the mask is forgotten.",
    advice="Make pad_token_id in config.json the id of [PAD] in the tokenizer.",
)
def pad_id(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """A pad id in the model's config that is not the tokenizer's."""
    model, tokenizer = checkpoint.architecture.pad_id, checkpoint.vocabulary.pad_id
    differ = model is not None and tokenizer is not None and model != tokenizer
    return observe_if(differ, "error", f"config.json pads with id {model}, the tokenizer with {tokenizer}.")


@token_check(
    "position-range",
    why="There is no position embedding beyond the model's last: the forward pass fails.",
    advice="Lower --max-length.",
)
def position_range(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """A max_length beyond the model's positions."""
    limit = checkpoint.architecture.max_length
    return observe_if(
        context.max_length > limit,
        "error",
        f"--max-length is {context.max_length}, the model has {limit} positions.",
    )


@token_check(
    "pair-types",
    why="The second text is marked by token type 1; a model without that type fails or cannot tell the texts apart.",
    advice="Use a checkpoint with type_vocab_size 2, as BERT has, or its own tokenizer.json.",
)
def pair_types(context: CheckContext, checkpoint: Checkpoint) -> Observation | None:
    """Token types that the model has no embedding for."""
    types = max(checkpoint.train.max_type, checkpoint.validation.max_type) + 1
    have = checkpoint.architecture.types
    return observe_if(
        have and types > have, "error", f"The tokenizer marks {types} types of text, the model has {have}."
    )
