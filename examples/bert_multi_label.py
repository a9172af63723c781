"""Fine-tunes a BERT model to find praise and criticism in movie reviews, in a few minutes on two cores.

    python examples/bert_multi_label.py                      and in another terminal:  lossboard runs
    python examples/bert_multi_label.py --epochs 2 --learning-rate 5e-5

Every setting of `lossboard finetune` works here too.
"""

import argparse

from fetch_assets import minilm, movie_opinions

from lossboard.train import finetune, predict
from lossboard.train.config import add_flags, from_flags

NEW = ["A masterpiece, and a joy to watch.", "Great actors in a dull story.", "Dull, loud and far too long."]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_flags(parser)
    parser.set_defaults(model=str(minilm()), data=movie_opinions(), epochs=1, learning_rate=1e-4)
    result = finetune(from_flags(parser.parse_args(argv)))

    print(result)
    for text, prediction in zip(NEW, predict(result.run.path, NEW), strict=True):
        print(f"{', '.join(prediction['labels']) or 'neither':<18} {text}")


if __name__ == "__main__":
    main()
