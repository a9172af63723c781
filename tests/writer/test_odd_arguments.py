"""Every method of torch's SummaryWriter with every odd argument: what works there works here, and is stored the same."""
# ruff: noqa: E501 tables

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from torch.utils.tensorboard import SummaryWriter as TorchWriter

from lossboard import SummaryWriter
from writer.event_protos import contents
from writer.odd_arguments import USUAL, Case, cases

CASES = {case.name: case for case in cases()}

# A pattern of names of cases → why we store something else on purpose.
DIFFERENCES = {
    r".*\bmeta\b.*": "A tensor on the meta device has no values. torch logs a random number, we log NaN.",
    r"add_(?!embedding).* walltime (nan|inf)": "No time axis can show such a time. We log the current time.",
    r"add_tensor tensor torch (uint8|float16|bfloat16)": "TensorBoard cannot read what torch writes.",
    r"add_audio snd_tensor torch bfloat16": "torch rounds bfloat16 to float16 first. We do not.",
    r"add_mesh tag (None|b'bytes')": "torch puts Python's notation into the tag: b'bytes'_VERTEX.",
    r"add_histogram bins \[5.0, 6.0\]": "No value is in a bin. Both write an empty bin, at another place.",
    r"add_embedding mat (numpy|torch) (bool|complex\d+|S6)|add_embedding mat empty": "torch writes Python's notation, True or (1+0j), or no file. We write numbers.",
    r"add_embedding global_step (tensor\((5|True|\[6\]|\[\[6\]\])\)|True|Fraction.*)": "torch puts Python's notation into the directory's name: 0True, tensor(5).",
    r"add_embedding metadata (tensor.*|\['a\\tb.*)": "torch writes tensor(9) for 9, and a tab in a label moves the labels after it.",
    r"add_embedding tag '\.\.'": "torch writes into the run's own directory.",
    r"add_embedding several byte sprites": "torch multiplies bytes by 255, which leaves black and white.",
    r"add_hparams hparam_dict (value True|.*'m': True.*)": "torch turns a bool into a number. We keep it.",
    r"add_hparams several domain of tensors": "torch drops the domain. We keep it.",
    r"add_custom_scalars(_multilinechart)? .*(?<!'Margin', )'abc'.*": "torch makes a tag of each letter. We take the text as one tag.",
}


def log(writer: Any, case: Case) -> None:
    with writer, warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        getattr(writer, case.method)(**case.arguments)


def readable(folder: Path) -> Any:
    try:
        return contents(folder)
    except (OverflowError, ValueError) as error:
        return f"unreadable: {error}"


@pytest.mark.parametrize("name", CASES)
def test_argument_is_stored_as_torch_stores_it(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    try:
        log(TorchWriter(str(tmp_path / "torch")), case)
    except Exception:
        with contextlib.suppress(TypeError, ValueError):  # what torch refuses may work, or is an invalid argument
            log(SummaryWriter(str(tmp_path / "ours")), case)
        return
    log(SummaryWriter(str(tmp_path / "ours")), case)
    same = contents(tmp_path / "ours") == readable(tmp_path / "torch")
    reasons = [reason for pattern, reason in DIFFERENCES.items() if re.fullmatch(pattern, name)]
    assert same != bool(reasons), reasons


def test_every_method_and_parameter_of_torch_is_tried() -> None:
    import inspect

    others = {"add_figure", "add_graph", "add_onnx_graph", "add_video", "close", "flush", "get_logdir"}
    methods = {name for name in vars(TorchWriter) if not name.startswith("_")}
    assert set(USUAL) == methods - others
    for method, arguments in USUAL.items():
        assert list(arguments) == list(inspect.signature(getattr(TorchWriter, method)).parameters)[1:]
