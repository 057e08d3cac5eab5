from __future__ import annotations

import pytest

from broadsheet.errors import LimitReached
from broadsheet.page import TEXT, Limits, Nodes, read_page


def outline(nodes: Nodes) -> list[str]:
    depths = nodes.depths()
    return [
        f"{'.' * depths[row]}{nodes.text[row].strip() if nodes.tag[row] == TEXT else nodes.tag[row]}"
        for row in range(len(nodes))
    ]


def test_the_table_is_the_tree_a_browser_builds() -> None:
    nodes = read_page("<title>T</title><p class='a b' id=x>one<b>two</b><table><tr><td>c</table>").nodes
    assert outline(nodes) == [
        "html",
        ".head",
        "..title",
        "...T",
        ".body",
        "..p",
        "...one",
        "...b",
        "....two",
        "...table",
        "....tbody",
        ".....tr",
        "......td",
        ".......c",
    ]
    paragraph = nodes.tag.index("p")
    assert (nodes.attr(paragraph, "class"), nodes.attr(paragraph, "id")) == ("a b", "x")
    assert nodes.end[paragraph] == len(nodes)
    assert nodes.text_of(paragraph) == "onetwoc"
    assert [nodes.tag[row] for row in nodes.ancestors(paragraph)] == ["body", "html"]


def test_every_range_nests_in_its_parent() -> None:
    nodes = read_page("<div><p>a<p>b<ul><li>c<li>d</ul></div>e<br>f").nodes
    for row in range(len(nodes)):
        parent = nodes.parent[row]
        assert row < nodes.end[row] <= len(nodes)
        if parent >= 0:
            assert parent < row < nodes.end[row] <= nodes.end[parent]


def test_program_text_is_left_out_but_json_is_kept() -> None:
    nodes = read_page("<script>var a = 1</script><script type='application/ld+json'>{}</script>").nodes
    assert [text for text in nodes.text if text] == ["{}"]


def test_attributes_without_value() -> None:
    nodes = read_page("<p hidden>x").nodes
    row = nodes.tag.index("p")
    assert nodes.has_attr(row, "hidden")
    assert nodes.attr(row, "hidden") == ""
    assert not nodes.has_attr(row, "class")
    assert nodes.attr(row, "class") == ""


def test_too_many_bytes_are_cut() -> None:
    page = read_page("<p>" + "x" * 100, limits=Limits(max_bytes=50))
    assert page.is_cut
    assert page.nodes.text_of(0) == "x" * 47


def test_too_many_nodes_are_cut() -> None:
    page = read_page("<p>x</p>" * 1000, limits=Limits(max_nodes=100))
    assert page.is_cut
    assert page.nodes.text_of(0) == "x" * 50  # a hundred tags, opening and closing
    assert page.nodes.end[0] == len(page.nodes)


def test_a_page_that_grows_in_parsing_is_cut() -> None:
    """Unclosed formatting is opened again in every paragraph, as the standard asks: 2 KB make half a million nodes."""
    html = "<p>" + "".join(f"<b id={n}>" for n in range(500)) + "</p>" + "<p>x</p>" * 400
    page = read_page(html, limits=Limits(max_nodes=2000))
    assert page.is_cut
    assert 2000 <= len(page.nodes) < 2000 + 4097
    assert page.nodes.end[0] == len(page.nodes)


def test_deep_nodes_move_up() -> None:
    page = read_page("<div>" * 50 + "deep<b>est</b>" + "</div>" * 50 + "<p>after", limits=Limits(max_depth=10))
    nodes = page.nodes
    assert max(nodes.depths()) == 10
    assert nodes.text_of(0) == "deepestafter"
    assert nodes.depths()[nodes.tag.index("p")] == 2
    for row in range(1, len(nodes)):
        assert nodes.parent[row] < row < nodes.end[row] <= nodes.end[nodes.parent[row]]


def test_time_limit() -> None:
    with pytest.raises(LimitReached):
        read_page("<p>x</p>" * 10_000, limits=Limits(max_seconds=0))


@pytest.mark.parametrize(
    ("html", "url", "base"),
    [
        ("", None, None),
        ("", "https://x.example/a", "https://x.example/a"),
        ("<base href=/b/>", "https://x.example/a", "https://x.example/b/"),
        ("<base href=https://y.example/><base href=/z>", "https://x.example/a", "https://y.example/"),
        ("<base href='http://['>", "https://x.example/a", "https://x.example/a"),
        ("<link rel=canonical href=https://x.example/c>", None, "https://x.example/c"),
        ("<link rel=canonical href=/c>", None, None),
        ("<link rel=canonical href=https://x.example/c><base href=d/>", None, "https://x.example/d/"),
    ],
)
def test_base_of_relative_addresses(html: str, url: str | None, base: str | None) -> None:
    assert read_page(html, url=url).base == base
