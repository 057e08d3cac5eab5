"""Body blocks that repeat the title. They are left out of the body of the article."""

from __future__ import annotations

from broadsheet.fields.evidence import Evidence
from broadsheet.text import split_words

_MAX_LENGTH_DIFFERENCE = 10  # characters by which two spellings of a title may differ: quotes, dashes, a full stop


def find_title_blocks(evidence: Evidence) -> frozenset[int]:
    """Find the body blocks that have the same words as the title."""
    title, texts = evidence.title, evidence.blocks.text
    candidates = [block for block in evidence.body if abs(len(texts[block]) - len(title)) <= _MAX_LENGTH_DIFFERENCE]
    words = split_words(title) if candidates else []
    return frozenset(block for block in candidates if split_words(texts[block]) == words) if words else frozenset()
