"""Compares fine-tuning with the Hugging Face Trainer: same model, data, batch size and optimizer, in CPU seconds.

    python bench/finetune.py                 three pairs of one whole epoch each: about half an hour on two cores
    python bench/finetune.py --examples 960 --pairs 1      a subset, to see that it works
    python bench/finetune.py --peer dynamic                the Trainer with other padding

The two train in turn, on one thread, each in its own process. All of the process counts: imports, data, training,
evaluation, checkpoints and logging. The Trainer has its fastest settings (grouped by length, no logging, no
checkpoints, fused AdamW). Lossboard logs everything, at its default intervals.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

BATCH, RATE, MAX_LENGTH = 32, 1e-4, 128
# How the Trainer pads its batches, and the promised ratio of its CPU seconds to ours.
PEERS = {"grouped": 1.1, "dynamic": 1.5, "max_length": 3.5}


def read_rows(file: Path, limit: int | None) -> list[dict[str, Any]]:
    with file.open(newline="", encoding="utf-8") as lines:
        rows = [{"text": row["text"], "label": int(row["label"] == "positive")} for row in csv.DictReader(lines)]
    return rows[:limit]


def run_hugging_face(model_folder: Path, data: Path, limit: int | None, padding: str) -> float:
    """Trains one epoch with the Trainer, and returns the accuracy."""
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainingArguments,
        set_seed,
    )

    tokenizer = AutoTokenizer.from_pretrained(model_folder)

    def encode(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        style = {"padding": "max_length"} if padding == "max_length" else {}
        texts = tokenizer([row["text"] for row in rows], truncation=True, max_length=MAX_LENGTH, **style)
        columns = {"labels": [row["label"] for row in rows], **texts}
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]

    train, validation = (encode(read_rows(data / f"{side}.csv", limit)) for side in ("train", "validation"))
    set_seed(0)
    model = AutoModelForSequenceClassification.from_pretrained(model_folder, num_labels=2)
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            num_train_epochs=1,
            per_device_train_batch_size=BATCH,
            per_device_eval_batch_size=BATCH,
            learning_rate=RATE,
            warmup_steps=0.1,
            weight_decay=0.01,
            logging_strategy="no",
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
            train_sampling_strategy="group_by_length" if padding == "grouped" else "random",
        )
        collator = DataCollatorWithPadding(tokenizer)
        trainer = Trainer(model=model, args=arguments, train_dataset=train, data_collator=collator)
        trainer.train()
    # Grouping also reorders the predictions. The returned labels are in the same order.
    answer = trainer.predict(validation)
    return float((answer.predictions.argmax(axis=1) == answer.label_ids).mean())


def run_ours(model_folder: Path, data: Path, limit: int | None) -> float:
    """Trains one epoch with everything logged, and returns the accuracy."""
    from lossboard.train import finetune

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["LOSSBOARD_CACHE_DIR"] = str(folder / "cache")  # the Trainer prepares its data each time, too
        for side in ("train", "validation"):
            rows = read_rows(data / f"{side}.csv", limit)
            with (folder / f"{side}.csv").open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([("text", "label"), *((row["text"], row["label"]) for row in rows)])
        settings = {"data": folder, "runs_dir": folder / "runs", "threads": 1, "max_length": MAX_LENGTH}
        settings |= {"epochs": 1, "learning_rate": RATE, "batch_size": BATCH}
        return float(finetune(model=str(model_folder), **settings).metrics["accuracy"])


def run_one(variant: str, limit: int | None) -> float:
    from fetch_assets import minilm, movie_reviews

    if variant == "ours":
        return run_ours(minilm(), movie_reviews(), limit)
    import torch
    from transformers import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(1)
    return run_hugging_face(minilm(), movie_reviews(), limit, variant)


def measure(variant: str, limit: int | None) -> tuple[float, float]:
    """Returns the CPU seconds of a process that trains the variant, and the accuracy."""
    command = [sys.executable, __file__, "--one", variant, *(["--examples", str(limit)] if limit else [])]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    )
    assert process.stdout is not None
    lines = process.stdout.read().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{variant} failed with exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, float(json.loads(lines[-1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, help="use only the first so many of each side")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--peer", choices=PEERS, default="grouped", help="how the Trainer pads its batches")
    parser.add_argument("--one", choices=["ours", *PEERS], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(run_one(args.one, args.examples)))
        return 0

    from fetch_assets import minilm, movie_reviews

    minilm(), movie_reviews()  # downloads do not count
    ratios = []
    print(f"{'':6} {'Trainer, CPU s':>15} {'accuracy':>9} {'Lossboard, CPU s':>17} {'accuracy':>9} {'ratio':>6}")
    for number in range(args.pairs):
        theirs, their_accuracy = measure(args.peer, args.examples)
        ours, accuracy = measure("ours", args.examples)
        ratios.append(theirs / ours)
        row = f"pair {number + 1} {theirs:>15.1f} {their_accuracy:>9.2%} {ours:>17.1f} {accuracy:>9.2%}"
        print(f"{row} {ratios[-1]:>6.2f}", flush=True)
    ratio, promised = statistics.median(ratios), PEERS[args.peer]
    print(f"median ratio {ratio:.2f} x   (promised: {promised} x)")
    return 0 if ratio >= promised else 1


if __name__ == "__main__":
    sys.exit(main())
