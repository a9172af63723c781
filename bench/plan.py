"""Compares the predictions of `lossboard plan` with the measured peak of real training steps.

Each peak is VmHWM minus the resident memory after imports, over three steps with random weights, in its own process.
    python bench/plan.py            all rows, about ten minutes on two cores
    python bench/plan.py --quick    the small models only
"""

import sys
from typing import Any

from lossboard.train.memory.measure import measure_peak
from lossboard.train.memory.plan import MB, Setup, estimate
from lossboard.train.models.architecture import Architecture

PROMISED = 0.15


def bert(layers: int, hidden: int, heads: int, *, dropout: float = 0.1) -> Architecture:
    return Architecture(
        model_type="bert",
        layers=layers,
        hidden=hidden,
        heads=heads,
        intermediate=4 * hidden,
        vocab_size=30522,
        positions=512,
        types=2,
        pad_id=0,
        dropout=dropout,
        attention_dropout=dropout,
    )


TINY, SMALL, MINILM, BASE = bert(2, 128, 2), bert(4, 256, 4), bert(6, 384, 12), bert(12, 768, 12)
ROWS: list[tuple[str, Architecture, int, int, dict[str, Any]]] = [
    ("tiny", TINY, 64, 128, {}),
    ("tiny bf16", TINY, 16, 64, {"precision": "bf16"}),
    ("small", SMALL, 16, 256, {}),
    ("small, no dropout", bert(4, 256, 4, dropout=0.0), 64, 128, {}),
    ("MiniLM", MINILM, 8, 128, {}),
    ("MiniLM", MINILM, 32, 32, {}),
    ("MiniLM", MINILM, 32, 128, {}),
    ("MiniLM", MINILM, 64, 64, {}),
    ("MiniLM", MINILM, 8, 512, {}),
    ("MiniLM, no dropout", bert(6, 384, 12, dropout=0.0), 32, 128, {}),
    ("MiniLM, 4 micro-batches", MINILM, 8, 128, {"accumulation": 4}),
    ("MiniLM, adafactor", MINILM, 16, 128, {"optimizer": "adafactor"}),
    ("MiniLM, sgd, 2 micro-batches", MINILM, 16, 128, {"optimizer": "sgd", "accumulation": 2}),
    ("MiniLM, checkpointing", MINILM, 32, 128, {"checkpointing": True}),
    ("MiniLM, 4 layers frozen", MINILM, 32, 128, {"frozen_layers": 4}),
    ("MiniLM bf16", MINILM, 8, 64, {"precision": "bf16"}),
    ("BERT base", BASE, 1, 32, {}),
    ("BERT base", BASE, 2, 128, {}),
    ("BERT base", BASE, 8, 128, {}),
    ("BERT base, sgd", BASE, 4, 64, {"optimizer": "sgd"}),
    ("BERT base, checkpointing", BASE, 16, 128, {"checkpointing": True}),
    ("BERT base, no dropout", bert(12, 768, 12, dropout=0.0), 8, 256, {}),
]


def main() -> int:
    rows = [row for row in ROWS if row[1].hidden < MINILM.hidden] if "--quick" in sys.argv else ROWS
    print(f"{'model':32} {'batch':>9} {'predicted':>10} {'measured':>10} {'off by':>8}")
    worst = 0.0
    for name, sizes, micro_batch, length, options in rows:
        setup = Setup(architecture=sizes, micro_batch=micro_batch, length=length, **options)
        predicted, measured = estimate(setup).peak, measure_peak(setup)
        error = predicted / measured - 1
        worst = max(worst, abs(error))
        shape = f"{micro_batch}×{length}"
        print(f"{name:32} {shape:>9} {predicted / MB:>7.0f} MB {measured / MB:>7.0f} MB {error:>+8.1%}", flush=True)
    print(f"worst of {len(rows)}: {worst:.1%} (promised: {PROMISED:.0%})")
    return int(worst > PROMISED)


if __name__ == "__main__":
    sys.exit(main())
