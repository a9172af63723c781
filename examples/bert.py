"""Fine-tunes a BERT model on movie reviews, in a few minutes on two cores.

    python examples/bert.py                      and in another terminal:  lossboard runs
    python examples/bert.py --epochs 2 --run-tag longer
    python examples/bert.py --resume last        resumes after Ctrl-C

Every setting of `lossboard finetune` works here too. Loss, metrics, learning rate, gradients, histograms, embeddings,
attention and findings are logged automatically.
"""

import argparse
import csv
import sys
from pathlib import Path

from fetch_assets import minilm, movie_reviews

from lossboard import LossboardError, SummaryWriter
from lossboard.train import finetune, resume
from lossboard.train.config import add_flags, from_flags
from lossboard.train.runner import Result


def read(file: Path) -> tuple[list[str], list[int]]:
    with file.open(newline="", encoding="utf-8") as rows:
        pairs = [(row["text"], int(row["label"] == "positive")) for row in csv.DictReader(rows)]
    return [text for text, _ in pairs], [label for _, label in pairs]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--resume", metavar="RUN", help='resume a run, by id or directory; "last" = the newest unfinished run'
    )
    add_flags(parser)
    reviews = movie_reviews()
    parser.set_defaults(model=str(minilm()), data=reviews, epochs=1, learning_rate=1e-4)
    args = parser.parse_args(argv)
    config = from_flags(args)
    result = resume(args.resume, config.runs_dir) if args.resume else finetune(config)

    # Imported late, because it imports torch, and the kit sets environment variables for torch first.
    from baselines import majority, tf_idf

    train, validation = read(reviews / "train.csv"), read(reviews / "validation.csv")
    baselines = {
        "most frequent class": majority(validation[1]),
        "TF-IDF and logistic regression": tf_idf(train, validation),
    }
    show(baselines, result, examples=len(validation[1]))


def show(baselines: dict[str, float], result: Result, *, examples: int) -> None:
    """Prints and logs the model beside the baselines, as text and as lines in its accuracy chart."""
    accuracy = baselines | {"this model": result.metrics["accuracy"]}
    title = f"Accuracy on {examples} held-out movie reviews with a rating of at least ±0.5"
    print(f"\n{title}:")
    for name, value in accuracy.items():
        print(f"  {name:<32} {value:6.1%}")
    print(f"The model is in {result.best}")
    rows = [f"| {name} | {value:.1%} |" for name, value in accuracy.items()]
    with SummaryWriter(result.run.logs()) as writer:
        writer.add_text("baselines", "\n".join([f"| {title} | |", "|---|---|", *rows]), result.metrics["step"])
        for step in (0, result.metrics["step"]):
            writer.add_scalars("val/accuracy", baselines, step)


if __name__ == "__main__":
    try:
        main()
    except LossboardError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
