"""Attention of a large model: 24 layers × 16 heads × 512 tokens, logged, and requested from a board.

Compares with the older form, one compressed stream for all heads. Weights are drawn so that they are as sharp and as
broad as those of real heads. Prints CPU seconds and sizes.

    python bench/attention.py [LOGDIR]    keeps the logdir, for bench/views/attention.mjs
"""

from __future__ import annotations

import sys
import tempfile
import time
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from board_client import ServedBoard  # noqa: E402
from lossboard import SummaryWriter  # noqa: E402
from lossboard.kinds.attention.measures import measure_all  # noqa: E402
from lossboard.kinds.attention.packing import to_bytes  # noqa: E402
from lossboard.kinds.attention.weights import as_maps  # noqa: E402
from lossboard.store.run_ids import run_id  # noqa: E402

LAYERS, HEADS, TOKENS = 24, 16, 512
STEPS = (0, 100)


def main(logdir: Path) -> None:
    tokens = ["[CLS]", *(f"word{i}" for i in range(TOKENS - 2)), "[SEP]"]
    weights = make_weights(0)
    maps = as_maps(weights, tokens)
    with SummaryWriter(logdir / "run") as writer:
        print_timed("log a step", lambda: writer.add_attention("probe", weights, tokens, STEPS[0]))
        writer.add_attention("probe", make_weights(1), tokens, STEPS[1])
    print_timed("  of that, measures", lambda: measure_all(maps), target="≤ 1.5 s")
    compare_with_one_stream(weights)
    board = ServedBoard(logdir)
    board.poll()
    at = {"run": run_id("run"), "tag": "probe", "step": STEPS[1]}
    other = {**at, "step": STEPS[0]}
    for name, params, target in (
        ("overview", {}, "≤ 1.2 MB"),
        ("head", {"layer": 23, "head": 15}, "≤ 170 kB"),
        ("token", {"token": 100}, ""),
        ("rollout", {}, ""),
        ("change", {"other": other}, ""),
    ):
        response = print_timed(name, partial(board.post, f"/api/attention/{name}", at | params))
        assert response.status == 200, response.body
        print(f"    {len(response.body) / 1000:.0f} kB {target and f'(target {target})'}")


def make_weights(seed: int) -> np.ndarray:
    """Returns softmax scores whose sharpness differs from head to head, with a preference for near tokens."""
    rng = np.random.default_rng(seed)
    distance = np.abs(np.subtract.outer(np.arange(TOKENS), np.arange(TOKENS)))
    weights = np.empty((LAYERS, HEADS, TOKENS, TOKENS), np.float32)
    for layer, head in np.ndindex(LAYERS, HEADS):
        scores = rng.normal(0, rng.uniform(0.5, 2.5), (TOKENS, TOKENS)).astype(np.float32)
        odds = np.exp(scores - rng.uniform(0, 0.1) * distance)
        weights[layer, head] = odds / odds.sum(-1, keepdims=True)
    return weights


def compare_with_one_stream(weights: np.ndarray) -> None:
    """Prints what one head costs if all are compressed together."""
    packed = to_bytes(weights)
    together = zlib.compress(packed.tobytes(), 1)
    alone = zlib.compress(packed[0, 0].tobytes(), 1)
    slow = cpu_secs(lambda: zlib.decompress(together))
    fast = min(cpu_secs(lambda: zlib.decompress(alone)) for _ in range(5))
    print(f"unpack one head: {1000 * fast:.1f} ms, {slow / fast:.0f} times faster than from one stream for all heads")


def print_timed(what: str, run: Any, *, target: str = "") -> Any:
    begin = time.process_time()
    result = run()
    print(f"{what}: {time.process_time() - begin:.2f} s CPU {target and f'(target {target})'}")
    return result


def cpu_secs(run: Any) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(Path(folder))
