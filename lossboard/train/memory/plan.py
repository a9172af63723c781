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

from lossboard.train.config import EngineName
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
    classes: int = 2
    engine: EngineName = "torch"


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
    parameters = setup.architecture.parameters(classes=setup.classes)
    trained = parameters - _frozen_parameters(setup)
    layer = _layer_bytes(setup)
    kept = _kept_bytes(setup, layer)
    workspace = round(_workspace_layers(setup) * layer)
    return Estimate(
        weights=FLOAT_BYTES * parameters,
        gradients=_gradient_bytes(setup, trained, passing=kept + workspace),
        optimizer=_optimizer_bytes(setup, trained),
        activations=kept,
        workspace=workspace + _base_bytes(setup),
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
    return FLOAT_BYTES * (traits.state_floats * trained + traits.temporary_floats * largest)


def _frozen_parameters(setup: Setup) -> int:
    if not setup.frozen_layers:
        return 0
    return setup.architecture.embedding_parameters + setup.frozen_layers * setup.architecture.layer_parameters


def _layer_bytes(setup: Setup) -> int:
    """Returns the bytes that autograd keeps of one layer."""
    sizes, tokens = setup.architecture, setup.micro_batch * setup.length
    numbers = 8 * sizes.hidden + 2 * sizes.intermediate
    numbers += 2 * sizes.hidden if sizes.dropout else 0
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
    sizes, layers = setup.architecture, setup.architecture.layers - setup.frozen_layers
    hidden = _in_precision(FLOAT_BYTES * setup.micro_batch * setup.length * sizes.hidden, setup)
    if setup.checkpointing:
        return (layers + 3) * hidden + layer
    # The last layer computes only the first token, so it keeps only keys, values and their input.
    last = 3 * hidden if first_token.is_supported(sizes) else layer
    return ((layers - 1) * layer + last if layers else 0) + (3 if sizes.dropout else 2) * hidden


def _workspace_layers(setup: Setup) -> float:
    if setup.checkpointing:
        return RECOMPUTED_WORKSPACE_LAYERS
    return WORKSPACE_LAYERS if setup.architecture.layers - setup.frozen_layers > 2 else LONE_WORKSPACE_LAYERS


def _in_precision(size: int, setup: Setup) -> int:
    return round(size * TRAITS[setup.precision].activation_size)
