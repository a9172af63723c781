"""Every method of tensorboardX's SummaryWriter with every odd argument, compared with `lossboard.tensorboardX`."""
# ruff: noqa: E501 tables

from __future__ import annotations

import contextlib
import inspect
import io
import json
import multiprocessing
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorboardX
import torch

import lossboard.tensorboardX as ours
from lossboard import SummaryWriter
from writer.event_protos import contents
from writer.odd_arguments import Case, cases
from writer.read_events import scalars

RENAMED = {"run_name": "name"}


def parameters(method: str) -> list[str]:
    return list(inspect.signature(getattr(tensorboardX.SummaryWriter, method)).parameters)[1:]


def tensorboardx_cases() -> Iterator[Case]:
    for case in cases():
        if not hasattr(tensorboardX.SummaryWriter, case.method):
            continue
        arguments = {RENAMED.get(name, name): value for name, value in case.arguments.items()}
        known = {name: arguments[name] for name in parameters(case.method) if name in arguments}
        if RENAMED.get(case.parameter, case.parameter) in {*known, "usual", "several"}:
            yield Case(case.method, case.parameter, case.label, known)


CASES = {case.name: case for case in tensorboardx_cases()}

# A pattern of names of cases → why we store something else on purpose.
DIFFERENCES: dict[str, str] = {
    r"add_(?!embedding|audio|mesh).* walltime (nan|inf)": "No time axis can show such a time. We log the current time.",
    r"add_image\w* img_tensor (numpy|torch) float16": "tensorboardX computes in float16, which rounds pixels.",
    r"add_image\w* img_tensor (negative stride|inf|large|below zero)": "Values beyond 0 and 1 wrap around in tensorboardX. We clip them, as torch does.",
    r"add_images img_tensor list": 'tensorboardX writes nothing for a list unless dataformats is "CHW" or "HWC".',
    r"add_scalars main_tag '/a'": "tensorboardX writes to /a, outside of the run's directory.",
    r"add_histogram bins \[5.0, 6.0\]": "No value is in a bin. Both write an empty bin, at another place.",
    r"add_embedding mat (numpy|torch) (bool|complex\d+)": "tensorboardX writes Python's notation, True or (1+0j). We write numbers.",
    r"add_embedding global_step (tensor\((5|True|\[6\]|\[\[6\]\])\)|True|Fraction.*)": "tensorboardX puts Python's notation into the directory's name: 0True, tensor(5).",
    r"add_embedding metadata (tensor.*|\['a\\tb.*)": "tensorboardX writes tensor(9) for 9, and a tab in a label moves the labels after it.",
    r"add_embedding tag '\.\.'": "tensorboardX writes into the run's own directory.",
    r"add_embedding several byte sprites": "tensorboardX multiplies bytes by 255, which leaves black and white.",
    r"add_custom_scalars(_multilinechart)? .*(?<!'Margin', )'abc'.*": "tensorboardX makes a tag of each letter. We take the text as one tag.",
}
# A pattern of names of cases → what may differ.
MAY_DIFFER = {
    r"add_audio .*": "We truncate a sample to 16 bits, as torch does. tensorboardX rounds.",
    r"add_embedding label_img .*|add_embedding several sprites": "tensorboardX leaves pixels of the sprite uninitialized.",
    r"add_hparams hparam_dict (value .*|\{'a': .*)|add_hparams several domain of tensors": "tensorboardX leaves out arrays, lists and objects. We log a number or text.",
    r"add_mesh .*": "We also store which parts belong to the mesh, and {} for no config instead of null.",
}


def log(writer: Any, case: Case) -> None:
    with writer, warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        getattr(writer, case.method)(**case.arguments)


