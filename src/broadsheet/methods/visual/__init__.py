"""Looks without a browser: how text is shown, and where, tells title, date and body.

Chapter 3 of a thesis on extracting news from web pages by structure and CSS, without rendering (we have that chapter
alone, which names neither itself nor its author); it takes NCE, the first step, from another work.

NCE finds the subtree that holds the story and leaves out children full of links and the readers' comments. A forest of
decision trees picks the title among the text nodes by nine attributes (length, digits, font size, bold, how rare the
style is, likeness to `<title>`), another one the date, by its distance to that title. The body is the relevant rest
from the title on. All of it needs CSS, but no layout, and no word of any language. What we add, as switches, and what
each is worth: docs/methods/visual.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, Labels, Role, role_of_content
from broadsheet.methods.visual.attributes import DATE_COLUMNS, TITLE_COLUMNS, measure_nodes, measure_title_distance
from broadsheet.methods.visual.choice import choose_dates, choose_title
from broadsheet.methods.visual.clues import find_candidates, measure_clues, set_title
from broadsheet.methods.visual.config import VisualConfig
from broadsheet.methods.visual.forests import Forests, load_forests, measure_body, score_body
from broadsheet.methods.visual.reading import Reading, read_visual
from broadsheet.page import Page

__all__ = ["Visual", "VisualConfig"]

# As published, the method says yes or no. This is how often a yes is right: word precision, mean of six dev sets.
_SCORE_OF_KEPT = 0.85
_MAX_DATES = 12  # texts that are handed on for reading
_MOST = 0.5  # of a block's characters, for what they are to be what the block is


class Visual:
    """Looks and structure: styles without a browser, forests that pick title, date and body (2011)."""

    name: ClassVar[str] = "visual"

    def __init__(self, config: VisualConfig | None = None, weights: Path | None = None) -> None:
        self.config = config or VisualConfig.shipped()
        self.forests = load_forests(weights)

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Find the relevant content (3.4.1), the title, then the date (3.4.2), then the body (3.4.3)."""
        if not len(blocks):
            return Labels([], [])
        page.deadline.check()
        reading = read_visual(page, blocks, self.config)
        page.deadline.check()
        found = find_parts(reading, self.forests, self.config)
        if self.config.learns_body:
            scores = score_body(measure_body(reading), found.title_block, self.forests)
            is_body = scores > self.config.min_score
        else:
            is_body = _find_body(reading, found)
            scores = np.where(is_body, _SCORE_OF_KEPT, 0.0)
        return _name_blocks(blocks, found, is_body, scores)


@dataclass(frozen=True, slots=True)
class Parts:
    """What the forests picked among the text nodes."""

    title: str | None  # None: no node is one, and `<title>` is to be taken
    title_node: int | None
    title_block: int | None
    date_nodes: frozenset[int]
    date_blocks: frozenset[int]
    dates: tuple[str, ...]  # texts that may say the date, the likeliest first


def find_parts(reading: Reading, forests: Forests, config: VisualConfig) -> Parts:
    """Find title and date (3.4.2)."""
    text, blocks = reading.text, reading.blocks
    examined = reading.list_examined(all_nodes=config.examines_all)
    samples = measure_nodes(text, examined, reading.look, reading.page_title)
    at = choose_title(forests.title.predict(samples[:, TITLE_COLUMNS]), config) if examined else None
    title_node = None if at is None else examined[at]
    title_block = None if title_node is None else text.blocks[title_node]
    title = reading.page_title or None
    if title_node is not None:
        title = text.texts[title_node]
        if config.takes_whole_title:
            title = " ".join(blocks.text[text.blocks[title_node]].split())
    if config.learns_dates:
        places = find_candidates(text, blocks, reading.look, config.max_date)
        clues = measure_clues(reading.page, blocks, text, reading.look, reading.is_relevant, places)
        scores = forests.date_clues.predict(set_title(clues, places, title_node))
    else:
        places = examined
        placed = measure_title_distance(samples, places, title_node)
        scores = forests.date.predict(placed[:, DATE_COLUMNS])
    lengths = [len(text.texts[node]) for node in places]
    clusters = choose_dates(places, lengths, scores, title_node, config)
    nodes = [[places[each] for each in cluster] for cluster in clusters]
    certain = frozenset(places[each] for cluster in clusters for each in cluster if scores[each] > config.min_score)
    return Parts(
        title=title,
        title_node=title_node,
        title_block=title_block,
        date_nodes=certain,
        date_blocks=_find_filled(reading, certain),
        dates=_list_texts(reading, nodes, dict(zip(places, scores.tolist(), strict=True))),
    )


def _find_filled(reading: Reading, nodes: frozenset[int]) -> frozenset[int]:
    """Find the blocks that consist of these nodes, for the most part."""
    chars: dict[int, int] = {}
    for node in nodes:
        block = reading.text.blocks[node]
        chars[block] = chars.get(block, 0) + len(reading.text.texts[node])
    return frozenset(block for block, count in chars.items() if count > _MOST * len(reading.blocks.text[block]))


def _list_texts(reading: Reading, clusters: Sequence[Sequence[int]], scores: dict[int, float]) -> tuple[str, ...]:
    """Texts of clusters of date nodes: of each node, the likeliest first, then of all of a cluster together."""
    found: dict[str, None] = {}
    for cluster in clusters:
        for node in sorted(cluster, key=lambda node: -scores[node]):
            found[reading.text.texts[node]] = None
        found[" ".join(reading.text.texts[node] for node in cluster)] = None
    return tuple(found)[:_MAX_DATES]


def _find_body(reading: Reading, found: Parts) -> NDArray[np.bool_]:
    """Take every relevant node from the title on that is neither title nor date (3.4.3), as blocks."""
    is_body = reading.is_relevant.copy()
    is_body[: found.title_node or 0] = False
    is_body[[node for node in (found.title_node, *found.date_nodes) if node is not None]] = False
    lengths = np.array([len(own) for own in reading.text.texts])
    owners = np.array(reading.text.blocks)
    chars = np.bincount(owners, weights=lengths)
    return np.asarray(np.bincount(owners, weights=lengths * is_body) > _MOST * chars)


def _name_blocks(blocks: Blocks, found: Parts, is_body: NDArray[np.bool_], scores: NDArray[np.float64]) -> Labels:
    roles = [
        role_of_content(blocks, block) if kept else Role.BOILERPLATE for block, kept in enumerate(is_body.tolist())
    ]
    values = scores.tolist()
    for block in found.date_blocks:
        roles[block], values[block] = Role.DATE, 0.0
    if found.title_block is not None:
        roles[found.title_block], values[found.title_block] = Role.TITLE, 0.0
    return Labels(roles, values, title=found.title, dates=found.dates)
