"""Features of blocks by their places, compared with NumPy expressions on a page of five blocks."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from broadsheet.html.names import TAG_IDS
from broadsheet.kernel import measures
from broadsheet.kernel.measures import HEADLINE_NAMES, BlockPlaces

BLOCKS, LEVELS = 5, 2
FIRST = 3  # column that the functions write first
CHARS = np.array([10, 200, 100, 0.5, 90])
LINK_CHARS = np.array([10, 0, 5, 0, 45])
MARKS = np.array([0, 4, 2, 0, 1])  # commas and sentence ends
IS_LONG = np.array([0, 1, 1, 0, 0])
# Container 0 has blocks 1 and 2, container 1 has blocks 1 to 3, 2 is the page.
FIRST_BLOCK, END_BLOCK = np.array([1, 1, 0]), np.array([3, 4, BLOCKS])
ENCLOSING = np.array([[2, 0, 0, 1, 2], [2, 1, 1, 2, 2], [2, 2, 2, 2, 2]])
POSITION = np.array([0, 1, 1, 2, 0])
TOTAL, TOTAL_LONG = CHARS.sum(), (CHARS * IS_LONG).sum()
Values = NDArray[Any]


def make_places(features: NDArray[np.float32]) -> BlockPlaces:
    sums = np.zeros((5, BLOCKS + 1))
    sums[:, 1:] = np.cumsum((CHARS, LINK_CHARS, MARKS, IS_LONG, CHARS * IS_LONG), axis=1)
    return BlockPlaces(
        number=BLOCKS,
        levels=LEVELS,
        features=features.reshape(-1).data,
        sums=sums.reshape(-1).data,
        enclosing=ENCLOSING.reshape(-1).data,
        first_block=FIRST_BLOCK.data,
        end_block=END_BLOCK.data,
        position=POSITION.data,
        containers=len(FIRST_BLOCK),
        positions=3,
    )


def make_features(names: int) -> NDArray[np.float32]:
    """Return zeros for columns of this number, after FIRST other columns."""
    return np.zeros((FIRST + names, BLOCKS), np.float32)


def check(names: tuple[str, ...], features: NDArray[np.float32], expected: dict[str, Any]) -> None:
    assert tuple(expected) == names
    for name, values in zip(names, features, strict=True):
        assert values == pytest.approx(np.broadcast_to(expected[name], BLOCKS), abs=1e-6), name


@pytest.mark.parametrize(("tag", "headings"), [("h2", [0, 0, 0, 1, 1]), ("h1", [0, 0, 0, 0, 1]), (None, 0)])
def test_headline(tag: str | None, headings: Any) -> None:
    features = make_features(len(HEADLINE_NAMES))
    tags = array("H", [TAG_IDS[name] for name in ("html", "h2", "p", "h1")])
    containers = array("i", [1, 1, 2, 1, 3])  # the rows of the blocks' containers
    number = TAG_IDS[tag] if tag else -1
    measures.measure_headline(make_places(features), FIRST, 1, tags, containers, number)
    expected = {
        "has_headline": 1,
        "from_headline": np.array([-np.log(2), 0, np.log(2), np.log(3), np.log(4)]) / 3,
        "is_headline": [0, 1, 0, 0, 0],
        "after_headline": [0, 0, 1, 1, 1],
        "levels_to_headline": 0,
        "share_with_headline": np.array([TOTAL, 300, 300, 300.5, TOTAL]) / TOTAL,
        "headlines_since": np.log1p(headings),
    }
    check(HEADLINE_NAMES, features[FIRST:], expected)


def test_levels_to_a_headline_in_an_outer_container() -> None:
    features = make_features(len(HEADLINE_NAMES))
    no_rows = array("i", [-1] * BLOCKS)
    measures.measure_headline(make_places(features), FIRST, 0, array("H"), no_rows, -1)
    columns = dict(zip(HEADLINE_NAMES, features[FIRST:], strict=True))
    assert columns["levels_to_headline"].tolist() == [0, 1, 1, 0.5, 0]
    assert columns["share_with_headline"] == pytest.approx(1)


def test_context() -> None:
    contexts = array("i", [0, 0b001, 0b110, 0b111, 0b1000])
    features = make_features(3)
    measures.measure_context(make_places(features), FIRST, contexts, 3)
    assert features[FIRST:].tolist() == [[0, 1, 0, 1, 0], [0, 0, 1, 1, 0], [0, 0, 1, 1, 0]]


@pytest.mark.parametrize(
    ("texts", "repeats"), [(["a", "b", "a", "a", "b"], [2, 1, 2, 2, 1]), (["a", "b", "c", "d", "e"], [0, 0, 0, 0, 0])]
)
def test_depth(texts: list[str], repeats: list[int]) -> None:
    features = make_features(2)
    measures.measure_depth(make_places(features), FIRST, array("i", [0, 5, 12]), texts)
    assert features[FIRST] == pytest.approx([0, 0.5, 0.5, 1.2, 0])
    assert features[FIRST + 1] == pytest.approx(np.log1p(repeats))
    assert not features[:FIRST].any()


# The blocks start at rows 2, 5, 8, 11 and 14.
@pytest.mark.parametrize(
    ("articles", "headline", "inside", "other"),
    [
        ([4, 10], 1, [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]),
        ([4, 10], 0, [0, 0, 0, 0, 0], [0, 1, 1, 0, 0]),
        ([4, 10], -1, [0, 0, 0, 0, 0], [0, 1, 1, 0, 0]),
        ([1, 14, 4, 7, 10, 12], 2, [1, 0, 1, 0, 0], [0, 1, 0, 1, 0]),  # two inside the first
        ([5, 8, 8, 8, 8, 11], 1, [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]),  # one of them without blocks
        ([20, 30], 1, [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]),
    ],
)
def test_articles(articles: list[int], headline: int, inside: list[int], other: list[int]) -> None:
    features = make_features(3)
    first_rows = array("i", [2, 5, 8, 11, 14])
    measures.measure_articles(make_places(features), FIRST, first_rows, headline, array("i", articles))
    assert features[FIRST].tolist() == inside
    assert features[FIRST + 1].tolist() == other
    assert features[FIRST + 2] == pytest.approx(np.log1p([len(articles) // 2] * BLOCKS))


@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0])
def test_sums_of_blocks(threshold: float) -> None:
    generator = np.random.default_rng(3)
    features, scores = generator.random((6, 40), np.float32), generator.random((40, 5), np.float32)
    chars, rows = (200 * generator.random(40)).astype(np.float32), [4, 0, 2]
    sums, extremes = np.zeros((3, len(rows) + 5)), np.zeros(3 + scores.shape[1])
    flat_sums = sums.reshape(-1).data
    flat_features, flat_scores = features.reshape(-1).data, scores.reshape(-1).data
    measures.sum_blocks(flat_features, bytes(rows), flat_scores, chars.data, threshold, flat_sums, extremes.data)
    score, is_kept = scores[:, 0], scores[:, 0] > threshold
    doubt = np.minimum(score, 1 - score)
    columns = np.stack((*features[rows], np.ones(40), score, scores[:, 1], chars > 80, doubt))
    expected = np.stack((columns @ chars, columns @ (chars * is_kept), columns @ is_kept))
    assert sums == pytest.approx(expected, rel=1e-5)
    kept = np.flatnonzero(is_kept)
    sequences = len(np.split(kept, np.flatnonzero(np.diff(kept) > 1) + 1)) if len(kept) else 0
    longest, last = (chars[kept].max(), kept[-1]) if len(kept) else (0, -1)
    assert extremes == pytest.approx(np.array([longest, sequences, last, *scores.max(axis=0)]))