@pytest.mark.parametrize("name", CASES)
def test_argument_is_stored_as_tensorboardx_stores_it(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    try:
        log(tensorboardX.SummaryWriter(str(tmp_path / "theirs")), case)
    except Exception:
        with contextlib.suppress(
            TypeError, ValueError
        ):  # what tensorboardX refuses may work, or is an invalid argument
            log(ours.SummaryWriter(str(tmp_path / "ours")), case)
        return
    log(ours.SummaryWriter(str(tmp_path / "ours")), case)
    log(SummaryWriter(str(tmp_path / "drop-in")), case)  # works too, with torch's tags and sub-runs
    if any(re.fullmatch(pattern, name, re.DOTALL) for pattern in MAY_DIFFER):
        return
    same = contents(tmp_path / "ours") == contents(tmp_path / "theirs")
    reasons = [reason for pattern, reason in DIFFERENCES.items() if re.fullmatch(pattern, name, re.DOTALL)]
    assert same != bool(reasons), reasons


def test_signatures_match_tensorboardx() -> None:
    """Names and order of arguments. Ours may have more names where all arguments are passed on."""
    for method in [name for name in vars(tensorboardX.SummaryWriter) if not name.startswith("_")] + ["__init__"]:
        signature = inspect.signature(getattr(ours.SummaryWriter, method))
        if "args" not in signature.parameters and method != "add_image_with_boxes":  # takes both orders
            assert list(signature.parameters)[1:][: len(parameters(method))] == parameters(method), method
    theirs = inspect.signature(tensorboardX.GlobalSummaryWriter.__init__)
    assert list(inspect.signature(ours.GlobalSummaryWriter.__init__).parameters) == list(theirs.parameters)


TAGS = ("loss", "a b/c?d", "/lead", "ü+1", "x:0", "../up")


def log_everything(writer: Any) -> None:
    """The calls whose tags and sub-runs decide whether new curves line up with old ones."""
    for step, tag in enumerate(TAGS):
        writer.add_scalar(tag, 0.5, step, 5.0)
        writer.add_scalar(f"named {tag}", 0.5, step, 5.0, "a name", "a description")
        writer.add_scalars(tag.strip("/."), {"train": 0.1, "val/x y": 0.2}, step, 5.0)
        writer.add_histogram(tag, np.arange(9.0), step, "auto", 5.0, 4)
        writer.add_histogram_raw(tag, 0.0, 1.0, 2, 1.0, 1.0, [1.0], [2], step, 5.0)
        writer.add_image(tag, np.ones((4, 4, 3)), step, 5.0, "HWC")
        writer.add_images(tag, [np.ones((3, 4, 4))] * 2, step, 5.0, "CHW")
        writer.add_text(tag, "text", step, 5.0)
        writer.add_pr_curve(tag, np.array([0, 1]), np.array([0.2, 0.7]), step, 9, None, 5.0)
        writer.add_embedding(np.eye(3), ["a", "b", "c"], None, step, tag)
        writer.add_hparams({"lr": 0.1, "f": len}, {f"m {tag}": 1.0}, f"trial{step}", step)
    with writer.use_metadata(global_step=40, walltime=6.0):
        writer.add_scalar("in context", 1.0)
        writer.add_text("in context", "text")


def test_tags_and_sub_runs_match_tensorboardx(tmp_path: Path) -> None:
    for who, kind in (("theirs", tensorboardX.SummaryWriter), ("ours", ours.SummaryWriter)):
        with kind(str(tmp_path / who), "", None, 10, 120, ".suffix", True) as writer:
            log_everything(writer)
            writer.export_scalars_to_json(tmp_path / f"{who}.json")
        assert writer.logdir == str(tmp_path / who)
    theirs, found = contents(tmp_path / "theirs"), contents(tmp_path / "ours")
    for name in [name for name in theirs if name.startswith("trial")]:  # the metric's name in the table of trials
        theirs[name], found[name] = theirs[name][1:], found[name][1:]
    # A named scalar also has the name of its plugin.
    found["."] = [(step, tag, plugin.removeprefix("scalars"), *row) for step, tag, plugin, *row in found["."]]
    assert found == theirs
    exported = [(tmp_path / f"{who}.json").read_text().replace(f"/{who}/", "/") for who in ("theirs", "ours")]
    assert json.loads(exported[0]) == json.loads(exported[1])


def test_writer_without_disk_writes_nothing(tmp_path: Path) -> None:
    with ours.SummaryWriter(logdir=str(tmp_path / "r"), write_to_disk=False, comet_config={"disabled": True}) as writer:
        log_everything(writer)
    assert not (tmp_path / "r").exists()


def test_purge_step_and_log_dir(tmp_path: Path) -> None:
    for who, kind in (("theirs", tensorboardX.SummaryWriter), ("ours", ours.SummaryWriter)):
        with kind(log_dir=str(tmp_path / who), purge_step=7) as writer:
            writer.add_scalar("x", torch.tensor(1.0), 7)
    assert contents(tmp_path / "ours") == contents(tmp_path / "theirs")


def test_paths_as_keys_and_lists_that_are_not_images_are_accepted(tmp_path: Path) -> None:
    for who, kind in (("theirs", tensorboardX.SummaryWriter), ("ours", ours.SummaryWriter)):
        with kind(str(tmp_path / who)) as writer:
            writer.add_scalars("m", {Path("a/b"): 1.0}, 1)
            writer.add_images("i", [[[0.5, 0.5]]], 1)
    assert contents(tmp_path / "ours") == contents(tmp_path / "theirs")
    with ours.SummaryWriter(str(tmp_path / "raises")) as writer, pytest.raises(ValueError, match="does not fit"):
        writer.add_images("i", np.zeros((3, 2, 2)), 1)


def test_global_writer_ignores_other_keyword_arguments(tmp_path: Path) -> None:
    for kind in (tensorboardX.GlobalSummaryWriter, ours.GlobalSummaryWriter):
        kind(str(tmp_path), coalesce_process=False, unknown="has no effect").close()


def log_five(writer: ours.GlobalSummaryWriter) -> None:
    for _ in range(5):
        writer.add_scalar("x", 1.0)
    writer.close()


def test_global_writer_counts_steps_across_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = ours.GlobalSummaryWriter(str(tmp_path))
    monkeypatch.setattr(ours, "_global_writer", writer)
    assert ours.GlobalSummaryWriter.getSummaryWriter() is writer
    writer.add_scalar("x", 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fork in a program with threads
        processes = [multiprocessing.get_context("fork").Process(target=log_five, args=(writer,)) for _ in range(3)]
        for process in processes:
            process.start()
    for process in processes:
        process.join()
    writer.add_image("i", np.zeros((3, 4, 4)))
    writer.add_image("i", np.zeros((4, 4, 3)), dataformats="HWC")
    writer.add_text("t", "text")
    assert writer.file_writer.get_logdir() == str(tmp_path)
    writer.close()
    assert sorted(step for step, _ in scalars(tmp_path)["x"]) == list(range(16))
    assert [row[:2] for row in contents(tmp_path)["."] if row[1] != "x"] == [(0, "i"), (1, "i"), (0, "t/text_summary")]
