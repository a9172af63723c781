"""Config: all settings of a fine-tuning run, given from Python, a TOML or JSON file, or flags."""

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
from lossboard.train.optimizers import TRAITS as OPTIMIZER_TRAITS
from lossboard.train.optimizers import OptimizerName
from lossboard.train.precision import Precision
from lossboard.train.schedules import SCHEDULES, Schedule, ScheduleName

EngineName = Literal["torch", "tensorflow"]
Sharding = Literal["ddp", "fsdp"]
TaskName = Literal["classification", "regression", "multi-label", "token-classification", "question-answering"]
Device = Literal["auto", "cpu", "cuda", "mps"]


def _listed(literal: Any) -> str:
    """Returns the choices of a Literal as text: `a, b or c`."""
    *others, last = typing.get_args(literal)
    return f"{', '.join(others)} or {last}"


def _described(schedules: Mapping[str, Schedule]) -> str:
    return "; ".join(f"{name} {schedule.description}" for name, schedule in schedules.items())


# A setting with its default and its help text. `begins` names the group of flags that starts with it.
def _opt(default: Any, about: str, *, begins: str = "") -> Any:
    return field(default=default, metadata={"help": about, "begins": begins})


@dataclass(frozen=True, kw_only=True)
class Config:
    """Settings of a run. Frozen, so the logged hparams are what the run used. Use `replace` for a variant."""

    model: str = _opt(
        "",
        "checkpoint directory in Hugging Face format, or a model name on the Hugging Face Hub (needs network access)",
        begins="data and model",
    )
    data: Path | None = _opt(
        None, "training examples: a CSV, TSV, JSONL or Parquet file, or a Hugging Face dataset directory"
    )
    val_data: Path | None = _opt(None, "validation examples (default: hold out --val-fraction of the data)")
    val_fraction: float = _opt(0.1, "fraction of the data held out if there is no validation set")
    split_seed: int = _opt(0, "seed that selects the held-out examples; separate from --seed, so seeds can be compared")
    task: TaskName | None = _opt(
        None, f"what to predict: {', '.join(typing.get_args(TaskName))} (default: detected from the data)"
    )
    text_column: str | None = _opt(None, "text column (default: detected from column names and contents)")
    pair_column: str | None = _opt(None, "second text column, for text pairs")
    label_column: str | None = _opt(None, "label column (default: detected from column names and contents)")
    classes: str | None = _opt(
        None, "all classes in id order, separated by commas (default: those of the training set)"
    )
    header: bool | None = _opt(None, "whether a CSV or TSV file starts with column names (default: detected)")
    max_length: int = _opt(128, "maximum number of tokens per example, including special tokens")
    engine: EngineName = _opt("torch", f"training framework: {_listed(EngineName)}")

    batch_size: int = _opt(32, "examples per step, over all workers", begins="batches")
    micro_batch_size: int | None = _opt(
        None, "examples per forward pass on one worker; gradients are accumulated up to the batch size"
    )
    group_by_length: bool = _opt(True, "batch texts of similar length together, to reduce padding")
    balanced_sampling: bool = _opt(
        False, "draw all classes equally often, with replacement; for imbalanced classes, as an alternative to weights"
    )

    epochs: int = _opt(3, "passes over the training set", begins="optimization")
    max_steps: int | None = _opt(None, "stop after this many steps")
    optimizer: OptimizerName = _opt(
        "adamw", "; ".join(f"{name} {traits.description}" for name, traits in OPTIMIZER_TRAITS.items())
    )
    learning_rate: float = _opt(5e-5, "peak learning rate")
    schedule: ScheduleName = _opt("linear", f"learning-rate schedule after warmup: {_described(SCHEDULES)}")
    warmup: float = _opt(0.1, "fraction of steps used for linear learning-rate warmup")
    decay_steps: int = _opt(1000, "exponential schedule: steps for one decay by --decay-rate")
    decay_rate: float = _opt(0.96, "exponential schedule: decay factor")
    staircase: bool = _opt(False, "exponential schedule: decay once per --decay-steps, not continuously")
    class_weights: bool = _opt(
        False, "weight the loss of each class inversely to its frequency; for imbalanced classes"
    )
    weight_decay: float = _opt(0.01, "weight decay, applied to matrices only")
    max_grad_norm: float = _opt(1.0, "clip gradients to this norm; 0 = off")
    dropout: float | None = _opt(None, "override every dropout rate of the checkpoint")
    precision: Precision = _opt("fp32", f"precision of the forward pass: {_listed(Precision)}")
    frozen_embeddings: bool = _opt(False, "freeze the embeddings")
    frozen_layers: int = _opt(0, "freeze the embeddings and this many of the lowest layers")
    layer_decay: float = _opt(1.0, "layer-wise learning-rate decay factor; 1 = off")
    lora_rank: int = _opt(0, "train LoRA adapters of this rank instead of the weights (needs peft); 0 = off")
    gradient_checkpointing: bool = _opt(False, "recompute activations: less memory, more time")
    compile: bool = _opt(False, "use torch.compile; worth it only for long runs")

    eval_interval: int = _opt(
        100, "steps between evaluations; 0 = only at the end of each epoch", begins="evaluation and stopping"
    )
    eval_iters: int = _opt(
        10, "batches per evaluation within an epoch; 0 or --patience = the full validation set each time"
    )
    metric: str | None = _opt(
        None, "metric that selects the best checkpoint, e.g. f1 or loss (default: the first one of the task)"
    )
    patience: int = _opt(
        0, "stop after this many evaluations without improvement, at the end of epochs or within; 0 = never"
    )
    max_bad_steps: int = _opt(3, "stop after this many consecutive steps with a non-finite loss or gradient")

    device: Device = _opt("auto", _listed(Device), begins="hardware")
    threads: int | None = _opt(None, "CPU threads per worker")
    workers: int = _opt(1, "worker processes to start on this machine")
    sharding: Sharding = _opt("ddp", "with several workers: ddp (each holds all weights) or fsdp (each holds a shard)")
    seed: int = _opt(0, "seed for the example order, dropout and new weights")

    runs_dir: Path = _opt(Path("runs"), "directory for run directories", begins="output")
    run_tag: str = _opt("", "name added to the run id")
    save_interval: int = _opt(
        100, "steps between writes of the last checkpoint; 0 = only after an improved evaluation and at the end"
    )
    detail_interval: int = _opt(10, "steps between per-layer gradient norms and update-to-weight ratios; 0 = off")
    histogram_interval: int = _opt(100, "steps between histograms of weights and gradients; 0 = off")
    probe_interval: int = _opt(100, "steps between probes (attention maps and embeddings); 0 = off")
    probe_texts: Path | None = _opt(
        None, "text file with one probe text per line, or pairs with a tab between (default: short validation texts)"
    )

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):
            _check_type(f.name, getattr(self, f.name), _types()[f.name])
        for name, wanted in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not wanted[0](value):
                raise UsageError(f"{flag(name)} is {value!r}. It must be {wanted[1]}.")
        if self.optimizer == "adafactor" and self.sharding == "fsdp" and self.workers > 1:
            raise UsageError("--optimizer adafactor averages over whole matrices, which fsdp splits. Use ddp or adamw.")
        if self.class_weights and self.balanced_sampling:
            raise UsageError("Use either --class-weights or --balanced-sampling. Both together favor rare classes.")

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Config:
        """Returns a config from plain values, such as those of a file. Keys may use `-` or `_`."""
        return cls().replace(**{_known(key): value for key, value in values.items()})

    def replace(self, **values: Any) -> Config:
        """Returns a variant. Text is converted to the field's type, so flags, files and sweeps can pass strings."""
        named = {_known(key): value for key, value in values.items()}
        return dataclasses.replace(self, **{key: _convert(key, value) for key, value in named.items()})

    def inputs(self) -> tuple[str, Path]:
        """Returns the model and the data, which every run needs."""
        if not self.model:
            raise UsageError("No model given. Set --model to a checkpoint directory, e.g. --model ./bert-base-uncased")
        if self.data is None:
            raise UsageError("No data given. Set --data to the training examples, e.g. --data train.csv")
        return self.model, self.data

    def as_dict(self) -> dict[str, Any]:
        """Returns plain values, for JSON."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


def is_due(interval: int, step: int) -> bool:
    """Returns whether something done every `interval` steps is due after `step`; 0 = never."""
    return interval > 0 and step % interval == 0


SETTINGS = frozenset(f.name for f in dataclasses.fields(Config))


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def read_config_file(path: Path) -> dict[str, Any]:
    """Returns the keys and values of a TOML or JSON file."""
    try:
        text = path.read_text(encoding="utf-8")
        values = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"Cannot read the config file {path}: {error.strerror}.") from error
    except ValueError as error:
        form = "JSON" if path.suffix == ".json" else "TOML"
        raise UsageError(f"The config file {path} is not valid {form}: {error}") from error
    if not isinstance(values, dict):
        raise UsageError(f"The config file {path} contains a {type(values).__name__}. It must contain keys and values.")
    return values


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Adds one flag for each field, and --config. Flags that are not given are not set in the namespace."""
    parser.add_argument("--config", type=Path, help="TOML or JSON file with these settings; flags override it")
    defaults, group = Config(), parser.add_argument_group()
    for f in dataclasses.fields(Config):
        default = getattr(defaults, f.name)
        if f.metadata["begins"]:
            group = parser.add_argument_group(f.metadata["begins"])
        about = f.metadata["help"] + ("" if default in (None, "", Path()) else f" (default: {default})")
        switch = bool in _alternatives(_types()[f.name])
        kind: dict[str, Any] = {"action": argparse.BooleanOptionalAction} if switch else {"metavar": _metavar(f.name)}
        group.add_argument(flag(f.name), dest=f.name, default=argparse.SUPPRESS, help=about.replace("%", "%%"), **kind)


