from __future__ import annotations

from dataclasses import replace

import pytest

import broadsheet
from broadsheet.blocks import Role, cut_text, segment
from broadsheet.methods.stadynot import PublishedStadynot, Stadynot, StadynotConfig
from broadsheet.methods.stadynot.noise import (
    count_text,
    find_candidates,
    find_links,
    find_non_informative,
    mark_dynamic_noise,
)
from broadsheet.page import read_page

PUBLISHED = StadynotConfig()
IN_PERCENT = StadynotConfig(max_link_share=0.2)  # the other reading of β
SHIPPED = StadynotConfig.shipped()
PROSE = "The council met on Tuesday, and after four hours of talk it kept the ferry that half of the town depends on."


CANDIDATES = [
    ("two links in a list", "<ul><li><a href=a>x</a><li><a href=b>y</a></ul>", ["ul"]),
    ("two lists", "<ul><li><a>x</a><li><a>y</a></ul><ol><li><a>x</a><li><a>y</a></ol>", ["body", "ul", "ol"]),
    ("a single link has no common ancestor", "<div><a href=a>x</a></div>", []),
    ("one ancestor of all three", "<div><p><a>x</a></p><p><a>y</a></p><p><a>z</a></p></div>", ["div"]),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), [case[1:] for case in CANDIDATES], ids=[case[0] for case in CANDIDATES])
def test_candidates_are_common_ancestors_of_links(html: str, expected: list[str]) -> None:
    nodes = read_page(html).nodes
    assert [nodes.tag[row] for row in sorted(find_candidates(nodes, find_links(nodes)))] == expected


NOISE = [
    ("fewer than α = 50 characters outside links", "<div>" + "x" * 49 + "<a>1</a><a>2</a></div>", ["div"]),
    ("exactly α characters, few links", "<div>" + "x" * 50 + "<a>1</a><a>2</a></div>", []),
    ("more than β = 20 % links", "<div>" + "x" * 80 + "<a>12345678901</a><a>1234567890</a></div>", ["div"]),
    ("exactly β", "<div>" + "x" * 80 + "<a>1234567890</a><a>1234567890</a></div>", []),
    ("a paragraph is never noise", "<p><a>one</a> <a>two</a></p>", []),
]  # fmt: skip


@pytest.mark.parametrize("config", [IN_PERCENT, SHIPPED], ids=["published", "shipped"])
@pytest.mark.parametrize(("html", "expected"), [case[1:] for case in NOISE], ids=[case[0] for case in NOISE])
def test_filters(html: str, expected: list[str], config: StadynotConfig) -> None:
    assert find_noise(html, config) == expected


def test_beta_as_printed_never_acts() -> None:
    html = "<div>" + "x" * 80 + "<a>12345678901</a><a>1234567890</a></div>"
    assert (find_noise(html, PUBLISHED), find_noise(html, IN_PERCENT)) == ([], ["div"])


def test_the_page_as_a_whole_is_noise_only_as_published() -> None:
    html = "Short, and <a>one link</a> and <a>another</a>"
    assert (find_noise(html, PUBLISHED), find_noise(html, SHIPPED)) == (["body"], [])


def find_noise(html: str, config: StadynotConfig) -> list[str]:
    nodes = read_page(html).nodes
    links = find_links(nodes)
    candidates, counts = find_candidates(nodes, links), count_text(nodes, links, config)
    return [nodes.tag[row] for row in mark_dynamic_noise(nodes, candidates, counts, bytearray(len(nodes)), config)]


@pytest.mark.parametrize(("counts_noise", "expected"), [(True, ["ul", "body"]), (False, ["ul"])])
def test_marked_text_counts_in_outer_nodes_only_with_the_switch(counts_noise: bool, expected: list[str]) -> None:
    html = f"<p>{PROSE}<ul><li><a>{PROSE}</a><li><a>{PROSE}</a></ul><p>See <a>this</a>."
    assert find_noise(html, replace(IN_PERCENT, counts_noise=counts_noise)) == expected


