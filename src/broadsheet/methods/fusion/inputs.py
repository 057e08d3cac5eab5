"""A page as the block network reads it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from broadsheet.blocks import Blocks
from broadsheet.features.measures import measure_blocks
from broadsheet.features.names import hash_name, split_name
from broadsheet.features.phrases import hash_all
from broadsheet.models.block_network import BlockInput
from broadsheet.page import Page, read_metadata


def read_input(page: Page, blocks: Blocks) -> BlockInput:
    """Measure a page that has blocks."""
    measures = measure_blocks(page, blocks, read_metadata(page))
    around = measures.surroundings
    return BlockInput(
        values=measures.values,
        first=around.first,
        after=around.after,
        place=around.place,
        outer=[place.outer for place in around.places],
        tags=[place.tag for place in around.places],
        names=[_hash_names(place.class_name, place.id) for place in around.places],
        phrases=np.array(hash_all(blocks.text), np.uint32),
    )


@lru_cache(20_000)
def _hash_names(class_name: str, name: str) -> tuple[int, ...]:
    words = dict.fromkeys(split_name(class_name) + split_name(name))
    return tuple(map(hash_name, words))
