from __future__ import annotations

from dataclasses import replace

import pytest

import broadsheet
from broadsheet.blocks import Role, segment
from broadsheet.methods.twcem import Twcem, TwcemConfig
from broadsheet.methods.twcem.content import filter_rows, find_bounds, find_spans_in_lines, read_lines
from broadsheet.methods.twcem.title import extract_title
from broadsheet.page import read_page

NEWS = TwcemConfig.news()
SHIPPED = TwcemConfig.shipped()
BLOCKS = replace(NEWS, reads_lines=False, keeps_hidden=False)  # as published, but for rows

TITLES = [
    ("heading nearest to the meta title", "<meta property=og:title content='Cats win'><h1>News</h1><h2>Cats win!</h2>", "Cats win!"),
    ("heading nearest to the title element", "<title>Cats win the cup - The Paper</title><h1>The Paper</h1><h3>Cats win the cup</h3>", "Cats win the cup"),
    ("first heading without a meta title", "<h2>One</h2><h1>Two</h1>", "One"),
    ("id begins with title", "<div id=title-main>Cats win</div>", "Cats win"),
    ("id ends with title", "<div id=maintitle>Cats win</div>", "Cats win"),
    ("class begins with title", "<div class='title big'>Cats <b>win</b></div>", "Cats win"),
    ("abnormal headings are skipped", "<h1>***</h1><div id=title>Cats win</div>", "Cats win"),
    ("a blank meta title", "<meta name=Title content=' '><title>Cats win</title><h1>Other thing</h1><h2>Cats win</h2>", "Cats win"),
    ("a title that is too long", f"<meta property=og:title content='{'x' * 400}'><title>Cats win</title><h1>No</h1><h2>Cats win</h2>", "Cats win"),
    ("title of an SVG image", "<svg><title>Icon</title></svg><title>Cats win</title>", "Cats win"),
    ("hidden headings", "<title>Cats win</title><div hidden><h1>Cats win</h1></div><h2>Cats, win</h2>", "Cats, win"),
    ("meta title alone", "<title>Cats win</title><p>x", "Cats win"),
    ("no title at all", "<p>x", None),
]  # fmt: skip


@pytest.mark.parametrize(("html", "title"), [case[1:] for case in TITLES], ids=[case[0] for case in TITLES])
def test_title(html: str, title: str | None) -> None:
    assert extract_title(read_page(html), SHIPPED) == title


def test_title_as_published() -> None:
    assert extract_title(read_page("<title>Cats win</title><p>x"), NEWS) is None
    assert extract_title(read_page("<div hidden><h1>Cats win</h1></div><h2>Cats, win</h2>"), NEWS) == "Cats win"


def test_title_from_the_home_page_comes_first() -> None:
    page = read_page("<title>Other</title><h1>Other</h1>", link_titles=("***", "Cats  win"))
    assert extract_title(page, NEWS) == "Cats win"


@pytest.mark.parametrize(
    ("row", "is_kept"),
    [
        ("abc.", True),  # exactly δ1 = 4 characters and δ2 = 1 mark
        ("ab.", False),
        ("a b\n.", False),  # white space does not count
        ("abcdef", False),
        ("中文新闻。", True),
        ("Sport | News", False),  # a symbol, not punctuation
    ],
)
def test_rows_as_published(row: str, is_kept: bool) -> None:
    assert bool(filter_rows([row], NEWS)) is is_kept


def test_minimum_of_punctuation_marks() -> None:
    assert filter_rows(["one, two.", "one two."], TwcemConfig(min_punctuation=2)) == [0]


ROWS = ["a b.", "Cats will win it.", "c d.", "e f.", "g h.", "cats did win.", "i j."]


@pytest.mark.parametrize(
    ("title", "bounds"),
    [
        ("Cats win", range(1, 6)),
        ("win cats", range(7)),  # a subsequence keeps the order: no row has "win" before "cats"
        ("Dogs lose", range(7)),
        (None, range(7)),
        ("c d and more", range(2, 7)),  # a match in the first half only: the range extends to the last row
    ],
)
def test_bounds(title: str | None, bounds: range) -> None:
    assert find_bounds(ROWS, title, NEWS) == bounds


@pytest.mark.parametrize(("context_rows", "bounds"), [(0, range(1, 6)), (1, range(7)), (2, range(7))])
def test_rows_of_context_extend_the_bounds(context_rows: int, bounds: range) -> None:
    assert find_bounds(ROWS, "Cats win", replace(NEWS, context_rows=context_rows)) == bounds


def test_bounds_of_no_rows() -> None:
    assert len(find_bounds([], "Cats win", NEWS)) == 0


def test_unspaced_scripts_count_characters() -> None:
    rows = ["广告。", "北京今天下雨。", "其他。", "明天。", "今天北京很冷。", "版权。"]
    assert find_bounds(rows, "北京今天大雨", NEWS) == range(1, 5)


PAGE = """<title>Cats win the cup</title><body><p>Welcome, visitor.</p><h1>Cats win the cup</h1>
<p>The cats did win, after all.</p><h2>How, then?</h2><ul><li>They ran, fast.</li></ul><p>See <a href=x>all, of it.</a></p>
<blockquote>We won, said they.</blockquote><p style="display:none">Hidden, too.</p><p>So the cats win again.</p>
<p>Imprint, contact.</p>"""


