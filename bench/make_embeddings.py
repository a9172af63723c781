"""Real vectors for the projection benchmark, made once by MiniLM from the sentences of film reviews.

sentences.npy   10 000 × 384   mean of a sentence's token vectors
tokens.npy     100 000 × 384   contextual token vectors
steps.npy       11 × 1000 × 384 and labels.npy: [CLS] of 1000 sentences at 11 points of a fine-tuning of 160 steps
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".cache" / "embeddings"
SENTENCES, TOKENS, PROBES, TRAIN_STEPS, STEPS_BETWEEN = 10_000, 100_000, 1000, 160, 16


def make() -> Path:
    """Returns the folder with the vectors. Making them takes about ten minutes of CPU, once."""
    if not (FOLDER / "labels.npy").exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        sys.path.insert(0, str(ROOT / "examples"))
        import fetch_assets

        # The shortest sentences are the cheapest to embed.
        rated = sorted(fetch_assets._rated_sentences(), key=lambda row: len(row[1]))[:SENTENCES]
        texts, ratings = [text for _, text in rated], np.array([rating for rating, _ in rated])
        _make_static(str(fetch_assets.minilm()), texts)
        _make_steps(str(fetch_assets.minilm()), texts, ratings)
    return FOLDER


def _make_static(checkpoint: str, texts: list[str]) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer = AutoModel.from_pretrained(checkpoint).eval(), AutoTokenizer.from_pretrained(checkpoint)
    sentences, tokens = [], []
    with torch.no_grad():
        for first in range(0, len(texts), 64):
            batch = _batch(tokenizer, texts[first : first + 64], 64)
            hidden, mask = model(**batch).last_hidden_state, batch["attention_mask"]
            sentences.append(((hidden * mask[..., None]).sum(1) / mask.sum(1)[:, None]).numpy())
            tokens.append(hidden[mask.bool()].numpy())
    every = np.concatenate(tokens)
    chosen = np.random.default_rng(0).choice(len(every), TOKENS, replace=False)
    np.save(FOLDER / "sentences.npy", np.concatenate(sentences))
    np.save(FOLDER / "tokens.npy", every[chosen])


def _make_steps(checkpoint: str, texts: list[str], ratings: Any) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    torch.manual_seed(0)
    order = np.random.default_rng(0).permutation(len(texts))
    probes, train = order[:PROBES], [row for row in order[PROBES:] if abs(ratings[row]) > 0.5]
    model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
    steps = [_probe(model, tokenizer, [texts[row] for row in probes])]
    for step in range(1, TRAIN_STEPS + 1):
        rows = train[step * 16 : (step + 1) * 16]
        batch = _batch(tokenizer, [texts[row] for row in rows], 40)
        model(**batch, labels=torch.tensor(ratings[rows] > 0).long()).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % STEPS_BETWEEN == 0:
            steps.append(_probe(model, tokenizer, [texts[row] for row in probes]))
    np.save(FOLDER / "steps.npy", np.stack(steps))
    np.save(FOLDER / "labels.npy", ratings[probes] > 0)


def _probe(model: Any, tokenizer: Any, texts: list[str]) -> Any:
    import torch

    model.eval()
    with torch.no_grad():
        parts = [
            model.bert(**_batch(tokenizer, texts[first : first + 100], 40)).last_hidden_state[:, 0].numpy()
            for first in range(0, len(texts), 100)
        ]
    model.train()
    return np.concatenate(parts)


def _batch(tokenizer: Any, texts: list[str], max_length: int) -> Any:
    return tokenizer(texts, padding=True, truncation=True, max_length=max_length, return_tensors="pt")


if __name__ == "__main__":
    print(make())