FORMS = [
    ("a form that holds the page", f"<form><p>{PROSE}<p>{PROSE}</form>", PUBLISHED, ["form"]),
    ("a form that holds the page", f"<form><p>{PROSE}<p>{PROSE}</form>", SHIPPED, []),
    ("a small form", f"<p>{PROSE}<form>Your name <input></form>", SHIPPED, ["form"]),
    ("caption of a table", f"<p>{PROSE}<table><caption>Ferries<tr><td>x</table>", SHIPPED, ["caption"]),
]  # fmt: skip


@pytest.mark.parametrize(("html", "config", "expected"), [case[1:] for case in FORMS], ids=[case[0] for case in FORMS])
def test_non_informative_tags(html: str, config: StadynotConfig, expected: list[str]) -> None:
    nodes = read_page(html).nodes
    counts = count_text(nodes, find_links(nodes), config)
    assert [nodes.tag[row] for row in find_non_informative(nodes, counts, config)] == expected


PAGE = f"""<title>Ferry stays in service - The Courier</title>
<ul><li><a href=/>Home</a><li><a href=/s>Sport</a></ul>
<h1>Ferry stays in service</h1>
<div class=byline>By Ann Reyes</div>
<div>March 14, 2026 08:30</div>
<p>{PROSE} <a href=/c>council</a></p>
<p>{PROSE} <b>Indeed</b>.</p>
<div><h3>Read also</h3><ul><li><a href=/1>Oyster season opens early this year</a><li><a href=/2>Pier to be mended</a></ul></div>
<form>Your mail <input></form>
<div hidden>Not shown, and long enough to be taken for a paragraph of the article by anyone.</div>"""


def test_a_single_page() -> None:
    article = broadsheet.extract(PAGE, method="stadynot")
    roles = {block.text: block.role for block in article.blocks}
    assert roles["Ferry stays in service"] is Role.TITLE
    assert roles["By Ann Reyes"] is Role.BYLINE
    assert roles["March 14, 2026 08:30"] is Role.DATE
    assert roles["Home"] is roles["Pier to be mended"] is roles["Your mail"] is Role.BOILERPLATE
    assert article.text.splitlines() == [f"{PROSE} council", f"{PROSE} Indeed."]
    assert "<strong>Indeed</strong>" in article.html


def test_static_rows_are_noise() -> None:
    page = read_page(f"<p>{PROSE}</p><p>All rights are reserved. {PROSE}</p>")
    blocks = segment(page)
    page_of_site = replace(page, static_rows=frozenset([blocks.first[1]]))
    assert Stadynot().label(page, blocks).roles == [Role.BODY, Role.BODY]
    assert Stadynot().label(page_of_site, blocks).roles == [Role.BODY, Role.BOILERPLATE]


HEADER_LINES = [
    ("class", "<div class='post-author'>Ann Reyes</div>", Role.BYLINE),
    ("by, in German", "<div>Von Ann Reyes</div>", Role.BYLINE),
    ("time of day", "<div>Tuesday 14:05</div>", Role.DATE),
    ("year in a sentence", "<div>It was built in 1974.</div>", Role.BODY),
    ("class of a date", "<div class=pub_date>yesterday</div>", Role.DATE),
    ("class with date inside a word", "<div class=candidate>Ann Reyes spoke</div>", Role.BODY),
    ("long text of that class", f"<div class=author>{PROSE} {PROSE}</div>", Role.BODY),
]  # fmt: skip


@pytest.mark.parametrize(("html", "role"), [case[1:] for case in HEADER_LINES], ids=[case[0] for case in HEADER_LINES])
def test_roles_of_header_lines(html: str, role: Role) -> None:
    page = read_page(f"<p>{PROSE}</p>{html}<p>{PROSE}</p>")
    assert Stadynot().label(page, segment(page)).roles[1] is role