def label_page(config: TwcemConfig) -> list[tuple[str, str]]:
    page = read_page(PAGE)
    blocks = segment(page)
    labels = Twcem(config).label(page, blocks)
    assert labels.title == "Cats win the cup"
    return [(blocks.text[block], role) for block, role in enumerate(labels.roles) if role is not Role.BOILERPLATE]


def test_labels_of_blocks() -> None:
    assert label_page(BLOCKS) == [
        ("Cats win the cup", "title"),
        ("The cats did win, after all.", "body"),
        ("How, then?", "heading"),
        ("They ran, fast.", "list"),
        ("See all, of it.", "body"),
        ("We won, said they.", "quote"),
        ("So the cats win again.", "body"),
    ]


STRUCTURES = """<title>Cats win</title><h1>Cats win</h1><p>Cats, win.</p><h2>Prices</h2><table><tr><th>What<th>How much<tr><td>Cat<td>3.50</table>
<h2>Nothing follows</h2><p>x</p><form><h2>Sign up</h2></form><p>So cats win.</p>"""


def test_headings_and_cells_are_kept_as_shipped() -> None:
    page = read_page(STRUCTURES)
    blocks = segment(page)
    chosen = {
        config: [
            text
            for text, role in zip(blocks.text, Twcem(config).label(page, blocks).roles, strict=True)
            if role is not Role.BOILERPLATE
        ]
        for config in (BLOCKS, SHIPPED)
    }
    assert chosen[BLOCKS] == ["Cats win", "Cats, win.", "3.50", "So cats win."]
    assert chosen[SHIPPED] == [
        *("Cats win", "Cats, win.", "Prices", "What", "How much", "Cat", "3.50", "So cats win."),
    ]


def test_rows_of_links_are_dropped_as_shipped() -> None:
    assert ("See all, of it.", "body") not in label_page(SHIPPED)


LINES = [
    ("tags go, line breaks stay", "<p>One, two.\nThree</p><p>four", ["One, two.", "Threefour"]),
    ("a line break inside a tag", "<p\nclass=a>One", ["One"]),
    ("scripts, styles and comments", "a<script>b\nc</script>d<STYLE>e</style >f<!-- g\n-->h", ["adfh"]),
    ("a script without an end", "a<script>b\nc", ["a"]),
    ("character references", "&lt;b&gt; &amp;", ["<b> &"]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "lines"), [case[1:] for case in LINES], ids=[case[0] for case in LINES])
def test_lines_of_the_source(source: str, lines: list[str]) -> None:
    assert read_lines(source) == lines


def test_hostile_sources_take_linear_time() -> None:
    for source in ("<" * 200_000, "<script" * 50_000, "<!--" * 50_000, "<a " * 100_000):
        assert len(read_lines(source)) == 1


@pytest.mark.parametrize(
    ("kept", "spans"),
    [
        ({0}, {0: ((0, 7),)}),
        ({1, 2}, {1: ((0, 19),), 2: ((0, 5),)}),
        ({1}, {1: ((0, 15),)}),  # the larger part of the second block
        ({2}, {1: ((16, 19),), 2: ((0, 5),)}),  # the smaller part is kept, too
        (set(), {}),
    ],
)
def test_spans_of_kept_lines(kept: set[int], spans: dict[int, tuple[tuple[int, int], ...]]) -> None:
    texts = ["One two", "three four five six", "seven", "not in the source"]
    assert find_spans_in_lines(texts, ["One  two", " three four five", "six seven"], kept) == spans


def test_the_text_as_published_is_the_kept_lines() -> None:
    page = "<h1>Cats win</h1>\n<p>One, then.\nno mark here\nCats did win, <b>they say.\nso it</b>\nis: cats win.\n</p>"
    assert broadsheet.extract(page, method="twcem-published").text == "Cats did win, they say. is: cats win."


@pytest.mark.parametrize(
    ("title", "bounds"),
    [("Cats win", range(1, 5)), ("a b", range(6)), ("Dogs lose", range(6))],
)
def test_printed_loops_skip_the_first_row_and_leave_out_the_last(title: str, bounds: range) -> None:
    assert find_bounds(ROWS, title, replace(NEWS, has_printed_loops=True)) == bounds


def test_the_printed_equation_prefers_short_titles() -> None:
    page = read_page("<title>Cats win the cup</title><h1>Cats win the cup!!!!</h1><h2>Cats</h2><h3>x</h3>")
    assert extract_title(page, NEWS) == "Cats win the cup!!!!"
    assert extract_title(page, replace(NEWS, counts_matches=True)) == "Cats"


def test_labels_as_published() -> None:
    """The first line also has the greeting; of the four lines, only the last is searched for the end."""
    assert label_page(NEWS) == [
        ("Welcome, visitor.", "body"),
        ("Cats win the cup", "heading"),
        ("The cats did win, after all.", "body"),
        ("How, then?", "heading"),
        ("They ran, fast.", "list"),
        ("See all, of it.", "body"),
        ("We won, said they.", "quote"),
        ("Hidden, too.", "body"),
        ("So the cats win again.", "body"),
        ("Imprint, contact.", "body"),
    ]
