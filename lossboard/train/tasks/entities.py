"""Entities of a sequence of tags, as conlleval and seqeval count them.

Prefixes say how a tag continues the entity before it: B and S begin one, E and S end one (U and L are other letters for
S and E), and I continues one of the same type. Tags without a prefix, such as parts of speech, are an entity each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

OUTSIDE = "O"
_PREFIXES = "BIESUL"
_BEGIN, _END = "BSU", "ESUL"

# The type of an entity, its first position, and the position behind its last one.
Entity = tuple[str, int, int]


def entities_of(tags: Sequence[str]) -> Iterator[Entity]:
    start, last, kind = 0, "", ""
    for position, tag in enumerate([*tags, OUTSIDE]):
        prefix, own = split_tag(tag)
        if kind and (tag == OUTSIDE or prefix in _BEGIN or own != kind or last in _END):
            yield kind, start, position
            kind = ""
        if tag != OUTSIDE and not kind:
            start, kind = position, own
        last = prefix


def split_tag(tag: str) -> tuple[str, str]:
    """Returns the prefix and the type of a tag. One without a prefix stands alone."""
    has_prefix = len(tag) > 2 and tag[1] == "-" and tag[0] in _PREFIXES
    return (tag[0], tag[2:]) if has_prefix else ("S", tag)


def entity_text(words: Sequence[str], tags: Sequence[str]) -> str:
    """Returns the entities of a text for people."""
    found = (f"{' '.join(words[start:stop])} = {kind}" for kind, start, stop in entities_of(tags))
    return ", ".join(found) or "no entity"
