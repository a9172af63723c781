"""SQuAD files: a JSON object with articles, their paragraphs, and questions with answers, as in versions 1.1 and 2.0.

Each question becomes a row with its context. Plausible answers of unanswerable questions are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from lossboard.errors import DataError
from lossboard.train.data.table import CHUNK_ROWS, Chunk, RowStream

COLUMNS = ("id", "question", "context", "answers")


def is_squad(content: Any) -> bool:
    articles = content.get("data") if isinstance(content, dict) else None
    return (
        isinstance(articles, list) and bool(articles) and isinstance(articles[0], dict) and "paragraphs" in articles[0]
    )


def squad_stream(path: Path, content: Any) -> RowStream:
    return RowStream(_chunks(path, content["data"]), unit="question")


def _chunks(path: Path, articles: list[Any]) -> Iterator[Chunk]:
    rows, first = _rows(path, articles), 1
    while chunk := list(islice(rows, CHUNK_ROWS)):
        yield Chunk(dict(zip(COLUMNS, zip(*chunk, strict=True), strict=True)), range(first, first + len(chunk)))
        first += len(chunk)


def _rows(path: Path, articles: list[Any]) -> Iterator[tuple[Any, ...]]:
    number = 1
    try:
        for article in articles:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    answers = [] if question.get("is_impossible") else question["answers"]
                    yield question.get("id", number), question["question"], paragraph["context"], answers
                    number += 1
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{path}, question {number}: not as in SQuAD ({error}). Each article needs paragraphs, each of them a "
            "context and qas, and each of those a question and answers."
        ) from error
