"""Trains a small CNN on digits in many fonts. Logs scalars, images, histograms, PR curves, embeddings and hparams.

    python examples/digits.py runs/a --learning-rate 0.003      and beside it:  lossboard runs

The digits are drawn in the fonts of matplotlib, at random angles and positions. The validation set has other fonts than
the training set, so it shows whether the model has learned digits or fonts.
"""

import argparse
from copy import deepcopy
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFont
from torch import nn
from torch.nn import functional as F

from lossboard import SummaryWriter

SIDE = 28
TRAINING_FONTS = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono", "STIXGeneral", "STIXGeneralBol", "cmr10", "cmss10")
VALIDATION_FONTS = ("DejaVuSerif", "DejaVuSerif-Italic", "DejaVuSerif-Bold", "cmb10", "cmtt10")
Digits = tuple[torch.Tensor, torch.Tensor]


class DigitsCNN(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, width, 5, padding=2)
        self.conv2 = nn.Conv2d(width, 2 * width, 5, padding=2)
        self.fc1 = nn.Linear(2 * width * 49, 64)
        self.fc2 = nn.Linear(64, 10)

    def features(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = F.max_pool2d(torch.relu(self.conv2(x)), 2)
        return torch.relu(self.fc1(x.flatten(1)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc2(self.features(x))


@cache
def draw_digits(fonts: tuple[str, ...], *, per_font: int, seed: int) -> Digits:
    """Returns pixels from 0 to 1, and the digits."""
    rng = np.random.default_rng(seed)
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    images, labels = [], []
    for name in fonts:
        font = ImageFont.truetype(str(folder / f"{name}.ttf"), 22)
        for i in range(per_font):
            image = Image.new("L", (SIDE, SIDE))
            at = SIDE / 2 + rng.uniform(-3, 3, 2)
            ImageDraw.Draw(image).text((at[0], at[1]), str(i % 10), fill=255, font=font, anchor="mm")
            turned = np.asarray(image.rotate(rng.uniform(-25, 25), Image.Resampling.BILINEAR), np.float32) / 255
            images.append(np.clip(turned + rng.normal(0, 0.15, turned.shape), 0, 1))
            labels.append(i % 10)
    order = rng.permutation(len(labels))
    return torch.tensor(np.stack(images)[order, None], dtype=torch.float32), torch.tensor(labels)[order]


def train(
    folder: Path, *, learning_rate: float, width: int = 8, steps: int = 120, interrupt_at: int | None = None
) -> float:
    """Returns the validation accuracy. At step `interrupt_at`, training starts again from half of that step."""
    torch.manual_seed(0)
    data = draw_digits(TRAINING_FONTS, per_font=300, seed=0)
    validation = draw_digits(VALIDATION_FONTS, per_font=100, seed=1)
    model = DigitsCNN(width)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    with SummaryWriter(folder) as writer:
        writer.add_graph(model, validation[0][:1])
        if interrupt_at is not None:
            run_steps(writer, model, optimizer, data, validation, range(interrupt_at // 2))
            saved = deepcopy((model.state_dict(), optimizer.state_dict()))
            run_steps(writer, model, optimizer, data, validation, range(interrupt_at // 2, interrupt_at))
            model.load_state_dict(saved[0])
            optimizer.load_state_dict(saved[1])
        run_steps(writer, model, optimizer, data, validation, range((interrupt_at or 0) // 2, steps + 1))
        accuracy = log_evaluation(writer, model, validation, steps)
        writer.add_hparams(
            {"learning_rate": learning_rate, "width": width, "steps": steps},
            {"hparam/accuracy": accuracy},
            run_name=".",
        )
    return accuracy


def run_steps(
    writer: SummaryWriter,
    model: DigitsCNN,
    optimizer: torch.optim.Optimizer,
    data: Digits,
    validation: Digits,
    steps: range,
) -> None:
    for step in steps:
        rows = torch.randint(len(data[1]), (64,))
        loss = F.cross_entropy(model(data[0][rows]), data[1][rows])
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
        writer.add_scalar("train/loss", loss.item(), step)
        writer.add_scalar("train/grad_norm", norm.item(), step)
        if step % 10 == 0:
            log_evaluation(writer, model, validation, step)
            for name, parameter in model.named_parameters():
                writer.add_histogram(f"weights/{name}", parameter, step)
                writer.add_histogram(f"gradients/{name}", parameter.grad, step)
        optimizer.step()


@torch.no_grad()
def log_evaluation(writer: SummaryWriter, model: DigitsCNN, validation: Digits, step: int) -> float:
    images, labels = validation
    outputs = model(images)
    predicted = outputs.argmax(dim=1)
    accuracy = (predicted == labels).float().mean().item()
    writer.add_scalar("val/loss", F.cross_entropy(outputs, labels).item(), step)
    writer.add_scalar("val/accuracy", accuracy, step)
    if not outputs.isfinite().all():
        return accuracy
    wrong = (predicted != labels).nonzero().flatten()[:16]
    if len(wrong):
        writer.add_images("val/mistakes", images[wrong], step)
    filters = model.conv1.weight
    writer.add_images("filters/conv1", (filters - filters.min()) / (filters.max() - filters.min()), step)
    writer.add_text("val/mistakes", describe_mistakes(predicted, labels), step)
    probabilities = outputs.softmax(dim=1)
    for digit in (3, 8):
        writer.add_pr_curve(f"val/digit_{digit}", labels == digit, probabilities[:, digit], step)
    if step % 60 == 0:
        writer.add_embedding(
            model.features(images[:300]),
            metadata=[str(int(label)) for label in labels[:300]],
            label_img=images[:300],
            global_step=step,
            tag="features",
        )
    return accuracy


def describe_mistakes(predicted: torch.Tensor, labels: torch.Tensor) -> str:
    """Returns a Markdown table of the digits that are confused most often."""
    counts = torch.bincount(labels * 10 + predicted, minlength=100).reshape(10, 10).fill_diagonal_(0)
    worst = [divmod(int(cell), 10) for cell in counts.flatten().argsort(descending=True)[:8]]
    rows = [f"| {is_} | {seen} | {counts[is_, seen]} |" for is_, seen in worst if counts[is_, seen]]
    title = f"**{int(counts.sum())} of {len(labels)}** digits are wrong."
    return "\n".join([title, "", "| digit | taken for | times |", "|---|---|---|", *rows]) if rows else title


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--learning-rate", type=float, default=0.003)
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--steps", type=int, default=120)
    args = parser.parse_args()
    print(f"accuracy {train(args.folder, learning_rate=args.learning_rate, width=args.width, steps=args.steps):.1%}")
