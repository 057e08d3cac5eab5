"""The published methods agree with literal readings of their papers, which are written here without the package."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from tests.methods.literal_dom import Element, parse, write_pages, write_sentence

from broadsheet.blocks import CONTENT_ROLES, cut_text, segment
from broadsheet.methods.stadynot import PublishedStadynot
from broadsheet.methods.twcem import PublishedTwcem, TwcemConfig
from broadsheet.methods.visual.config import VisualConfig
from broadsheet.methods.visual.features import ATTRIBUTES, compute_attributes, read_input
from broadsheet.methods.visual.nce import find_comments, find_relevant, read_text_nodes
from broadsheet.page import read_page
from broadsheet.site import Site, SiteConfig

SEEDS = range(12)


def pack(text: str) -> str:
    return "".join(text.split())


def read_kept(method: Any, html: str, site: Site | None = None) -> str:
    """Return the text that a method keeps, without white space."""
    page = read_page(html)
    if site is not None:
        page = site.prepare(page)
    blocks = segment(page)
    labels = method.label(page, blocks)
    kept = [block for block, role in enumerate(labels.roles) if role in CONTENT_ROLES]
    return pack("".join(cut_text(blocks.text[at], labels.spans.get(at, [(0, len(blocks.text[at]))])) for at in kept))


# TWCEM: Algorithms 1 to 4 and Equation 1.


def measure_edits(one: str, other: str, *, with_matches: bool) -> int:
    """Equation 1, with the printed "+ 1" of matches or without it."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) + 1):
        for j in range(len(other) + 1):
            if i == 0 or j == 0:
                table[i][j] = i + j
            else:
                flag = int(one[i - 1] != other[j - 1])
                table[i][j] = min(
                    table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + flag + int(with_matches)
                )
    return table[-1][-1]


def count_common(one: list[str], other: list[str]) -> int:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, word in enumerate(one, 1):
        for j, other_word in enumerate(other, 1):
            table[i][j] = table[i - 1][j - 1] + 1 if word == other_word else max(table[i][j - 1], table[i - 1][j])
    return table[-1][-1]


