"""Read a page as input of the block network."""

from __future__ import annotations

import numpy as np

from broadsheet.blocks import Blocks
from broadsheet.html.names import TAG_NAMES
from broadsheet.methods.fusion.features import compute_features
from broadsheet.methods.fusion.network import BlockInput
from broadsheet.page import Page


def read_input(page: Page, blocks: Blocks) -> BlockInput:
    """Compute the network's input. The page must have at least one block."""
    features = compute_features(page, blocks)
    containers = features.containers
    positions = containers.positions
    return BlockInput(
        features=features.values,
        words=features.words,
        enclosing=containers.enclosing,
        first_block=containers.first_block,
        end_block=containers.end_block,
        position=containers.position,
        outer=positions.outer,
        tags=[TAG_NAMES[tag] for tag in positions.tag.tolist()],
        names=[tuple(part.tolist()) for part in np.split(positions.name_hashes, positions.name_ends[:-1])],
    )
