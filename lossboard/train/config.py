"""The one typed config of a fine-tuning run: from Python, from a TOML or JSON file, from flags."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import json
import tomllib
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from lossboard.errors import UsageError
from lossboard.train.precision import Precision
from lossboard.train.schedules import Schedule

EngineName = Literal["torch", "tensorflow"]
Sharding = Literal["ddp", "fsdp"]
Metric = Literal["accuracy", "f1", "loss"]
Device = Literal["auto", "cpu", "cuda", "mps"]


# A setting with its default and its line of help, which the flag shows too. `begins` names the group that it begins.
def _opt(default: Any, about: str, *, begins: str = "") -> Any:
    return field(default=default, metadata={"help": about, "begins": begins})


@dataclass(frozen=True, kw_only=True)
class Config:
    """All that decides a run. Frozen: what is logged as hparams is what the run did; use `replace` for a variant."""

    model: str = _opt(
        "",
        "a checkpoint folder in Hugging Face format, or a hub name where there is a network",
        begins="data and model",
    )
    data: Path = _opt(Path(), "training examples: a CSV, TSV, JSONL or Parquet file, or a Hugging Face dataset folder")
    val_data: Path | None = _opt(None, "validation examples; without it val_fraction of the data is held out")
    val_fraction: float = _opt(0.1, "share of the data held out when there is no validation file")
    text_column: str | None = _opt(None, "column of the text, where its name does not tell")
    pair_column: str | None = _opt(None, "column of the second text, for pairs of texts")
    label_column: str | None = _opt(None, "column of the label, where its name does not tell")
    max_length: int = _opt(128, "tokens kept of a text, special tokens included")
    engine: EngineName = _opt("torch", "what trains: torch or tensorflow")

    batch_size: int = _opt(32, "examples in one update, over all workers", begins="batches")
    micro_batch_size: int | None = _opt(None, "examples in memory at once on one worker; the rest is accumulated")
    group_by_length: bool = _opt(True, "batch texts of like length together, so that little is padding")

    epochs: int = _opt(3, "passes over the data", begins="optimisation")
    max_steps: int | None = _opt(None, "stop after this many updates")
    learning_rate: float = _opt(5e-5, "peak learning rate")
    schedule: Schedule = _opt("linear", "how the rate falls after warm-up: linear, cosine, constant, exponential")
    warmup: float = _opt(0.1, "share of the updates over which the rate rises from zero")
    decay_steps: int = _opt(1000, "exponential schedule: updates for one factor of decay_rate")
    decay_rate: float = _opt(0.96, "exponential schedule: the factor")
    staircase: bool = _opt(False, "exponential schedule: fall in steps, not smoothly")
    weight_decay: float = _opt(0.01, "AdamW's decay, on matrices only")
    max_grad_norm: float = _opt(1.0, "gradients are clipped to this norm; 0 = never")
    dropout: float | None = _opt(None, "overrides every dropout of the checkpoint")
    precision: Precision = _opt("fp32", "arithmetic of the forward pass: fp32, bf16, fp16")
    frozen_embeddings: bool = _opt(False, "do not train the embeddings")
    frozen_layers: int = _opt(0, "do not train the embeddings and this many of the lowest layers")
    layer_decay: float = _opt(1.0, "each layer's rate is this factor of the one above; 1 = all alike")
    lora_rank: int = _opt(0, "train low-rank adapters of this rank instead of the weights (needs peft); 0 = off")
    gradient_checkpointing: bool = _opt(False, "recompute activations: less memory, more time")
    compile: bool = _opt(False, "torch.compile the model; pays only for long runs")

    eval_interval: int = _opt(
        100, "updates between evaluations; 0 = at the end of each epoch only", begins="evaluation and stopping"
    )
    eval_iters: int = _opt(10, "batches in the estimates between epochs; 0 = the whole validation set each time")
    metric: Metric = _opt("accuracy", "what makes a checkpoint the best: accuracy, f1 or loss")
    patience: int = _opt(0, "stop after this many evaluations without a better one; 0 = never")
    max_bad_steps: int = _opt(3, "stop after this many updates in a row with a loss or gradient that is not finite")

    device: Device = _opt("auto", "auto, cpu, cuda or mps", begins="where it runs")
    threads: int | None = _opt(None, "CPU threads of one worker")
    workers: int = _opt(1, "processes to start on this machine")
    sharding: Sharding = _opt("ddp", "several workers: ddp (a copy each) or fsdp (a part each)")
    seed: int = _opt(0, "decides the split, the order, dropout and new weights")

    runs_dir: Path = _opt(Path("runs"), "where the folders of runs are made", begins="what is kept")
    run_tag: str = _opt("", "a name added to the run's id")
    save_interval: int = _opt(100, "updates between writes of the last checkpoint; 0 = at evaluations only")
    detail_interval: int = _opt(10, "updates between per-layer gradient norms and update-to-weight ratios; 0 = off")
    histogram_interval: int = _opt(100, "updates between histograms of weights and gradients; 0 = off")
    probe_interval: int = _opt(100, "updates between attention maps and embeddings; 0 = off")

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):
            _check_type(f.name, getattr(self, f.name), _types()[f.name])
        for name, wanted in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not wanted[0](value):
                raise UsageError(f"{flag(name)} is {value!r}; it must be {wanted[1]}.")

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Config:
        """A config from plain values, e.g. of a file: `learning-rate` and `learning_rate` are the same key."""
        return cls().replace(**{_known(key): value for key, value in values.items()})

    def replace(self, **values: Any) -> Config:
        """A variant. Text is read as the field's type, so that flags, files and sweeps need no code of their own."""
        named = {_known(key): value for key, value in values.items()}
        return dataclasses.replace(self, **{key: _convert(key, value) for key, value in named.items()})

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


