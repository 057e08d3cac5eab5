"""The loops over blocks and characters give the same numbers as the NumPy expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.fuzz.cases import make_case

from broadsheet.blocks import Blocks, segment
from broadsheet.kernel import array_measures, array_texts, measures, texts
from broadsheet.kernel.measures import BlockPlaces
from broadsheet.kernel.texts import StatedWords, TextOutput, hash_words
from broadsheet.methods.fusion.characters import make_tables
from broadsheet.methods.fusion.containers import LEVELS, Containers, find_containers
from broadsheet.page import read_page

TABLES = make_tables()
Floats = NDArray[np.float32]


class BlockPage:
    """The blocks of a page, with their containers and the running sums of their texts."""

    def __init__(self, html: str | bytes) -> None:
        page = read_page(html)
        self.blocks: Blocks = segment(page)
        self.containers: Containers = find_containers(page, self.blocks)
        self.sums, *_ = measure(texts, self.blocks.text, self.blocks.link_chars)
        containers = self.containers
        self.places = BlockPlaces(
            number=len(self.blocks),
            levels=LEVELS,
            sums=self.sums.reshape(-1).data,
            enclosing=containers.enclosing.reshape(-1).data,
            first_block=containers.first_block.data,
            end_block=containers.end_block.data,
            position=containers.position.data,
            positions=len(containers.positions),
        )


def measure(module: ModuleType, block_texts: Sequence[str], links: Sequence[int]) -> tuple[NDArray[Any], ...]:
    """Return the sums, features, shared words and words that a module computes."""
    number = len(block_texts)
    features = np.full((len(texts.TEXT_NAMES), number), np.nan, np.float32)
    shared = np.full((len(texts.SHARED_NAMES), number), np.nan, np.float32)
    words = np.zeros((number, texts.MAX_BLOCK_WORDS), np.uint32)
    sums = np.zeros((texts.SUMS, number + 1))
    stated = StatedWords(*(hash_words(text, TABLES) for text in ("The quick fox", "相关 one two", "Ann Lee")))
    output = TextOutput(*(array.reshape(-1).data for array in (features, shared, words, sums)))
    module.measure_texts(block_texts, links, TABLES, stated, output)
    return sums, features, shared, words


@pytest.fixture(scope="module")
def pages() -> list[BlockPage]:
    pages = [BlockPage(make_case(seed).html) for seed in range(40)]
    return [page for page in pages if len(page.blocks)]


def compare(pages: list[BlockPage], rows: int, write: Callable[[ModuleType, BlockPage, memoryview], None]) -> None:
    for page in pages:
        results = []
        for module in (measures, array_measures):
            features = np.zeros((rows, len(page.blocks)), np.float32)
            write(module, page, features.reshape(-1).data)
            results.append(features)
        assert np.abs(results[0] - results[1]).max() < 1e-5
        assert results[0].any()


@pytest.mark.parametrize(
    ("function", "rows"),
    [
        ("measure_containers", (len(measures.CONTAINER_NAMES) + 1) * LEVELS),
        ("measure_positions", len(measures.POSITION_NAMES)),
        ("measure_order", len(measures.ORDER_NAMES)),
    ],
)
def test_places(function: str, rows: int, pages: list[BlockPage]) -> None:
    compare(pages, rows, lambda module, page, features: getattr(module, function)(page.places, features))


@pytest.mark.parametrize("has_tags", [True, False])
def test_headline(has_tags: bool, pages: list[BlockPage]) -> None:
    def write(module: ModuleType, page: BlockPage, features: memoryview) -> None:
        headline = len(page.blocks) // 3
        after = range(headline + 1, len(page.blocks))
        module.measure_headline(page.places, headline, [block % 3 == 0 for block in after] * has_tags, features)

    compare(pages, len(measures.HEADLINE_NAMES), write)


def test_context(pages: list[BlockPage]) -> None:
    def write(module: ModuleType, page: BlockPage, features: memoryview) -> None:
        module.measure_context([flags | 1 for flags in page.blocks.context], 15, features)

    compare(pages, 15, write)


def test_depth(pages: list[BlockPage]) -> None:
    def write(module: ModuleType, page: BlockPage, features: memoryview) -> None:
        depths = [depth + 1 for depth in page.containers.positions.depth]
        module.measure_depth(depths, page.places, page.blocks.text, features)

    compare(pages, 2, write)


AWKWARD = [
    "..",
    ".",
    "...",
    "a..",
    "…",
    "x",
    "A\nB\nc",
    "相关 one",
    "😀😀",
    "\ud800 the",
    "The fox, Ann!",
    "ab相c" * 90,
]


def test_texts(pages: list[BlockPage]) -> None:
    cases = [(page.blocks.text, page.blocks.link_chars) for page in pages]
    for block_texts, links in (*cases, (AWKWARD, [0] * len(AWKWARD)), (["."], [1])):
        pairs = zip(*(measure(module, block_texts, links) for module in (texts, array_texts)), strict=True)
        for loop, arrays in pairs:
            assert np.abs(loop.astype(np.float64) - arrays).max() < 1e-5
