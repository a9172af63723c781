"""The code in docs/finetune.md runs as written, in its order, with a small model and small data."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pandas
import pytest

from lossboard.cli import main as cli
from lossboard.train import Hooks
from lossboard.train.config import TaskName
from lossboard.train.tasks import TASKS, detect_task, saved_task
from train.task_data import Words, task_records, write_records
from train.tiny_bert import BAD, FILLER, GOOD, make_checkpoint, make_data

PAGE = (Path(__file__).parents[2] / "docs" / "finetune.md").read_text()
BLOCKS = re.findall(r"```(python|bash)\n(.*?)```", PAGE, re.DOTALL)
RUN_ID = "2026-02-10_012"
# A server that does not end, and commands that need several processes or a directory of tests of their own.
NOT_RUN = re.compile(r"lossboard runs$|--sweep|--config")
WORDS = Words(GOOD, BAD, FILLER)


def write_conll(file: Path) -> None:
    sentences = task_records("token-classification", WORDS)
    words = (zip(each["tokens"], each["ner_tags"], strict=True) for each in sentences)
    file.write_text("\n\n".join("\n".join(f"{word} {tag}" for word, tag in each) for each in words) + "\n")


def write_squad(file: Path) -> None:
    records = task_records("question-answering", WORDS)
    paragraphs = [
        {
            "context": each["context"],
            "qas": [
                {
                    "question": each["question"],
                    "answers": [
                        {"text": each["answers"]["text"][0], "answer_start": each["answers"]["answer_start"][0]}
                    ],
                }
            ],
        }
        for each in records
    ]
    file.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    make_checkpoint(folder / "bert-base-uncased", positions=512)
    for name in ("reviews", "test", "new-reviews"):
        make_data(folder / f"{name}.csv")
    pandas.DataFrame(task_records("regression", WORDS)).to_csv(folder / "ratings.csv", index=False)
    write_records(folder / "genres.jsonl", task_records("multi-label", WORDS))
    write_conll(folder / "entities.conll")
    write_squad(folder / "squad.json")
    return folder


def commands(block: str) -> Iterator[str]:
    for line in block.splitlines():
        command = line.partition("#")[0].strip()
        if command.startswith("lossboard ") and not NOT_RUN.search(command):
            yield command


def test_all_code_runs(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder)
    frame = pandas.read_csv("reviews.csv")
    names: dict[str, Any] = {"frame": frame[:120], "held_out": frame[120:]}
    first_run = ""
    for language, block in BLOCKS:
        if language == "python":
            exec(block.replace(RUN_ID, first_run), names)  # noqa: S102 our own page
            first_run = first_run or names["result"].run.id
        elif first_run:
            for command in commands(block.replace(RUN_ID, first_run)):
                assert cli.main(shlex.split(command)[1:]) == 0, command
    assert saved_task(names["result"].best).name == "classification"
    assert "predictions.csv" in {file.name for file in folder.iterdir()}
    names["board"].stop()
    assert "value=" not in capsys.readouterr().out, "progress is text outside of notebooks"


def test_page_starts_with_five_lines_for_each_task(folder: Path) -> None:
    start = PAGE[PAGE.index("## Five lines") : PAGE.index("## After training")]
    blocks = re.findall(r"```python\n(.*?)```", start, re.DOTALL)
    assert len(blocks) == len(get_args(TaskName))
    assert all(len([line for line in block.splitlines() if line]) <= 5 for block in blocks)
    from lossboard.train.data.columns import GivenColumns
    from lossboard.train.data.tables import read_table

    files = [Path(re.search(r'data="([^"]+)"', block)[1]) for block in blocks]  # type: ignore[index]
    tasks = [detect_task(read_table(folder / file), GivenColumns()) for file in files]
    assert {task.name for task in tasks} == TASKS.keys()


def test_page_names_every_hook() -> None:
    assert all(f"{name}=" in PAGE for name in Hooks.__dataclass_fields__)
