"""Captions and credits of images."""

from __future__ import annotations

import re
from dataclasses import dataclass

from broadsheet.fields.evidence import Evidence

_MAX_CAPTION_ROWS = 40
_MAX_CREDIT_CHARS = 200
_CREDIT_CLASS = re.compile(
    r"credit|copyright|photographer|attribution|(?:^|[\s_-])(?:source|quelle|byline)(?:$|[\s_-])"
)
_CREDIT_LABEL = (
    r"(?:©|\(c\)|(?:(?:photo|image|picture|bild|foto|photograph|fotografie|crédit|credit|credits|bildquelle|quelle|fuente|"
    r"imagen|imago|illustration|fotó|kuva|фото|写真|图|copyright)(?:\s(?:by|courtesy|credit|credits|photo|von|de|di))?\s?[:：©/]))"
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


def read_caption(evidence: Evidence, rows: range) -> Caption:
    """Separate a caption from its credit: an element with a credit class, or the text after "Photo:" or "©"."""
    nodes = evidence.page.nodes
    text = evidence.text_between(rows.start, rows.stop, gap=" ")
    inner_rows = rows[:_MAX_CAPTION_ROWS]
    for inner_row, name in zip(inner_rows, nodes.attrs.get_all(inner_rows, "class"), strict=True):
        credit = evidence.text_below(inner_row, gap=" ") if name and _CREDIT_CLASS.search(name.lower()) else ""
        if credit and credit in text:
            return Caption(_strip_separators(text.replace(credit, "", 1)), _clean_credit(credit))
    if match := _CREDIT_AT_END.search(text, max(len(text) - _MAX_CREDIT_CHARS, 0)):
        return Caption(_strip_separators(text[: match.start()]), _strip_separators(match[1]))
    return Caption(text)


def _clean_credit(credit: str) -> str:
    return _CREDIT_AT_START.sub("", credit)[:_MAX_CREDIT_CHARS]


def _strip_separators(text: str) -> str:
    """Remove the separators between caption and credit, and unpaired brackets, from both ends."""
    text = text.strip(_CAPTION_SEPARATORS)
    for opening, closing in ("()", "[]"):
        if text.count(opening) != text.count(closing):
            text = text.strip(_CAPTION_SEPARATORS + opening + closing)
    return text
