import pytest
from tensorboard.plugins.custom_scalar import layout_pb2 as pb

from fake_run import run_of, tensor_value
from lossboard.errors import DecodeError
from lossboard.events.tensors import encode_strings
from lossboard.kinds.custom_scalars.decode import CONFIG_TAG, Category, Chart, LayoutStep, Margin, custom_scalars
from lossboard.kinds.custom_scalars.kind import KIND

LAYOUT = pb.Layout(
    category=[
        pb.Category(
            title="losses",
            closed=True,
            chart=[
                pb.Chart(title="all", multiline=pb.MultilineChartContent(tag=["loss/.*", "acc"])),
                pb.Chart(
                    title="band",
                    margin=pb.MarginChartContent(
                        series=[pb.MarginChartContent.Series(value="v", lower="l", upper="u")]
                    ),
                ),
                pb.Chart(title="bare"),
            ],
        )
    ]
).SerializeToString()


def test_layout_is_decoded() -> None:
    run = run_of((0, tensor_value(CONFIG_TAG, "custom_scalars", encode_strings([LAYOUT], ()))))
    (step,) = custom_scalars(run)
    charts = (
        Chart("all", ("loss/.*", "acc"), None),
        Chart("band", None, (Margin("v", "l", "u"),)),
        Chart("bare", None, None),
    )
    assert step.categories == (Category("losses", True, charts),)
    assert KIND.fields(step)["layout"]["category"][0]["chart"] == [
        {"title": "all", "multiline": {"tag": ("loss/.*", "acc")}},
        {"title": "band", "margin": {"series": [{"value": "v", "lower": "l", "upper": "u"}]}},
        {"title": "bare"},
    ]


def test_two_strings_raise() -> None:
    with pytest.raises(DecodeError):
        LayoutStep.parse(tensor_value(CONFIG_TAG, "custom_scalars", encode_strings([LAYOUT, LAYOUT])))
