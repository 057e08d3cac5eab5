from __future__ import annotations

from broadsheet.blocks import segment
from broadsheet.evaluation.measures.block import Hits, count_blocks, count_nodes
from broadsheet.page import TEXT, read_page


def flags(text: str) -> list[bool]:
    return [char == "1" for char in text]


def test_ignored_blocks_are_not_counted() -> None:
    assert count_blocks(flags("11010"), flags("10110"), flags("00001")) == Hits(right=2, extra=1, missed=1, left_out=0)
    assert count_blocks(flags("1"), flags("0"), flags("1")) == Hits(0, 0, 0, 0)


def test_nodes_are_the_elements_of_the_page() -> None:
    page = read_page("<div><p>one<p>two<p>three</div>")
    blocks = segment(page)
    elements = sum(tag != TEXT for tag in page.nodes.tag)
    hits = count_nodes(blocks, flags("110"), flags("011"), flags("000"), elements)
    assert (hits.right, hits.extra, hits.missed) == (1, 1, 1)
    assert hits.left_out == elements - 3


def test_an_element_with_two_blocks_counts_once() -> None:
    page = read_page("<div>one<br><br>two</div>")
    blocks = segment(page)
    assert len(blocks) == 2
    assert count_nodes(blocks, flags("11"), flags("11"), flags("00"), 10) == Hits(1, 0, 0, 9)