def test_lines_inside_the_body_are_body() -> None:
    page = read_page(
        f"<p>{PROSE}</p><p>By Ann Reyes</p><p>{PROSE}</p><h2>The vote of 2020</h2><ul><li>2019: a plan</li></ul>"
        f"<table><tr><th>Ticket<th>Price<tr><td>Adult<td>2.40</table><p>{PROSE}</p>"
    )
    assert [role.value for role in Stadynot().label(page, segment(page)).roles] == [
        *("body", "byline", "body", "heading", "list", "table", "table", "table", "table", "body"),
    ]


COMMENTS = [
    ("below the article", f"<p>{PROSE}</p><div id=Comments><p>{PROSE} Not so!</p></div>", [Role.BODY, Role.COMMENT]),
    ("around the article", f"<div class=comment-page><p>{PROSE}</p><p>{PROSE}</p></div>", [Role.BODY, Role.BODY]),
]  # fmt: skip


@pytest.mark.parametrize(("html", "roles"), [case[1:] for case in COMMENTS], ids=[case[0] for case in COMMENTS])
def test_comments_get_their_role(html: str, roles: list[Role]) -> None:
    page = read_page(html)
    blocks = segment(page)
    assert Stadynot().label(page, blocks).roles == roles
    assert Stadynot(PUBLISHED).label(page, blocks).roles == [Role.BODY, Role.BODY]


def test_short_blocks_at_the_edges_are_dropped() -> None:
    page = read_page(f"<div>Share</div><p>{PROSE}</p><h3>Why</h3><p>{PROSE}</p><div>Advertisement</div>")
    blocks = segment(page)
    assert Stadynot(PUBLISHED).label(page, blocks).roles.count(Role.BODY) == 4
    assert Stadynot().label(page, blocks).roles == [
        Role.BOILERPLATE,
        Role.BODY,
        Role.HEADING,
        Role.BODY,
        Role.BOILERPLATE,
    ]


def test_header_lines_are_text_as_published() -> None:
    page = read_page(PAGE)
    blocks = segment(page)
    roles = dict(zip(blocks.text, Stadynot(PUBLISHED).label(page, blocks).roles, strict=True))
    assert roles["Ferry stays in service"] is Role.HEADING
    assert roles["By Ann Reyes"] is roles["March 14, 2026 08:30"] is Role.BODY


def test_noise_inside_a_block_is_removed_as_published() -> None:
    nav = "<span><a href=a>Menu one</a> <a href=b>Menu two</a></span>"
    page = read_page(f"<body><div>{PROSE} {nav} and so on.</div><p>{PROSE}")
    blocks = segment(page)
    labels = PublishedStadynot().label(page, blocks)
    assert cut_text(blocks.text[0], labels.spans[0]) == f"{PROSE} and so on."
    assert not Stadynot().label(page, blocks).spans
    assert broadsheet.extract(page.source, method="stadynot-published").text == f"{PROSE} and so on.\n{PROSE}"


@pytest.mark.parametrize(("counts_outer_space", "chars"), [(True, 5), (False, 2)])
def test_spaces_at_the_ends_of_text_count_as_published(counts_outer_space: bool, chars: int) -> None:
    nodes = read_page("<div>\n  a <a>b</a>  <b>c</b></div>").nodes
    links = find_links(nodes)
    counts = count_text(nodes, links, replace(PUBLISHED, counts_outer_space=counts_outer_space))
    assert (sum(counts.text) - sum(counts.link_text), sum(counts.link_text)) == (chars, 1)


@pytest.mark.parametrize(("corrections", "has_title"), [(None, True), (False, True), (True, False)])
def test_methods_as_published_are_not_corrected(corrections: bool | None, has_title: bool) -> None:
    html = f"<title>Ferry stays in service</title><h1>Ferry stays in service</h1><p>{PROSE}<p>{PROSE}"
    text = broadsheet.extract(html, method="stadynot-published", corrections=corrections).text
    assert text.startswith("Ferry stays") is has_title
    assert not broadsheet.extract(html, method="stadynot").text.startswith("Ferry stays")
    assert broadsheet.extract(html, method=Stadynot(PUBLISHED), corrections=False).text.startswith("Ferry stays")