def is_due(interval: int, step: int) -> bool:
    """Whether what is done every `interval` updates is done after update `step`; 0 = never."""
    return interval > 0 and step % interval == 0


SETTINGS = frozenset(f.name for f in dataclasses.fields(Config))


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def read_config_file(path: Path) -> dict[str, Any]:
    """The keys and values of a TOML or JSON file."""
    try:
        text = path.read_text(encoding="utf-8")
        values = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"Cannot read the config {path}: {error.strerror}.") from error
    except ValueError as error:
        form = "JSON" if path.suffix == ".json" else "TOML"
        raise UsageError(f"The config {path} is not valid {form}: {error}") from error
    if not isinstance(values, dict):
        raise UsageError(f"The config {path} holds a {type(values).__name__}; it must hold keys and values.")
    return values


def add_flags(parser: argparse.ArgumentParser) -> None:
    """One flag for each field, and --config for a file of them. Flags that are not given leave no trace."""
    parser.add_argument("--config", type=Path, help="a TOML or JSON file of these settings; flags win over it")
    defaults, group = Config(), parser.add_argument_group()
    for f in dataclasses.fields(Config):
        default = getattr(defaults, f.name)
        if f.metadata["begins"]:
            group = parser.add_argument_group(f.metadata["begins"])
        about = f.metadata["help"] + ("" if default in (None, "", Path()) else f" (default {default})")
        kind: dict[str, Any] = {"action": argparse.BooleanOptionalAction} if isinstance(default, bool) else {}
        kind |= {} if isinstance(default, bool) else {"metavar": _metavar(f.name)}
        group.add_argument(flag(f.name), dest=f.name, default=argparse.SUPPRESS, help=about.replace("%", "%%"), **kind)


def _metavar(name: str) -> str:
    """What a flag takes, in the help: its choices, or the kind of its value."""
    words = {int: "N", float: "X", str: "NAME", Path: "PATH"}
    option = _alternatives(_types()[name])[0]
    return words.get(option) or "{" + ",".join(typing.get_args(option)) + "}"


