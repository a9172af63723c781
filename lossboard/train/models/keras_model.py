"""Keras model: KerasHub's BERT with the head of a task, and with weights in the format of Hugging Face checkpoints.

One table maps each tensor of a checkpoint to its Keras variable, so both engines can load each other's checkpoints.
KerasHub's BERT always uses the tanh approximation of GELU. It is replaced by the exact one, which BERT was trained
with. A test compares the logits with torch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lossboard.errors import UsageError
from lossboard.train.config import Config
from lossboard.train.models.architecture import Architecture, read_architecture
from lossboard.train.models.heads import HEADS, HeadName
from lossboard.train.models.keras_internals import layer_parts
from lossboard.train.models.layers import frozen_parts, layer_of
from lossboard.train.models.own_parts import OWN_PREFIX
from lossboard.train.models.tensorflow_import import keras, keras_hub
from lossboard.train.precision import TRAITS, Precision

Array = npt.NDArray[Any]
# The weights of the heads, which are new for each task.
_HEADS = ("classifier.", "qa_outputs.", OWN_PREFIX)
# A checkpoint may lack these. Not every model was published with the last one.
_MAY_BE_NEW = (*_HEADS, "bert.pooler.")


@dataclass(frozen=True)
class Weight:
    """A variable and its name in the checkpoint. `inputs` is set for matrices, which are stored transposed."""

    name: str
    variable: Any
    inputs: int | None = None
    is_own: bool = False  # of an own head or model, whose weights are stored as they are

    @property
    def is_matrix(self) -> bool:
        """Whether the weight decays. Keras stores some vectors of BERT as matrices."""
        if self.is_own:
            return len(self.variable.shape) > 1
        return self.inputs is not None or "_embeddings." in self.name

    def to_keras(self, stored: Array) -> Array:
        return np.reshape(stored if self.inputs is None else stored.T, self.variable.shape)

    def to_checkpoint(self, value: Array) -> Array:
        if self.inputs is not None:
            return np.ascontiguousarray(np.reshape(value, (self.inputs, -1)).T)
        is_table = "embeddings" in self.name and value.ndim == 2
        return value if is_table or self.is_own else np.reshape(value, -1)


def own_weights(part: Any) -> list[Weight]:
    """Returns the weights of an own head or model. Numbers name them, because Keras counts up names in a process."""
    return [Weight(f"{OWN_PREFIX}{index}", variable, is_own=True) for index, variable in enumerate(part.weights)]


class Classifier:
    """A BERT encoder with a head: `model` maps token ids, types and mask to (logits, embedding of the first token)."""

    def __init__(
        self,
        sizes: Architecture,
        *,
        classes: int,
        dropout: float,
        precision: Precision,
        approximate_gelu: bool,
        head: HeadName = "text",
        own_head: Any = None,
    ) -> None:
        policy = TRAITS[precision].keras_policy
        self.encoder: Any = keras_hub.models.BertBackbone(
            vocabulary_size=sizes.vocab_size,
            num_layers=sizes.layers,
            num_heads=sizes.heads,
            hidden_dim=sizes.hidden,
            intermediate_dim=sizes.intermediate,
            dropout=dropout,
            max_sequence_length=sizes.positions,
            num_segments=sizes.types,
            dtype=policy,
        )
        if not approximate_gelu:
            for layer in self.encoder.transformer_layers:
                layer_parts(layer).intermediate.activation = _exact_gelu
        self.features = sizes.hidden  # the size of what the head reads of a text
        self.head: Any = own_head or keras.layers.Dense(
            classes, kernel_initializer=keras.initializers.RandomNormal(stddev=0.02), dtype="float32", name="logits"
        )
        read, first = self._head_input(head)
        # transformers has no dropout before this head.
        dropped = read if head == "span" else keras.layers.Dropout(dropout, dtype=policy, name="head_dropout")(read)
        self.model: Any = keras.Model(self.encoder.input, (self.head(dropped), first))
        of_head = _linear(HEADS[head].weight, self.head, sizes.hidden) if own_head is None else own_weights(own_head)
        self.weights = [*_encoder_weights(self.encoder, sizes, head), *of_head]

    def _head_input(self, head: HeadName) -> tuple[Any, Any]:
        """Returns what the head reads, and the embedding of the first token."""
        if HEADS[head].reads_every_token:
            tokens = self.encoder.output["sequence_output"]
            return tokens, tokens[:, 0]
        pooled = self.encoder.output["pooled_output"]
        return pooled, pooled

    def trainable(self, config: Config) -> list[Weight]:
        """Returns the weights that are not frozen."""
        frozen = frozen_parts(config)
        return [w for w in self.weights if w.variable.trainable and layer_of(w.name) not in frozen]

    def load(self, tensors: Mapping[str, Array]) -> None:
        """Loads the tensors of a checkpoint. A head for another number of classes is not loaded."""
        stored = {_modern_name(name): tensor for name, tensor in tensors.items()}
        for weight in self.weights:
            tensor = stored.get(weight.name)
            if tensor is None or (weight.name.startswith(_HEADS) and tensor.size != np.prod(weight.variable.shape)):
                if not weight.name.startswith(_MAY_BE_NEW):
                    raise UsageError(f"The checkpoint has no {weight.name}. Use a BERT checkpoint.")
                continue
            weight.variable.assign(weight.to_keras(tensor))

    def tensors(self) -> dict[str, Array]:
        """Returns all weights in the format of the checkpoint."""
        return {weight.name: weight.to_checkpoint(array_of(weight.variable)) for weight in self.weights}

    def attention(self, ids: Array, types: Array) -> Array:
        """Returns the attention of one text: (layer, head, from, to)."""
        tokens = self.encoder.token_embedding(ids)
        x = (tokens, self.encoder.position_embedding(tokens), self.encoder.segment_embedding(types))
        x = self.encoder.embeddings_layer_norm(self.encoder.embeddings_add(x))
        maps = []
        for layer in self.encoder.transformer_layers:
            x, scores = layer(x, padding_mask=np.ones_like(ids), return_attention_scores=True)
            maps.append(array_of(scores).astype(np.float32)[0])
        return np.stack(maps)


def load_classifier(
    folder: Path, config: Config, *, classes: int, head: HeadName = "text", own_head: Any = None
) -> Classifier:
    """Returns the checkpoint in `folder` with a new head initialized from the seed, or with an own head."""
    _check_supported(config)
    sizes = read_architecture(folder)
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if sizes.model_type != "bert":
        raise UsageError(
            f"{folder} is a {sizes.model_type} model, but the TensorFlow engine supports only bert. Use --engine torch."
        )
    keras.utils.set_random_seed(config.seed)
    classifier = Classifier(
        sizes,
        classes=classes,
        dropout=sizes.dropout if config.dropout is None else config.dropout,
        precision=config.precision,
        approximate_gelu=settings.get("hidden_act", "gelu") in ("gelu_new", "gelu_pytorch_tanh"),
        head=head,
        own_head=own_head,
    )
    classifier.load(read_tensors(sorted(folder.glob("*.safetensors"))))
    return classifier


def read_tensors(files: Sequence[Path]) -> dict[str, Array]:
    from safetensors.numpy import load_file

    return {name: tensor for file in files for name, tensor in load_file(file).items()}


def array_of(value: Any) -> Array:
    """Returns a variable or tensor as an array. (Keras' own conversion fails with numpy 2.)"""
    array: Array = keras.ops.convert_to_tensor(value).numpy()
    return array


def _check_supported(config: Config) -> None:
    if keras.backend.backend() != "tensorflow":
        raise UsageError(f"Keras uses the {keras.backend.backend()} backend. Set KERAS_BACKEND=tensorflow.")
    for flag, asked in (
        ("--lora-rank", config.lora_rank),
        ("--gradient-checkpointing", config.gradient_checkpointing),
        ("--compile", config.compile),
        (f"--optimizer {config.optimizer}", config.optimizer not in ("adamw", "sgd")),
    ):
        if asked:
            raise UsageError(f"{flag} is not supported by the TensorFlow engine. Use --engine torch.")


def _exact_gelu(x: Any) -> Any:
    return keras.ops.gelu(x, approximate=False)


def _modern_name(name: str) -> str:
    """Returns the current name of a tensor: prefixed with `bert.`, and with LayerNorm's names since 2019."""
    whole = name if name.startswith(("bert.", *_HEADS)) else f"bert.{name}"
    return whole.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


def _encoder_weights(encoder: Any, sizes: Architecture, head: HeadName) -> Iterator[Weight]:
    embeddings = "bert.embeddings."
    yield Weight(f"{embeddings}word_embeddings.weight", encoder.token_embedding.embeddings)
    yield Weight(f"{embeddings}position_embeddings.weight", encoder.position_embedding.position_embeddings)
    yield Weight(f"{embeddings}token_type_embeddings.weight", encoder.segment_embedding.embeddings)
    yield from _norm(f"{embeddings}LayerNorm", encoder.embeddings_layer_norm)
    for index, layer in enumerate(encoder.transformer_layers):
        block, parts = f"bert.encoder.layer.{index}.", layer_parts(layer)
        for part in ("query", "key", "value"):
            yield from _linear(f"{block}attention.self.{part}", getattr(parts, part), sizes.hidden)
        yield from _linear(f"{block}attention.output.dense", parts.attention_output, sizes.hidden)
        yield from _norm(f"{block}attention.output.LayerNorm", parts.attention_norm)
        yield from _linear(f"{block}intermediate.dense", parts.intermediate, sizes.hidden)
        yield from _linear(f"{block}output.dense", parts.output, sizes.intermediate)
        yield from _norm(f"{block}output.LayerNorm", parts.output_norm)
    if not HEADS[head].reads_every_token:
        yield from _linear("bert.pooler.dense", encoder.pooled_dense, sizes.hidden)


def _linear(name: str, layer: Any, inputs: int) -> Iterator[Weight]:
    yield Weight(f"{name}.weight", layer.kernel, inputs)
    yield Weight(f"{name}.bias", layer.bias)


def _norm(name: str, layer: Any) -> Iterator[Weight]:
    yield Weight(f"{name}.weight", layer.gamma)
    yield Weight(f"{name}.bias", layer.beta)
