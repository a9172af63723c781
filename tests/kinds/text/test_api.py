"""Routes of text. HTML is sanitized."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from lossboard.kinds.text.render import render, render_markdown
from lossboard.store.logdir import Logdir
from tests.kinds.views import RUN, call_route


def test_text_has_source_and_sanitized_html(logdir: Logdir) -> None:
    tag = call_route(logdir, "text", "series").document["series"][0]["tag"]
    (text,) = call_route(logdir, "text", "texts", texts=[{"run": RUN, "tag": tag, "step": 3}]).document["texts"]
    assert text["texts"][0].startswith("# Step 3")
    assert "<h1>Step 3</h1>" in text["html"] and "script" not in text["html"] and "alert" not in text["html"]


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        '<a href="data:text/html,<script>alert(1)</script>">x</a>',
        "<svg onload=alert(1)>",
        "<p style='position:fixed'>x</p>",
        "<iframe src='https://example.org'></iframe>",
        "<a href=' &#106;avascript:alert(1)'>x</a>",
        "<form action=/api/runs/delete><button>x</button></form>",
    ],
)
def test_scripts_and_external_resources_are_removed(hostile: str) -> None:
    seen = Elements()
    seen.feed(render_markdown(hostile))
    assert seen.names <= {"p", "a"}
    assert all(name in ("rel", "target") for name, _ in seen.attributes)


def test_matrix_becomes_a_table() -> None:
    html = render(["a", "b", "c", "d"], (2, 2))
    assert html.count("<tr>") == 2 and html.count("<td>") == 4


def test_search_finds_text_at_every_step(logdir: Logdir) -> None:
    hits = call_route(logdir, "text", "search", words="STEP 4").document["hits"]
    assert [hit["step"] for hit in hits] == [4]


class Elements(HTMLParser):
    """The names of all elements, and all of their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += attrs