def from_flags(args: argparse.Namespace) -> Config:
    """Defaults, then `configs/tensorboard.json`, then --config, then flags: the later wins."""
    given = vars(args)
    values = board_settings()
    if given.get("config"):
        values |= {_known(key): value for key, value in read_config_file(given["config"]).items()}
    values |= {f.name: given[f.name] for f in dataclasses.fields(Config) if f.name in given}
    return Config.from_mapping(values)


def board_settings(path: Path = Path("configs/tensorboard.json")) -> dict[str, Any]:
    """What `configs/tensorboard.json` says about runs, if it is there. Its `port` is the board's business."""
    if not path.exists():
        return {}
    return {key: value for key, value in read_config_file(path).items() if key in ("runs_dir", "histogram_interval")}


def _known(key: str) -> str:
    name = key.lstrip("-").replace("-", "_")
    if name in _types():
        return name
    near = difflib.get_close_matches(name, _types(), n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Known settings: {', '.join(_types())}."
    raise UsageError(f"There is no setting {key!r}. {hint}")


_hints: dict[str, Any] = {}


def _types() -> dict[str, Any]:
    if not _hints:
        _hints.update(typing.get_type_hints(Config))
    return _hints


def _alternatives(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)


def _check_type(name: str, value: Any, hint: Any) -> None:
    for option in _alternatives(hint):
        if typing.get_origin(option) is Literal:
            if value in typing.get_args(option):
                return
        elif isinstance(value, option) and isinstance(value, bool) == (option is bool):
            return
    raise UsageError(f"{flag(name)} is {value!r}; it must be {_describe(hint)}.")


def _describe(hint: Any) -> str:
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "text", Path: "a path"}
    options = [option for option in _alternatives(hint) if option is not type(None)]
    named = [words.get(option) or "one of " + ", ".join(typing.get_args(option)) for option in options]
    return " or ".join(named) + (", or none" if type(None) in _alternatives(hint) else "")


def _convert(name: str, value: Any) -> Any:
    """Text and whole numbers as the field's type; what does not fit is left for the check to name."""
    options = _alternatives(_types()[name])
    if type(None) in options and value in ("", "none", "None"):
        return None
    if float in options and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, str):
        return value
    if bool in options:
        return {"true": True, "false": False, "1": True, "0": False}.get(value.lower(), value)
    for option in (int, float, Path):
        if option in options:
            try:
                return option(value)
            except ValueError:
                return value
    return value


_Range = tuple[Callable[[Any], bool], str]
_COUNT: _Range = (lambda v: v >= 1, "1 or more")
_SIZE: _Range = (lambda v: v >= 0, "0 or more")
_SHARE: _Range = (lambda v: 0 <= v < 1, "at least 0 and below 1")
_RANGES: dict[str, _Range] = {
    "val_fraction": (lambda v: 0 < v < 1, "between 0 and 1"),
    "max_length": (lambda v: v >= 3, "3 or more: [CLS] and [SEP] take two"),
    "learning_rate": (lambda v: v > 0, "above 0"),
    "decay_rate": (lambda v: 0 < v <= 1, "above 0 and at most 1"),
    "layer_decay": (lambda v: 0 < v <= 1, "above 0 and at most 1"),
    "warmup": _SHARE,
    "dropout": _SHARE,
    **dict.fromkeys(("batch_size", "micro_batch_size", "epochs", "max_steps", "decay_steps"), _COUNT),
    **dict.fromkeys(("max_bad_steps", "threads", "workers"), _COUNT),
    **dict.fromkeys(("weight_decay", "max_grad_norm", "frozen_layers", "lora_rank", "patience"), _SIZE),
    **dict.fromkeys(("eval_interval", "eval_iters", "save_interval", "detail_interval"), _SIZE),
    **dict.fromkeys(("histogram_interval", "probe_interval"), _SIZE),
}
