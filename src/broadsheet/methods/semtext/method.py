"""SemText: what tags, class names and text mean, read as three word strings, and labelled as a sequence.

Hao Zhang, Jie Wang: Boilerplate Detection via Semantic Classification of TextBlocks. International Joint Conference on
Neural Networks (IJCNN), 2021.

Every text block is three sentences: the tags above it, the class names above it, and its text. Convolutions over word
vectors read each sentence, a bidirectional LSTM reads the blocks of the page in order, and a conditional random field
decides all labels together. What is shipped is smaller than what was published, and has some numbers beside the words.
The list of departures: docs/methods/semtext.md.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from broadsheet.blocks import Blocks, Labels, Role, role_of_content
from broadsheet.embeddings import load_words
from broadsheet.methods.semtext.config import SemtextConfig
from broadsheet.methods.semtext.features import measure_units
from broadsheet.methods.semtext.network import Network, find_probabilities, read_network
from broadsheet.methods.semtext.strings import find_units, read_strings
from broadsheet.methods.semtext.threshold import find_limit
from broadsheet.models import load_weights
from broadsheet.page import Page


class Semtext:
    """Meaning of tags, class names and words, labelled as a sequence by a neural network (SemText, 2021)."""

    name: ClassVar[str] = "semtext"

    def __init__(self, weights: Path | None = None, config: SemtextConfig | None = None) -> None:
        """Take the shipped weights or those of a folder. `config` replaces what may change after training."""
        self.network = _load_network(weights)
        self.config = config or self.network.config

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Write the word strings (III-B), encode them (III-E), label the sequence (III-F)."""
        page.deadline.check()
        if not len(blocks):
            return Labels([], [])
        network, config = self.network, self.config
        units = np.asarray(find_units(blocks, config), np.intp)
        strings = read_strings(page, blocks, config)
        measures = measure_units(page, blocks, units, strings) if config.has_measures else None
        page.deadline.check()
        found = find_probabilities(network, config, strings, measures, load_words().vectors, page.deadline)
        scores = [found[unit] for unit in units.tolist()]
        limit = find_limit(scores, [len(text) for text in blocks.text], config)
        roles = [
            role_of_content(blocks, block) if score > limit else Role.BOILERPLATE for block, score in enumerate(scores)
        ]
        return Labels(roles, scores)


@cache
def _load_network(folder: Path | None) -> Network:
    return read_network(load_weights("semtext", folder))
