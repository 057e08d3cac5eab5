"""Detection of title and date among the text nodes (section 3.4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.visual.config import VisualConfig
from broadsheet.methods.visual.date_features import compute_date_features, fill_from_title, find_date_candidates
from broadsheet.methods.visual.features import (
    DATE_COLUMNS,
    TITLE_COLUMNS,
    VisualInput,
    compute_attributes,
    compute_edit_distance,
    fill_title_distance,
)
from broadsheet.methods.visual.forests import Forests, choose_dates, choose_title

_MAX_DATE_TEXTS = 12


@dataclass(frozen=True, slots=True)
class Title:
    """The title and the text node that shows it; `node` and `block` are None if the text is that of `<title>`."""

    text: str | None
    node: int | None
    block: int | None


@dataclass(frozen=True, slots=True)
class Dates:
    """Texts that may contain the date, the most probable first, and the nodes above the threshold."""

    texts: tuple[str, ...]
    nodes: frozenset[int]


@dataclass(frozen=True, slots=True)
class TitleAndDate:
    """Title and dates of a page."""

    title: Title
    dates: Dates


def find_title_and_date(inputs: VisualInput, forests: Forests, config: VisualConfig) -> TitleAndDate:
    """Find the title, and then the date by its distance to the title."""
    nodes = inputs.list_examined(all_nodes=config.examines_all)
    samples = compute_attributes(inputs.text, nodes, inputs.style, inputs.page_title)
    chosen = choose_title(forests.title.predict(samples[:, TITLE_COLUMNS]), config)
    title = _read_title(inputs, None if chosen is None else nodes[chosen], config)
    if config.learns_dates:
        nodes = find_date_candidates(inputs, config.max_date)
        samples = fill_from_title(compute_date_features(inputs, nodes), nodes, title.node)
        scores = forests.date_clues.predict(samples)
    else:
        scores = forests.date.predict(fill_title_distance(samples, nodes, title.node)[:, DATE_COLUMNS])
    lengths = [len(inputs.text.texts[node]) for node in nodes]
    clusters = choose_dates(nodes, lengths, scores, title.node, config)
    texts = _read_dates([inputs.text.texts[node] for node in nodes], scores, clusters)
    date_nodes = frozenset(
        nodes[index] for cluster in clusters for index in cluster if scores[index] > config.min_score
    )
    return TitleAndDate(title, Dates(texts, date_nodes))


def _read_title(inputs: VisualInput, node: int | None, config: VisualConfig) -> Title:
    """Return the text of the title node; without one, that of `<title>` (3.4.3)."""
    if node is None:
        return Title(inputs.page_title or None, None, None)
    text, block = inputs.text.texts[node], inputs.text.blocks[node]
    block_text = " ".join(inputs.blocks.text[block].split())
    if config.takes_whole_title:  # emphasis inside a headline splits it into several nodes
        text = min(text, block_text, key=lambda candidate: compute_edit_distance(candidate, inputs.page_title))
    return Title(text, node, block)


def _read_dates(
    texts: Sequence[str], scores: NDArray[np.float64], clusters: Sequence[Sequence[int]]
) -> tuple[str, ...]:
    """List the texts of date nodes. For each cluster: each node, the most probable first, then all nodes joined."""
    dates: dict[str, None] = {}
    for cluster in clusters:
        for index in sorted(cluster, key=lambda index: -scores[index]):
            dates[texts[index]] = None
        dates[" ".join(texts[index] for index in cluster)] = None
    return tuple(dates)[:_MAX_DATE_TEXTS]
