"""Trains a small network to bend a sphere into another shape. Logs the mesh as it changes, and scalars.

python examples/surface.py runs/surface      and beside it:  lossboard runs
"""

import argparse
from pathlib import Path

import torch
from torch import nn

from lossboard import SummaryWriter

RINGS, SECTORS = 24, 48


def sphere() -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the vertices of a unit sphere, and the triangles between them."""
    polar = torch.linspace(0, torch.pi, RINGS)
    around = torch.arange(SECTORS) * (2 * torch.pi / SECTORS)
    grid = torch.meshgrid(polar, around, indexing="ij")
    x, y, z = grid[0].sin() * grid[1].cos(), grid[0].sin() * grid[1].sin(), grid[0].cos()
    first = torch.arange(RINGS - 1)[:, None] * SECTORS + torch.arange(SECTORS)
    right = torch.arange(RINGS - 1)[:, None] * SECTORS + (torch.arange(SECTORS) + 1) % SECTORS
    triangles = [
        torch.stack([first, first + SECTORS, right], -1),
        torch.stack([right, first + SECTORS, right + SECTORS], -1),
    ]
    return torch.stack([x, y, z], -1).reshape(-1, 3), torch.cat(triangles).reshape(-1, 3)


def radius(directions: torch.Tensor) -> torch.Tensor:
    """Returns the distance of the wanted surface from the center: a body with four arms."""
    x, y, z = directions.unbind(-1)
    return (0.6 + 0.8 * (x**4 + y**4 - x**2 * y**2) + 0.15 * z**2)[:, None]


def train(folder: Path, *, steps: int = 300) -> float:
    """Returns the last loss."""
    torch.manual_seed(0)
    directions, triangles = sphere()
    model = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    loss = torch.zeros(())
    with SummaryWriter(folder) as writer:
        for step in range(steps + 1):
            predicted, wanted = model(directions), radius(directions)
            loss = (predicted - wanted).square().mean()
            writer.add_scalar("train/loss", loss.item(), step)
            if step % 25 == 0:
                error = (predicted - wanted).detach().abs().clamp(max=0.5) * 2
                colors = torch.cat([error, 1 - error, torch.full_like(error, 0.4)], dim=1) * 255
                vertices = predicted.detach() * directions
                writer.add_mesh(
                    "surface", vertices[None], colors.to(torch.uint8)[None], triangles[None], global_step=step
                )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss.item()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    print(f"loss {train(parser.parse_args().folder):.5f}")
