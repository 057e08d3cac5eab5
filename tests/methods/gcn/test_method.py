from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from broadsheet.blocks import Role, segment
from broadsheet.embeddings import load_words
from broadsheet.methods.gcn import Gcn, GcnConfig
from broadsheet.methods.gcn.features import (
    NUMBERS,
    PLACES,
    TAG_COLUMNS,
    _count_signs,
    assemble_features,
    read_features,
    split_names,
)
from broadsheet.methods.gcn.method import name_roles, weigh_blocks
from broadsheet.methods.gcn.network import GcnNetwork, make_graph, spread
from broadsheet.methods.gcn.refine import keep_longest_group
from broadsheet.page import Page, read_page
from broadsheet.style import Boxes, compute_styles, find_boxes

PROSE = "The council met on Tuesday, and after four hours of talk it kept the ferry that half of the town depends on."
PAGE = f"""<html><head><title>Ferry stays</title><style>.dark {{ background: #336699 }} .gone {{ display: none }}</style></head>
<body><div class="navBar-top" id="menu7"><a href="/a">Home</a> <a href="/b">Sport</a></div>
<div class="dark"><p>{PROSE}</p><p class="gone">Not to be seen.</p></div></body></html>"""
FEATURES = GcnConfig()
ALL_FEATURES = GcnConfig(reads_names=True, places=True)


def read_all(page: Page, config: GcnConfig = FEATURES) -> Any:
    styles = compute_styles(page)
    return read_features(page, styles, find_boxes(page, styles), config)


SIGNS = [
    ("", 0, 0),
    ("No marks", 0, 0),
    ("One, two; three.", 3, 0),
    ("3.5 m on 14.3.2021", 0, 9),
    ('"Stop!" he said. "Now."', 3, 0),
    ("港口重开。船来了！", 1, 0),  # between letters it does not count
    ("٣ boats.\n", 1, 1),
]


@pytest.mark.parametrize(("text", "marks", "digits"), SIGNS)
def test_signs_are_counted(text: str, marks: int, digits: int) -> None:
    assert _count_signs(["before.", text, "", "after 1"]).tolist() == [[1, 0], [marks, digits], [0, 0], [0, 1]]


# The columns of some nodes, by hand: text length x 0.01, background, shown.
GOLDEN = [
    ("html", None, 0.0, (1.0, 1.0, 1.0), 1),
    ("#text", "Home", 0.04, (1.0, 1.0, 1.0), 1),
    ("#text", PROSE, len(PROSE) * 0.01, (0.2, 0.4, 0.6), 1),
    ("#text", "Not to be seen.", 0.15, (0.2, 0.4, 0.6), 0),
]


@pytest.mark.parametrize(("tag", "text", "length", "color", "is_visible"), GOLDEN)
def test_numbers(tag: str, text: str | None, length: float, color: tuple[float, ...], is_visible: int) -> None:
    page = read_page(PAGE)
    row = page.nodes.text.index(text) if text else page.nodes.tag.index(tag)
    numbers = dict(zip(NUMBERS, read_all(page).numbers[row], strict=True))
    assert numbers["text_length"] == pytest.approx(length)
    assert (numbers["red"], numbers["green"], numbers["blue"]) == pytest.approx(color)
    assert numbers["is_visible"] == is_visible
    assert 0 <= numbers["height"] <= 1
    assert 0 <= numbers["width"] <= 1


def test_features_are_215_wide_as_published() -> None:
    page = read_page(PAGE)
    table = assemble_features(read_all(page), load_words(), {"p": np.ones(TAG_COLUMNS, np.float32)})
    assert table.shape == (len(page.nodes), 215)
    text = page.nodes.text.index(PROSE)
    paragraph = page.nodes.parent[text]
    assert (table[paragraph, :TAG_COLUMNS] == 1).all()
    assert not table[paragraph, TAG_COLUMNS : TAG_COLUMNS + 200].any()  # the null vector: it has no text itself
    assert table[text, TAG_COLUMNS : TAG_COLUMNS + 200].any()
    assert not table[text, :TAG_COLUMNS].any()  # a tag that has no vector


