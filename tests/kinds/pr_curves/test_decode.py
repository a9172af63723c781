import numpy as np
import pytest

from fake_run import tensor_value
from lossboard.errors import DecodeError
from lossboard.events.tensors import encode_array
from lossboard.kinds.pr_curves.decode import PrCurveStep


def test_curve_has_six_complete_rows() -> None:
    rows = np.arange(18, dtype=np.float32).reshape(6, 3) / 4
    curve = PrCurveStep.parse(tensor_value("t", "pr_curves", encode_array(rows)))
    np.testing.assert_array_equal(curve.rows, rows)
    assert curve.thresholds.tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("shape", [(5, 3), (6,), (6, 3, 1)])
def test_another_shape_raises(shape: tuple[int, ...]) -> None:
    with pytest.raises(DecodeError, match="thresholds"):
        PrCurveStep.parse(tensor_value("t", "pr_curves", encode_array(np.zeros(shape))))
