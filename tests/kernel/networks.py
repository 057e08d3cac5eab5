"""Random networks and pages, and pages with an index outside an array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.array_network import BlockInput, MemberWeights, NetworkWeights

FEATURES, TAGS, KEYS, ROLES = 9, 4, 40, 6
LEVELS = 7  # containers around a block


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a network that weights may change."""

    width: int = 16
    name_columns: int = 3
    word_columns: int = 2
    reach: Sequence[int] = (1, 2)
    pooled_levels: Sequence[int] = (1, 3)
    pool_before: Sequence[int] = (1, 2)
    members: int = 2


def make_network(random: np.random.Generator, shape: Shape) -> NetworkWeights:
    keys = np.unique(random.integers(1, 2**32, 2 * KEYS, np.uint32))
    return NetworkWeights(
        name_keys=keys[:KEYS],
        word_keys=keys[KEYS:],
        tag_rows=np.arange(TAGS),
        mean=_draw(random, FEATURES),
        max_distance=np.abs(_draw(random, FEATURES)),
        pooled_levels=shape.pooled_levels,
        start_words=3,
        name_weights=0.7 ** np.arange(6, dtype=np.float32),
        body_column=1,
        members=[_make_member(random, shape) for _ in range(shape.members)],
    )


def _draw(random: np.random.Generator, *size: int, deviation: float = 0.4) -> NDArray[np.float32]:
    return random.normal(0, deviation, size).astype(np.float32)


def _make_member(random: np.random.Generator, shape: Shape) -> MemberWeights:
    width, pooled = shape.width, (len(shape.pooled_levels) + 2) * shape.width
    small = 0.4 / width  # states stay small through all layers
    names, words = (_draw(random, KEYS + 1, 2 * columns) for columns in (shape.name_columns, shape.word_columns))
    names[0], words[0] = 0, 0
    return MemberWeights(
        names=names,
        words=words,
        tags=_draw(random, TAGS, width),
        outer_tags=_draw(random, TAGS, width),
        mix_features=_draw(random, FEATURES, width),
        mix_names=_draw(random, names.shape[1], width),
        mix_words=_draw(random, words.shape[1], width),
        convolutions=[
            (reach, _draw(random, width, 3 * width, deviation=small), _draw(random, width)) for reach in shape.reach
        ],
        pools={
            layer: (_draw(random, pooled, width, deviation=small), _draw(random, width)) for layer in shape.pool_before
        },
        hidden=_draw(random, width, width),
        hidden_bias=_draw(random, width),
        out=_draw(random, width, ROLES),
        out_bias=_draw(random, ROLES),
    )


def make_page(random: np.random.Generator, network: NetworkWeights, blocks: int) -> BlockInput:
    positions, containers = int(random.integers(1, blocks + 2)), int(random.integers(1, blocks + 2))
    first_block = random.integers(0, blocks, containers)
    name_ends = np.cumsum(random.integers(0, 4, positions))
    words = _draw_keys(random, network.word_keys, (blocks, 5))
    words[np.arange(5) >= random.integers(0, 6, blocks)[:, None]] = 0
    return BlockInput(
        features=random.normal(0, 1, (FEATURES, blocks)).astype(np.float32),
        words=words,
        enclosing=random.integers(0, containers, (LEVELS, blocks)),
        first_block=first_block,
        end_block=random.integers(first_block + 1, blocks + 1),
        position=random.integers(0, positions, blocks),
        outer=random.integers(-1, np.arange(positions)),
        tags=random.integers(0, TAGS, positions).astype(np.uint16),
        name_hashes=_draw_keys(random, network.name_keys, int(name_ends[-1])),
        name_ends=name_ends,
    )


def _draw_keys(random: np.random.Generator, keys: NDArray[np.uint32], size: Any) -> NDArray[np.uint32]:
    """Return known keys, their neighbours, and others."""
    drawn = keys[random.integers(0, len(keys), size)] + random.integers(-1, 2, size).astype(np.uint32)
    return np.asarray(np.where(random.random(size) < 0.8, drawn, random.integers(0, 2**32, size, np.uint32)))


def list_wrong_pages(random: np.random.Generator, network: NetworkWeights, page: BlockInput) -> list[BlockInput]:
    """Return the page with one wrong number or size in each of the arrays that are used as indices."""
    level = network.pooled_levels[0]
    blocks, positions, containers = len(page.position), len(page.outer), len(page.first_block)
    used = page.enclosing[level, random.integers(0, blocks)]
    far = int(random.integers(0, 2**40))

    def change(name: str, index: Any, value: int) -> BlockInput:
        array = getattr(page, name).copy()
        array[index] = value
        return page._replace(**{name: array})

    return [
        *(change("position", random.integers(0, blocks), value) for value in (-1, positions, positions + far)),
        *(change("outer", position, value) for position in range(positions) for value in (-2, position, -far - 2)),
        *(change("tags", random.integers(0, positions), value) for value in (TAGS, 2**16 - 1)),
        *(change("name_ends", -1, value) for value in (-1, len(page.name_hashes) + 1, len(page.name_hashes) + 1 + far)),
        *(change("enclosing", (level, 0), value) for value in (-1, containers, containers + far)),
        *(change("first_block", used, value) for value in (-1, page.end_block[used], blocks + far, -far - 1)),
        *(
            change("end_block", used, value)
            for value in (page.first_block[used], blocks + 1, -far - 1, blocks + 1 + far)
        ),
        *(page._replace(**{name: getattr(page, name)[:-1]}) for name in ("words", "position", "tags", "name_ends")),
        *(page._replace(**{name: getattr(page, name)[:-1]}) for name in ("features", "end_block", "outer")),
        page._replace(features=page.features[:, :-1]),
        page._replace(enclosing=page.enclosing[:, :-1]),
        page._replace(enclosing=page.enclosing[:level]),
    ]
