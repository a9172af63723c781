"""Writes the logdir of meshes.mjs: two clouds of 100,000 points, and a surface of 100,000 triangles."""

import sys
from pathlib import Path

import numpy as np

from lossboard import SummaryWriter

POINTS, ROWS, COLUMNS = 100_000, 250, 200


def main(root: Path) -> None:
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        with SummaryWriter(root / f"cloud-{seed}") as log:
            points = rng.normal(size=(POINTS, 3))
            points /= np.linalg.norm(points, axis=1, keepdims=True) * (1 + 0.2 * rng.random((POINTS, 1)))
            for tag in ("cloud", "one cloud")[: 2 - seed]:
                log.add_mesh(tag, points[None], rng.integers(0, 256, (1, POINTS, 3)), global_step=0)
    with SummaryWriter(root / "surface") as log:
        y, x = (axis.ravel() for axis in np.mgrid[0:ROWS, 0:COLUMNS])
        vertices = np.stack([x / COLUMNS, 0.1 * np.sin(x / 9) * np.cos(y / 7), y / ROWS], -1)
        first = (np.arange(ROWS - 1)[:, None] * COLUMNS + np.arange(COLUMNS - 1)).ravel()
        halves = [(first, first + COLUMNS, first + 1), (first + 1, first + COLUMNS, first + COLUMNS + 1)]
        faces = np.concatenate([np.stack(half, -1) for half in halves])
        log.add_mesh("surface", vertices[None], faces=faces[None], global_step=0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
