"""StaDyNoT: what is on all pages of a site is noise, and so is where links gather; the rest is the article.

Jayendra Barua, Dhaval Patel, Ankur Kumar Agrawal: Removing Noise Content from Online News Articles. 20th International
Conference on Management of Data (COMAD), 2014.

Static noise is found by comparing the page with its neighbours: pages of the same site and section (`broadsheet.site`
does that, and tells the page in `page.static_rows`). Dynamic noise is found in the page itself: least common ancestors
of links that hold little text but links. Noise is marked first and removed at the end; what is left is the article,
with its formatting. A lone page gets the second stage only. The list of departures: docs/methods/stadynot.md.
"""

from __future__ import annotations

from typing import ClassVar

from broadsheet.blocks import Blocks, Labels, Role, role_of_content, tags
from broadsheet.methods.stadynot.comments import find_comments
from broadsheet.methods.stadynot.config import StadynotConfig
from broadsheet.methods.stadynot.dynamic import count_text, find_candidates, find_links, mark_dynamic_noise
from broadsheet.methods.stadynot.head import name_head
from broadsheet.methods.stadynot.removal import find_non_informative
from broadsheet.page import TEXT, Nodes, Page
from broadsheet.text import split_words

# The method says yes or no. This is how often a yes is right: word precision, mean of six dev sets as shipped.
_SCORE_OF_KEPT = 0.85
_WORDS_OF_TEXT = 16  # a block with as many is text, and no line of the head


class Stadynot:
    """Noise removal: what all pages of the site say goes, and where links gather (StaDyNoT, 2014)."""

    name: ClassVar[str] = "stadynot"

    def __init__(self, config: StadynotConfig | None = None) -> None:
        self.config = config or StadynotConfig.shipped()

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Mark static noise (3.1), mark dynamic noise (3.2), remove both and what is no text anyway (3.3)."""
        nodes, config = page.nodes, self.config
        page.deadline.check()
        is_marked = bytearray(len(nodes))
        for row in page.static_rows:
            is_marked[row] = 1
        links = find_links(nodes)
        counts = count_text(nodes, links)
        noise = mark_dynamic_noise(nodes, find_candidates(nodes, links), counts, is_marked, config)
        for row in (*noise, *find_non_informative(nodes, counts, config)):
            is_marked[row : nodes.end[row]] = b"\1" * (nodes.end[row] - row)
        kept = [block for block in range(len(blocks)) if not self._is_removed(nodes, blocks, block, is_marked)]
        long = [block for block in kept if has_words(blocks.text[block], _WORDS_OF_TEXT)]
        # The text is under way with the second long block: the first may be the standfirst.
        head = name_head(nodes, blocks, kept, long[min(1, len(long) - 1)] if long else len(blocks))
        if config.names_comments:
            head |= dict.fromkeys(find_comments(nodes, blocks, kept), Role.COMMENT)
        kept = self._trim(blocks, [block for block in kept if block not in head])
        roles = [Role.BOILERPLATE] * len(blocks)
        scores = [0.0] * len(blocks)
        for block in kept:
            roles[block], scores[block] = role_of_content(blocks, block), _SCORE_OF_KEPT
        for block, role in head.items():
            roles[block], scores[block] = role, 0.0
        return Labels(roles, scores)

    def _trim(self, blocks: Blocks, kept: list[int]) -> list[int]:
        """Let the article begin and end with a block of some length, if it has any (ours)."""
        least = self.config.min_edge_words
        first = next((at for at, block in enumerate(kept) if has_words(blocks.text[block], least)), None)
        if first is None:
            return kept
        last = next(at for at in range(len(kept) - 1, -1, -1) if has_words(blocks.text[kept[at]], least))
        return kept[first : last + 1]

    def _is_removed(self, nodes: Nodes, blocks: Blocks, block: int, is_marked: bytearray) -> bool:
        """Tell whether nothing of a block is left after removal, or it is noise by one of our own rules."""
        if blocks.has(block, tags.HIDDEN) and not self.config.keeps_hidden:
            return True
        if blocks.link_share(block) > self.config.max_block_links:
            return True
        return all(is_marked[row] or nodes.tag[row] != TEXT or nodes.text[row].isspace() for row in blocks.rows[block])


def has_words(text: str, least: int) -> bool:
    """Tell whether a text has at least so many words."""
    if text.count(" ") >= 2 * least:  # most that have, and far cheaper to see
        return True
    return len(text) >= least and len(split_words(text)) >= least
