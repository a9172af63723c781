"""Fine-tunes a BERT model to find answers in a text, in a minute on two cores.

    python examples/bert_answers.py                      and in another terminal:  lossboard runs
    python examples/bert_answers.py --data squad/train-v2.0.json --max-length 384

`data/questions.json` has questions about this project, in the format of SQuAD. They are too few to answer other
questions well. Every setting of `lossboard finetune` works here too.
"""

import argparse
from pathlib import Path

from fetch_assets import minilm

from lossboard.train import finetune, predict
from lossboard.train.config import add_flags, from_flags

QUESTIONS = Path(__file__).parent / "data" / "questions.json"
CONTEXT = "Zeros and holes are skipped. Later polls search at most 64 MB of a file for the next valid record."
NEW = [(question, CONTEXT) for question in ("What is skipped?", "How much of a file is searched?")]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_flags(parser)
    parser.set_defaults(model=str(minilm()), data=QUESTIONS, epochs=12, learning_rate=3e-4, batch_size=8)
    result = finetune(from_flags(parser.parse_args(argv)))

    print(result)
    for (question, _), prediction in zip(NEW, predict(result.run.path, NEW), strict=True):
        print(f"{question} {prediction['answer'] or 'no answer'}")


if __name__ == "__main__":
    main()
