"""Rendering of logged text as sanitized HTML: CommonMark, then an allow-list of elements.

Logged text is hostile input. Only elements with text and structure remain after sanitizing. Links remain only if they
lead to the web, and they open outside of the board.
"""

from __future__ import annotations

from collections.abc import Sequence

import nh3
from markdown_it import MarkdownIt

_WORDS = "a abbr b code del em i ins kbd s span strong sub sup"
_BLOCKS = "blockquote br dd details dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre summary ul"
_TABLES = "table tbody td th thead tr"
_TAGS = {*_WORDS.split(), *_BLOCKS.split(), *_TABLES.split()}
_ATTRIBUTES = {"a": {"href", "title"}, "td": {"align"}, "th": {"align"}, "ol": {"start"}}
_MAX_CHARACTERS = 200_000
_MAX_CELLS = 2_000

_markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def render(texts: Sequence[str], shape: Sequence[int]) -> str:
    """Renders one string as Markdown, a vector or matrix as a table, of higher ranks the first matrix with a note."""
    if len(texts) == 1:
        return render_markdown(texts[0])
    if len(shape) > 2:
        note = f"<p><em>Of the shape {' × '.join(map(str, shape))}, the first matrix.</em></p>"
        rows, columns = shape[-2], shape[-1]
        return note + _table(texts[: rows * columns], columns)
    return _table(texts, shape[1] if len(shape) == 2 else 1)


def render_markdown(text: str) -> str:
    shown = text[:_MAX_CHARACTERS]
    html = nh3.clean(
        _markdown.render(shown),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    if len(text) > _MAX_CHARACTERS:
        html += f"<p><em>Cut after {_MAX_CHARACTERS:,} of {len(text):,} characters. A download has them all.</em></p>"
    return html


def _table(texts: Sequence[str], columns: int) -> str:
    shown, width = texts[:_MAX_CELLS], max(columns, 1)
    rows = [shown[at : at + width] for at in range(0, len(shown), width)]
    cells = ("".join(f"<td>{render_markdown(text)}</td>" for text in row) for row in rows)
    table = f"<table><tbody>{''.join(f'<tr>{row}</tr>' for row in cells)}</tbody></table>"
    if len(texts) > _MAX_CELLS:
        table += f"<p><em>Cut after {_MAX_CELLS:,} of {len(texts):,} cells.</em></p>"
    return table
