"""Arguments that programs pass to a SummaryWriter: for each method, usual ones and odd ones for each parameter."""
# ruff: noqa: E501 tables

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from PIL import Image

RNG = np.random.default_rng(11)
WAVE = np.sin(np.arange(60) / 5)
LABELS, SCORES = np.array([0, 1, 1, 0, 1]), np.array([0.1, 0.9, 0.8, 0.4, 0.35])
BOXES = np.array([[1, 2, 10, 12], [0, 0, 5, 5.0]])
NUMPY_TYPES = (
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "longdouble",
    "complex64",
    "complex128",
    "U6",
    "S6",
    "object",
)
TORCH_TYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "float8_e4m3fn",
)


class Odd:
    """A value with a name that is the same in every process."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value


class Case(NamedTuple):
    method: str
    parameter: str
    label: str
    arguments: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.method} {self.parameter} {self.label}"


def arrays(values: np.ndarray) -> list[Odd]:
    """Returns the same numbers as every type of array. Types that cannot hold them are left out."""
    found = [Odd(f"numpy {kind}", values.astype(kind)) for kind in NUMPY_TYPES]
    found += [
        Odd(f"torch {kind}", torch.from_numpy(values.astype(np.float64)).to(getattr(torch, kind)))
        for kind in TORCH_TYPES
    ]
    wide = torch.from_numpy(values.astype(np.float32))
    found += [
        Odd("list", values.tolist()), Odd("tuple", tuple(values.tolist())), Odd("None", None), Odd("text", "x"), Odd("empty", values[:0]),
        Odd("fortran", np.asfortranarray(values)), Odd("reversed", values[::-1]), Odd("masked", np.ma.masked_array(values)), Odd("big endian", values.astype(">f8")),
        Odd("requires grad", wide.clone().requires_grad_()), Odd("parameter", torch.nn.Parameter(wide.clone())), Odd("sparse", wide.to_sparse()), Odd("meta", wide.to("meta")),
        Odd("transposed tensor", wide.T.contiguous().T if wide.ndim == 2 else wide), Odd("negative stride", np.negative(values)), Odd("NaN", np.full(values.shape, np.nan)), Odd("one NaN", np.where(np.arange(values.size).reshape(values.shape) == 0, np.nan, values)),
        Odd("inf", np.full(values.shape, np.inf)), Odd("large", values * 1000), Odd("below zero", values - 10), Odd("flat", values.reshape(-1)), Odd("one axis more", values[None]), Odd("one axis less", values[0]), Odd("PIL", Image.fromarray(np.zeros((4, 5, 3), np.uint8))),
    ]  # fmt: skip
    return found


TAGS = [
    Odd(repr(tag)[:20], tag)
    for tag in (
        "a/b",
        "a b",
        "/a",
        b"bytes",
        b"\xff",
        None,
        3,
        "",
        "ü✓",
        np.str_("numpy"),
        "\ud800",
        "a" * 300,
        ("t",),
        "..",
        "a\tb",
        Path("p"),
    )
]
STEPS = [
    Odd(repr(step)[:40], step)
    for step in (
        0,
        -3,
        None,
        True,
        "7",
        b"7",
        " 7 ",
        "2.7",
        "abc",
        "",
        2.7,
        -2.7,
        float("nan"),
        float("inf"),
        2**63,
        2**63 - 1,
        -(2**63),
        np.int32(4),
        np.uint8(4),
        np.float32(3.9),
        np.array(3),
        np.array([3]),
        np.str_("8"),
        torch.tensor(5),
        torch.tensor([6]),
        torch.tensor([[6]]),
        torch.tensor(5.9),
        torch.tensor(True),
        torch.tensor([1, 2]),
        [1],
        1j,
        Fraction(7, 2),
        Decimal("7.5"),
    )
]
WALL_TIMES = [
    Odd(repr(secs)[:40], secs)
    for secs in (
        None,
        0,
        5,
        5.5,
        -1.5,
        True,
        np.float32(7),
        np.float64(7),
        np.int64(7),
        np.array(5.0),
        torch.tensor(5.0),
        "5",
        float("nan"),
        float("inf"),
        2**70,
        Fraction(7, 2),
        Decimal("7.5"),
        1j,
    )
]
SCALARS = [
    Odd(repr(number)[:60], number)
    for number in (
        1,
        1.5,
        True,
        "1.5",
        b"1.5",
        " 2 ",
        "nan",
        "1_000",
        "high",
        1j,
        None,
        10**400,
        2**70,
        -1e39,
        1e-46,
        float("nan"),
        float("inf"),
        Decimal("1.5"),
        Fraction(1, 3),
        np.bool_(True),
        np.int8(-3),
        np.uint64(2**63),
        np.float16(1.5),
        np.longdouble(1.5),
        np.complex64(1),
        np.str_("2"),
        np.bytes_(b"2"),
        np.datetime64(5, "s"),
        np.ones((1, 1, 1)),
        np.ones(2),
        np.zeros(0),
        np.array("3"),
        np.array([b"3"]),
        np.array([Decimal(3)]),
        np.ma.masked_array([1.0]),
        np.array([None]),
        torch.tensor(1.5),
        torch.tensor([[5]]),
        torch.tensor(True),
        torch.tensor(1.5).bfloat16(),
        torch.tensor(1.5).half(),
        torch.tensor(1.5, requires_grad=True),
        torch.tensor([1.0, 2.0]),
        torch.tensor(1.0 + 2j),
        torch.tensor(1.0, device="meta"),
        torch.tensor([1.0]).to_sparse(),
        [1.0],
        (1.0,),
        {"a": 1.0},
        object,
    )
]
FORMATS = [
    Odd(repr(letters), letters)
    for letters in (
        "CHW",
        "chw",
        "HWC",
        "WHC",
        "CWH",
        "HW",
        "WH",
        "NCHW",
        "NHWC",
        "CHWN",
        "CNHW",
        "HWX",
        "XHW",
        "CHX",
        "CHH",
        "CHWB",
        "BCHW",
        "H",
        "",
        "NTCHW",
        None,
    )
]
FLAGS = [Odd(repr(flag), flag) for flag in (True, False, None, 0, 1)]

SAMPLES: dict[str, list[Odd]] = {"tag": TAGS, "global_step": STEPS, "walltime": WALL_TIMES}
IMAGE = RNG.random((3, 4, 5))

USUAL: dict[str, dict[str, Any]] = {
    "add_scalar": {"tag": "x", "scalar_value": 1.5, "global_step": 1, "walltime": 5.0, "new_style": False, "double_precision": False},
    "add_scalars": {"main_tag": "x", "tag_scalar_dict": {"a": 1.0}, "global_step": 1, "walltime": 5.0},
    "add_tensor": {"tag": "x", "tensor": torch.ones(2, 3), "global_step": 1, "walltime": 5.0},
    "add_histogram": {"tag": "x", "values": RNG.random(50), "global_step": 1, "bins": "tensorflow", "walltime": 5.0, "max_bins": None},
    "add_histogram_raw": {"tag": "x", "min": 0.0, "max": 1.0, "num": 3, "sum": 2.0, "sum_squares": 2.0, "bucket_limits": [1.0, 2.0], "bucket_counts": [1, 2], "global_step": 1, "walltime": 5.0},
    "add_image": {"tag": "x", "img_tensor": IMAGE, "global_step": 1, "walltime": 5.0, "dataformats": "CHW"},
    "add_images": {"tag": "x", "img_tensor": RNG.random((3, 3, 4, 5)), "global_step": 1, "walltime": 5.0, "dataformats": "NCHW"},
    "add_image_with_boxes": {"tag": "x", "img_tensor": RNG.random((3, 20, 20)), "box_tensor": BOXES, "global_step": 1, "walltime": 5.0, "rescale": 1, "dataformats": "CHW", "labels": None},
    "add_audio": {"tag": "x", "snd_tensor": WAVE, "global_step": 1, "sample_rate": 8000, "walltime": 5.0},
    "add_text": {"tag": "x", "text_string": "text", "global_step": 1, "walltime": 5.0},
    "add_mesh": {"tag": "x", "vertices": RNG.random((1, 4, 3)), "colors": None, "faces": None, "config_dict": None, "global_step": 1, "walltime": 5.0},
    "add_embedding": {"mat": RNG.random((6, 3)).astype(np.float32), "metadata": None, "label_img": None, "global_step": 1, "tag": "x", "metadata_header": None},
    "add_pr_curve": {"tag": "x", "labels": LABELS, "predictions": SCORES, "global_step": 1, "num_thresholds": 127, "weights": None, "walltime": 5.0},
    "add_pr_curve_raw": {"tag": "x", **dict.fromkeys(("true_positive_counts", "false_positive_counts", "true_negative_counts", "false_negative_counts", "precision", "recall"), np.arange(4.0)), "global_step": 1, "num_thresholds": 4, "weights": None, "walltime": 5.0},
    "add_hparams": {"hparam_dict": {"lr": 0.1}, "metric_dict": {"m": 1.0}, "hparam_domain_discrete": None, "run_name": "r", "global_step": 1},
    "add_custom_scalars": {"layout": {"c": {"t": ["Multiline", ["a", "b"]]}}},
    "add_custom_scalars_multilinechart": {"tags": ["a", "b"], "category": "c", "title": "t"},
    "add_custom_scalars_marginchart": {"tags": ["a", "b", "c"], "category": "c", "title": "t"},
}  # fmt: skip


def odd(*values: Any) -> list[Odd]:
    return [Odd(repr(value)[:60].replace("\n", " "), value) for value in values]


ODD: dict[str, dict[str, list[Odd]]] = {
    "add_scalar": {"scalar_value": SCALARS, "new_style": FLAGS, "double_precision": FLAGS},
    "add_scalars": {"main_tag": TAGS, "tag_scalar_dict": odd({}, {"a/b": "2"}, {"a": torch.tensor([1.0])}, {b"a": 1.0}, {None: 1.0}, {1: 1.0}, [1.0], None, {"a": None}, {"..": 1.0}, {"a b": 1, "c": True})},
    "add_tensor": {"tensor": arrays(np.arange(6.0).reshape(2, 3))},
    "add_histogram": {"values": [*arrays(RNG.random((4, 5))), *odd(3.5, True, "1.5", 1j, np.float32(2), np.array([1e30]), np.array([2**60]))], "bins": odd("auto", "fd", "doane", "scott", "rice", "sturges", "sqrt", 1, 10, np.int64(4), 3.0, None, [0, 1], (0, 1), [1, 0], [5.0, 6.0], [], range(3), np.array([0.0, 0.5]), torch.tensor([0.0, 1.0]), "none"), "max_bins": odd(1, 2, 7, 1548, 1549, 5000, np.int64(7), 7.0, 0, -1, True, "7")},
    "add_histogram_raw": {**{moment: odd(None, 1, "1", np.float32(2), np.array([1.0]), torch.tensor(1.0), 1j, float("nan"), True) for moment in ("min", "max", "num", "sum", "sum_squares")}, **{row: odd([1, 2], (1, 2), np.array([1, 2]), torch.tensor([1.0, 2.0]), [True, False], ["1", "2"], [None, 1], [1], [], {1.0, 2.0}, range(2), np.array([[1.0], [2.0]]), None) for row in ("bucket_limits", "bucket_counts")}},
    "add_image": {"img_tensor": arrays(IMAGE), "dataformats": FORMATS},
    "add_images": {"img_tensor": [*arrays(RNG.random((3, 3, 4, 5))), Odd("gray", RNG.random((9, 1, 4, 5))), Odd("four channels", RNG.random((2, 4, 4, 5))), Odd("two channels", RNG.random((2, 2, 4, 5)))], "dataformats": FORMATS},
    "add_image_with_boxes": {"img_tensor": arrays(RNG.random((3, 20, 20))), "box_tensor": [*arrays(BOXES), Odd("score column", np.c_[BOXES, [1, 2]]), Odd("no boxes", np.zeros((0, 4))), Odd("swapped corners", BOXES[:, ::-1].copy())], "rescale": odd(1, 2, 0.5, 0, -1, np.float32(2), None, True), "dataformats": FORMATS, "labels": odd(None, "a", ["a", "b"], ("a", "b"), ["a"], ["", "b"], [], np.array(["a", "b"]))},
    "add_audio": {"snd_tensor": [*arrays(WAVE), Odd("column", WAVE[:, None]), Odd("row", WAVE[None]), Odd("stereo", np.c_[WAVE, WAVE]), Odd("short samples", (WAVE * 3000).astype(np.int16)), Odd("one sample", np.array([0.5])), Odd("scalar", 0.5)], "sample_rate": odd(1, 44100, 22050.7, np.int64(8000), np.float32(8000.0), 0, -1, None, "8000", True)},
    "add_text": {"text_string": odd("", "✓", np.str_("x"), "\ud800", b"x", None, 3, ["a"], "a" * 10000, "a\0b")},
    "add_mesh": {**{part: [*arrays(RNG.random((1, 4, 3))), Odd("four columns", RNG.random((1, 4, 4))), Odd("four axes", RNG.random((1, 4, 3, 1))), Odd("no points", RNG.random((1, 0, 3)))] for part in ("vertices", "colors", "faces")}, "config_dict": odd({}, {"b": 1, "a": [2]}, [1], "x", 3, {"a": {"b": None}}, {"a": np.float32(1)}, {1: 2})},
    "add_embedding": {"mat": arrays(RNG.random((6, 3))), "metadata": [*odd(list("abcdef"), "abcdef", tuple("abcdef"), list(range(6)), [None] * 6, np.arange(6), torch.arange(6), ["a"], [], 3, ["a\tb"] * 6, [b"x"] * 6, dict.fromkeys("abcdef", 1))], "label_img": arrays(RNG.random((6, 3, 4, 4))), "global_step": [*odd("best", 3.7)], "metadata_header": odd(["a"], [], ("a", "b"), "h")},
    "add_pr_curve": {"labels": [*arrays(LABELS.astype(float)), *odd(1, True, [0, 1, 1, 0, 1], LABELS * 2, LABELS[:, None], LABELS[:3])], "predictions": [*arrays(SCORES), *odd(0.5, SCORES * 8 - 4, SCORES + 0.2, SCORES - 1e-9, SCORES[:, None], SCORES[:3])], "num_thresholds": odd(1, 2, 5, 127, 128, 999, 0, -1, 5.0, None, np.int64(9), "5", True), "weights": odd(2, 2.0, np.arange(5.0), list(range(5)), torch.arange(5.0), np.ones(1), np.ones(3), "x", True)},
    "add_pr_curve_raw": {**{row: arrays(np.arange(4.0)) for row in ("true_positive_counts", "recall")}, "num_thresholds": odd(1, 4, 999, 0, np.int64(4)), "weights": odd(2.0, "x", [1])},
    "add_hparams": {"hparam_dict": [*(Odd(f"value {sample.name}", {"a": sample.value}) for sample in SCALARS), *odd({}, {b"a": 1}, {None: 1}, {1: 1}, {"a": torch.tensor([1.0, 2.0])}, {"a": torch.tensor([[1.0, 2.0]])}, {"a": torch.tensor([1 + 2j, 3])}, {"a": torch.tensor([True, False])}, {"a": [1, 2]}, {"a": (1, 2)}, {"a": {"b": 1}}, {"a": len}, {"a": torch.optim.SGD}, {"a": np.arange(3)}, [("a", 1)], None, {"z": 1, "a": "x", "m": True})], "metric_dict": [*(Odd(f"value {sample.name}", {"m": sample.value}) for sample in SCALARS), *odd({}, {b"m": 1}, {None: 1}, {1: 1}, [("m", 1)], None)], "hparam_domain_discrete": odd({}, {"lr": [0.1, 0.2]}, {"lr": [1]}, {"lr": []}, {"lr": (0.1,)}, {"b": [1]}, "x", [1], {"lr": ["a"]}, {"lr": [True]}), "run_name": odd("x/y", Path("p"), b"p", "a b", "ü", 5)},
    "add_custom_scalars": {"layout": odd({}, {"c": {}}, {"c": {"t": ["Margin", ["a", "b", "c"]]}}, {"c": {"t": ["Margin", ["a"]]}}, {"c": {"t": ["Pie", ["a"], 3]}}, {"c": {"t": ("Multiline", ("a",))}}, {"c": {"t": ["Multiline", {"a"}]}}, {"c": {"t": ["Multiline", []]}}, {"c": {"t": ["Multiline", None]}}, {"c": {"t": ["Multiline", [b"a"]]}}, {"c": {"t": ["Multiline", [None]]}}, {"c": {"t": ["Multiline", [3]]}}, {b"c": {b"t": ["Multiline", ["a"]]}}, {None: {None: ["Multiline", ["a"]]}}, {1: {2: ["Multiline", ["a"]]}}, {"c": {"t": "ab"}}, {"c": {"t": {0: "Multiline", 1: ["a"]}}}, {"c": {"t": ["Margin", "abc"]}}, {"c": {"t": ["Margin", [None, "a", "b"]]}}, {"c": {"t": 3}}, [1], None, {"c": ["t"]}, {"c": {"t": ["Multiline", "abc"]}})},
    "add_custom_scalars_multilinechart": {"tags": odd([], ("a",), {"a"}, [b"a"], [3], None, "abc"), "category": TAGS, "title": TAGS},
    "add_custom_scalars_marginchart": {"tags": odd([], ("a", "b", "c"), ["a", "b"], "abc", [b"a", b"b", b"c"], [1, 2, 3]), "category": TAGS, "title": TAGS},
}  # fmt: skip


def cases() -> Iterator[Case]:
    """Yields each method with its usual arguments, and with each odd value for each parameter."""
    for method, usual in USUAL.items():
        yield Case(method, "usual", "keywords", usual)
        for parameter in usual:
            for sample in ODD.get(method, {}).get(parameter, []) + SAMPLES.get(parameter, []):
                yield Case(method, parameter, sample.name, {**usual, parameter: sample.value})
    extra = [
        ("add_embedding", {"metadata": [("x", 1)] * 6, "metadata_header": ["a", "b"]}, "table"),
        ("add_embedding", {"metadata": [("x", 1)] * 5 + [("y",)], "metadata_header": ["a", "b"]}, "short row"),
        ("add_embedding", {"label_img": torch.rand(6, 3, 4, 5)}, "sprites"),
        ("add_embedding", {"label_img": (torch.rand(6, 3, 4, 4) * 255).to(torch.uint8)}, "byte sprites"),
        ("add_scalar", {"scalar_value": 0.1, "new_style": True, "double_precision": True}, "double"),
        ("add_scalar", {"scalar_value": -1e39, "new_style": True}, "new style beyond float32"),
        ("add_hparams", {"hparam_dict": {"a": 1}, "hparam_domain_discrete": {"a": [True]}}, "bools as integers"),
        ("add_hparams", {"hparam_dict": {"a": None}, "hparam_domain_discrete": {"a": [None]}}, "domain of None"),
        ("add_hparams", {"hparam_dict": {"a": torch.ones(1)}, "hparam_domain_discrete": {"a": [torch.ones(1)]}}, "domain of tensors"),
        ("add_pr_curve", {"labels": np.ones(1), "weights": np.arange(5.0)}, "labels as wide as weights"),
    ]  # fmt: skip
    for method, changed, label in extra:
        yield Case(method, "several", label, {**USUAL[method], **changed})
