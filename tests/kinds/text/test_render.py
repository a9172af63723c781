"""Rendered text: nothing that was logged is lost, and nothing in it can run."""

from __future__ import annotations

import re
import resource
import threading
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lossboard.kinds.cancellation import Cancelled, run_cancellable
from lossboard.kinds.text.render import Unrenderable, render, render_markdown
from lossboard.kinds.text.render_process import render_all


class Page(HTMLParser):
    """The elements of a page, and the text that a reader sees, with the numbers of lists."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += attrs
        if tag == "br":
            self.text += "\n"
        if tag == "li":
            number = dict(attrs).get("value")
            self.text += f"{number}. " if number else "- "

    def handle_data(self, data: str) -> None:
        self.text += data


def visible_text(markdown: str) -> str:
    return Page(render_markdown(markdown)).text.strip("\n")


@pytest.mark.parametrize(
    "text",
    [
        "<s> the quick <unk> fox <pad> jumps </s>",
        "<think>\nFirst I add.\n</think>\n<answer>4</answer>",
        "Q: what?\nA: this\nQ: why?\nA: because",
        "one line\nanother line",
        "std::vector<std::string> a; Map<K, V> b; x < y > z",
        "<!-- a comment --> <b>never closed",
        '<a href="https://example.org">link</a> <td title="hidden">cell</td>',
        "def __init__(self): return 2*3*4",
        "def f(x):\n    if x:\n        return 1\n\n    return 2",
        "              precision    recall\n\n    positive       0.91      0.88",
        "[name]: https://example.org 'title'",
        "[elsewhere](../secret) and [script](javascript:alert(1))",
        "Results\n===",
        "Epoch 1\n=======\nloss: 0.5",
        "######\nbanner\n######",
        r"C:\*.txt \d+\.\d+ \[x\] \\",
        "&nbsp; &copy; &#42; R&D; a&b",
        ">>> print(1)\n1",
    ],
)
def test_text_that_is_not_markdown_is_shown_as_logged(text: str) -> None:
    assert visible_text(text) == text


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("**bold** and *italic* and `code`", "<p><strong>bold</strong> and <em>italic</em> and <code>code</code></p>"),
        ("- lr: 1\n- seed: 2", "<ul><li><p>lr: 1</p></li><li><p>seed: 2</p></li></ul>"),
        ("3. a\n7. b", '<ol start="3"><li value="3"><p>a</p></li><li value="7"><p>b</p></li></ol>'),
        ("```py\na\n  b\n```", "<figure><figcaption>py</figcaption><pre><code>a\n  b\n</code></pre></figure>"),
        ("# Report\nfell", "<h1>Report</h1><p>fell</p>"),
        ("## C # and F #", "<h2>C # and F #</h2>"),
        ("Report\n---\nfell", "<p>Report</p><hr><p>fell</p>"),
        ("> quoted\n> text", "<blockquote><p>quoted<br>text</p></blockquote>"),
        ("&lt;s&gt;", "<p>&lt;s&gt;</p>"),
        ('<b class="x">bold</b><br>', "<p><b>bold</b><br></p>"),
        (
            '<table border="1">\n  <tr style="x"><td>1</td></tr>\n</table>',
            "<table><tbody><tr><td>1</td></tr></tbody></table>",
        ),
    ],
)
def test_markdown_and_known_html_are_rendered(markdown: str, html: str) -> None:
    without_space = re.sub(r"(?<=>)\s+(?=<)", "", render_markdown(markdown)).strip()
    assert without_space == html


def test_targets_of_links_are_visible() -> None:
    assert visible_text('[docs](https://a.b/c "Title") <https://d.e>') == 'docs (https://a.b/c "Title") https://d.e'


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
        "```<script>\nx\n```",
        '[x](https://a.b/"onclick=alert(1)<script>)',
    ],
)
def test_scripts_and_external_resources_are_removed(hostile: str) -> None:
    page = Page(render_markdown(hostile))
    assert page.names <= {"p", "a", "figure", "figcaption", "pre", "code"}
    assert all(name in ("rel", "target", "href") for name, _ in page.attributes)
    assert all((value or "").startswith("https:") for name, value in page.attributes if name == "href")


SYNTAX = [
    *("\n", "\n\n", " ", "  ", "    ", "\t", "# ", "- ", "* ", "1. ", "07) ", "> ", "```", "~~~", "---", "===", "\\"),
    *("*", "**", "_", "__", "~~", "`", "|", "|-|-|\n", ": ", "[", "](", ")", "![", "]: ", "<", ">", "</", "/>", "&"),
    *("<unk>", "</s>", "<!--", "-->", "<?", "<a href='x'>", "<script>", "http://", "{", "}", '"', "'", "=", ";"),
]
WORDS = ["loss", "fell", "0.25", "x_1", "ü", "42", "lr", "py"]


FORMATTING = set("*~`#>|:-+)[]<")
"""Marks whose effect is visible: emphasis, code, headings, quotes, tables, lists, rules and links."""

PIECES = st.lists(st.sampled_from(SYNTAX + WORDS), max_size=40).map("".join)
CHARACTERS = st.text(alphabet="ab1.\\=#-+*_~`<>&;:|[]()!\"'\n ", max_size=60)


@given(PIECES | CHARACTERS)
def test_every_logged_character_is_visible(text: str) -> None:
    try:
        shown = visible_text(text)
    except Unrenderable:
        shown = text  # the page shows the source
    missing = Counter(text) - Counter(shown)
    assert {character for character in missing if not character.isspace()} <= FORMATTING


def test_text_that_rendering_would_cut_is_not_rendered() -> None:
    with pytest.raises(Unrenderable):
        render_markdown("| a |\n|---|\n| 1 | dropped |")
    with pytest.raises(Unrenderable):
        render_markdown("> " * 30 + "deep")


@pytest.mark.parametrize(("shape", "tables", "rows"), [((8,), 1, 8), ((2, 4), 1, 2), ((2, 2, 2), 2, 4)])
def test_tensor_becomes_tables(shape: tuple[int, ...], tables: int, rows: int) -> None:
    html = render([f"cell{i}" for i in range(8)], shape)
    assert (html.count("<table>"), html.count("<tr>"), html.count("<td>")) == (tables, rows, 8)


SLOW = {
    "quotes": "> " * 5000 + "a\n" + "b\n" * 90_000,
    "brackets": "[" * 190_000,
    "emphasis": "*a **a " * 25_000,
    "lists": "- " * 60_000 + "a",
    "table": "|" * 400 + "\n" + "-|" * 400 + "\n" + "|\n" * 50_000,
    "long": "word\n\n" * 100_000,
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_slow_text_is_not_rendered_and_does_not_stop_others(text: str) -> None:
    assert render_all([([text], (1,)), (["*fast*"], (1,))]) == {0: None, 1: "<p><em>fast</em></p>\n"}


def test_slow_text_is_rendered_by_another_process() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    render_all([([SLOW["brackets"]], (1,))])
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime > before


def test_time_of_all_texts_is_limited() -> None:
    slow = ([SLOW["brackets"]], (1,))
    rendered = render_all([slow] * 100)
    assert rendered and len(rendered) < 10, "the others may be rendered by the next request"
    assert set(rendered.values()) == {None}


def test_cancelled_request_ends_the_rendering() -> None:
    cancelled = threading.Event()
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime

    def render_and_cancel() -> None:
        cancelled.set()
        render_all([([SLOW["brackets"]], (1,))] * 100)

    with pytest.raises(Cancelled):
        run_cancellable(render_and_cancel, cancelled)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 0.9  # it may take a second


def test_modules_in_the_current_directory_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nh3.py").write_text("raise SystemExit('imported from the current directory')")
    monkeypatch.chdir(tmp_path)
    assert render_all([(["word " * 1000], (1,))])[0]
