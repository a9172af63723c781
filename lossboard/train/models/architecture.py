"""Architecture: the sizes of a model, read from the `config.json` of its checkpoint."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lossboard.errors import UsageError

# DistilBERT uses other names for the same sizes.
_OTHER_NAMES = {
    "num_hidden_layers": "n_layers",
    "hidden_size": "dim",
    "num_attention_heads": "n_heads",
    "intermediate_size": "hidden_dim",
    "hidden_dropout_prob": "dropout",
    "attention_probs_dropout_prob": "attention_dropout",
}
# RoBERTa counts positions from pad_token_id + 1, so it never uses the positions below that.
_POSITIONS_AFTER_PAD = ("roberta", "xlm-roberta", "camembert", "xlm-roberta-xl")


@dataclass(frozen=True)
class Architecture:
    """The sizes of a BERT-family encoder."""

    model_type: str
    layers: int
    hidden: int
    heads: int
    intermediate: int
    vocab_size: int
    positions: int
    types: int
    pad_id: int | None
    dropout: float
    attention_dropout: float

    @property
    def max_length(self) -> int:
        """Maximum input length in tokens."""
        return self.positions - (self.pad_id or 0) - 1 if self.model_type in _POSITIONS_AFTER_PAD else self.positions

    @property
    def embedding_parameters(self) -> int:
        return self.hidden * (self.vocab_size + self.positions + self.types + 2)

    @property
    def layer_parameters(self) -> int:
        h, i = self.hidden, self.intermediate
        return 4 * (h * h + h) + (h * i + i) + (i * h + h) + 4 * h

    def parameters(self, *, classes: int) -> int:
        """Returns the number of weights: embeddings, layers, the dense layer before the head, the head."""
        head = self.hidden * self.hidden + self.hidden + classes * (self.hidden + 1)
        return self.embedding_parameters + self.layers * self.layer_parameters + head


def read_architecture(folder: Path) -> Architecture:
    """Reads the sizes from `folder/config.json`."""
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path}: cannot be read ({error}). Use a checkpoint directory in Hugging Face format."
        ) from error
    return Architecture(
        model_type=str(config.get("model_type", "bert")),
        layers=_number(config, path, "num_hidden_layers"),
        hidden=_number(config, path, "hidden_size"),
        heads=_number(config, path, "num_attention_heads"),
        intermediate=_number(config, path, "intermediate_size"),
        vocab_size=_number(config, path, "vocab_size"),
        positions=_number(config, path, "max_position_embeddings"),
        types=int(config.get("type_vocab_size", 0)),
        pad_id=config.get("pad_token_id"),
        dropout=float(_value(config, "hidden_dropout_prob") or 0.0),
        attention_dropout=float(_value(config, "attention_probs_dropout_prob") or 0.0),
    )


def _value(config: dict[str, Any], name: str) -> Any:
    return config.get(name, config.get(_OTHER_NAMES.get(name, name)))


def _number(config: dict[str, Any], path: Path, name: str) -> int:
    value = _value(config, name)
    if not isinstance(value, int) or value <= 0:
        raise UsageError(f"{path}: {name} is {value!r}, expected a positive number. Use a BERT-family checkpoint.")
    return value
