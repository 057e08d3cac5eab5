"""A page as the block network reads it."""

from __future__ import annotations

from broadsheet.blocks import Blocks
from broadsheet.methods.fusion.features import measure_blocks
from broadsheet.methods.fusion.names import hash_names
from broadsheet.methods.fusion.network import BlockInput
from broadsheet.page import Page


def read_input(page: Page, blocks: Blocks) -> BlockInput:
    """Measure a page that has blocks."""
    measures = measure_blocks(page, blocks)
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
