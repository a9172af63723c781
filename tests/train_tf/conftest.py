"""Fixtures for the TensorFlow engine: two logical CPUs, so replicas run anywhere, and a small checkpoint."""

import importlib.util
import json
import os
from pathlib import Path

import numpy as np
import pytest

# Collected only in .venv-tf (make test-tf). The other environment has no TensorFlow, and this one has no torch.
if importlib.util.find_spec("tensorflow") is None:
    collect_ignore_glob = ["test_*.py"]
else:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""

SIZES = {"num_hidden_layers": 2, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32}
WORDS = [f"word{i}" for i in range(40)] + ["good", "bad"]


@pytest.fixture(scope="session", autouse=True)
def two_cpus() -> None:
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a random BERT in Hugging Face format, with a tokenizer of a few words."""
    import keras
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    from lossboard.train.models.architecture import read_architecture
    from lossboard.train.models.keras_model import Classifier

    folder = tmp_path_factory.mktemp("checkpoint")
    vocab = {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
    sizes = {"vocab_size": len(vocab), "max_position_embeddings": 32, "type_vocab_size": 2, "pad_token_id": 0}
    drops = {
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "hidden_act": "gelu",
        "model_type": "bert",
    }
    (folder / "config.json").write_text(json.dumps(SIZES | sizes | drops))
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", vocab["[SEP]"]), ("[CLS]", vocab["[CLS]"]))
    tokenizer.save(str(folder / "tokenizer.json"))
    keras.utils.set_random_seed(1)
    classifier = Classifier(read_architecture(folder), classes=2, dropout=0.0, precision="fp32", approximate_gelu=False)
    # Weights large enough that an approximate GELU or a transposed matrix changes the loss.
    rng = np.random.default_rng(0)
    noisy = {name: array + rng.normal(0, 0.3, array.shape).astype("f4") for name, array in classifier.tensors().items()}
    save_file(noisy, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns texts of unequal length whose class is decided by one word."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("data") / "train.jsonl"
    with path.open("w") as file:
        for i in range(500):
            words = list(rng.choice(WORDS[:40], rng.integers(3, 16)))
            words[0] = "good" if i % 2 else "bad"
            file.write(json.dumps({"text": " ".join(words), "label": i % 2}) + "\n")
    return path
