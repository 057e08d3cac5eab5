"""TWCEM: the title tells where the article begins and ends.

Zhen Tan, Chunhui He, Yang Fang, Bin Ge, Weidong Xiao: Title-Based Extraction of News Contents for Text Mining.
IEEE Access 6, 2018, doi:10.1109/ACCESS.2018.2877592.

A page is rows of text. Rows that are too short or have no punctuation are dropped; the first and the last of the rest
that share two words with the title, in order, are the borders of the article. Nothing else is looked at, so that it
works in any language. Rows are the blocks of the page (the document takes lines of the source, which says little
today). The list of departures, and what they change: docs/methods/twcem.md.
"""

from __future__ import annotations

from typing import ClassVar

from broadsheet.blocks import Blocks, Labels, Role, role_of_content, tags
from broadsheet.methods.twcem.config import TwcemConfig
from broadsheet.methods.twcem.content import find_bounds, keep_rows
from broadsheet.methods.twcem.structure import find_torn_off
from broadsheet.methods.twcem.title import extract_title
from broadsheet.page import Page

# The method says yes or no. This is how often a yes is right: word precision, mean of ten dev sets as shipped.
_SCORE_OF_KEPT = 0.84


class Twcem:
    """Title-based extraction: the article lies between the rows that share words with the title (TWCEM, 2018)."""

    name: ClassVar[str] = "twcem"

    def __init__(self, config: TwcemConfig | None = None) -> None:
        self.config = config or TwcemConfig.shipped()

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Title first (Algorithm 2), then rows (Algorithm 3), then the borders (Algorithm 4)."""
        title = extract_title(page)
        rows = self._find_rows(blocks)
        kept = [rows[at] for at in keep_rows([blocks.text[block] for block in rows], self.config)]
        bounds = find_bounds([blocks.text[block] for block in kept], title, self.config)
        roles = [Role.BOILERPLATE] * len(blocks)
        scores = [0.0] * len(blocks)
        chosen = {kept[at] for at in bounds}
        if self.config.keep_structure:
            chosen.update(find_torn_off(page.nodes, blocks, rows, chosen))
        for block in chosen:
            roles[block] = role_of_content(blocks, block)
            scores[block] = _SCORE_OF_KEPT
        for block, text in enumerate(blocks.text):
            if text == title:
                roles[block], scores[block] = Role.TITLE, 0.0
        return Labels(roles, scores, title)

    def _find_rows(self, blocks: Blocks) -> list[int]:
        """Take the blocks as rows of text, without what is hidden or mostly links."""
        most = self.config.max_link_share
        columns = zip(blocks.text, blocks.link_chars, blocks.context, strict=True)
        return [
            block
            for block, (text, links, meaning) in enumerate(columns)
            if links <= most * len(text) and not meaning & tags.HIDDEN
        ]
