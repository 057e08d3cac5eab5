"""Read a page as input of the block network."""

from __future__ import annotations

from broadsheet.blocks import Blocks
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
        tags=positions.tag,
        name_hashes=positions.name_hashes,
        name_ends=positions.name_ends,
    )
