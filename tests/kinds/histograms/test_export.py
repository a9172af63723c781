"""Export of a histogram tag."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from lossboard.errors import UsageError
from lossboard.kinds.histograms.decode import histograms
from lossboard.store.logdir import Logdir
from tests.kinds.views import RUN, call_route


def exported(logdir: Logdir, what: str, form: str) -> str:
    stream = call_route(logdir, "histograms", "export", run=RUN, tag="relu", what=what, format=form)
    assert stream.filename == f"relu-{what}.{form}"
    return b"".join(stream.parts).decode()


def test_csv_round_trips_exactly(logdir: Logdir) -> None:
    points = list(histograms(logdir.runs["run"], "relu"))
    rows = list(csv.reader(io.StringIO(exported(logdir, "buckets", "csv"))))[1:]
    wanted = [[p.step, p.wall_time, *bucket] for p in points for bucket in p.buckets.tolist()]
    assert [[float(cell) for cell in row] for row in rows] == wanted
    bands = np.array(list(csv.reader(io.StringIO(exported(logdir, "bands", "csv"))))[1:], float)
    np.testing.assert_array_equal(bands[:, 2:], [p.distribution for p in points])


def test_json_has_the_same_numbers(logdir: Logdir) -> None:
    points = list(histograms(logdir.runs["run"], "relu"))
    buckets = json.loads(exported(logdir, "buckets", "json"))
    assert [(one["step"], one["buckets"]) for one in buckets] == [(p.step, p.buckets.tolist()) for p in points]
    bands = json.loads(exported(logdir, "bands", "json"))
    assert [one["distribution"] for one in bands] == [p.distribution.tolist() for p in points]


def test_invalid_parameters_raise(logdir: Logdir) -> None:
    with pytest.raises(UsageError, match=r"buckets\.csv, bands\.csv"):
        call_route(logdir, "histograms", "export", run=RUN, tag="relu", what="pickle")
