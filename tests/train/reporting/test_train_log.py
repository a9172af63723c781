"""Logs of a training run, read back with Lossboard's reader."""

import dataclasses
import re
from pathlib import Path

import pytest

import lossboard
from lossboard.errors import UsageError
from lossboard.kinds.attention.decode import attentions
from lossboard.train.config import Config, flag
from lossboard.train.findings import CODES
from lossboard.train.runner import finetune
from train.tiny_bert import texts, tiny_config

DOCS = Path(__file__).resolve().parents[3] / "docs" / "finetune.md"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logged")
    config = tiny_config(
        folder, epochs=2, eval_interval=4, histogram_interval=8, probe_interval=8, detail_interval=4, eval_iters=1
    )
    return finetune(config).run


@pytest.fixture(scope="module")
def board(run):
    return lossboard.open(run.path.parent)


@pytest.fixture(scope="module")
def logged(board, run):
    return board[f"{run.id}/logs/tensorboard"]


@pytest.mark.parametrize(
    ("tag", "steps"),
    [
        ("train/loss", list(range(1, 17))),
        ("train/padding_waste", list(range(1, 17))),
        ("grad_norm/layer_01", [4, 8, 12, 16]),
        ("update_ratio/embeddings", [4, 8, 12, 16]),
        ("system/process/memory_mb", [4, 8, 12, 16]),
        ("eval/train_loss", [4, 8, 12, 16]),
        ("eval/val_loss", [4, 8, 12, 16]),
        ("eval/learning_rate", [4, 8, 12, 16]),
        ("val/accuracy", [8, 16]),
        ("val/f1/positive", [8, 16]),
    ],
)
def test_scalars_are_logged_at_their_steps(logged, tag, steps):
    assert logged.scalars(tag).steps.tolist() == steps


def test_layer_gradient_norms_add_up_to_the_total(logged):
    layers = [logged.scalars(tag).values for tag in logged.tags if tag.startswith("grad_norm/")]
    whole = logged.scalars("train/grad_norm")
    for place, step in enumerate(logged.scalars("grad_norm/head").steps):
        total = sum(values[place] ** 2 for values in layers) ** 0.5
        assert total == pytest.approx(whole.values[whole.steps.tolist().index(step)], rel=1e-4)


def test_histogram_tags_are_parameter_names(logged):
    name = "bert.encoder.layer.0.attention.self.query.weight"
    assert [h.step for h in logged.histograms(f"weights/{name}")] == [0, 8, 16]
    assert [h.step for h in logged.histograms(f"gradients/{name}")] == [8, 16]


def test_full_evaluation_logs_curves_and_confusion(logged, board):
    assert [curve.step for curve in logged.pr_curves("val/positive")] == [8, 16]
    confusion = texts(logged, "val/confusion")
    assert sum(map(int, re.findall(r"\b\d+\b", confusion))) == 32
    assert [picture.step for picture in logged.images("val/confusion")] == [8, 16]
    assert texts(logged, "val/worst").count("\n") == 21


def test_embeddings_of_the_same_texts_are_logged_at_their_steps(board):
    tables = board.embeddings()
    assert sorted(table.tag for table in tables) == [f"val/cls:{step:05d}" for step in (0, 8, 16)]
    first, *others = (table.metadata() for table in tables)
    assert all(rows == first for rows in others) and len(first[1]) == len(tables[0].tensor()) == 16


def test_probe_texts_are_those_of_the_setting(tmp_path):
    probes = tmp_path / "probes.txt"
    probes.write_text("good movie\n\nbad plot\n")
    config = tiny_config(tmp_path, epochs=1, max_steps=1, probe_interval=1, probe_texts=probes)
    run = finetune(config).run
    logged = lossboard.open(run.path.parent)[f"{run.id}/logs/tensorboard"]
    assert sorted(tag for tag, kind in logged.tags.items() if kind == "attention") == [
        "attention/probe_0",
        "attention/probe_1",
    ]
    assert attentions(logged.stored, "attention/probe_1")[-1].tokens[0] == "[CLS]"


@pytest.mark.parametrize(
    ("text", "message"),
    [("\n", "has 0 probe texts"), ("a\tb\nc\n", "lines with and without a tab"), (None, "Cannot read the probe texts")],
)
def test_probe_texts_that_cannot_be_used_are_refused(tmp_path, text, message):
    probes = tmp_path / "probes.txt"
    if text is not None:
        probes.write_text(text)
    with pytest.raises(UsageError, match=message):
        finetune(tiny_config(tmp_path, probe_texts=probes))


def test_attention_and_graph_are_logged(logged):
    heads = [tag for tag in logged.tags if tag.startswith("attention/probe_0/entropy/")]
    assert len(heads) == 4 and logged.scalars(heads[0]).steps.tolist() == [0, 8, 16]
    assert "attention" in logged.tags.values()
    assert "graphs" in logged.tags.values()


def test_config_data_report_and_hparams_are_logged(logged):
    assert "learning_rate" in texts(logged, "config")
    assert "classes: 0 = negative, 1 = positive" in texts(logged, "data/report")
    session = logged.hparams()
    assert session.hparams["learning_rate"] == 3e-3


def test_settings_match_the_table_in_the_docs():
    table = DOCS.read_text(encoding="utf-8").split("## Settings")[1]
    rows = [line.strip("| ").split("|") for line in table.splitlines() if line.startswith("| `--")]
    documented = [tuple(cell.replace("`", "").strip() for cell in row) for row in rows]
    defaults = Config().as_dict()
    expected = []
    for field in dataclasses.fields(Config):
        value = defaults[field.name]
        shown = "" if value in (None, "", ".") else str(value).lower() if isinstance(value, bool) else str(value)
        expected.append((flag(field.name), shown, field.metadata["help"]))
    assert documented == expected


def test_every_finding_code_is_in_the_docs():
    text = DOCS.read_text(encoding="utf-8")
    assert [code for code in CODES if f"`{code}`" not in text] == []


def test_every_logged_tag_is_in_the_docs(logged):
    text = DOCS.read_text().split("## What is logged")[1].split("## Settings")[0]
    for tag in logged.tags:
        group, _, name = tag.removesuffix("/text_summary").partition("/")
        if group == "_hparams_":
            continue  # the plugin's own name
        assert f"`{group}" in text and (group not in ("train", "eval") or f"{name}`" in text), tag
