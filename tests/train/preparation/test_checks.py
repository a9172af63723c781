"""Each check finds its problem, none finds one in valid data, and the command prints the findings."""

import argparse
import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from lossboard.cli import main as cli
from lossboard.findings import Finding
from lossboard.train.preparation.checks import CHECKS, markdown_report, run_checks
from lossboard.train.preparation.checks.context import build_context
from lossboard.train.preparation.examples import load_data

WORDS = ["good", "bad", "film", "plot", "actor", "scene", "music", "light"]
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SIZES = {"num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 16}

Row = tuple[str, Any]


def sound_rows(number: int = 600) -> list[Row]:
    """Returns distinct texts of known words, in two balanced classes."""
    digits = (f"{i:04o}" for i in range(number))
    return [(" ".join(WORDS[int(d)] for d in text), i % 2) for i, text in enumerate(digits)]


def write(path: Path, rows: list[Row]) -> Path:
    records = [{"text": text, "label": label} for text, label in rows]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def checkpoint(folder: Path, *, specials: list[str] = SPECIALS, **config: Any) -> Path:
    """Writes a tokenizer with a dozen words, and a config.json that matches it unless arguments change it."""
    folder.mkdir(exist_ok=True)
    vocab = {token: i for i, token in enumerate(specials + WORDS)}
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if "[CLS]" in vocab and "[SEP]" in vocab:
        marks = [("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])]
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=marks
        )
    tokenizer.save(str(folder / "tokenizer.json"))
    sizes = {"vocab_size": len(vocab), "max_position_embeddings": 32, "type_vocab_size": 2, "pad_token_id": 0}
    (folder / "config.json").write_text(json.dumps(SIZES | sizes | config))
    return folder


def find(
    folder: Path, rows: list[Row], held: list[Row] | None = None, *, classes: list[str] | None = None, **model: Any
) -> dict[str, Finding]:
    data = load_data(
        write(folder / "train.jsonl", rows),
        write(folder / "held.jsonl", held) if held is not None else None,
        classes=classes,
        fraction=0.4,
    )
    length = model.pop("max_length", 16)
    return {
        f.code: f for f in run_checks(build_context(data, checkpoint(folder / "model", **model), max_length=length))
    }


def test_sound_data_has_no_findings(tmp_path: Path) -> None:
    assert find(tmp_path, sound_rows()) == {}


S = sound_rows()


@pytest.mark.parametrize(
    ("code", "severity", "message", "rows"),
    [
        ("label-ignored", "error", "2 examples labeled −100.", [*S, ("good", -100), ("bad", "-100")]),
        ("label-invalid", "error", "1 example: no label.", [*S, ("good", None)]),
        ("label-not-a-class", "error", "600 distinct labels in",
         [(text, f"id {i}") for i, (text, _) in enumerate(S)]),
        ("label-one-class", "error", "The training set has only one class: 1.", [(text, 1) for text, _ in S]),
        ("label-constant", "error", "All labels of the training set are 0.5.", [(text, 0.5) for text, _ in S]),
        ("label-scale", "warning", "with a usual size of 1", [(text, i + 1000.5) for i, (text, _) in enumerate(S)]),
        ("label-invalid", "error", "1 example: not a finite number.",
         [*((text, i / 600) for i, (text, _) in enumerate(S)), ("good", "inf")]),
        ("label-rare", "warning", "1 of 3 classes: 2 (1 training examples).", [*S, ("good", 2)]),
        ("label-imbalance", "warning", "predicting 0 gives an accuracy of 90.0%",
         [(text, int(i % 10 == 0)) for i, (text, _) in enumerate(S)]),
        ("text-empty", "warning", "1 example (0.2%) without text.", [*S, (" \t ", 0)]),
        ("text-empty", "error", "without text.", [*S, *[("", 0), (" ", 1)] * 50]),
        ("text-mojibake", "warning", "1 example (0.2%) with garbled characters.", [*S, ("good â€™ film", 0)]),
        ("duplicates", "warning", "of the training set repeat another.",
         [*S, *[(f"  {text.upper()} ", label) for text, label in S[:99]]]),
        ("label-conflict", "warning", "1 texts have several labels", [*S, ("film", 0), ("Film", 1)]),
        ("truncated", "warning", "of the training set is truncated to 16 tokens",
         [*S, *[("good " * 20 + text, y) for text, y in S[:200]]]),
        ("text-long", "warning", "of the training set have more than 64 tokens.",
         [*S, ("good " * 99, 0), ("bad " * 99, 1), ("plot " * 99, 0)]),
        ("unknown-tokens", "error", "of the training tokens are unknown.",
         [(f"{text} {i} x", y) for i, (text, y) in enumerate(S)]),
    ],
)  # fmt: skip
def test_invalid_examples_are_found(tmp_path: Path, code: str, severity: str, message: str, rows: list[Row]) -> None:
    finding = find(tmp_path, rows)[code]
    assert finding.severity == severity
    assert message in finding.message


@pytest.mark.parametrize(
    ("code", "severity", "message", "model"),
    [
        ("vocabulary-mismatch", "error", "ids up to 12, but the model has 10 embeddings", {"vocab_size": 10}),
        ("vocabulary-mismatch", "warning", "13 tokens, but the model has 30522 embeddings", {"vocab_size": 30522}),
        ("special-tokens", "error", "no [CLS], [SEP]", {"specials": ["[PAD]", "[UNK]"], "vocab_size": 10}),
        ("pad-id", "error", "is 7 in config.json, but 0 in the tokenizer", {"pad_token_id": 7}),
        ("position-range", "error", "is 64, but the model has 32 positions", {"max_length": 64}),
        ("position-range", "error", "is 32, but the model has 30 positions",
         {"max_length": 32, "model_type": "roberta", "pad_token_id": 1}),
    ],
)  # fmt: skip
def test_invalid_checkpoints_are_found(
    tmp_path: Path, code: str, severity: str, message: str, model: dict[str, Any]
) -> None:
    finding = find(tmp_path, sound_rows(), **model)[code]
    assert finding.severity == severity
    assert message in finding.message


def test_labels_off_by_one_are_reported_with_their_lines(tmp_path: Path) -> None:
    finding = find(tmp_path, [(text, label + 1) for text, label in sound_rows()], classes=["0", "1"])["label-invalid"]
    off_by_one = "They are off by one, so the labels probably count from another number."
    assert finding.message == f"300 examples: not one of the 2 classes 0, 1. {off_by_one}"
    assert finding.location.rows[0] == "train.jsonl, line 2: 2"


def test_class_only_in_validation_is_invalid(tmp_path: Path) -> None:
    assert "label-invalid" in find(tmp_path, sound_rows()[:300], [*sound_rows()[300:], ("good", 2)])


@pytest.mark.parametrize(("leaked", "severity"), [(2, "warning"), (20, "error")])
def test_leak_severity_depends_on_its_share(tmp_path: Path, leaked: int, severity: str) -> None:
    rows = sound_rows()
    finding = find(tmp_path, rows[:300], rows[300:] + [(text.title(), label) for text, label in rows[:leaked]])["leak"]
    assert finding.severity == severity
    assert finding.location.rows[0] == "held.jsonl, line 301 is train.jsonl, line 1"


def test_drift_and_a_small_validation_set_are_found(tmp_path: Path) -> None:
    rows = sound_rows()
    found = find(tmp_path, rows[:300], [(text, 0) for text, _ in rows[300:420]])
    assert found["label-drift"].message == "1: 50.0% of the training set, 0.0% of the validation set."
    assert (
        found["validation-small"].message
        == "120 validation examples: accuracy has an error of at least ± 9 percentage points."
    )


def test_text_pairs_without_a_second_token_type_are_found(tmp_path: Path) -> None:
    records = [{"sentence1": text, "sentence2": text[::-1], "label": label} for text, label in sound_rows()]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    context = build_context(load_data(path), checkpoint(tmp_path / "model", type_vocab_size=1), max_length=16)
    assert "pair-types" in {finding.code for finding in run_checks(context)}


def test_truncation_reports_the_cost_of_keeping_all_tokens(tmp_path: Path) -> None:
    rows = [(" ".join([text] * (4 if i % 4 == 0 else 1)), label) for i, (text, label) in enumerate(sound_rows())]
    message = find(tmp_path, rows[:400], rows[400:], max_length=10)["truncated"].message
    assert message == (
        "25.0% of the training set is truncated to 10 tokens, losing 22.2% of all tokens. "
        "--max-length 24 would keep 100.0% whole for 1.29× the tokens."
    )


# ---- the command and the page ---------------------------------------------------------------------------------------


def test_command_prints_json_and_exits_1_on_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = (
        write(tmp_path / "good.jsonl", sound_rows()),
        write(tmp_path / "bad.jsonl", [*sound_rows(), ("x", -100)]),
    )
    model = checkpoint(tmp_path / "model")
    assert (
        cli.main(
            ["check-data", str(good), "--model", str(model), "--max-length", "16", "--val-fraction", "0.4", "--json"]
        )
        == 0
    )
    report = json.loads(capsys.readouterr().out)
    assert report["findings"] == []
    assert report["examples"] == {"train": 360, "validation": 240}
    assert cli.main(["check-data", str(bad), "--json"]) == 1
    (finding, *_) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["code"] == "label-ignored" and finding["places"] == ["bad.jsonl, line 601"]
    assert finding["what"] == "1 example labeled −100." and finding["evidence"] == {"examples": 1}


def test_command_prints_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    path = write(tmp_path / "bad.jsonl", [*sound_rows(), ("[red]x[/red]", None)])
    assert cli.main(["check-data", str(path), "--val-fraction", "0.4"]) == 1
    told = capsys.readouterr().out
    assert "text from 'text', label from 'label'" in told
    assert "bad.jsonl, line 601: None" in told


def test_markdown_report_lists_data_and_findings(tmp_path: Path) -> None:
    data = load_data(write(tmp_path / "x.jsonl", [*sound_rows(), ("x", -100)]))
    report = markdown_report(data, run_checks(build_context(data, None, max_length=16)))
    assert "- **error label-ignored**: 1 example labeled −100." in report
    assert "601 examples, text from 'text', label from 'label'" in report


@pytest.mark.parametrize(("command", "page"), [("check-data", "data-checks.md"), ("plan", "memory.md")])
def test_every_flag_is_documented(command: str, page: str) -> None:
    text = (Path(__file__).parents[3] / "docs" / page).read_text(encoding="utf-8")
    parser = argparse.ArgumentParser(add_help=False)
    importlib.import_module(cli.COMMANDS[command][0]).add_arguments(parser)
    flags = [flag for action in parser._actions for flag in action.option_strings]
    assert [flag for flag in flags if flag not in text] == []


def test_checks_match_their_rows_in_the_docs() -> None:
    page = (Path(__file__).parents[3] / "docs" / "data-checks.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.split("| code |")[1].splitlines() if line.startswith("| `")]
    documented = [tuple(cell.replace("`", "") for cell in row) for row in rows]
    assert documented == [(check.code, check.detects, check.why, check.advice) for check in CHECKS]


def test_list_labels_are_reported_and_do_not_crash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a b", "label": [1]}\n{"text": "c d", "label": [0, 1]}\n' * 20)
    assert cli.main(["check-data", str(path), "--task", "classification", "--json"]) == 1
    findings = {finding["code"]: finding["what"] for finding in json.loads(capsys.readouterr().out)["findings"]}
    assert "a list instead of one label" in findings["label-invalid"]
    assert findings["label-one-class"] == "The training set has no valid labels."
