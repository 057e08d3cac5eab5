"""A page as the block network reads it."""

from __future__ import annotations

from broadsheet.blocks import Blocks
from broadsheet.features.measures import measure_blocks
from broadsheet.features.names import hash_names
from broadsheet.models.block_network import BlockInput
from broadsheet.page import Metadata, Page


def read_input(page: Page, blocks: Blocks, metadata: Metadata) -> BlockInput:
    """Measure a page that has blocks."""
    measures = measure_blocks(page, blocks, metadata)
    around = measures.surroundings
    places = around.places
    return BlockInput(
        values=measures.values,
        around=around.around,
        first=around.first,
        after=around.after,
        place=around.place,
        outer=places.outer,
        tags=places.tag,
        names=list(map(hash_names, places.class_name, places.id)),
    )
