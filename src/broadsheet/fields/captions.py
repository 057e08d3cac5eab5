"""Captions and credits of images."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from broadsheet.fields.evidence import Evidence
from broadsheet.page import Nodes
from broadsheet.text import fold_text

_MAX_CAPTION_ROWS = 40
_MAX_CAPTION_CHARS = 2_000
_MAX_CREDIT_CHARS = 200
_CREDIT_CLASS = re.compile(
    r"credit|copyright|photographer|attribution|(?:^|[\s_-])(?:source|quelle|byline)(?:$|[\s_-])"
)
_CREDIT_LABEL = (
    r"(?:©|\(c\)|credit(?:\.{3}|…)|(?:(?:photo|image|picture|bild|foto|photograph|fotografie|crédit|credit|credits|bildquelle|"
    r"quelle|fuente|imagen|imago|illustration|fotó|kuva|фото|写真|图|copyright)"
    r"(?:\s(?:by|courtesy|credit|credits|photo|von|de|di))?\s?[:：©/]))"
)
_CREDIT_AT_START = re.compile(rf"^(?:{_CREDIT_LABEL}\s?)+", re.IGNORECASE)
_CREDIT_AT_END = re.compile(rf"(?:^|(?<=[\s(\[|.,]))(?:{_CREDIT_LABEL}\s?)+([^:]{{2,120}})$", re.IGNORECASE)
_CAPTION_SEPARATORS = " |·•-–—,/"


@dataclass(frozen=True, slots=True)
class Caption:
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
            return Caption(_strip_separators(text.replace(credit, "", 1)), _clean_credit(credit))
    if match := _CREDIT_AT_END.search(text, max(len(text) - _MAX_CREDIT_CHARS, 0)):
        return Caption(_strip_separators(text[: match.start()]), _strip_separators(match[1]))
    return Caption(text)


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
