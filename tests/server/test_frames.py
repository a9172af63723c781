import json
import math

import numpy as np

from board_client import Response
from lossboard.server.frames import frames, json_bytes


def test_non_finite_numbers_become_strings():
    document = {"a": [math.nan, 1.5], "b": (math.inf, -math.inf), "c": {"d": math.nan}}
    assert json.loads(json_bytes(document)) == {"a": ["NaN", 1.5], "b": ["Infinity", "-Infinity"], "c": {"d": "NaN"}}


def test_invalid_utf8_in_names_is_replaced():
    assert json.loads(json_bytes({"name": "run\udcff"})) == {"name": "run?"}


def test_tables_round_trip():
    tables = [
        {"x": np.array([0.5, 1.5]), "n": np.array([1, 2], dtype=np.uint16)},
        {"v": np.array([1, math.nan], dtype=np.float32), "name": ["a", "ü"]},
        {"empty": np.array([], dtype=np.float64)},
    ]
    head, got = Response(200, {}, frames({"head": 1}, tables)).frames()
    assert head == {"head": 1}
    assert got[0]["x"].tolist() == [0.5, 1.5]
    assert got[0]["n"].tolist() == [1, 2]
    np.testing.assert_array_equal(got[1]["v"], [1, math.nan])
    assert got[1]["name"].tolist() == ["a", "ü"]
    assert len(got[2]["empty"]) == 0
