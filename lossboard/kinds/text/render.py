"""Rendering of logged text as sanitized HTML, without losing any of it.

Logged text is Markdown by convention, but often it is not: samples of language models, code, tables of `print`. So
this is CommonMark with tables, except that what would lose text in such cases is shown as it was logged:

- raw HTML, unless it is a balanced pair of a known tag with attributes for presentation only;
- underscores, and asterisks within words (`__init__`, `2*3*4`);
- line breaks and spaces. A paragraph with indented or aligned lines is shown as code;
- lines of `=` or `#`, a `#` at the end of a heading, and `>>>`;
- backslashes, and entities other than those that escape HTML (`&lt;`);
- images, reference definitions, and links that do not lead to the web;
- targets and titles of links, languages of code blocks and numbers of lists, next to what they belong to.

Only marks of formatting become invisible, because their effect is visible: those of emphasis, strikethrough, code,
headings, quotes, list items, rules, links and tables, and known HTML tags. `render` checks this by counting every
character. If the result lacks one, there is no HTML, and the page shows the source.

Logged text is also hostile input. Only elements with text and structure remain after sanitizing. The time that this
takes has no limit here: see `render_process.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape, unescape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct
from markdown_it.rules_block import StateBlock, blockquote, heading
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, emphasis
from markdown_it.token import Token

_MAX_CELLS = 2_000

_PAIRED = (
    "b blockquote code dd details div dl dt em h1 h2 h3 h4 h5 h6 i kbd li ol p pre span strong sub summary sup"
    " table tbody td th thead tr ul"
)
_PRESENTATION = "align|border|cell(?:padding|spacing)|class|colspan|height|id|rowspan|start|style|valign|width"
_ATTRIBUTE = rf"\s+(?:{_PRESENTATION})\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]+)"
_TAG = re.compile(rf"<(/?)({_PAIRED.replace(' ', '|')}|br|hr)(?:{_ATTRIBUTE})*\s*/?>", re.IGNORECASE)
_TAG_OR_BRACKET = re.compile(rf"{_TAG.pattern}|[<>]", re.IGNORECASE)
# Line breaks within these elements are not shown, so a block of them is not a paragraph.
_HTML_BLOCK = re.compile(r"<(?:table|thead|tbody|tr|ul|ol|dl|pre)[\s>]", re.IGNORECASE)
_ALIGNED = re.compile(r"\n(?: {2}|\t)|\S {3}")
_ENTITY = re.compile(r"&#?\w+;")
# Written by programs that escape HTML.
_ESCAPED_HTML = re.compile(r"&(?:lt|gt|amp|quot|#39|#x27);")
_LIST_NUMBER = re.compile(r'<li value="(\d+)">')
_ELEMENT = re.compile(r"<[^>]*>")

_RENDERED = {*_PAIRED.split(), "a", "br", "figcaption", "figure", "hr", "s"}
_ATTRIBUTES = {"a": {"href"}, "td": {"align"}, "th": {"align"}, "li": {"value"}, "ol": {"start"}}


class Unrenderable(Exception):
    """The text has too many strings, or rendering would lose a part of it, for example because of deep nesting."""


def render(texts: Sequence[str], shape: Sequence[int]) -> str:
    """Renders one string as Markdown, and a tensor of strings as tables of its matrices."""
    if len(texts) > _MAX_CELLS:
        raise Unrenderable
    if len(texts) == 1:
        return render_markdown(texts[0])
    columns = shape[-1] if len(shape) > 1 else 1
    rows = shape[-2] if len(shape) > 2 else len(texts)
    return "".join(_table(part, columns) for part in _chunks(texts, rows * columns))


def render_markdown(text: str) -> str:
    env: dict[str, Any] = {}
    html = nh3.clean(
        _markdown.render(text, env),
        tags=_RENDERED,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    if _characters(text) - _characters(visible_text(html)) - env["marks"]:
        raise Unrenderable
    return html


def visible_text(html: str) -> str:
    """Returns what a reader of sanitized HTML sees, with the numbers of lists."""
    return unescape(_ELEMENT.sub(" ", _LIST_NUMBER.sub(r" \1 ", html)))


def _characters(text: str) -> Counter[str]:
    """Counts the characters other than spaces. An entity counts as the character it stands for."""
    decoded = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    return Counter("".join(decoded.split()))


def _table(texts: Sequence[str], columns: int) -> str:
    rows = ("".join(f"<td>{render_markdown(text)}</td>" for text in row) for row in _chunks(texts, columns))
    return f"<table><tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"


def _chunks(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (texts[at : at + size] for at in range(0, len(texts), max(size, 1)))


# ---- rules of the parser ---------------------------------------------------------------------------------


def _parse_html_block(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """Lines from a known HTML block to the next empty line, or to the end of a `<pre>`."""
    first = _line(state, line)
    if state.is_code_block(line) or not _HTML_BLOCK.match(first):
        return False
    if silent:
        return True
    end = line + 1
    if first[:4].lower() == "<pre":
        while end < end_line and "</pre>" not in _line(state, end - 1).lower():
            end += 1
    else:
        while end < end_line and not state.isEmpty(end):
            end += 1
    token = state.push("html_block", "", 0)
    token.content = state.getLines(line, end, state.blkIndent, True)
    state.line = end
    return True


def _parse_heading(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """A heading with all of its text, also a `#` at its end. A line of only `#` is not a heading."""
    text = _line(state, line).lstrip("#").strip()
    if not text or not heading(state, line, end_line, silent):
        return False
    if not silent:
        state.tokens[-2].content = text
    return True


def _parse_quote(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """A quote, but not the prompt `>>>` of Python."""
    return not _line(state, line).startswith(">>") and blockquote(state, line, end_line, silent)


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _parse_line_break(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "\n":
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos += 1
    return True


def _parse_escape(state: StateInline, silent: bool) -> bool:
    """A backslash, with the punctuation behind it, which has no other meaning then."""
    if state.src[state.pos] != "\\":
        return False
    shown = state.src[state.pos : state.pos + 2]
    if len(shown) == 2 and not isMdAsciiPunct(ord(shown[1])):
        shown = "\\"
    if not silent:
        state.pending += shown
    state.pos += len(shown)
    return True


def _parse_entity(state: StateInline, silent: bool) -> bool:
    found = _ESCAPED_HTML.match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        state.pending += unescape(found[0])
    state.pos = found.end()
    return True


def _parse_emphasis(state: StateInline, silent: bool) -> bool:
    if silent or state.src[state.pos] != "*":
        return False
    run = state.scanDelims(state.pos, False)
    if run.can_open or run.can_close:
        return emphasis.tokenize(state, silent)
    state.pending += "*" * run.length
    state.pos += run.length
    return True


def _keep_alignment(state: StateCore) -> None:
    """Turns paragraphs with indented or aligned lines into code. Code keeps its indentation."""
    lines = state.src.split("\n")
    shown: list[Token] = []
    tokens = iter(state.tokens)
    for token in tokens:
        if shown and shown[-1].type == "paragraph_open" and _ALIGNED.search(token.content):
            shown.pop()
            next(tokens)  # the end of the paragraph
            token = Token("code_block", "code", 0, content=token.content, map=token.map, level=token.level - 1)
        if token.type == "code_block" and token.level == 0 and token.map:
            if shown and shown[-1].type == "code_block" and (before := shown.pop()).map:
                token.map[0] = before.map[0]  # with the empty lines between them
            token.content = "\n".join(lines[slice(*token.map)])
        shown.append(token)
    state.tokens = shown


def _show_all(state: StateCore) -> None:
    """Adds what HTML would not show: targets of links and numbers of list items. Finds the HTML tags to render."""
    for token in state.tokens:
        token.hidden = False  # paragraphs in lists, whose spaces are kept like those of others
        if token.type == "list_item_open" and token.info:
            token.attrSet("value", str(int(token.info)))  # as a browser shows it
        if token.children:
            token.children = list(_with_targets(token.children))
    state.env["balanced"] = _balanced_tags(state.tokens)
    state.env["marks"] = _marks(state)


def _with_targets(tokens: list[Token]) -> Iterator[Token]:
    target, start = "", 0
    for at, token in enumerate(tokens):
        yield token
        if token.type == "link_open":
            target, start = _target(token), at + 1
        elif token.type == "link_close" and not _is_shown(target, token, tokens[start:at]):
            yield Token("text", "", 0, content=f" ({target})")


def _is_shown(target: str, link: Token, content: list[Token]) -> bool:
    return link.markup == "autolink" and target == "".join(token.content for token in content)


def _target(link: Token) -> str:
    title = link.attrGet("title")
    return _markdown.normalizeLinkText(str(link.attrGet("href"))) + (f' "{title}"' if title else "")


def _marks(state: StateCore) -> Counter[str]:
    """Counts the characters that become invisible, because they are marks of formatting."""
    lines, marks = state.src.split("\n"), Counter[str]()
    for token in state.tokens:
        marks.update(_block_marks(token, lines[slice(*(token.map or (0, 0)))]))
        for part in [token, *(token.children or [])]:
            marks.update(_inline_marks(part))
            if part.type in ("html_block", "html_inline"):
                rendered = (tag for tag in _TAG.finditer(part.content) if tag[2].lower() in state.env["balanced"])
                marks.update("".join(tag[0] for tag in rendered))
    return marks


def _block_marks(token: Token, lines: Sequence[str]) -> str:
    match token.type:
        case "heading_open" | "list_item_open" | "hr":
            return token.markup
        case "fence":
            return 2 * token.markup
        case "blockquote_open":
            return ">" * sum(">" in line for line in lines)
        case "table_open":
            return "|" * "".join(lines).count("|") + lines[1]
    return ""


def _inline_marks(token: Token) -> str:
    match token.type:
        case "strong_open" | "strong_close" | "em_open" | "em_close" | "s_open" | "s_close":
            return token.markup
        case "code_inline":
            return 2 * token.markup
        case "link_open":
            return "<>" if token.markup == "autolink" else "[]"
    return ""


def _balanced_tags(tokens: list[Token]) -> frozenset[str]:
    """Returns the names of tags that are opened as often as they are closed, in all raw HTML."""
    balance: Counter[str] = Counter()
    for token in tokens:
        for part in [token, *(token.children or [])]:
            if part.type in ("html_block", "html_inline"):
                for slash, name in _TAG.findall(part.content):
                    balance[name.lower()] += -1 if slash else 1
    return frozenset(name for name, count in balance.items() if count == 0) | {"br", "hr"}


# ---- rules of the renderer -------------------------------------------------------------------------------


def _render_html(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    def escape_unknown(found: re.Match[str]) -> str:
        is_known = found[2] is not None and found[2].lower() in env["balanced"]
        return found[0] if is_known else escape(found[0])

    return _TAG_OR_BRACKET.sub(escape_unknown, tokens[index].content)


def _render_break(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return "<br>"


def _render_fence(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    code = f"<pre><code>{escape(token.content)}</code></pre>"
    language = unescape(token.info).strip()
    return f"<figure><figcaption>{escape(language)}</figcaption>{code}</figure>" if language else code


def _leads_to_the_web(url: str) -> bool:
    return re.match(r"(?:https?://|mailto:)", url, re.IGNORECASE) is not None


def _new_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.disable(["image", "lheading", "reference"])
    parser.block.ruler.at("html_block", _parse_html_block, {"alt": ["paragraph", "blockquote"]})
    parser.block.ruler.at("heading", _parse_heading, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.at("blockquote", _parse_quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    for name, rule in {
        "newline": _parse_line_break,
        "escape": _parse_escape,
        "entity": _parse_entity,
        "emphasis": _parse_emphasis,
    }.items():
        parser.inline.ruler.at(name, rule)
    parser.core.ruler.before("inline", "keep_alignment", _keep_alignment)
    parser.core.ruler.push("show_all", _show_all)
    parser.validateLink = _leads_to_the_web  # type: ignore[method-assign]
    for name, render_rule in {
        "html_block": _render_html,
        "html_inline": _render_html,
        "hardbreak": _render_break,
        "fence": _render_fence,
    }.items():
        parser.add_render_rule(name, render_rule)
    return parser


_markdown = _new_parser()
