"""TWCEM: the article lies between the rows of text that share words with the title.

Zhen Tan, Chunhui He, Yang Fang, Bin Ge, Weidong Xiao: Title-Based Extraction of News Contents for Text Mining.
IEEE Access 6, 2018, doi:10.1109/ACCESS.2018.2877592.

A page is a list of rows of text. Rows that are too short or have no punctuation are dropped. Of the rest, the first and
the last row that have a common subsequence of two words with the title are the borders of the article. No other
information is used, so the method works in any language. Here rows are the blocks of the page; the paper uses lines of
the HTML source, which have no meaning on today's pages. Departures from the paper: docs/methods/twcem.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from broadsheet.blocks import Blocks, Labels, Role, role_of_content, tags
from broadsheet.methods.twcem.config import TwcemConfig
from broadsheet.methods.twcem.content import filter_rows, find_bounds
from broadsheet.methods.twcem.structure import find_structure
from broadsheet.methods.twcem.title import extract_title
from broadsheet.models.config import check_config
from broadsheet.models.weights import refuse_weights
from broadsheet.page import Page

# Decisions are binary. The score of all kept blocks is the word precision, mean of ten dev sets, as shipped.
KEPT_BLOCK_SCORE = 0.84


class Twcem:
    """Title-based extraction: the article lies between the rows that share words with the title (TWCEM, 2018)."""

    name: ClassVar[str] = "twcem"

    def __init__(self, config: TwcemConfig | None = None, *, weights: str | Path | None = None) -> None:
        """Use the shipped configuration or another. The method has no weights: `weights` must be None."""
        refuse_weights(self.name, weights)
        self.config = check_config(config, TwcemConfig) or TwcemConfig.shipped()

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Find the title (Algorithm 2), filter the rows (Algorithm 3) and find the borders (Algorithm 4)."""
        title = extract_title(page)
        rows = self._find_rows(blocks)
        filtered = [rows[index] for index in filter_rows([blocks.text[block] for block in rows], self.config)]
        bounds = find_bounds([blocks.text[block] for block in filtered], title, self.config)
        kept = {filtered[index] for index in bounds}
        if self.config.keep_structure:
            kept.update(find_structure(page.nodes, blocks, rows, kept))
        roles = [Role.BOILERPLATE] * len(blocks)
        scores = [0.0] * len(blocks)
        for block in kept:
            roles[block] = role_of_content(blocks, block)
            scores[block] = KEPT_BLOCK_SCORE
        for block, text in enumerate(blocks.text):
            if text == title:
                roles[block], scores[block] = Role.TITLE, 0.0
        return Labels(roles, scores, title)

    def _find_rows(self, blocks: Blocks) -> list[int]:
        """Return the blocks that are rows: not hidden and not mostly links."""
        max_share = self.config.max_link_share
        columns = zip(blocks.text, blocks.link_chars, blocks.context, strict=True)
        return [
            block
            for block, (text, link_chars, context) in enumerate(columns)
            if link_chars <= max_share * len(text) and not context & tags.HIDDEN
        ]