def test_our_own_columns() -> None:
    page = read_page(PAGE)
    features = read_all(page, ALL_FEATURES)
    assert features.numbers.shape[1] == len(NUMBERS) + len(PLACES)
    menu = next(row for row in range(len(page.nodes)) if page.nodes.attr(row, "id") == "menu7")
    place = features.name_place[features.name_rows.tolist().index(menu)]
    assert features.names[place] == ["nav", "bar", "top", "menu"]
    places = dict(zip(PLACES, features.numbers[page.nodes.text.index("Home"), len(NUMBERS) :], strict=True))
    assert places["in_link"] == 1
    prose = dict(zip(PLACES, features.numbers[page.nodes.text.index(PROSE), len(NUMBERS) :], strict=True))
    assert (prose["in_link"], prose["marks"], prose["digits"]) == pytest.approx((0, 0.2, 0))


NAMES = [
    ("articleBody", ("article", "body")),
    ("post-12345 x", ("post",)),
    ("HTMLText td_block_wrap", ("html", "text", "td", "block", "wrap")),
    ("", ()),
    ("7 8 9", ()),
]


@pytest.mark.parametrize(("names", "words"), NAMES)
def test_names_are_split(names: str, words: tuple[str, ...]) -> None:
    assert tuple(split_names(names)) == words


GROUPS = [
    ("all within the gap", [(0, 50, 9), (1000, 1100, 9)], [0, 1]),
    ("the gap itself is no break", [(0, 50, 9), (1050, 1100, 9)], [0, 1]),
    ("a pixel more is one: the longer text stays", [(0, 50, 8), (1051, 1100, 9)], [1]),
    ("sorted from top to bottom, given back in order", [(5000, 5100, 5), (0, 50, 4), (5150, 5200, 1)], [0, 2]),
    ("two short ones are longer than one", [(0, 10, 5), (20, 30, 5), (9000, 9010, 9)], [0, 1]),
    ("equally long: the upper one", [(0, 10, 5), (9000, 9010, 5)], [0]),
    ("nothing", [], []),
]  # fmt: skip


@pytest.mark.parametrize(("places", "kept"), [case[1:] for case in GROUPS], ids=[case[0] for case in GROUPS])
def test_refinement_keeps_the_longest_group(places: list[tuple[float, float, int]], kept: list[int]) -> None:
    top, bottom, length = ([place[at] for place in places] for at in range(3))
    assert keep_longest_group(range(len(places)), top, bottom, [int(each) for each in length], gap=1000) == kept


