import pytest
from google.protobuf.struct_pb2 import ListValue, Value
from tensorboard.plugins.hparams import api_pb2 as api
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo

from fake_run import run_of
from lossboard.events.summary import encode_metadata, encode_value
from lossboard.kinds.hparams.decode import (
    END_TAG,
    EXPERIMENT_TAG,
    START_TAG,
    HParamInfo,
    MetricInfo,
    declared_experiments,
    sessions,
)


def hparams_value(tag: str, **content: object) -> bytes:
    """As torch and tensorboardX write it: metadata, and no value at all."""
    return encode_value(
        tag, None, metadata=encode_metadata("hparams", HParamsPluginData(**content).SerializeToString())
    )


def start(group: str = "", **hparams: Value) -> bytes:
    return hparams_value(START_TAG, session_start_info=SessionStartInfo(hparams=hparams, group_name=group))


def end(status: int) -> bytes:
    return hparams_value(END_TAG, session_end_info=SessionEndInfo(status=status))


def test_hparams_keep_their_type_and_omit_missing_values() -> None:
    values = {
        "lr": Value(number_value=0.1),
        "zero": Value(number_value=0.0),
        "name": Value(string_value=""),
        "flag": Value(bool_value=False),
        "null": Value(null_value=0),
        "list": Value(list_value=ListValue()),
        "unset": Value(),
    }
    (session,) = sessions(run_of((0, start(**values)), name="trial"))
    assert session.hparams == {"lr": 0.1, "zero": 0.0, "name": "", "flag": False}
    assert session.hparams["flag"] is False
    assert (session.status, session.group) == ("STATUS_UNKNOWN", "trial")


@pytest.mark.parametrize(("number", "status"), [(1, "STATUS_SUCCESS"), (2, "STATUS_FAILURE"), (3, "STATUS_RUNNING")])
def test_status_is_that_of_the_session_end(number: int, status: str) -> None:
    (session,) = sessions(run_of((0, start("g")), (0, end(number))))
    assert (session.status, session.group) == (status, "g")


def test_first_metadata_of_a_tag_counts() -> None:
    run = run_of((0, start(lr=Value(number_value=1))), (0, start(lr=Value(number_value=2))))
    (session,) = sessions(run)
    assert (session.hparams, session.wall_time) == ({"lr": 1.0}, 1001.0)


def test_run_without_a_session_raises() -> None:
    assert len(sessions(run_of((0, end(1))))) == 0
    assert declared_experiments([run_of((0, end(1)))]) == []


def test_declared_experiment_is_decoded() -> None:
    experiment = api.Experiment(
        name="sweep",
        hparam_infos=[
            api.HParamInfo(name="lr", type=3, domain_interval=api.Interval(min_value=0.1, max_value=1)),
            api.HParamInfo(name="opt", type=1, domain_discrete=ListValue(values=[Value(string_value="adam")])),
        ],
        metric_infos=[api.MetricInfo(name=api.MetricName(group="val", tag="acc"), display_name="accuracy")],
    )
    run = run_of((0, hparams_value(EXPERIMENT_TAG, experiment=experiment)))
    (declaration,) = declared_experiments([run, run])
    assert declaration.name == "sweep"
    assert declaration.hparams == (
        HParamInfo("lr", type="number", interval=(0.1, 1.0)),
        HParamInfo("opt", type="string", choices=("adam",)),
    )
    assert declaration.metrics == (MetricInfo("acc", "val", "accuracy"),)
