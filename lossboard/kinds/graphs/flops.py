"""Estimated floating point operations of one operation, from shapes. A multiplication and an addition are two."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lossboard.kinds.graphs.fold import Shape

_FREE = frozenset(
    {"embedding", "gather", "gatherv2", "index", "placeholder", "input", "output", "view", "reshape", "transpose"}
) | {"permute", "io node"}
_PER_ELEMENT = {
    1: (
        "add sub rsub mul div neg relu abs sign masked_fill where dropout and or ge gt le lt eq ne bitwise_and "
        "logical_and addv2 biasadd maximum minimum clamp square select_v2 realdiv"
    ),
    2: "sum mean max reducemean reducesum avgpool maxpool max_pool2d avg_pool2d adaptive_avg_pool2d pow sqrt rsqrt",
    4: "sigmoid tanh exp log silu erf elu leaky_relu hardswish",
    5: "softmax log_softmax logsoftmax",
    8: (
        "layer_norm layernormalization layernorm batch_norm batchnormalization fusedbatchnormv3 group_norm rms_norm "
        "instance_norm gelu native_layer_norm"
    ),
}
_COSTS = {name: cost for cost, names in _PER_ELEMENT.items() for name in names.split()}
_LINEAR = frozenset({"linear", "addmm", "gemm", "dense"})
_MATMUL = frozenset({"matmul", "mm", "bmm", "batchmatmul", "batchmatmulv2"})
_CONVOLUTIONS = frozenset({"convolution", "conv1d", "conv2d", "conv3d", "conv"})
_ATTENTION = frozenset({"scaled_dot_product_attention"})


def estimate_flops(op: str, operands: Sequence[Shape | None], output: Shape | None) -> float | None:
    """Returns the estimate, or None if the operation or a shape that it needs is unknown."""
    name = op.lower()
    if name in _FREE:
        return 0.0
    if output is None or any(size < 0 for size in output):
        return None
    if name in _COSTS:
        return float(_COSTS[name] * math.prod(output))
    known = [shape for shape in operands if shape is not None and all(size >= 0 for size in shape)]
    if name in _LINEAR:
        return _linear(known, output)
    if name in _MATMUL:
        return 2.0 * math.prod(output) * known[0][-1] if known and known[0] else None
    if name in _CONVOLUTIONS:
        weight = known[1] if len(known) > 1 else ()
        return 2.0 * math.prod(output) * math.prod(weight[1:]) if len(weight) > 2 else None
    if name in _ATTENTION and len(known) >= 3 and len(known[0]) >= 2 and len(known[1]) >= 2:
        queries, keys = known[0], known[1]
        return 2.0 * math.prod(queries[:-1]) * keys[-2] * (queries[-1] + known[2][-1])
    return None


def _linear(operands: Sequence[Shape], output: Shape) -> float | None:
    """x·Wᵀ + b, in which the two matrices share one size. The bias of addmm comes first."""
    matrices = [shape for shape in operands if len(shape) >= 2]
    return 2.0 * math.prod(output) * matrices[0][-1] if matrices else None