def make_weights(config: GcnConfig, columns: int, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    random = np.random.default_rng(seed)
    arrays = {"tags": random.normal(size=(3, TAG_COLUMNS))}
    for layer in range(config.layers):
        arrays[f"layer{layer}.w0"] = random.normal(size=(3 * columns, config.hidden)) / 10
        arrays[f"layer{layer}.w1"] = random.normal(size=(config.hidden, config.hidden)) / 3
        if config.has_bias:
            arrays[f"layer{layer}.b0"] = random.normal(size=config.hidden)
            arrays[f"layer{layer}.b1"] = random.normal(size=config.hidden)
        columns = config.hidden
    outputs = len(config.classes) + config.is_exclusive
    arrays["classes.w"] = random.normal(size=(columns, outputs))
    if config.has_bias:
        arrays["classes.b"] = random.normal(size=outputs)
    return {name: array.astype(np.float32) for name, array in arrays.items()}


TAGS = ["#text", "div", "p"]
NETWORKS = {
    "GCN2": GcnConfig(layers=2),
    "GCN3": GcnConfig(layers=3),
    "with bias": GcnConfig(has_bias=True),
    "all features": GcnConfig(reads_names=True, places=True),
    "three classes": GcnConfig(classes=("body", "title", "date"), thresholds=(0.5, 0.5, 0.5)),
    "one class or none": GcnConfig(classes=("body", "title"), thresholds=(0.5, 0.5), is_exclusive=True),
}


@pytest.mark.parametrize("config", NETWORKS.values(), ids=NETWORKS.keys())
def test_the_network_computes_equations_2_to_5(config: GcnConfig) -> None:
    page, words = read_page(PAGE), load_words()
    features = read_all(page, config)
    columns = 215 + (200 if config.reads_names else 0) + (len(PLACES) if config.places else 0)
    arrays = make_weights(config, columns)
    found = GcnNetwork(config, arrays, TAGS, words).predict(features)
    table = assemble_features(features, words, dict(zip(TAGS, arrays["tags"], strict=True)))
    assert np.allclose(found, predict_literally(table, page.nodes.parent, arrays, config), atol=1e-5)
    of_texts = GcnNetwork(config, arrays, TAGS, words).predict_texts(features)
    assert np.allclose(of_texts, found[features.text_rows], atol=1e-6)


def predict_literally(
    table: NDArray[np.float32], parents: Any, arrays: dict[str, NDArray[np.float32]], config: GcnConfig
) -> NDArray[np.float64]:
    count = len(parents)
    children = np.zeros((count, count))
    for row, parent in enumerate(parents):
        if parent >= 0:
            children[parent, row] = 1
    degree = (children + np.eye(count)).sum(axis=1)
    normal = children / np.sqrt(np.outer(degree, degree))  # Equation 2
    hidden = table.astype(np.float64)
    for layer in range(config.layers):
        mixed = np.hstack((hidden, normal @ hidden, normal.T @ hidden))
        hidden = np.maximum(mixed @ arrays[f"layer{layer}.w0"] + arrays.get(f"layer{layer}.b0", 0), 0)
        hidden = np.maximum(hidden @ arrays[f"layer{layer}.w1"] + arrays.get(f"layer{layer}.b1", 0), 0)  # Equation 4
    logits = hidden @ arrays["classes.w"] + arrays.get("classes.b", 0)
    if config.is_exclusive:
        powers = np.exp(logits)
        logits = np.log(powers / (powers.sum(axis=1, keepdims=True) - powers))[:, :-1]
    shares: NDArray[np.float64] = 1 / (1 + np.exp(-logits))  # Equation 5
    return shares


def test_a_lone_node_has_no_edges() -> None:
    graph = make_graph(np.array([-1]))
    projected = np.arange(6, dtype=np.float32).reshape(1, 6)
    assert graph.convolve(projected).tolist() == [[0, 1]]


def test_weights_of_the_three_parts_stand_side_by_side() -> None:
    weights = np.arange(6, dtype=np.float32).reshape(6, 1)
    assert spread(weights).tolist() == [[0, 2, 4], [1, 3, 5]]


def test_a_block_is_as_likely_as_its_text_by_length() -> None:
    page = read_page("<p>12345678<b>12</b></p><p>x</p>")
    blocks = segment(page)
    scores = np.array([[0.5 if text == "12345678" else 1.0] for text in page.nodes.text], np.float32)
    assert weigh_blocks(page, blocks, scores).ravel().tolist() == pytest.approx([0.6, 1.0])


def test_roles_come_from_classes_and_body_text_is_refined() -> None:
    page = read_page("<p>one</p><h2>two</h2><p>three</p><p>four</p><p>five</p>")
    blocks = segment(page)
    config = GcnConfig(classes=("body", "date"), thresholds=(0.5, 0.25))
    scores = np.array([[0.9, 0.1], [0.6, 0.1], [0.1, 0.3], [0.9, 0.1], [0.4, 0.2]], np.float32)
    y = np.zeros(len(page.nodes), np.float32)
    y[blocks.first[3]] = 5000
    boxes = Boxes(y, y, y, y * 0, 1280, 6000)
    labels = name_roles(blocks, boxes, scores, config)
    assert labels.roles == [Role.BODY, Role.HEADING, Role.DATE, Role.BOILERPLATE, Role.BOILERPLATE]
    assert labels.scores == pytest.approx([0.9, 0.6, 0.1, 0.0, 0.4])
    unrefined = name_roles(blocks, boxes, scores, replace(config, refines=False))
    assert unrefined.roles[3] == Role.BODY


def test_the_article_of_a_plain_page() -> None:
    body = "".join(f"<p>{PROSE} {number} {PROSE}</p>" for number in ("Once.", "Twice.", "Again.", "At last."))
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in "Home News Sport Weather Contact".split())
    page = read_page(
        f"<title>Ferry</title><body><ul class=menu>{menu}</ul><div><article><h1>Ferry</h1>{body}</article></div>"
        f"<footer><p>Copyright 2021. All rights reserved.</p></footer>"
    )
    blocks = segment(page)
    labels = Gcn().label(page, blocks)
    kept = [text for text, role in zip(blocks.text, labels.roles, strict=True) if role == Role.BODY]
    assert sum(PROSE in text for text in kept) == 4
    assert not {"Home", "News", "Sport", "Copyright 2021. All rights reserved."} & set(kept)
