"""All rules by code, in the order of the docs. One file has one rule."""

from __future__ import annotations

from collections.abc import Mapping

from lossboard.doctor.rule import Rule
from lossboard.doctor.rules import (
    always_clipped,
    damaged_file,
    data_starved,
    dead_layer,
    divergence,
    exploding_gradients,
    frozen_weights,
    leakage,
    memory_growth,
    no_learning,
    no_warmup,
    non_finite,
    one_class,
    overfitting,
    rate_too_high,
    rate_too_low,
    restart_jump,
    spike,
    stalled,
    step_misuse,
    throughput_drop,
    vanishing_gradients,
)

RULES: Mapping[str, Rule] = {
    module.RULE.code: module.RULE
    for module in (
        non_finite,
        divergence,
        spike,
        overfitting,
        no_learning,
        rate_too_high,
        rate_too_low,
        no_warmup,
        exploding_gradients,
        always_clipped,
        vanishing_gradients,
        dead_layer,
        frozen_weights,
        one_class,
        leakage,
        restart_jump,
        step_misuse,
        memory_growth,
        throughput_drop,
        data_starved,
        stalled,
        damaged_file,
    )
}
