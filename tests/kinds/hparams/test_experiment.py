import math
from pathlib import Path

from google.protobuf.struct_pb2 import Value
from tensorboard.plugins.hparams import api_pb2 as api
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionStartInfo

from lossboard.board import open_logdir
from lossboard.events.summary import encode_event, encode_metadata, encode_simple_value, encode_value
from lossboard.kinds.hparams.decode import EXPERIMENT_TAG, START_TAG, MetricInfo
from lossboard.kinds.hparams.experiment import Experiment, MetricValue, experiment
from reference import frame

Logged = tuple[int, bytes]


def content(tag: str, **fields: object) -> Logged:
    return 0, encode_value(
        tag, None, metadata=encode_metadata("hparams", HParamsPluginData(**fields).SerializeToString())
    )


def start(**hparams: object) -> Logged:
    values = {
        name: Value(string_value=v)
        if isinstance(v, str)
        else Value(bool_value=v)
        if isinstance(v, bool)
        else Value(number_value=v)
        for name, v in hparams.items()
    }
    return content(START_TAG, session_start_info=SessionStartInfo(hparams=values))


def losses(*values: float, tag: str = "loss") -> list[Logged]:
    return [(step, encode_simple_value(tag, value)) for step, value in enumerate(values)]


def declare(tag: str, group: str = "") -> Logged:
    metric = api.MetricInfo(name=api.MetricName(group=group, tag=tag))
    return content(EXPERIMENT_TAG, experiment=api.Experiment(metric_infos=[metric]))


def experiment_of(logdir: Path, **runs: list[Logged]) -> Experiment | None:
    """The experiment of runs into which these (step, Summary.Value) were logged. `__` in a name is a slash."""
    for name, logged in runs.items():
        folder = logdir / name.replace("__", "/")
        folder.mkdir(parents=True, exist_ok=True)
        records = [frame(encode_event(1000.0 + i, step, values=[value])) for i, (step, value) in enumerate(logged)]
        (folder / "events.out.tfevents.1").write_bytes(b"".join(records))
    return experiment(open_logdir(logdir).runs)


def test_declarations_of_all_trials_are_merged(tmp_path: Path) -> None:
    table = experiment_of(
        tmp_path,
        a=[declare("loss"), start(lr=0.1, opt="adam"), *losses(3.0, 1.0, 2.0)],
        b=[declare("acc"), start(lr=0.5, opt="adam"), *losses(0.5, tag="acc")],
    )
    assert table is not None
    assert [(column.info.name, column.info.type, column.differs) for column in table.hparams] == [
        ("lr", "number", True),
        ("opt", "string", False),
    ]
    assert table.metrics == (MetricInfo("acc"), MetricInfo("loss"))
    first, second = table.trials
    assert first.metrics == {("", "loss"): MetricValue(2.0, 1.0, 3.0, 2)}
    assert second.metrics == {("", "acc"): MetricValue(0.5, 0.5, 0.5, 0)}


def test_metric_of_a_group_is_in_the_sub_run(tmp_path: Path) -> None:
    table = experiment_of(
        tmp_path, a=[declare("acc", "validation"), start(lr=1)], a__validation=[*losses(0.25, tag="acc")]
    )
    assert table is not None
    assert table.trials[0].metrics == {("validation", "acc"): MetricValue(0.25, 0.25, 0.25, 0)}


def test_without_declared_metrics_all_scalars_are_metrics(tmp_path: Path) -> None:
    table = experiment_of(tmp_path, a=[start(lr=1), *losses(1.0)], a__val=[*losses(2.0)], ab=[*losses(3.0)])
    assert table is not None
    assert [(metric.group, metric.tag) for metric in table.metrics] == [("", "loss"), ("val", "loss")]


def test_non_finite_values_are_not_minimum_or_maximum(tmp_path: Path) -> None:
    table = experiment_of(tmp_path, a=[start(lr=1), *losses(math.nan, 2.0, math.inf)])
    assert table is not None
    assert table.trials[0].metrics[("", "loss")] == MetricValue(math.inf, 2.0, 2.0, 2)


def test_true_differs_from_1_and_missing_from_given(tmp_path: Path) -> None:
    table = experiment_of(tmp_path, a=[start(x=True, y=1)], b=[start(x=1)])
    assert table is not None
    assert [(column.info.name, column.differs) for column in table.hparams] == [("x", True), ("y", True)]


def test_experiment_without_sessions_is_none(tmp_path: Path) -> None:
    assert experiment_of(tmp_path, a=[*losses(1.0)]) is None


def test_metrics_of_each_session_are_those_below_it(tmp_path: Path) -> None:
    table = experiment_of(
        tmp_path,
        a=[start(lr=0.1), *losses(1.0)],
        a__eval=[*losses(2.0)],
        ab=[start(lr=0.2), *losses(3.0)],
        b__eval=[*losses(4.0)],
    )
    assert table is not None
    assert [(trial.run, {key: value.last for key, value in trial.metrics.items()}) for trial in table.trials] == [
        ("a", {("", "loss"): 1.0, ("eval", "loss"): 2.0}),
        ("ab", {("", "loss"): 3.0}),
    ]


def test_declared_groups_outside_of_the_session_are_found(tmp_path: Path) -> None:
    table = experiment_of(tmp_path, a__train=[declare("loss", "../eval"), start(lr=0.1)], a__eval=[*losses(2.0)])
    assert table is not None
    assert {key: value.last for key, value in table.trials[0].metrics.items()} == {("../eval", "loss"): 2.0}


def test_long_and_unusual_hyperparameters_are_read(tmp_path: Path) -> None:
    long = "x" * 500
    table = experiment_of(tmp_path, a=[start(**{"lr": 0.1, long: long, "short": "", "zero": 0.0, "no": False})])
    assert table is not None
    assert table.trials[0].session.hparams == {"lr": 0.1, long: long, "short": "", "zero": 0.0, "no": False}
