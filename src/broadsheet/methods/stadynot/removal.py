"""Post-processing: tags that never carry information (section 3.3)."""

from __future__ import annotations

from broadsheet.methods.stadynot.config import StadynotConfig
from broadsheet.methods.stadynot.dynamic import TextCounts
from broadsheet.page import Nodes, tags

# "Non-informative formatting tags". Segmentation drops most of them before any method sees a block.
NON_INFORMATIVE = frozenset(
    "img link script style noscript embed object param form input caption meta textarea".split()
)


def find_non_informative(nodes: Nodes, counts: TextCounts, config: StadynotConfig) -> list[int]:
    """Find the rows of non-informative tags, but for forms that hold most of the page."""
    wanted = NON_INFORMATIVE - tags.DROPPED  # those are in no block anyway
    found = [row for row, tag in enumerate(nodes.tag) if tag in wanted]
    if config.max_form_share >= 1 or not found:
        return found
    most = config.max_form_share * sum(counts.text)
    return [row for row in found if nodes.tag[row] != "form" or sum(counts.text[row : nodes.end[row]]) <= most]
