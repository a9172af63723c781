"""Errors in a query or a formula, with the place in its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from lossboard.errors import UsageError


class QueryProblem(TypedDict):
    """Error in a query or formula. `start` and `end` are positions in its text, and each suggestion can replace that
    part."""

    message: str
    start: int
    end: int
    suggestions: list[str]


class QueryError(UsageError):
    """A query or formula that cannot be run.

    `start` and `end` are positions in its text; each suggestion replaces that part.
    """

    def __init__(self, message: str, start: int, end: int, *, suggestion: str | Sequence[str] = "") -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end
        self.suggestions = [suggestion] if isinstance(suggestion, str) else list(suggestion)
        self.suggestions = [one for one in self.suggestions if one]

    @property
    def suggestion(self) -> str:
        """The first suggestion, or an empty string."""
        return self.suggestions[0] if self.suggestions else ""

    def document(self) -> QueryProblem:
        return {"message": self.message, "start": self.start, "end": self.end, "suggestions": self.suggestions}

    def explain(self, text: str) -> str:
        """Returns the message and the text with the place marked below it, for a terminal."""
        line = text.replace("\t", " ").replace("\n", " ")
        marks = " " * self.start + "^" * max(self.end - self.start, 1)
        hint = f" Did you mean {self.suggestion}?" if self.suggestion else ""
        return f"{self.message}{hint}\n  {line}\n  {marks}"
