"""Fine-tunes a BERT model to split sentences into phrases, in a minute on two cores.

    python examples/bert_tokens.py                      and in another terminal:  lossboard runs
    python examples/bert_tokens.py --epochs 60

The data set is tiny, so the score varies between runs. Every setting of `lossboard finetune` works here too.
"""

import argparse

from fetch_assets import chunks, minilm

from lossboard.train import finetune, predict
from lossboard.train.config import add_flags, from_flags

NEW = ["The company said it will sell its oldest plant to a small group of investors."]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_flags(parser)
    parser.set_defaults(model=str(minilm()), data=chunks(), epochs=12, learning_rate=3e-4, batch_size=8)
    result = finetune(from_flags(parser.parse_args(argv)))

    print(result)
    for text, prediction in zip(NEW, predict(result.run.path, NEW), strict=True):
        print(text)
        for entity in prediction["entities"]:
            print(f"{entity['type']:>5}  {entity['text']}")


if __name__ == "__main__":
    main()