def _metavar(name: str) -> str:
    """Returns the value placeholder of a flag: its choices, or the kind of value."""
    words = {int: "N", float: "X", str: "NAME", Path: "PATH"}
    option = _alternatives(_types()[name])[0]
    return words.get(option) or "{" + ",".join(typing.get_args(option)) + "}"


def from_flags(args: argparse.Namespace) -> Config:
    """Returns the config from defaults, `configs/tensorboard.json`, --config and flags. Later ones override earlier."""
    given = vars(args)
    values = board_settings()
    if given.get("config"):
        values |= {_known(key): value for key, value in read_config_file(given["config"]).items()}
    values |= {f.name: given[f.name] for f in dataclasses.fields(Config) if f.name in given}
    return Config.from_mapping(values)


def board_settings(path: Path = Path("configs/tensorboard.json")) -> dict[str, Any]:
    """Returns the run settings in `configs/tensorboard.json`, if it exists. The board reads its `port`."""
    if not path.exists():
        return {}
    return {key: value for key, value in read_config_file(path).items() if key in ("runs_dir", "histogram_interval")}


def _known(key: str) -> str:
    name = key.lstrip("-").replace("-", "_")
    if name in _types():
        return name
    near = difflib.get_close_matches(name, _types(), n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Known settings: {', '.join(_types())}."
    raise UsageError(f"Unknown setting {key!r}. {hint}")


_hints: dict[str, Any] = {}


def _types() -> dict[str, Any]:
    if not _hints:
        _hints.update(typing.get_type_hints(Config))
    return _hints


def _alternatives(hint: Any) -> tuple[Any, ...]:
    # A union with a Literal has another type than one of classes.
    return typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)


def _check_type(name: str, value: Any, hint: Any) -> None:
    for option in _alternatives(hint):
        if typing.get_origin(option) is Literal:
            if value in typing.get_args(option):
                return
        elif isinstance(value, option) and isinstance(value, bool) == (option is bool):
            return
    raise UsageError(f"{flag(name)} is {value!r}. It must be {_describe(hint)}.")


def _describe(hint: Any) -> str:
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "text", Path: "a path"}
    options = [option for option in _alternatives(hint) if option is not type(None)]
    named = [words.get(option) or "one of " + ", ".join(typing.get_args(option)) for option in options]
    return " or ".join(named) + (", or none" if type(None) in _alternatives(hint) else "")


def _convert(name: str, value: Any) -> Any:
    """Converts text and integers to the field's type. A value that does not fit is returned for the check to report."""
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
