"""A random BERT with two layers and a small task that it learns in seconds."""

import csv
import random
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, logging

from lossboard.train.config import Config

GOOD = ["good", "great", "fine", "lovely", "warm"]
BAD = ["bad", "awful", "poor", "cold", "dull"]
FILLER = ["the", "film", "was", "a", "very", "and", "story", "with", "its", "cast", "in", "of"]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *GOOD, *BAD, *FILLER]


def make_checkpoint(
    folder: Path, *, seed: int = 0, dropout: float = 0.1, spread: float = 0.02, positions: int = 64
) -> Path:
    """Writes a checkpoint. `spread` is the standard deviation of its weights."""
    logging.disable_progress_bar()
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=positions,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        initializer_range=spread,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    # Real files contain padding too, and training must turn it off.
    tokenizer.enable_padding(length=48)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def make_data(file: Path, *, examples: int = 160, seed: int = 0) -> Path:
    rng = random.Random(seed)
    with file.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["text", "label"])
        for number in range(examples):
            words = rng.choices(FILLER, k=rng.randint(2, 20)) + rng.sample(GOOD if number % 2 else BAD, 2)
            rng.shuffle(words)
            rows.writerow([" ".join(words), ["negative", "positive"][number % 2]])
    return file


def texts(run: Any, tag: str) -> str:
    """Returns the last text of a tag. Its name has the suffix that torch's writer uses."""
    return str(run.text(f"{tag}/text_summary")[-1].texts[0])


def tiny_config(folder: Path, **settings: object) -> Config:
    """Returns a config with model, data and runs in `folder`, creating them if necessary."""
    if not (folder / "model").exists():
        make_checkpoint(folder / "model")
        make_data(folder / "data.csv")
    defaults: dict[str, object] = {
        "model": str(folder / "model"),
        "data": folder / "data.csv",
        "val_fraction": 0.2,
        "runs_dir": folder / "runs",
        "max_length": 48,
        "batch_size": 16,
        "epochs": 2,
        "learning_rate": 3e-3,
        "threads": 1,
        "histogram_interval": 0,
        "probe_interval": 0,
        "eval_interval": 0,
    }
    return Config.from_mapping(defaults | settings)
