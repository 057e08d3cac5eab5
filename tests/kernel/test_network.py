"""The compiled network gives the scores of the NumPy network."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.kernel.describe import list_examples
from tests.kernel.networks import Shape, list_wrong_pages, make_network, make_page

from broadsheet.blocks import segment
from broadsheet.kernel import is_compiled
from broadsheet.methods.fusion import array_network, network
from broadsheet.methods.fusion.array_network import Floats
from broadsheet.methods.fusion.features import FEATURE_NAMES
from broadsheet.methods.fusion.method import MODEL
from broadsheet.methods.fusion.network import read_input
from broadsheet.models.weights import load_weights
from broadsheet.page import read_page

if is_compiled():
    from broadsheet.kernel import network as compiled

pytestmark = pytest.mark.skipif(not is_compiled(), reason="nothing is compiled")

TOLERANCE = 1e-5
SHAPES = {
    "shipped widths": Shape(width=64, name_columns=16, word_columns=8, reach=(1, 2, 4, 8), pool_before=(1, 3)),
    "width that is no multiple of 16": Shape(width=21, name_columns=5),
    "narrow": Shape(width=3, name_columns=1, word_columns=1, members=1),
    "no names and words": Shape(name_columns=0, word_columns=0),
    "no layers": Shape(reach=(), pool_before=()),
    "no pools": Shape(pool_before=()),
    "pools of the page only": Shape(pooled_levels=()),
    "pools before each layer, and one too many": Shape(pool_before=(0, 1, 2, 3), pooled_levels=(0, 1, 6)),
    "far reach": Shape(reach=(7, 50, 10_000), members=3),
}


def is_close(actual: Floats, expected: Floats) -> bool:
    """Compare as `pytest.approx(expected, abs=TOLERANCE, rel=1e-4)`, which is slow for large arrays."""
    return bool(np.all(np.abs(actual - expected) <= np.maximum(TOLERANCE, 1e-4 * np.abs(expected))))


@pytest.fixture(params=["vectors", "plain"])
def code(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a test with the vector code and with plain loops."""
    compiled.use_vectors(request.param == "vectors")
    yield request.param
    compiled.use_vectors(True)


@pytest.mark.usefixtures("code")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("blocks", [1, 2, 3, 5, 6, 7, 10, 49, 50, 51, 167])
def test_equal_scores_and_hidden_states(shape: Shape, blocks: int) -> None:
    random = np.random.default_rng(blocks)
    weights = make_network(random, shape)
    ours, expected = compiled.Network(weights), array_network.Network(weights)
    for _ in range(3):
        page = make_page(random, weights, blocks)
        assert ours.run(page) == pytest.approx(expected.run(page), abs=TOLERANCE)
        for hidden, expected_hidden in zip(ours.compute_hidden(page), expected.compute_hidden(page), strict=True):
            assert hidden.shape == expected_hidden.shape
            assert is_close(hidden, expected_hidden)


def test_equal_scores_of_sample_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = load_weights(MODEL)
    ours = network.read_network(weights, len(FEATURE_NAMES))
    monkeypatch.setattr(network, "is_compiled", lambda: False)
    expected = network.read_network(weights, len(FEATURE_NAMES))
    for name, html, limits in list_examples():
        page = read_page(html, limits=limits)
        blocks = segment(page)
        if len(blocks):
            block_input = read_input(page, blocks)
            assert ours.run(block_input) == pytest.approx(expected.run(block_input), abs=TOLERANCE), name


def test_terms_and_doubt() -> None:
    random = np.random.default_rng(0)
    weights = make_network(random, Shape())
    ours, expected = compiled.Network(weights), array_network.Network(weights)
    page = make_page(random, weights, 20)
    terms, chars = random.normal(0, 50, 20).astype(np.float32), random.uniform(0, 400, 20).astype(np.float32)
    doubt = array_network.measure_doubt(expected.run(page, terms, chars, 1e9)[:, weights.body_column], chars)
    for min_doubt in (0, doubt * 0.999, doubt * 1.001):
        ours_scores, scores = ours.run(page, terms, chars, min_doubt), expected.run(page, terms, chars, min_doubt)
        assert ours_scores == pytest.approx(scores, abs=TOLERANCE)


def test_no_blocks() -> None:
    random = np.random.default_rng(0)
    weights = make_network(random, Shape())
    page = make_page(random, weights, 1)
    empty = page._replace(
        features=page.features[:, :0],
        words=page.words[:0],
        position=page.position[:0],
        enclosing=page.enclosing[:, :0],
    )
    ours = compiled.Network(weights)
    assert ours.run(empty).shape == (0, 6)
    assert [hidden.shape for hidden in ours.compute_hidden(empty)] == [(0, 16), (0, 16)]


@pytest.mark.parametrize("blocks", [1, 2, 9])
def test_indices_outside_the_page_are_refused(blocks: int) -> None:
    random = np.random.default_rng(blocks)
    weights = make_network(random, Shape())
    ours, page = compiled.Network(weights), make_page(random, weights, blocks)
    for wrong_page in list_wrong_pages(random, weights, page):
        for method in (ours.run, ours.compute_hidden):
            with pytest.raises(ValueError, match="outside its array"):
                method(wrong_page)


@pytest.mark.parametrize(
    "field", ["names", "words", "outer_tags", "mix_features", "mix_names", "mix_words", "hidden", "hidden_bias", "out"]
)
def test_arrays_of_wrong_shapes_are_refused(field: str) -> None:
    weights = make_network(np.random.default_rng(0), Shape())
    member = weights.members[0]._replace(**{field: getattr(weights.members[0], field)[:-1]})
    with pytest.raises(ValueError, match="wrong shape"):
        compiled.Network(weights._replace(members=[member]))


def test_threads_and_pages_of_different_sizes() -> None:
    random = np.random.default_rng(0)
    weights = make_network(random, Shape(width=64))
    ours = compiled.Network(weights)
    pages = [make_page(random, weights, int(blocks)) for blocks in random.integers(1, 300, 40)]
    scores = [compiled.Network(weights).run(page) for page in pages]
    with ThreadPoolExecutor(4) as executor:
        for _ in range(5):
            for page_scores, expected in zip(executor.map(ours.run, pages), scores, strict=True):
                assert (page_scores == expected).all()
