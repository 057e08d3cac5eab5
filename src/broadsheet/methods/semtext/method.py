"""SemText: tags, class names and text of a block are read as three word strings and labelled as a sequence.

Hao Zhang, Jie Wang: Boilerplate Detection via Semantic Classification of TextBlocks. International Joint Conference on
Neural Networks (IJCNN), 2021.

Every block has three word strings: the tags above it, the class names above it, and its text. Convolutions over word
vectors encode each string, a bidirectional LSTM reads the blocks of the page in order, and a conditional random field
decides all labels together. The shipped network is smaller than the published one and also reads some numbers.
Departures from the paper: docs/methods/semtext.md.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import ClassVar

from broadsheet.blocks import Blocks, Labels, list_roles
from broadsheet.methods.semtext.config import CHANGEABLE, MODEL, SemtextConfig
from broadsheet.methods.semtext.features import read_input
from broadsheet.methods.semtext.network import SemtextNetwork, find_probabilities, find_threshold, read_network
from broadsheet.models.config import resolve_config
from broadsheet.models.weights import Weights, find_newest, hash_weights, load_weights
from broadsheet.models.words import load_words
from broadsheet.page import Page


class Semtext:
    """Words of tags, class names and text, labelled as a sequence by a neural network (SemText, 2021)."""

    name: ClassVar[str] = MODEL

    def __init__(self, config: SemtextConfig | None = None, *, weights: str | Path | None = None) -> None:
        """Use the shipped weights or those in a folder. `config` may change what config.CHANGEABLE lists."""
        loaded = load_weights(MODEL, weights)
        network = _read_network(loaded)
        self.config = resolve_config(config, network.config, loaded, changeable=CHANGEABLE)
        self.network = replace(network, config=self.config)
        self.weights_hash = hash_weights(MODEL, weights)

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Read the word strings (III-B), encode them (III-E) and label the sequence (III-F)."""
        page.deadline.check()
        if not len(blocks):
            return Labels([], [])
        inputs = read_input(page, blocks, self.config)
        page.deadline.check()
        probabilities = find_probabilities(self.network, inputs, load_words().vectors, page.deadline)
        scores = [probabilities[unit] for unit in inputs.units.tolist()]
        threshold = find_threshold(scores, [len(text) for text in blocks.text], self.config)
        content = [block for block, score in enumerate(scores) if score > threshold]
        return Labels(list_roles(blocks, content), scores)


@cache
def _read_network(weights: Weights) -> SemtextNetwork:
    return read_network(weights)


class PublishedSemtext(Semtext):
    """SemText as published. Its weights are not shipped: broadsheet train semtext-published writes them."""

    name: ClassVar[str] = "semtext-published"

    def __init__(self, config: SemtextConfig | None = None, *, weights: str | Path | None = None) -> None:
        """Use the weights in a folder."""
        super().__init__(config, weights=find_newest(self.name) if weights is None else weights)
