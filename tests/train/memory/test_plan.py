"""Memory: parameters counted, a container's limit, what fits, and predictions against the peaks of real training."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from transformers import BertConfig, BertForSequenceClassification

from lossboard.cli import main as cli
from lossboard.errors import LossboardError, UsageError
from lossboard.train.memory.device import cpu_memory
from lossboard.train.memory.measure import measure_peak
from lossboard.train.memory.plan import LIBRARIES_BYTES, MB, Setup, estimate, largest_micro_batch, needed_bytes
from lossboard.train.models.architecture import Architecture, read_architecture

TINY = Architecture(
    model_type="bert",
    layers=2,
    hidden=64,
    heads=2,
    intermediate=256,
    vocab_size=2000,
    positions=128,
    types=2,
    pad_id=0,
    dropout=0.1,
    attention_dropout=0.1,
)
SETUP = Setup(architecture=TINY, micro_batch=8, length=64)


def write_config(folder: Path, **changes: object) -> Path:
    config = BertConfig(
        vocab_size=TINY.vocab_size,
        num_hidden_layers=TINY.layers,
        hidden_size=TINY.hidden,
        num_attention_heads=TINY.heads,
        intermediate_size=TINY.intermediate,
        max_position_embeddings=TINY.positions,
    )
    (folder / "config.json").write_text(json.dumps(config.to_dict() | changes))
    return folder


def test_parameter_count_matches_the_real_model(tmp_path: Path) -> None:
    sizes = read_architecture(write_config(tmp_path))
    assert sizes == TINY
    model = BertForSequenceClassification(BertConfig.from_pretrained(tmp_path, num_labels=5))
    assert sizes.parameters(classes=5) == sum(parameter.numel() for parameter in model.parameters())


def test_incomplete_config_names_the_missing_field(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"config.json: cannot be read"):
        read_architecture(tmp_path)
    with pytest.raises(UsageError, match=r"hidden_size is None, expected a positive number"):
        read_architecture(write_config(tmp_path, hidden_size=None))


@pytest.mark.parametrize(
    ("change", "smaller"),
    [
        ({"micro_batch": 4}, "activations"),
        ({"length": 32}, "activations"),
        ({"precision": "bf16"}, "activations"),
        ({"checkpointing": True}, "activations"),
        ({"optimizer": "sgd"}, "optimizer"),
        ({"frozen_layers": 1}, "gradients"),
        ({"optimizer": "adamw-8bit"}, "optimizer"),
    ],
)
def test_each_option_saves_the_expected_memory(change: dict[str, object], smaller: str) -> None:
    less, whole = estimate(replace(SETUP, **change)), estimate(SETUP)  # type: ignore[arg-type]
    assert getattr(less, smaller) < getattr(whole, smaller)
    assert less.weights == whole.weights


@pytest.mark.parametrize("change", [{}, {"checkpointing": True}])
def test_accumulation_keeps_gradients_during_activations(change: dict[str, Any]) -> None:
    one, several = (estimate(replace(SETUP, accumulation=count, **change)) for count in (1, 2))
    assert several.activations == one.activations
    assert several.gradients >= 2 * one.gradients


def test_checkpointing_counts_the_larger_of_activations_and_gradients() -> None:
    """Of many parameters and few tokens the gradients decide, and of few and many the activations."""
    small, large = (estimate(replace(SETUP, checkpointing=True, micro_batch=size)) for size in (1, 64))
    assert small.gradients > 0
    assert large.gradients == 0


@pytest.mark.parametrize("free_mb", [450, 600, 2000])
def test_largest_micro_batch_fits_and_one_more_does_not(free_mb: int) -> None:
    most = largest_micro_batch(SETUP, free_mb * MB)
    assert needed_bytes(replace(SETUP, micro_batch=most)) <= free_mb * MB
    assert needed_bytes(replace(SETUP, micro_batch=most + 1)) > free_mb * MB


def test_no_micro_batch_fits_in_no_memory() -> None:
    assert largest_micro_batch(SETUP, LIBRARIES_BYTES) == 0


# ---- what the device has --------------------------------------------------------------------------------------------


def machine(folder: Path, **files: str) -> tuple[Path, Path]:
    meminfo = folder / "meminfo"
    meminfo.write_text("MemTotal:  1000 kB\nMemFree:  10 kB\nMemAvailable:  600 kB\n")
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    return meminfo, folder


@pytest.mark.parametrize(
    ("files", "free_kb", "limited_by"),
    [
        ({}, 600, "the machine's memory"),
        ({"memory_max": "max\n", "memory_current": "5\n"}, 600, "the machine's memory"),
        ({"memory_max": f"{500 * 1024}\n", "memory_current": f"{100 * 1024}\n"}, 400, "the container's limit"),
        ({"memory_max": f"{900 * 1024}\n", "memory_current": "0\n"}, 600, "the container's limit"),
        (
            {
                "memory_max": f"{500 * 1024}\n",
                "memory_current": f"{490 * 1024}\n",
                "memory_stat": f"anon 7\ninactive_file {300 * 1024}\nactive_file {90 * 1024}\n",
            },
            400,
            "the container's limit",
        ),
        ({"memory_max": str(1 << 62), "memory_current": "0\n"}, 600, "the machine's memory"),
    ],
)
def test_container_limit_bounds_the_free_memory(
    tmp_path: Path, files: dict[str, str], free_kb: int, limited_by: str
) -> None:
    meminfo, cgroups = machine(tmp_path, **files)
    memory = cpu_memory(meminfo=meminfo, cgroups=cgroups)
    assert (memory.free_bytes, memory.limited_by) == (free_kb * 1024, limited_by)


# ---- against real training ------------------------------------------------------------------------------------------

SMALL = replace(TINY, vocab_size=30522, hidden=128, intermediate=512)


@pytest.mark.parametrize(
    ("setup", "times"),
    [
        # Where malloc leaves holes depends on where the process lies in memory: peaks scatter by 5 %, medians by less.
        (Setup(architecture=SMALL, micro_batch=32, length=128), 3),
        (Setup(architecture=replace(SMALL, dropout=0.0, attention_dropout=0.0), micro_batch=32, length=128), 3),
        (Setup(architecture=replace(SMALL, layers=4), micro_batch=64, length=64, checkpointing=True), 1),
        (Setup(architecture=replace(SMALL, layers=4), micro_batch=32, length=64, lora_rank=8), 3),
        (Setup(architecture=SMALL, micro_batch=16, length=64, workers=2), 3),
        (Setup(architecture=SMALL, micro_batch=16, length=64, workers=2, sharding="fsdp"), 3),
    ],
    ids=["plain", "no dropout", "checkpointing", "lora", "workers", "shards"],
)
def test_prediction_is_within_15_percent_of_the_measured_peak(setup: Setup, times: int) -> None:
    assert estimate(setup).peak == pytest.approx(measure_peak(setup, threads=1, times=times), rel=0.15)


@pytest.mark.parametrize(
    ("layers", "hidden", "micro_batch", "length", "accumulation", "dropout", "measured_mb"),
    [
        (2, 128, 64, 128, 1, 0.1, 484),
        (6, 384, 8, 128, 1, 0.1, 1034),
        (6, 384, 32, 128, 1, 0.1, 1915),
        (6, 384, 8, 128, 4, 0.1, 1080),
        (6, 384, 32, 32, 1, 0.1, 1011),
        (6, 384, 32, 128, 1, 0.0, 1748),
        (12, 768, 4, 128, 1, 0.1, 3584),
    ],
)
def test_prediction_for_tensorflow_is_within_15_percent_of_measured_peaks(
    layers: int, hidden: int, micro_batch: int, length: int, accumulation: int, dropout: float, measured_mb: int
) -> None:
    heads = 2 if hidden == 128 else 12
    sizes = replace(
        SMALL, layers=layers, hidden=hidden, heads=heads, intermediate=4 * hidden, positions=512,
        dropout=dropout, attention_dropout=dropout,
    )  # fmt: skip
    setup = Setup(
        architecture=sizes, micro_batch=micro_batch, length=length, accumulation=accumulation, engine="tensorflow"
    )
    assert estimate(setup).peak / MB == pytest.approx(measured_mb, rel=0.15)


def test_failed_measuring_process_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(
        LossboardError, match=r"exited with status 1: no message, as when a memory limit kills a process"
    ):
        measure_peak(SETUP)


@pytest.mark.parametrize(
    ("layers", "hidden", "micro_batch", "length", "options", "measured_mb"),
    [
        (6, 384, 32, 128, {"lora_rank": 8}, 1511),
        (6, 384, 8, 128, {"lora_rank": 8}, 461),
        (6, 384, 32, 128, {"lora_rank": 8, "dropout": 0.0}, 857),
        (6, 384, 16, 128, {"lora_rank": 16, "accumulation": 2}, 791),
        (6, 384, 32, 64, {"lora_rank": 8, "checkpointing": True}, 233),
        (4, 256, 16, 256, {"lora_rank": 8}, 645),
        (4, 256, 16, 128, {"lora_rank": 8, "frozen_layers": 2}, 330),
        (4, 256, 32, 64, {"lora_rank": 32}, 293),
        (12, 768, 2, 64, {"lora_rank": 8}, 588),
        (4, 256, 32, 128, {"lora_rank": 8, "dropout": 0.0}, 385),
        (4, 256, 8, 128, {"lora_rank": 8, "workers": 2}, 204),
        (2, 128, 32, 128, {"workers": 2}, 229),
        (4, 256, 8, 128, {"workers": 2, "accumulation": 2}, 404),
        (4, 256, 8, 128, {"workers": 3}, 365),
        (6, 384, 8, 64, {"workers": 2}, 543),
        (2, 128, 32, 128, {"workers": 2, "sharding": "fsdp"}, 295),
        (6, 384, 8, 64, {"workers": 2, "sharding": "fsdp"}, 593),
    ],
)
def test_prediction_with_adapters_and_workers_is_within_9_percent_of_measured_peaks(
    layers: int, hidden: int, micro_batch: int, length: int, options: dict[str, Any], measured_mb: int
) -> None:
    dropout = options.pop("dropout", 0.1)
    heads = {128: 2, 256: 4, 384: 12, 768: 12}[hidden]
    sizes = replace(
        SMALL, layers=layers, hidden=hidden, heads=heads, intermediate=4 * hidden, positions=512,
        dropout=dropout, attention_dropout=dropout,
    )  # fmt: skip
    setup = Setup(architecture=sizes, micro_batch=micro_batch, length=length, **options)
    assert estimate(setup).peak / MB == pytest.approx(measured_mb, rel=0.09)


# ---- the command ----------------------------------------------------------------------------------------------------


def test_command_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--batch-size", "8", "--max-length", "64", "--device", "cpu"]
    assert cli.main(["plan", "--model", str(write_config(tmp_path)), *flags, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [choice["micro_batch"] for choice in report["choices"]] == [8, 4, 2, 1]
    assert report["choices"][0]["peak"] == estimate(SETUP).peak
    assert (report["micro_batch"], report["accumulation"]) == (8, 1)


def test_command_prints_tables_and_exits_1_if_nothing_fits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    words = ["plan", "--model", str(write_config(tmp_path)), "--batch-size", "4", "--device", "cpu"]
    assert cli.main(words) == 0
    told = capsys.readouterr().out
    assert "Batch size 4: --micro-batch-size is not needed." in told
    assert "Largest micro-batch that fits" in told
    meminfo, cgroups = machine(tmp_path)
    monkeypatch.setattr(
        "lossboard.train.memory.device.device_memory", lambda device: cpu_memory(meminfo=meminfo, cgroups=cgroups)
    )
    assert cli.main(words) == 1
    assert "Not even one example fits" in capsys.readouterr().out


def test_command_divides_batch_and_memory_among_workers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--batch-size", "16", "--max-length", "64", "--device", "cpu", "--json"]
    reports = []
    for workers in ("1", "2"):
        cli.main(["plan", "--model", str(write_config(tmp_path)), *flags, "--workers", workers])
        reports.append(json.loads(capsys.readouterr().out))
    assert [report["choices"][0]["micro_batch"] for report in reports] == [16, 8]
    alone, shared = (report["device"]["free_bytes"] for report in reports)
    assert shared < 0.8 * alone


def test_command_overrides_dropout_and_plans_adapters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(write_config(tmp_path))
    peaks = {}
    for flags in ((), ("--dropout", "0"), ("--lora-rank", "8")):
        cli.main(["plan", "--model", model, "--device", "cpu", "--json", *flags])
        peaks[flags] = json.loads(capsys.readouterr().out)["choices"][0]
    assert peaks["--dropout", "0"]["activations"] < peaks[()]["activations"]
    assert peaks["--lora-rank", "8"]["optimizer"] < peaks[()]["optimizer"] / 4
    assert cli.main(["plan", "--model", model, "--engine", "tensorflow", "--lora-rank", "8"]) == 1