def split_lower(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def run_twcem(html: str, *, printed: bool) -> str:
    titles = [" ".join(element.texts()) for element in parse(html).walk() if re.fullmatch("h[1-6]", element.tag)]
    meta = next(" ".join(element.texts()) for element in parse(html).walk() if element.tag == "title")
    title = min(titles, key=lambda candidate: measure_edits(meta, candidate, with_matches=printed))
    text = re.sub(r"<.*?>", "", re.sub(r"(?s)<script.*?</script>|<style.*?</style>|<!--.*?-->", "", html))
    rows = [row for row in text.split("\n") if len(pack(row)) >= 4 and re.search(r"[.,!?:;]", row)]
    matches = [count_common(split_lower(row), split_lower(title)) >= 2 for row in rows]
    start, end = 0, len(rows) - 1
    for i in range(1 if printed else 0, len(rows)):
        if i < len(rows) / 2 and matches[i]:
            start = i
            break
    for i in range(len(rows) - 1, -1, -1):
        if i > len(rows) // 2 and matches[i]:
            end = i
            break
    return pack("".join(rows[start : end if printed else end + 1]))


@pytest.mark.parametrize("printed", [False, True], ids=["text", "printed loops"])
@pytest.mark.parametrize("seed", SEEDS)
def test_twcem_keeps_the_rows_of_the_paper(seed: int, printed: bool) -> None:
    method = PublishedTwcem(TwcemConfig(has_printed_loops=printed, counts_matches=printed))
    for html in write_pages(seed, 4):
        assert read_kept(method, html) == run_twcem(html, printed=printed)


@pytest.mark.parametrize("with_matches", [False, True])
def test_the_closed_form_of_the_printed_edit_distance(with_matches: bool) -> None:
    one, other = "council keeps the ferry", "the ferry stays"
    length, common = len(one) + len(other), count_common(list(one), list(other))
    assert (measure_edits(one, other, with_matches=True) == length - common) or not with_matches


# StaDyNoT: sections 3.1 to 3.3.

FORMATTING = "img link script style noscript embed object param form input caption meta textarea".split()


def write_key(element: Element) -> str:
    return f"{element.tag}:{element.attributes}:{'|'.join(element.texts())}"


def count_chars(element: Element, *, in_links: bool) -> int:
    count = 0
    for node in element.walk():
        is_linked = any(above.tag == "a" for above in node.ancestors())
        if not node.tag and node.data.strip() and (is_linked or not in_links):
            count += len(re.sub(r"\s+", " ", node.data))
    return count


def run_stadynot(html: str, neighbours: list[str]) -> str:
    supports: Counter[str] = Counter()
    for neighbour in neighbours:
        supports.update({write_key(node) for node in parse(neighbour).walk() if node.tag and node.texts()})
    static = {key for key, support in supports.items() if support == len(neighbours)}
    root = parse(html)
    noise = {node for node in root.walk() if node.tag and (write_key(node) in static or node.tag in FORMATTING)}
    links = [[*reversed(list(node.ancestors())), node] for node in root.walk() if node.tag == "a"]
    for one, other in combinations(links, 2):
        common = [above for above, beside in zip(one, other, strict=False) if above is beside][-1]
        total, linked = count_chars(common, in_links=False), count_chars(common, in_links=True)
        if common.tag != "p" and (total - linked < 50 or linked / max(total, 1) > 20):
            noise.add(common)
    body = next(node for node in root.walk() if node.tag == "body")
    kept = [node for node in body.walk() if not node.tag and noise.isdisjoint(node.ancestors())]
    return pack("".join(node.data for node in kept))


@pytest.mark.parametrize("seed", SEEDS)
def test_stadynot_keeps_the_elements_of_the_paper(seed: int) -> None:
    html, *neighbours = write_pages(seed, 6)
    site = Site.learn(neighbours, config=SiteConfig())
    assert read_kept(PublishedStadynot(), html, site) == run_stadynot(html, neighbours)
    assert read_kept(PublishedStadynot(), html) == run_stadynot(html, ["<p></p>"])


# The visual method: sections 3.2 and 3.4.1.


def measure_text(node: Element) -> int:
    return sum(map(len, node.texts()))


def measure_links(node: Element) -> int:
    links = [inner for inner in node.walk() if not inner.tag and any(above.tag == "a" for above in inner.ancestors())]
    return sum(len(" ".join(link.data.split())) for link in links)


def has_link_density(node: Element) -> float:
    return measure_links(node) / max(measure_text(node), 1)


def run_nce(root: Element, config: VisualConfig) -> list[Element]:
    for leaf in root.walk():
        if leaf.tag or len(" ".join(leaf.data.split())) < config.beta_3:
            continue
        for node in leaf.ancestors():
            if node.tag == "#document":
                break
            siblings = [] if node.parent is None else [other for other in node.parent.children if other is not node]
            rivals = [
                other
                for other in siblings
                if measure_text(other) > config.beta_3 and has_link_density(other) < config.beta_1
            ]
            if node.tag != "p" and measure_text(node) >= config.beta_2 and len(rivals) <= 1:
                return [child for child in node.children if has_link_density(child) <= config.beta_4]
    return [root]


def list_rows(root: Element) -> Iterator[Element]:
    """The nodes that are rows of the page's table: elements, and text nodes that are not white space."""
    return (node for node in root.walk() if node.tag not in ("", "#document") or node.data.strip())


NCE_CONFIGS = [VisualConfig(), VisualConfig(beta_2=400, beta_3=60), VisualConfig(beta_2=200, beta_3=60, beta_4=0.1)]


@pytest.mark.parametrize("config", NCE_CONFIGS, ids=["printed", "smaller", "smallest"])
@pytest.mark.parametrize("seed", SEEDS)
def test_nce_finds_the_forest_of_the_chapter(seed: int, config: VisualConfig) -> None:
    for html in write_pages(seed, 3):
        page = read_page(html)
        text = read_text_nodes(page, segment(page))
        forest = find_relevant(page.nodes, text, config)
        kept = [
            " ".join(page.nodes.text[at].split())
            for root in forest
            for at in text.rows
            if root <= at < page.nodes.end[root]
        ]
        body = next(node for node in parse(html).walk() if node.tag == "body")
        expected = run_nce(body.parent or body, config)
        assert kept == [line for node in expected for line in node.texts() if "The Courier" not in line]


def test_comments_begin_where_similar_texts_repeat() -> None:
    """3.4.1: three similar texts, close to one another, and all that follows their common ancestor."""
    import random

    chance, config = random.Random(1), VisualConfig(alpha_1=40, alpha_2=120, beta_6=0.6)
    story = "".join(f"<p>{write_sentence(chance, 60)}</p>" for _ in range(5))
    comments = "".join(
        f"<div>Posted by reader number {number} on 3 May at 10:1{number}, reply, report</div>" for number in range(4)
    )
    page = read_page(f"<html><body><div>{story}<section>{comments}</section><p>after</p></div></body></html>")
    text = read_text_nodes(page, segment(page))
    row = find_comments(page.nodes, text, find_relevant(page.nodes, text, config), config)
    assert row is not None
    assert page.nodes.tag[row] == "section"


def measure_weighted_edits(text: str, title: str) -> int:
    """Attribute 9: insertions into the node's text cost 1, changes 2, deletions 4."""
    row = [list(range(len(title) + 1))]
    for i, char in enumerate(text, 1):
        row.append([4 * i])
        for j, other in enumerate(title, 1):
            row[i].append(min(row[i - 1][j] + 4, row[i][j - 1] + 1, row[i - 1][j - 1] + 2 * (char != other)))
    return row[-1][-1]


def test_the_nine_attributes() -> None:
    style = (
        "<style>h1 {font-size: 30px; font-weight: bold} p {font-size: 15px; font-family: serif} i {color: red}</style>"
    )
    html = (
        f"<html><head><title>Ferry stays - The Courier</title>{style}</head><body><h1>Ferry stays</h1><p>3 May 2026</p>"
        "<p>Ferry stays in <i>2026</i></p><p>Completely different words</p></body></html>"
    )
    page = read_page(html)
    inputs = read_input(page, segment(page), VisualConfig())
    texts = ["Ferry stays", "3 May 2026", "Ferry stays in", "2026", "Completely different words"]
    assert inputs.text.texts == texts
    values = compute_attributes(inputs.text, range(5), inputs.style, inputs.page_title)
    columns = dict(zip(ATTRIBUTES, values.T.tolist(), strict=True))
    assert columns["length"] == [len(text) for text in texts]
    assert columns["digits"] == [sum(char.isdigit() for char in text) for text in texts]
    assert columns["digit_share"] == pytest.approx([0, 50, 0, 100, 0])
    assert columns["font_size"] == [30, 15, 15, 15, 15]
    assert columns["relative_size"] == [100, 50, 50, 50, 50]
    assert columns["is_bold"] == [1, 0, 0, 0, 0]
    assert columns["similar_nodes"] == [1, 3, 3, 1, 3]  # of the same size, colour, family and weight
    title = "Ferry stays - The Courier"
    literal = [measure_weighted_edits(text, title) / len(title) for text in texts]
    assert columns["edit_distance"][0] == pytest.approx(literal[0])
    assert all(value <= expected + 1e-6 for value, expected in zip(columns["edit_distance"], literal, strict=True))


# GCN: Equation 6. Equations 2 to 5 are compared with dense matrices in gcn/test_network.py.


def test_groups_by_equation_6() -> None:
    from broadsheet.methods.gcn.method import keep_longest_group

    random = np.random.default_rng(0)
    for _ in range(50):
        count = int(random.integers(1, 12))
        y, h = random.integers(0, 4000, count).tolist(), random.integers(10, 300, count).tolist()
        lengths = random.integers(1, 500, count).tolist()
        order = sorted(range(count), key=lambda node: y[node])
        groups = [[order[0]]]
        for i, j in pairwise(order):
            if y[j] - (y[i] + h[i]) <= 1000:
                groups[-1].append(j)
            else:
                groups.append([j])
        best = max(groups, key=lambda group: sum(lengths[node] for node in group))
        bottoms = [top + height for top, height in zip(y, h, strict=True)]
        assert keep_longest_group(range(count), y, bottoms, lengths, 1000) == sorted(best)


# SemText: search and combine (III-A). The chain is compared with all label sequences in semtext/test_chain.py.

GROUP_3 = frozenset("html body div p ul li section h1".split())


def search(root: Element) -> list[tuple[Element, str]]:
    """The search phase: texts between two tags of group 3, each with the innermost tag around it."""
    blocks: list[tuple[Element, str]] = []
    is_open = False
    for kind, node in walk_tags(root):
        if kind == "tag":
            is_open = False
        elif node.data.strip():
            around = next(above for above in node.ancestors() if above.tag in GROUP_3)
            if is_open:
                blocks[-1] = (around, blocks[-1][1] + node.data)
            else:
                blocks.append((around, node.data))
            is_open = True
    return blocks


def walk_tags(node: Element) -> Iterator[tuple[str, Element]]:
    if node.tag == "head":
        return
    if node.tag in GROUP_3:
        yield "tag", node
    if not node.tag:
        yield "text", node
    for child in node.children:
        yield from walk_tags(child)
    if node.tag in GROUP_3:
        yield "tag", node


def combine(blocks: list[tuple[Element, str]]) -> list[int]:
    """Cases 1 to 4 of the combine phase: the number of each block's group."""

    def path(node: Element) -> list[Element]:
        return [above for above in reversed([node, *node.ancestors()]) if above.tag in GROUP_3]

    def tags(node: Element) -> list[str]:
        return [step.tag for step in path(node)]

    def classes(node: Element) -> list[str]:
        return [name for step in path(node) for name in re.findall(r"'class', '(\w+)'", step.attributes)]

    def inner(node: Element) -> list[Element]:
        return [other for other in node.walk() if other.tag in GROUP_3 and path(other)[-2:-1] == [node]]

    groups = [0]
    x, is_leaf = blocks[0][0], not inner(blocks[0][0])
    for y, _ in blocks[1:]:
        same_style = classes(x) == classes(y)
        are_siblings = is_leaf and not inner(y) and path(x)[:-1] == path(y)[:-1] and tags(x) == tags(y)
        is_only_child = not inner(y) and path(y)[-2:-1] == [x] and len(inner(x)) == 1
        if x is y or (same_style and (are_siblings or is_only_child)):
            is_leaf = is_leaf or x is not y
            groups.append(groups[-1])
        else:
            groups.append(groups[-1] + 1)
            x, is_leaf = y, not inner(y)
    return groups


@pytest.mark.parametrize("seed", SEEDS)
def test_search_and_combine(seed: int) -> None:
    for html in write_pages(seed, 3):
        blocks = segment(read_page(html))
        expected = search(parse(html))
        assert [pack(text) for text in blocks.text] == [pack(text) for _, text in expected]
        assert list(blocks.group) == combine(expected)
