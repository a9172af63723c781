"""Trains a small character-level GPT, in the style of nanoGPT, and logs the training.

    python examples/char_gpt.py --learning-rate 0.01 --run-tag lr-001
    python examples/char_gpt.py --learning-rate 0.02 --run-tag lr-002      then compare both:  lossboard runs

Logs train/loss at every step, eval/train_loss, eval/val_loss and eval/learning_rate every `eval_interval` steps (the
mean of `eval_iters` batches each), and every `histogram_interval` steps the distribution of each parameter under its
own name, e.g. `transformer.h.0.attn.c_attn.weight`. Each evaluation also logs a sample of the model's text and its
attention to a line of the text. The text is Python's own help pages, which are always at hand.
"""

import argparse
import math
import pydoc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from lossboard import SummaryWriter
from lossboard.train.config import Config, board_settings
from lossboard.train.runs.run_dir import new_run

TOPICS = ("str", "list", "dict", "int", "set", "float", "argparse", "json", "random", "statistics", "textwrap")


@dataclass
class Shape:
    vocab: int
    context: int = 64
    layers: int = 2
    heads: int = 4
    width: int = 64
    dropout: float = 0.1


class Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, self.dropout = shape.heads, shape.dropout
        self.c_attn = nn.Linear(shape.width, 3 * shape.width)
        self.c_proj = nn.Linear(shape.width, shape.width)

    def split_heads(self, x: torch.Tensor) -> Iterator[torch.Tensor]:
        """Returns queries, keys and values: batch × heads × time × width of a head."""
        batch, time, width = x.shape
        return (part.view(batch, time, self.heads, -1).transpose(1, 2) for part in self.c_attn(x).split(width, dim=2))

    def weights(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the attention of each position to those before it: batch × heads × time × time."""
        q, k, _ = self.split_heads(x)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
        later = torch.ones(scores.shape[2:], dtype=torch.bool).triu(1)
        return scores.masked_fill(later, -math.inf).softmax(dim=3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.split_heads(x)
        dropout = self.dropout if self.training else 0.0
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=dropout)
        return self.c_proj(mixed.transpose(1, 2).reshape(x.shape))


class MLP(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.c_fc = nn.Linear(shape.width, 4 * shape.width)
        self.c_proj = nn.Linear(4 * shape.width, shape.width)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dropout(self.c_proj(F.gelu(self.c_fc(x))))


class Block(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(shape.width), Attention(shape)
        self.ln_2, self.mlp = nn.LayerNorm(shape.width), MLP(shape)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(shape.vocab, shape.width),
                "wpe": nn.Embedding(shape.context, shape.width),
                "h": nn.ModuleList([Block(shape) for _ in range(shape.layers)]),
                "ln_f": nn.LayerNorm(shape.width),
            }
        )
        self.lm_head = nn.Linear(shape.width, shape.vocab, bias=False)
        for name, parameter in self.named_parameters():
            if parameter.ndim > 1:
                # Projections back into the residual stream start smaller, the deeper the model.
                depth = math.sqrt(2 * shape.layers) if name.endswith("c_proj.weight") else 1.0
                nn.init.normal_(parameter, std=0.02 / depth)

    def embed(self, characters: torch.Tensor) -> torch.Tensor:
        return self.transformer["wte"](characters) + self.transformer["wpe"].weight[: characters.shape[1]]

    def forward(self, characters: torch.Tensor) -> torch.Tensor:
        x = self.embed(characters)
        for block in self.transformer["h"]:
            x = block(x)
        return self.lm_head(self.transformer["ln_f"](x))

    @torch.no_grad()
    def attention(self, characters: torch.Tensor) -> list[torch.Tensor]:
        """Returns heads × time × time for each layer."""
        self.eval()
        x, found = self.embed(characters[None]), []
        for block in self.transformer["h"]:
            found.append(block.attn.weights(block.ln_1(x))[0])
            x = block(x)
        return found

    @torch.no_grad()
    def write(self, start: torch.Tensor, length: int, generator: torch.Generator) -> torch.Tensor:
        """Generates text after `start`, one character at a time."""
        self.eval()
        for _ in range(length):
            odds = self(start[:, -self.shape.context :])[:, -1].softmax(dim=-1)
            start = torch.cat([start, torch.multinomial(odds, 1, generator=generator)], dim=1)
        return start


def load_text() -> str:
    return "\n".join(pydoc.plain(pydoc.render_doc(topic)) for topic in TOPICS)


def main(argv: list[str] | None = None) -> float:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learning-rate", type=float, default=3e-3)
    parser.add_argument("--run-tag", default="")
    parser.add_argument("--max-iters", type=int, default=500)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--eval-interval", type=int, default=50)
    parser.add_argument("--eval-iters", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)

    settings = Config.from_mapping(board_settings() | {"run_tag": args.run_tag, "seed": args.seed})
    run = new_run(settings)
    print(f"Run {run.id}")
    return train(
        run.logs(),
        learning_rate=args.learning_rate,
        batch_size=args.batch_size,
        max_iters=args.max_iters,
        eval_interval=args.eval_interval,
        eval_iters=args.eval_iters,
        histogram_interval=settings.histogram_interval,
        seed=args.seed,
    )


def train(
    folder: Path,
    *,
    learning_rate: float = 3e-3,
    batch_size: int = 32,
    max_iters: int = 500,
    eval_interval: int = 50,
    eval_iters: int = 10,
    histogram_interval: int = 50,
    seed: int = 0,
) -> float:
    """Returns the last validation loss."""
    torch.manual_seed(seed)
    text = load_text()
    alphabet = sorted(set(text))
    data = torch.tensor([alphabet.index(character) for character in text])
    cut = int(0.9 * len(data))
    sides = {"train": data[:cut], "val": data[cut:]}
    model = GPT(Shape(vocab=len(alphabet)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    print(f"{len(text)} characters, {sum(p.numel() for p in model.parameters())} parameters")

    def loss_of(side: str, generator: torch.Generator | None = None) -> torch.Tensor:
        source, context = sides[side], model.shape.context
        starts = torch.randint(len(source) - context - 1, (batch_size,), generator=generator)
        batch = torch.stack([source[start : start + context + 1] for start in starts])
        return F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())

    losses = {}
    with SummaryWriter(folder) as writer:
        for step in range(max_iters + 1):
            if step % eval_interval == 0 or step == max_iters:
                losses = estimate(model, loss_of, eval_iters)
                values = {f"eval/{side}_loss": loss for side, loss in losses.items()}
                writer.add_scalars_dict(values | {"eval/learning_rate": learning_rate}, step)
                log_sample(writer, model, alphabet, sides["val"][:24], step)
                print(f"step {step}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")
            if step == max_iters:
                break
            model.train()
            loss = loss_of("train")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            writer.add_scalar("train/loss", loss.item(), step)
            if histogram_interval and step % histogram_interval == 0:
                for name, parameter in model.named_parameters():
                    writer.add_histogram(name, parameter, step)
                    writer.add_histogram(f"{name}.grad", parameter.grad, step)
        writer.add_hparams(
            {"learning_rate": learning_rate, "batch_size": batch_size, "seed": seed},
            {"hparam/val_loss": losses["val"]},
            run_name=".",
        )
    return losses["val"]


def log_sample(writer: SummaryWriter, model: GPT, alphabet: list[str], line: torch.Tensor, step: int) -> None:
    """Logs a text that the model writes, and its attention to a line."""
    start = torch.zeros(1, 1, dtype=torch.long)
    sample = model.write(start, 200, torch.Generator().manual_seed(0))[0, 1:]
    writer.add_text("sample", "```\n" + "".join(alphabet[i] for i in sample) + "\n```", step)
    writer.add_attention("attention", model.attention(line), [alphabet[i] for i in line], step)


@torch.no_grad()
def estimate(model: GPT, loss_of: Callable[..., torch.Tensor], iterations: int) -> dict[str, float]:
    """Returns mean losses over fixed batches, so that evaluations can be compared."""
    model.eval()
    means = {}
    for side in ("train", "val"):
        generator = torch.Generator().manual_seed(1)
        means[side] = sum(float(loss_of(side, generator)) for _ in range(iterations)) / iterations
    return means


if __name__ == "__main__":
    main()
