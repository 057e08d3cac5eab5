"""A page as the block network reads it."""

from __future__ import annotations

from functools import lru_cache

from broadsheet.blocks import Blocks
from broadsheet.features.measures import measure_blocks
from broadsheet.features.names import MAX_CHARS, hash_name, split_name
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
        names=[
            _hash_names((class_name or "")[:MAX_CHARS], (name or "")[:MAX_CHARS])
            for class_name, name in zip(places.class_name, places.id, strict=True)
        ],
    )


@lru_cache(20_000)
def _hash_names(class_name: str, name: str) -> tuple[int, ...]:
    words = dict.fromkeys(split_name(class_name) + split_name(name))
    return tuple(map(hash_name, words))
