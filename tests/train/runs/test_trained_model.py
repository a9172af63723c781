"""Models of runs, found and exported: merged adapters, clear errors, no half directories."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from lossboard.cli import main as cli
from lossboard.errors import UsageError
from lossboard.train import finetune
from lossboard.train.runs.trained_model import export_model, find_checkpoint
from train.tiny_bert import tiny_config

TEXTS = ["a very good film", "the story was awful and dull", "its cast"]


def logits(model: torch.nn.Module, tokenizer_folder: Path) -> torch.Tensor:
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_folder)
    inputs = tokenizer(TEXTS, padding=True, return_tensors="pt", return_token_type_ids=False)
    with torch.no_grad():
        out: torch.Tensor = model.eval()(**inputs).logits
    return out


def test_merged_adapters_compute_the_same_as_with_peft(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = finetune(tiny_config(tmp_path, lora_rank=4, epochs=1, learning_rate=0.05))
    merged = tmp_path / "merged"
    assert cli.main(["merge", result.run.id, "--runs-dir", str(tmp_path / "runs"), "-o", str(merged)]) == 0
    assert f"from_pretrained('{merged}')" in capsys.readouterr().out
    assert sorted(file.name for file in merged.iterdir()) == ["config.json", "model.safetensors", "tokenizer.json"]

    base = AutoModelForSequenceClassification.from_pretrained(tmp_path / "model", num_labels=2)
    untrained = logits(base, merged)
    adapted = logits(PeftModel.from_pretrained(base, str(result.best / "adapter")), merged)
    plain = AutoModelForSequenceClassification.from_pretrained(merged)
    assert plain.config.id2label == {0: "negative", 1: "positive"}
    torch.testing.assert_close(logits(plain, merged), adapted, atol=1e-5, rtol=1e-5)
    assert (adapted - untrained).abs().max() > 0.01
    name = "bert.encoder.layer.0.attention.self.query.weight"
    assert not torch.equal(plain.state_dict()[name], base.state_dict()[name.replace("weight", "base_layer.weight")])


def write_checkpoint(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "optimizer.safetensors").write_bytes(b"moments")
    return folder


def test_checkpoint_is_found_by_run_id_directory_and_itself(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "2026-02-10_001"
    last = write_checkpoint(run / "checkpoints" / "last")
    (run / "config.json").write_text(json.dumps({"model": "bert"}))
    assert find_checkpoint(run.name, tmp_path / "runs") == last
    best = write_checkpoint(run / "checkpoints" / "best")
    assert find_checkpoint(run.name, tmp_path / "runs") == best
    assert find_checkpoint(run, Path("elsewhere")) == best
    assert find_checkpoint(last, Path("elsewhere")) == last


def test_missing_model_names_what_was_searched(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"No trained model in 2026-02-10_009.*--runs-dir"):
        find_checkpoint("2026-02-10_009", tmp_path)


def test_export_never_replaces_or_leaves_half_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = write_checkpoint(tmp_path / "checkpoint")
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"taken exists already"):
        export_model(checkpoint, taken)

    def full_disk(source: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full_disk)
    with pytest.raises(OSError, match="No space left"):
        export_model(checkpoint, tmp_path / "new" / "model")
    assert list((tmp_path / "new").iterdir()) == []
