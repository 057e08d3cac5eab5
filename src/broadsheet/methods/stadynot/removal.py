"""Post-processing: tags that never carry information (section 3.3)."""

from __future__ import annotations

from broadsheet.methods.stadynot.config import StadynotConfig
from broadsheet.methods.stadynot.dynamic import TextCounts
from broadsheet.page import Nodes, tags

# The paper's "non-informative formatting tags".
NON_INFORMATIVE = frozenset(
    "img link script style noscript embed object param form input caption meta textarea".split()
)
_IN_BLOCKS = NON_INFORMATIVE - tags.DROPPED  # segmentation drops the others


def find_non_informative(nodes: Nodes, counts: TextCounts, config: StadynotConfig) -> list[int]:
    """Return the rows of non-informative tags, except forms that hold most of the page's text."""
    rows = [row for row, tag in enumerate(nodes.tag) if tag in _IN_BLOCKS]
    if config.max_form_share >= 1 or not rows:
        return rows
    max_chars = config.max_form_share * sum(counts.text)
    return [row for row in rows if nodes.tag[row] != "form" or sum(counts.text[row : nodes.end[row]]) <= max_chars]
