import json
import subprocess
import sys

import pytest
import torch

from lossboard.errors import UsageError
from lossboard.train.memory.device import has_fast_half_precision
from lossboard.train.models.layers import layer_of
from lossboard.train.models.pretrained import resolve_checkpoint
from train.tiny_bert import make_checkpoint


def test_pickled_weights_are_refused(tmp_path):
    folder = make_checkpoint(tmp_path / "model")
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(UsageError, match="Pickled weights are refused"):
        resolve_checkpoint(str(folder))


def test_directory_without_a_checkpoint_is_reported(tmp_path):
    with pytest.raises(UsageError, match=r"has no config\.json"):
        resolve_checkpoint(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("bert.encoder.layer.11.output.dense.weight", "layer_11"),
        ("distilbert.transformer.layer.0.ffn.lin1.bias", "layer_00"),
        ("bert.embeddings.word_embeddings.weight", "embeddings"),
        ("bert.pooler.dense.weight", "head"),
        ("classifier.bias", "head"),
    ],
)
def test_layer_of_parses_parameter_names(name, layer):
    assert layer_of(name) == layer


@pytest.mark.parametrize(("flags", "fast"), [("fpu avx2 f16c", False), ("fpu avx2 avx512_bf16", True)])
def test_fast_half_precision_is_read_from_cpuinfo(tmp_path, flags, fast):
    (tmp_path / "cpuinfo").write_text(f"flags : {flags}\n")
    assert has_fast_half_precision(cpuinfo=tmp_path / "cpuinfo") is fast


def test_importing_the_package_and_the_kit_imports_neither_torch_nor_keras():
    code = "import sys, lossboard, lossboard.train, lossboard.cli.finetune; print([m for m in sys.modules if m in "
    code += "('torch', 'transformers', 'keras', 'tensorflow', 'tokenizers')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.replace("'", '"')) == []
