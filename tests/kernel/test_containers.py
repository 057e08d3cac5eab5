"""Containers and positions of blocks, compared with a reference that walks up from each block."""

from __future__ import annotations

import numpy as np
import pytest
from tests.fuzz.cases import make_case

from broadsheet.blocks import segment
from broadsheet.methods.fusion.containers import LEVELS, Containers, find_containers
from broadsheet.page import Page, read_page

NESTED = """lead<div class=story><p>one</p><p>two</p><div></div><div class=story id=main><p class="">three</p>four</div></div>
<div class=story><p>five</p><hr></div>tail"""
SMALL_PAGES = ["text only", "<p>one</p>", NESTED, "<i>" * 40 + "deep", "<div>" * 20 + "<p>a</p>b"]
PAGES = [*SMALL_PAGES, *(make_case(seed).html for seed in range(40))]


def list_around(page: Page, container: int) -> list[int]:
    """Return the rows of a container and of those around it, the innermost first."""
    rows: list[int] = []
    while container >= 0:
        rows.append(container)
        container = page.nodes.outer[container]
    return rows


def number_positions(page: Page, rows: list[int]) -> list[int]:
    """Return the position of each container: those of equal tag, class, id and outer position share one."""
    numbers: dict[tuple[object, ...], int] = {}
    position_of = {-1: -1}
    nodes = page.nodes
    for row in rows:
        outer = position_of[nodes.outer[row]]
        key = (outer, nodes.tag[row], nodes.attrs.get(row, "class"), nodes.attrs.get(row, "id"))
        position_of[row] = numbers.setdefault(key, len(numbers))
    return [position_of[row] for row in rows]


def find(html: str | bytes) -> tuple[Page, list[list[int]], Containers]:
    """Return a page, the rows of the containers around each block, and the arrays."""
    page = read_page(html)
    blocks = segment(page)
    return page, [list_around(page, row) for row in blocks.container], find_containers(page, blocks)


@pytest.mark.parametrize("html", PAGES)
def test_containers(html: str | bytes) -> None:
    _, around, containers = find(html)
    rows = sorted({row for path in around for row in path})
    page_number = len(rows)
    numbers = [[rows.index(row) for row in path] + [page_number] * (LEVELS + 1) for path in around]
    expected = [[*path[:LEVELS], page_number] for path in numbers]
    assert containers.enclosing.T.tolist() == expected
    inside = [[block for block, path in enumerate(around) if row in path] for row in rows]
    assert containers.first_block.tolist() == [*(blocks[0] for blocks in inside), 0]
    assert containers.end_block.tolist() == [*(blocks[-1] + 1 for blocks in inside), len(around)]


@pytest.mark.parametrize("html", PAGES)
def test_positions(html: str | bytes) -> None:
    page, around, containers = find(html)
    rows = sorted({row for path in around for row in path})
    position_of = dict(zip(rows, number_positions(page, rows), strict=True))
    assert containers.position.tolist() == [position_of[path[0]] if path else 0 for path in around]
    assert len(containers.outer) == max(position_of.values(), default=0) + 1
    for row, position in position_of.items():
        path = list_around(page, row)
        assert containers.outer[position] == (position_of[path[1]] if len(path) > 1 else -1)
        assert containers.depth[position] == len(path) - 1
        assert page.nodes.table.tag_names[containers.tags[position]] == page.nodes.tag[row]


def test_equal_containers_share_a_position() -> None:
    _, _, containers = find(NESTED)
    # The paragraphs of the two <div class=story> share a position; the empty class is another one.
    assert containers.position.tolist() == [1, 3, 3, 5, 4, 3, 1]
    # html, body, div, p, the inner div, its p
    assert np.diff(containers.name_ends, prepend=0).tolist() == [0, 0, 1, 0, 2, 0]


def test_a_page_without_blocks() -> None:
    _, _, containers = find("")
    assert containers.enclosing.shape == (LEVELS + 1, 0)
    assert (containers.first_block.tolist(), containers.end_block.tolist()) == ([0], [0])
    assert containers.outer.tolist() == [-1]
