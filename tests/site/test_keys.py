from __future__ import annotations

import pytest

from broadsheet.page import read_page
from broadsheet.site.home import is_home_address
from broadsheet.site.keys import DATA_BITS, find_texts, find_texts_in_elements, read_keys, read_structure
from broadsheet.site.sample import find_section


def keys_of(html: str) -> set[int]:
    return set(read_keys(read_page(html).nodes, of_elements=True))


KEY_CASES = [
    ("white space is ignored", "<p>a  b</p>", "<p>\n a b </p>", True),
    ("tag name", "<p>a</p>", "<div>a</div>", False),
    ("attributes", "<p class=x>a</p>", "<p class=y>a</p>", False),
    ("data", "<p>a</p>", "<p>b</p>", False),
    ("data of inner elements", "<p>a <b>b</b></p>", "<p>a <i>b</i></p>", False),
    ("invisible text is ignored", "<p>a</p>", "<p>a<script>1</script></p>", True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second", "are_equal"), [case[1:] for case in KEY_CASES], ids=[case[0] for case in KEY_CASES]
)
def test_keys_consist_of_tag_attributes_and_data(first: str, second: str, are_equal: bool) -> None:
    assert (keys_of(first) == keys_of(second)) is are_equal


STATIC_CASES = [
    ("the same element", "<p>a</p>", "<p>a</p><p>b</p>", ["a"], ["a"]),
    ("all data of the list", "<ul><li>a<li>b</ul>", "<ul><li><a href=1>a</a><li>b</ul>", ["a", "b"], ["a", "b"]),
    ("another class", "<p class=x>a b</p>", "<p class=y>a b</p>", [], ["a b"]),
    ("part of the data", "<p>a <b>c</b></p>", "<p>a <b>d</b></p>", [], ["a "]),
    ("other data", "<p>b</p>", "<p>a</p>", [], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("neighbour", "page", "by_elements", "by_texts"),
    [case[1:] for case in STATIC_CASES],
    ids=[case[0] for case in STATIC_CASES],
)
def test_static_rows(neighbour: str, page: str, by_elements: list[str], by_texts: list[str]) -> None:
    nodes, other = read_page(page).nodes, read_page(f"<b>other</b>{neighbour}").nodes
    keys = frozenset(read_keys(other, of_elements=True))
    rows = find_texts_in_elements(nodes, keys, frozenset(key & DATA_BITS for key in keys))
    assert [nodes.text[row] for row in sorted(rows)] == by_elements
    rows = find_texts(nodes, frozenset(read_keys(other, of_elements=False)))
    assert [nodes.text[row] for row in sorted(rows)] == by_texts


@pytest.mark.parametrize(
    ("of_elements", "keys"),
    [(False, [0x1422A51D95073E2B]), (True, [0x2DFD15AA95073E2B, 0x7DB0EAD395073E2B, 0xF5218C8995073E2B])],
)
def test_keys_do_not_change(of_elements: bool, keys: list[int]) -> None:
    """Keys are saved in site files: a change of these numbers needs a new version of the format."""
    assert list(read_keys(read_page("<p class='a b'>x y").nodes, of_elements=of_elements)) == keys


def test_structure_ignores_digits() -> None:
    one, two = (read_structure(read_page(f"<div class='post post-{n}'><p>x").nodes) for n in (1, 22))
    assert one == two
    assert one != read_structure(read_page("<div class=list><p>x").nodes)


@pytest.mark.parametrize(
    ("url", "section"),
    [
        ("https://www.X.example/sport/a.html", "x.example/sport"),
        ("https://x.example/sport/", "x.example/sport"),
        ("https://x.example/2020/01/a", "x.example"),
        ("https://x.example/a", "x.example"),
        ("http://[", ""),
        (None, ""),
    ],
)
def test_section(url: str | None, section: str) -> None:
    assert find_section(url) == section


@pytest.mark.parametrize(
    ("url", "is_home"),
    [
        ("https://x.example", True),
        ("https://x.example/", True),
        ("https://x.example/index.html", True),
        ("https://x.example/sport/", True),
        ("https://x.example/sport", True),
        ("https://x.example/ferry-stays-in-service", False),
        ("https://x.example/2020/", False),
        ("https://x.example/?p=3", False),
        ("http://[", False),
        (None, False),
    ],
)
def test_home_addresses(url: str | None, is_home: bool) -> None:
    assert is_home_address(url) is is_home
