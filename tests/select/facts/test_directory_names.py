"""Hyperparameters that people spell out in directory names."""

from __future__ import annotations

import pytest

from lossboard.select.facts.directory_names import read_run_name


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("fashion_mnist_lr_0.001_bs_64", {"lr": 0.001, "bs": 64}),
        ("lr=3e-5,seed=1", {"lr": 3e-5, "seed": 1}),
        ("lr0.003-seed2", {"lr": 0.003, "seed": 2}),
        ("bert-lr3e-5", {"lr": 3e-5}),
        ("lr-3e-5_batch-size-32", {"lr": 3e-5, "batch_size": 32}),
        ("batch_size_64_weight_decay_0.01", {"batch_size": 64, "weight_decay": 0.01}),
        ("LR0.1_Seed3", {"LR": 0.1, "Seed": 3}),
        ("optimizer.lr=0.1,model.name=resnet50", {"optimizer.lr": 0.1, "model.name": "resnet50"}),
        ("lr=0.1_bs=64", {"lr": 0.1, "bs": 64}),
        ("lr=1e-3-wd=0.1-amp=true", {"lr": 1e-3, "wd": 0.1, "amp": True}),
        ("sweep/lr=0.1/seed=2/train", {"lr": 0.1, "seed": 2}),
        ("lr0.1/lr0.2", {"lr": 0.2}),
        ("resnet50", {}),
        ("version_0", {}),
        ("run_00012", {}),
        ("gpt-2", {}),
        ("llama3.1-8b", {}),
        ("Nov18_07-00-01_host", {}),
        ("2026-02-10_012_baseline", {}),
        ("1794766966.749988", {}),
        ("checkpoint-500", {}),
        ("colr3", {}),
        ("lr", {}),
        ("=", {}),
        (".", {}),
    ],
)
def test_spelled_values_are_found_and_other_numbers_are_not(name: str, settings: dict[str, object]) -> None:
    assert read_run_name(name) == settings


def test_long_hostile_names_are_read_in_linear_time() -> None:
    assert read_run_name("a=" * 100_000) is not None
    assert read_run_name("lr_" * 100_000) == {}
