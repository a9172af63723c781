"""How much memory fine-tuning will take, before it takes it.

On a CPU the prediction is of the resident memory above what the imported libraries hold, with glibc's malloc.
The activations are counted exactly: of a token (hidden size H, intermediate size I, A heads, length S) autograd keeps
8H + 2I numbers in each layer, 2H more for the dropout masks, and 3AS for the attention that dropout forces to be kept
whole. The rest follows bench/plan.py: freed gradients leave holes that activations do not fit in, so both
count, and the backward pass works on a little more than one layer at a time. Checkpointing goes with a malloc that
leaves no holes (`device.configure_malloc`). docs/memory.md has the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from lossboard.train.models import first_token
from lossboard.train.models.architecture import Architecture
from lossboard.train.precision import TRAITS, Precision

Optimizer = Literal["adamw", "sgd"]

MB = 1 << 20
FLOAT_BYTES = 4
# Python, torch and transformers, imported; with what the allocator and the threads hold besides.
LIBRARIES_BYTES = 420 * MB
BASE_BYTES = 26 * MB
# Gradients of one layer's activations while its backward pass runs, in layers.
WORKSPACE_LAYERS = 1.2
# The same where at most one layer is kept whole: nothing above it has left holes.
LONE_WORKSPACE_LAYERS = 1.0
# A recomputed layer's activations go one by one as its gradients come.
RECOMPUTED_WORKSPACE_LAYERS = 0.1
RECOMPUTED_BASE_BYTES = 30 * MB
MAX_MICRO_BATCH = 1 << 14


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What decides the memory of a training step."""

    architecture: Architecture
    micro_batch: int
    length: int
    precision: Precision = "fp32"
    optimizer: Optimizer = "adamw"
    checkpointing: bool = False
    accumulation: int = 1
    frozen_layers: int = 0
    classes: int = 2


@dataclass(frozen=True)
class Estimate:
    """Bytes at the peak of training, by what holds them."""

    weights: int
    gradients: int
    optimizer: int
    activations: int
    workspace: int

    @property
    def peak(self) -> int:
        """Above what the imported libraries hold."""
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
        optimizer=2 * FLOAT_BYTES * trained if setup.optimizer == "adamw" else 0,
        activations=kept,
        workspace=workspace + (RECOMPUTED_BASE_BYTES if setup.checkpointing else BASE_BYTES),
    )


def largest_micro_batch(setup: Setup, free_bytes: int) -> int:
    """The most examples at once that fit in `free_bytes`, libraries included; 0 if not even one does."""
    fits, too_many = 0, MAX_MICRO_BATCH + 1
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if needed_bytes(replace(setup, micro_batch=middle)) <= free_bytes:
            fits = middle
        else:
            too_many = middle
    return fits


def needed_bytes(setup: Setup) -> int:
    """All that the training process will hold at its peak."""
    return LIBRARIES_BYTES + estimate(setup).peak


def _gradient_bytes(setup: Setup, trained: int, *, passing: int) -> int:
    """What the gradients add to the peak, beside the activations that are passing."""
    gradients = FLOAT_BYTES * trained
    if setup.accumulation == 1:
        # Where freed pages go back, gradients come in place of the activations: only the larger of the two counts.
        return max(0, gradients - passing) if setup.checkpointing else gradients
    # While a micro-batch adds to the gradients its own are there too, and on malloc's heap the holes that they leave.
    return gradients if setup.checkpointing else 3 * gradients


def _frozen_parameters(setup: Setup) -> int:
    if not setup.frozen_layers:
        return 0
    return setup.architecture.embedding_parameters + setup.frozen_layers * setup.architecture.layer_parameters


def _layer_bytes(setup: Setup) -> int:
    """What autograd keeps of one layer."""
    sizes, tokens = setup.architecture, setup.micro_batch * setup.length
    numbers = 8 * sizes.hidden + 2 * sizes.intermediate
    numbers += 2 * sizes.hidden if sizes.dropout else 0
    # Without dropout the fused attention keeps a mask row and a normaliser for each head instead of the whole matrix.
    numbers += 3 * sizes.heads * setup.length if sizes.attention_dropout else setup.length + sizes.heads
    return _in_precision(FLOAT_BYTES * tokens * numbers, setup)


def _kept_bytes(setup: Setup, layer: int) -> int:
    """What is kept of the whole forward pass. Nothing is kept of frozen layers: no gradient goes through them."""
    sizes, layers = setup.architecture, setup.architecture.layers - setup.frozen_layers
    hidden = _in_precision(FLOAT_BYTES * setup.micro_batch * setup.length * sizes.hidden, setup)
    if setup.checkpointing:
        return (layers + 3) * hidden + layer
    # Of the last layer a classifier needs the first token alone: keys and values, and what they are made of.
    last = 3 * hidden if first_token.is_supported(sizes) else layer
    return ((layers - 1) * layer + last if layers else 0) + (3 if sizes.dropout else 2) * hidden


def _workspace_layers(setup: Setup) -> float:
    if setup.checkpointing:
        return RECOMPUTED_WORKSPACE_LAYERS
    return WORKSPACE_LAYERS if setup.architecture.layers - setup.frozen_layers > 2 else LONE_WORKSPACE_LAYERS


def _in_precision(size: int, setup: Setup) -> int:
    return round(size * TRAITS[setup.precision].activation_size)
