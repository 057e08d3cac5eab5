"""Captions and credits of images."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from broadsheet.fields.evidence import Evidence
from broadsheet.page import Nodes
from broadsheet.text import fold_text
from broadsheet.text.patterns import compile_later

_MAX_CAPTION_ROWS = 40
_MAX_CAPTION_CHARS = 2_000
_MAX_CREDIT_CHARS = 200
_CREDIT_CLASS = compile_later(
    r"credit|copyright|photographer|attribution|(?:^|[\s_-])(?:source|quelle|byline)(?:$|[\s_-])"
)
_CREDIT_LABEL = (
    r"(?:©|\(c\)|credit(?:\.{3}|…)|(?:(?:photo|image|picture|bild|foto|photograph|fotografie|crédit|credit|credits|bildquelle|"
    r"quelle|fuente|imagen|imago|illustration|fotó|kuva|фото|写真|图|copyright)"
    r"(?:\s(?:by|courtesy|credit|credits|photo|source|von|de|di))?\s?[:：©/]))"
)
# "Photo by Ann Li" needs no colon, but it begins the caption or follows a sentence or a separator.
_CREDIT_BY = (
    r"(?:photo|photos|photograph|image|picture|illustration|graphic|foto|bild)\s(?:by|courtesy\sof|courtesy|von)\s"
    r"(?-i:(?=[^\W\d_a-z]))"
)
_CREDIT_AT_START = compile_later(rf"^(?:{_CREDIT_LABEL}\s?)+", re.IGNORECASE)
_CREDIT_AT_END = compile_later(rf"(?:^|(?<=[\s(\[|.,]))(?:{_CREDIT_LABEL}\s?)+([^:]{{2,120}})$", re.IGNORECASE)
_CREDIT_BY_AT_END = compile_later(
    r"(?:^|(?<=[.!?)…|/–—(\[])\s|(?<=[(\[|/]))\(?"
    rf"{_CREDIT_BY}((?:[^:.]|(?<=\b\w)\.|(?<=\b\w\w)\.){{2,80}})\.?\)?$",  # a full stop only in "A. Li" and "Dr. Li"
    re.IGNORECASE,
)
# Every match of the last two patterns has one of these; they are faster to search for.
_CREDIT_MARKS = ("©", "(c)", ":", "：", "/", "credit")
_CREDIT_BY_WORDS = ("photo", "image", "picture", "illustration", "graphic", "foto", "bild")
_PARTICLES = frozenset(
    "of the for and via de del della di da dos van von der den la le du et y und with from s".split()
)
_CAPTION_SEPARATORS = " |·•-–—,/"


class Caption(NamedTuple):
    """The caption of an image, and the credit, which is not part of the caption."""

    text: str = ""
    credit: str = ""


NO_CAPTION = Caption()


def read_caption(evidence: Evidence, captions: Sequence[int]) -> Caption:
    """Read the caption in some blocks, without the credit: an element with its class, or text after "Photo:" or "©"."""
    nodes, blocks = evidence.page.nodes, evidence.blocks
    rows = [row for block in captions for row in blocks.rows[block] if nodes.text[row]]
    text = _join_texts(nodes, rows)
    start = blocks.container[captions[0]]
    elements = range(start, min(blocks.last[captions[-1]] + 1, start + _MAX_CAPTION_ROWS))
    for element, name in zip(elements, nodes.attrs.get_all(elements, "class"), strict=True):
        if not name or not _CREDIT_CLASS.search(name.lower()):
            continue
        credit = _join_texts(nodes, [row for row in rows if element < row < nodes.end[element]])
        if credit and credit in text:
            rest = _strip_separators(text.replace(credit, ""))  # some pages state it twice
            split = _split_credit(text)
            if not rest and split.text and split.credit:  # the element has the caption too
                return split
            return Caption(_split_credit(rest).text, _clean_credit(credit))
    return _split_credit(text)


def _split_credit(text: str) -> Caption:
    """Split off a credit at the end of a caption, after "Photo:" or "©"."""
    start = max(len(text) - _MAX_CREDIT_CHARS, 0)
    end = text[start:].lower()
    match = _CREDIT_AT_END.search(text, start) if any(mark in end for mark in _CREDIT_MARKS) else None
    if match:
        return Caption(_strip_separators(text[: match.start()]), _strip_separators(match[1]))
    match = _CREDIT_BY_AT_END.search(text, start) if any(word in end for word in _CREDIT_BY_WORDS) else None
    if match and _is_name(match[1]):
        return Caption(_strip_separators(text[: match.start()]), _strip_separators(match[1]))
    return Caption(text)


def _is_name(text: str) -> bool:
    """Tell whether all words begin with a capital or are particles: "Ann Li for the News", not "Ann Li shows boats"."""
    words = re.findall(r"[^\W\d_]+", text)
    return all(not word[0].islower() or word in _PARTICLES for word in words)


def _join_texts(nodes: Nodes, rows: Sequence[int]) -> str:
    return fold_text(" ".join([nodes.text[row] for row in rows])[:_MAX_CAPTION_CHARS])


def _clean_credit(credit: str) -> str:
    return _CREDIT_AT_START.sub("", credit)[:_MAX_CREDIT_CHARS]


def _strip_separators(text: str) -> str:
    """Remove the separators between caption and credit, and unpaired brackets, from both ends."""
    text = text.strip(_CAPTION_SEPARATORS)
    for opening, closing in ("()", "[]"):
        if text.count(opening) != text.count(closing):
            text = text.strip(_CAPTION_SEPARATORS + opening + closing)
    return text
