"""Encoding of custom scalar layouts: a serialized Layout in a string tensor.

Layout  category 2 {title 1, chart 2 {title 1, multiline 2 {tag 1 …} | margin 3 {series 1}}}
Series  value 1 · lower 2 · upper 3
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lossboard.events.conversions import as_mapping, as_tag
from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_strings
from lossboard.events.warn_once import warn_once
from lossboard.events.wire import bytes_field, text_field

_TAG = "custom_scalars__config__"
_METADATA = encode_metadata("custom_scalars")

Layout = Mapping[str, Mapping[str, Iterable[object]]]
"""category → chart → ["Multiline", tags] or ["Margin", [value, lower, upper]]"""


def encode(layout: Layout) -> bytes:
    categories = (_category(title, charts) for title, charts in as_mapping(layout, "A layout").items())
    message = b"".join(bytes_field(2, category) for category in categories)
    return encode_value(_TAG, TENSOR, encode_strings([message], ()), metadata=_METADATA)


def _category(title: str, charts: object) -> bytes:
    entries = as_mapping(charts, f"Category {title!r}").items()
    return text_field(1, as_tag(title)) + b"".join(
        bytes_field(2, _chart(as_tag(name), chart)) for name, chart in entries
    )


def _chart(title: str, chart: object) -> bytes:
    try:
        kind, given = chart[0], chart[1]  # type: ignore[index] # checked by doing it
    except (TypeError, LookupError):
        raise TypeError(f'Chart {title!r} must be ["Multiline", tags] or ["Margin", tags], got {chart!r:.60}') from None
    tags = _tags(title, kind, given)
    if kind not in ("Multiline", "Margin"):
        warn_once('A custom chart that is neither "Multiline" nor "Margin" becomes a multiline chart, as in torch')
    if kind != "Margin":
        return text_field(1, title) + bytes_field(2, b"".join(bytes_field(1, tag.encode()) for tag in tags))
    if len(tags) != 3:
        raise ValueError(f"Margin chart {title!r} needs three tags (value, lower, upper), got {len(tags)}")
    series = b"".join(text_field(i, tag) for i, tag in enumerate(tags, 1))
    return text_field(1, title) + bytes_field(3, bytes_field(1, series))


def _tags(title: str, kind: object, given: object) -> list[str]:
    if isinstance(given, str) and kind != "Margin":  # torch makes a tag of each letter, which nobody means
        return [given]
    try:
        return [as_tag(tag) for tag in given or ()]  # type: ignore[attr-defined] # checked by doing it
    except TypeError:
        raise TypeError(f"Chart {title!r} needs a list of tags, got {given!r:.60}") from None
