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
from broadsheet.methods.visual.choice import choose_bar, choose_dates, choose_title
from broadsheet.methods.visual.clues import find_candidates, measure_clues, set_title
from broadsheet.methods.visual.config import VisualConfig
from broadsheet.methods.visual.features import (
    DATE_COLUMNS,
    TITLE_COLUMNS,
    measure_edits,
    measure_nodes,
    measure_title_distance,
)
from broadsheet.methods.visual.forests import Forests, load_forests, measure_body, score_body
from broadsheet.methods.visual.reading import Reading, read_visual
from broadsheet.page import Page

# As published, the method says yes or no. This is how often a yes is right: word precision, mean of six dev sets.
_SCORE_OF_KEPT = 0.83
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
            scores = score_body(measure_body(reading), found.title.block, self.forests)
            is_body = scores > choose_bar(scores, [len(text) for text in blocks.text], self.config)
        else:
            is_body = _find_body(reading, found)
            scores = np.where(is_body, _SCORE_OF_KEPT, 0.0)
        return _name_blocks(reading, found, is_body, scores)


@dataclass(frozen=True, slots=True)
class Title:
    """The title, and the text node that shows it: None where `<title>` is taken."""

    text: str | None
    node: int | None
    block: int | None


@dataclass(frozen=True, slots=True)
class Dates:
    """What may say the date: the texts, the likeliest first; and the nodes that are sure to."""

    texts: tuple[str, ...]
    nodes: frozenset[int]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the forests picked among the text nodes."""

    title: Title
    dates: Dates


def find_parts(reading: Reading, forests: Forests, config: VisualConfig) -> Parts:
    """Find the title, and by it the date (3.4.2)."""
    examined = reading.list_examined(all_nodes=config.examines_all)
    samples = measure_nodes(reading.text, examined, reading.look, reading.page_title)
    at = choose_title(forests.title.predict(samples[:, TITLE_COLUMNS]), config)
    title = _read_title(reading, None if at is None else examined[at], config)
    if config.learns_dates:
        places = find_candidates(reading, config.max_date)
        scores = forests.date_clues.predict(set_title(measure_clues(reading, places), places, title.node))
    else:
        places = examined
        scores = forests.date.predict(measure_title_distance(samples, places, title.node)[:, DATE_COLUMNS])
    lengths = [len(reading.text.texts[node]) for node in places]
    clusters = choose_dates(places, lengths, scores, title.node, config)
    return Parts(title, _read_dates(reading, places, scores, clusters, config))


def _read_title(reading: Reading, node: int | None, config: VisualConfig) -> Title:
    """Give the text of the title node; without one, that of `<title>` (3.4.3)."""
    if node is None:
        return Title(reading.page_title or None, None, None)
    text, block = reading.text.texts[node], reading.text.blocks[node]
    whole = " ".join(reading.blocks.text[block].split())
    if config.takes_whole_title:  # emphasis inside a headline makes nodes of its own
        text = min(text, whole, key=lambda each: measure_edits(each, reading.page_title))
    return Title(text, node, block)


def _read_dates(
    reading: Reading,
    places: Sequence[int],
    scores: NDArray[np.float64],
    clusters: Sequence[Sequence[int]],
    config: VisualConfig,
) -> Dates:
    """List the texts of date nodes: for each cluster, of each node, the likeliest first, then of all together."""
    texts: dict[str, None] = {}
    for cluster in clusters:
        for at in sorted(cluster, key=lambda at: -scores[at]):
            texts[reading.text.texts[places[at]]] = None
        texts[" ".join(reading.text.texts[places[at]] for at in cluster)] = None
    sure = (places[at] for cluster in clusters for at in cluster if scores[at] > config.min_score)
    return Dates(tuple(texts)[:_MAX_DATES], frozenset(sure))


def _find_filled(reading: Reading, nodes: frozenset[int], text: str = "") -> frozenset[int]:
    """Find the blocks that consist of these nodes, or of a text that one of them stands for, for the most part."""
    chars: dict[int, int] = {}
    for node in nodes:
        block = reading.text.blocks[node]
        chars[block] = chars.get(block, 0) + max(len(reading.text.texts[node]), len(text))
    return frozenset(block for block, count in chars.items() if count > _MOST * len(reading.blocks.text[block]))


def _find_body(reading: Reading, found: Parts) -> NDArray[np.bool_]:
    """Take every relevant node from the title on that is neither title nor date (3.4.3), as blocks."""
    is_body = reading.is_relevant.copy()
    is_body[: found.title.node or 0] = False
    is_body[[node for node in (found.title.node, *found.dates.nodes) if node is not None]] = False
    lengths = np.array([len(own) for own in reading.text.texts])
    owners = np.array(reading.text.blocks)
    chars = np.bincount(owners, weights=lengths)
    return np.asarray(np.bincount(owners, weights=lengths * is_body) > _MOST * chars)


def _name_blocks(reading: Reading, found: Parts, is_body: NDArray[np.bool_], scores: NDArray[np.float64]) -> Labels:
    blocks, title = reading.blocks, found.title
    roles = [
        role_of_content(blocks, block) if kept else Role.BOILERPLATE for block, kept in enumerate(is_body.tolist())
    ]
    values = scores.tolist()
    for block in _find_filled(reading, found.dates.nodes):
        roles[block], values[block] = Role.DATE, 0.0
    # A title that is the beginning of a paragraph does not make a title of the paragraph.
    for block in _find_filled(reading, frozenset(() if title.node is None else (title.node,)), title.text or ""):
        roles[block], values[block] = Role.TITLE, 0.0
    return Labels(roles, values, title=title.text, dates=found.dates.texts)
