"""Fine-tunes a real BERT on real film reviews in a few minutes on two cores, and logs all that the board shows.

    python examples/bert.py                      and beside it:  lossboard runs
    python examples/bert.py --epochs 2 --run-tag longer

Every flag of `lossboard finetune` works here too. The loss, metrics, learning rate, gradients, histograms, embeddings,
attention and findings that people log by hand around such a loop are logged by themselves.
"""

import argparse
import csv
from pathlib import Path

from baselines import majority, tf_idf
from parts import minilm, movie_reviews

from lossboard.train import finetune
from lossboard.train.config import add_flags, from_flags


def read(file: Path) -> tuple[list[str], list[int]]:
    with file.open(newline="", encoding="utf-8") as rows:
        pairs = [(row["text"], int(row["label"] == "positive")) for row in csv.DictReader(rows)]
    return [text for text, _ in pairs], [label for _, label in pairs]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_flags(parser)
    reviews = movie_reviews()
    parser.set_defaults(model=str(minilm()), data=reviews, epochs=1, learning_rate=1e-4)
    result = finetune(from_flags(parser.parse_args(argv)))

    train, validation = read(reviews / "train.csv"), read(reviews / "validation.csv")
    print(f"\nAccuracy on {len(validation[1])} held-out film reviews with a rating of at least ±0.5:")
    print(f"  the commonest class              {majority(validation[1]):6.1%}")
    print(f"  TF-IDF and logistic regression   {tf_idf(train, validation):6.1%}")
    print(f"  this model                       {result.metrics['accuracy']:6.1%}   {result.best}")


if __name__ == "__main__":
    main()
