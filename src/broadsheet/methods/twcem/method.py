"""TWCEM: the article lies between the rows of text that share words with the title.

Zhen Tan, Chunhui He, Yang Fang, Bin Ge, Weidong Xiao: Title-Based Extraction of News Contents for Text Mining.
IEEE Access 6, 2018, doi:10.1109/ACCESS.2018.2877592.

A page is a list of rows of text. Rows that are too short or have no punctuation are dropped. Of the rest, the first and
the last row that have a common subsequence of two words with the title are the borders of the article. No other
information is used, so the method works in any language. As published, rows are lines of the HTML source; as shipped,
they are the blocks of the page, because line breaks of generated pages mean nothing. Departures from the paper:
docs/methods/twcem.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from broadsheet.blocks import Blocks, Labels, Role, Span, list_roles, tags
from broadsheet.methods.twcem.config import TwcemConfig
from broadsheet.methods.twcem.content import filter_rows, find_bounds, find_spans_in_lines, find_structure, read_lines
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
        title = extract_title(page, self.config)
        rows = self._find_rows(blocks)
        spans: Mapping[int, Sequence[Span]] = {}
        if self.config.reads_lines:
            spans = self._find_spans(page, blocks, title)
            kept = set(spans) & set(rows)
        else:
            kept = self._keep(blocks, rows, title)
        if self.config.keep_structure:
            kept.update(find_structure(page.nodes, blocks, rows, kept))
        roles, scores = list_roles(blocks, kept), [0.0] * len(blocks)
        for block in kept:
            scores[block] = KEPT_BLOCK_SCORE
        if not self.config.reads_lines:  # a line that states the title is a row like the others
            for block, text in enumerate(blocks.text):
                if text == title:
                    roles[block], scores[block] = Role.TITLE, 0.0
        partial = {
            block: spans[block] for block in kept & set(spans) if spans[block] != ((0, len(blocks.text[block])),)
        }
        return Labels(roles, scores, title, spans=partial)

    def _keep(self, blocks: Blocks, rows: Sequence[int], title: str | None) -> set[int]:
        """Return the blocks of the article, with blocks as rows."""
        kept = self._choose_rows([blocks.text[block] for block in rows], title)
        return {rows[index] for index in kept}

    def _find_spans(self, page: Page, blocks: Blocks, title: str | None) -> Mapping[int, Sequence[Span]]:
        """Return the ranges of the blocks that are in the article, with lines of the source as rows."""
        lines = read_lines(page.source)
        page.deadline.check()
        return find_spans_in_lines(blocks.text, lines, set(self._choose_rows(lines, title)))

    def _choose_rows(self, rows: Sequence[str], title: str | None) -> list[int]:
        """Return the indices of the rows that pass the filter and lie between the borders."""
        filtered = filter_rows(rows, self.config)
        bounds = find_bounds([rows[index] for index in filtered], title, self.config)
        return [filtered[index] for index in bounds]

    def _find_rows(self, blocks: Blocks) -> list[int]:
        """Return the blocks that may be article text: not mostly links, and not hidden."""
        max_share, excluded = self.config.max_link_share, 0 if self.config.keeps_hidden else tags.HIDDEN
        columns = zip(blocks.text, blocks.link_chars, blocks.context, strict=True)
        return [
            block
            for block, (text, link_chars, context) in enumerate(columns)
            if link_chars <= max_share * len(text) and not context & excluded
        ]


class PublishedTwcem(Twcem):
    """TWCEM as published: rows are lines of the source, the text is the kept rows, and links do not matter."""

    name: ClassVar[str] = "twcem-published"

    def __init__(self, config: TwcemConfig | None = None, *, weights: str | Path | None = None) -> None:
        """Use the published configuration or another."""
        super().__init__(TwcemConfig() if config is None else config, weights=weights)
