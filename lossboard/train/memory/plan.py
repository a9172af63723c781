"""Memory plan: predicts the peak memory of fine-tuning.

On CPU, it predicts the resident memory above that of the imported libraries, with glibc's malloc. Activations are
counted exactly. For each token (hidden size H, intermediate size I, A heads, length S) and layer, autograd keeps
8H + 2I numbers, 2H more for dropout masks, and 3AS for the attention matrix if it has dropout. The rest is fitted to
bench/plan.py. Freed gradients leave holes that activations do not fit in, so both count. The backward pass works on a
little more than one layer at a time. Gradient checkpointing uses a malloc without holes (`device.configure_malloc`).
docs/memory.md has the numbers.

TensorFlow keeps about the same activations. The differences are the attention matrix, which it also keeps without
dropout, and more copies of the gradients.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lossboard.train.config import EngineName, Sharding
from lossboard.train.distributed.world import BUCKET_ELEMENTS
from lossboard.train.models import first_token
from lossboard.train.models.architecture import Architecture
from lossboard.train.optimizers import TRAITS as OPTIMIZER_TRAITS
from lossboard.train.optimizers import OptimizerName
from lossboard.train.precision import TRAITS, Precision

MB = 1 << 20
FLOAT_BYTES = 4
# Python with torch and transformers imported, and the overhead of the allocator and the threads.
LIBRARIES_BYTES = 420 * MB
BASE_BYTES = 26 * MB
# The same for TensorFlow, and its copies of the gradients: the accumulators, those of a micro-batch, two when applied.
KERAS_LIBRARIES_BYTES = 530 * MB
KERAS_BASE_BYTES = 126 * MB
KERAS_GRADIENT_COPIES = 4.2
# Gradients of one layer's activations while its backward pass runs, in layers.
WORKSPACE_LAYERS = 1.2
# The same if at most one layer is kept completely, because nothing above it has left holes.
LONE_WORKSPACE_LAYERS = 1.0
# The activations of a recomputed layer are freed one by one as its gradients are computed.
RECOMPUTED_WORKSPACE_LAYERS = 0.1
RECOMPUTED_BASE_BYTES = 30 * MB
# With LoRA, activations that are freed at once leave holes between those that are kept, relative to the latter.
LORA_HOLES = 0.81
LORA_BASE_BYTES = 24 * MB
# The threads and buffers of gloo.
EXCHANGE_BASE_BYTES = 10 * MB
# Sharding: the model before it is split, weights and gradients of a part while it is used, and the libraries for it.
GATHERED_COPIES = 2.15
SHARDING_BASE_BYTES = 91 * MB
MAX_MICRO_BATCH = 1 << 14


@dataclass(frozen=True, kw_only=True)
class Setup:
    """Settings that determine the memory of a training step."""

    architecture: Architecture
    micro_batch: int
    length: int
    precision: Precision = "fp32"
    optimizer: OptimizerName = "adamw"
    checkpointing: bool = False
    accumulation: int = 1
    frozen_layers: int = 0
    lora_rank: int = 0
    classes: int = 2
    every_token: bool = False  # whether the head reads every token, and not only the first one
    engine: EngineName = "torch"
    workers: int = 1
    sharding: Sharding = "ddp"


@dataclass(frozen=True)
class Estimate:
    """Bytes at the peak of training, by purpose."""

    weights: int
    gradients: int
    optimizer: int
    activations: int
    workspace: int

    @property
    def peak(self) -> int:
        """Peak above the memory of the imported libraries."""
        return self.weights + self.gradients + self.optimizer + self.activations + self.workspace


def estimate(setup: Setup) -> Estimate:
    base = setup.architecture.parameters(classes=setup.classes)
    trained = _adapter_parameters(setup) if setup.lora_rank else base - _frozen_parameters(setup)
    parameters = base + trained if setup.lora_rank else base
    layer = _layer_bytes(setup)
    kept = _kept_bytes(setup, layer)
    workspace = _workspace_bytes(setup, layer, kept)
    exchanged = _exchange_bytes(setup, parameters, trained)
    shards = setup.workers if setup.sharding == "fsdp" else 1
    return Estimate(
        weights=FLOAT_BYTES * parameters // shards,
        # Workers split the gradients of a step at its end, not those of each micro-batch.
        gradients=_gradient_bytes(setup, trained, passing=kept + workspace)
        // (shards if setup.accumulation == 1 else 1),
        optimizer=_optimizer_bytes(setup, trained) // shards,
        activations=kept,
        workspace=workspace + exchanged + _base_bytes(setup),
    )


def largest_micro_batch(setup: Setup, free_bytes: int) -> int:
    """Returns the largest micro-batch that fits in `free_bytes`, including the libraries; 0 if none fits."""
    fits, too_many = 0, MAX_MICRO_BATCH + 1
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if needed_bytes(replace(setup, micro_batch=middle)) <= free_bytes:
            fits = middle
        else:
            too_many = middle
    return fits


def needed_bytes(setup: Setup) -> int:
    """Returns the peak memory of the whole training process."""
    return libraries_bytes(setup.engine) + estimate(setup).peak


def libraries_bytes(engine: EngineName) -> int:
    """Returns the memory of Python with the libraries of an engine imported."""
    return KERAS_LIBRARIES_BYTES if engine == "tensorflow" else LIBRARIES_BYTES


def _base_bytes(setup: Setup) -> int:
    if setup.engine == "tensorflow":
        return KERAS_BASE_BYTES
    return RECOMPUTED_BASE_BYTES if setup.checkpointing else BASE_BYTES


def _gradient_bytes(setup: Setup, trained: int, *, passing: int) -> int:
    """Returns what gradients add to the peak, on top of the temporary activations (`passing`)."""
    gradients = FLOAT_BYTES * trained
    if setup.engine == "tensorflow":
        return round(KERAS_GRADIENT_COPIES * gradients)
    if setup.accumulation == 1:
        # If freed pages are released, gradients replace activations, and only the larger of the two counts.
        return max(0, gradients - passing) if setup.checkpointing else gradients
    # With accumulation, a micro-batch also has its own gradients, and on malloc's heap the holes that they leave.
    return gradients if setup.checkpointing else 3 * gradients


def _optimizer_bytes(setup: Setup, trained: int) -> int:
    """Returns the state of the optimizer, and the temporary numbers for the largest weight, the word embeddings."""
    traits, sizes = OPTIMIZER_TRAITS[setup.optimizer], setup.architecture
    largest = 0 if setup.frozen_layers else sizes.vocab_size * sizes.hidden
    return round(FLOAT_BYTES * (traits.state_floats * trained + traits.temporary_floats * largest))


def _adapter_parameters(setup: Setup) -> int:
    """Returns the weights that LoRA trains: two matrices each for queries and values, and a copy of the head."""
    sizes = setup.architecture
    return sizes.layers * 4 * setup.lora_rank * sizes.hidden + setup.classes * (sizes.hidden + 1)


def _frozen_parameters(setup: Setup) -> int:
    if not setup.frozen_layers:
        return 0
    return setup.architecture.embedding_parameters + setup.frozen_layers * setup.architecture.layer_parameters


def _layer_bytes(setup: Setup) -> int:
    """Returns the bytes that autograd keeps of one layer."""
    sizes, tokens = setup.architecture, setup.micro_batch * setup.length
    numbers = 8 * sizes.hidden + 2 * sizes.intermediate
    numbers += 2 * sizes.hidden if sizes.dropout else 0
    if setup.lora_rank and not setup.checkpointing:
        # A weight without a gradient does not need its input.
        numbers += 2 * setup.lora_rank - sizes.intermediate - (2 if sizes.dropout else 1) * sizes.hidden
    if sizes.attention_dropout:
        numbers += 3 * sizes.heads * setup.length
    elif setup.engine == "tensorflow":
        numbers += 2 * sizes.heads * setup.length
    else:
        # Fused attention keeps a mask row and a normalizer for each head instead of the full matrix.
        numbers += setup.length + sizes.heads
    return _in_precision(FLOAT_BYTES * tokens * numbers, setup)


def _kept_bytes(setup: Setup, layer: int) -> int:
    """Returns the bytes kept of the forward pass. Frozen layers keep nothing, because they have no gradient."""
    sizes, layers = setup.architecture, _trained_layers(setup)
    hidden = _in_precision(FLOAT_BYTES * setup.micro_batch * setup.length * sizes.hidden, setup)
    if setup.checkpointing:
        return (layers + 3) * hidden + layer
    # If the last layer computes only the first token, it keeps only keys, values and their input.
    last = 3 * hidden if first_token.is_supported(sizes) and not setup.every_token else layer
    return ((layers - 1) * layer + last if layers else 0) + (3 if sizes.dropout else 2) * hidden


def _trained_layers(setup: Setup) -> int:
    """Returns the number of layers with gradients. With LoRA, frozen layers have adapters too."""
    return setup.architecture.layers - (0 if setup.lora_rank else setup.frozen_layers)


def _workspace_bytes(setup: Setup, layer: int, kept: int) -> int:
    """Returns the temporary memory of the passes."""
    if setup.checkpointing:
        return round(RECOMPUTED_WORKSPACE_LAYERS * layer)
    if setup.lora_rank:
        return round(LORA_HOLES * kept) + LORA_BASE_BYTES
    return round((WORKSPACE_LAYERS if _trained_layers(setup) > 2 else LONE_WORKSPACE_LAYERS) * layer)


def _exchange_bytes(setup: Setup, parameters: int, trained: int) -> int:
    """Returns the buffers in which workers exchange gradients or, if sharded, gather weights."""
    if setup.workers == 1:
        return 0
    if setup.sharding == "fsdp":
        return round(FLOAT_BYTES * GATHERED_COPIES * parameters) + SHARDING_BASE_BYTES
    sizes = setup.architecture
    embeddings = 0 if setup.lora_rank or setup.frozen_layers else sizes.vocab_size * sizes.hidden
    return FLOAT_BYTES * max(embeddings, min(trained, BUCKET_ELEMENTS)) + EXCHANGE_BASE_BYTES


def _in_precision(size: int, setup: Setup) -> int:
    return round(size * TRAITS[setup.precision].activation_size)
