from __future__ import annotations

import gc
import pickle
from types import FunctionType, ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.blocks import Blocks, segment, select_blocks, tags
from broadsheet.html.table import NodeTable
from broadsheet.page import TEXT, Limits, Nodes, Page, read_page


def blocks_of(html: str) -> Blocks:
    return segment(read_page(html))


CASES = [
    ("paragraphs", "<p>one</p><p>two</p>", ["one", "two"]),
    ("inline tags stay in the block", "<p>a <b>b</b><i>c</i> <a href=x>d</a></p>", ["a bc d"]),
    ("white space folds", "<p>  a\n\t b&nbsp;&nbsp;c </p>", ["a b c"]),
    ("text directly in a div", "<div>lead<p>one</p>tail</div>", ["lead", "one", "tail"]),
    ("one br is a line break", "<p>a<br>b<br/>c</p>", ["a\nb\nc"]),
    ("two br separate blocks", "<div>a<br><br>b<br> <br/>c<br><br></div>", ["a", "b", "c"]),
    ("br inside inline tags", "<div><b>a<br></b><br>b</div>", ["a", "b"]),
    ("many br", "<div>a<br><br><br><br>b</div>", ["a", "b"]),
    ("cells of a layout table", "<table><tr><td>a<td><p>b</p>c</table>", ["a", "b", "c"]),
    ("nested lists", "<ul><li>a<ol><li>b</ol>c<li>d</ul>", ["a", "b", "c", "d"]),
    ("definition lists", "<dl><dt>a<dd>b</dl>", ["a", "b"]),
    ("a link around blocks", "<a href=x><h2>a</h2><p>b</p></a>", ["a", "b"]),
    ("forms are containers", "<form>a<label>b</label><button>c</button><input value=d></form>", ["a", "b", "c"]),
    ("dropped tags", "<p>a<script>x</script><style>x</style><svg><text>x</text></svg>b</p>", ["ab"]),
    ("options of a form", "<select><option>x</select><textarea>x</textarea><p>a", ["a"]),
    ("hidden inline text is not shown", "<p>a<span style='display: none'>x</span><b hidden>x</b>b</p>", ["ab"]),
    ("zero-width characters", "<p>a\u200bb\u00adc</p><p>\u200b</p>", ["abc"]),
    ("templates", "<template><p>x</p></template><p>a</p>", ["a"]),
    ("shown shadow roots", "<div><template shadowrootmode=open><p>a</p></template></div>", ["a"]),
    ("unknown tags are inline", "<p>a<foo-bar>b</foo-bar></p>", ["ab"]),
    (
        "a page that needs scripts, with its text in noscript",
        f"<div>Loading</div><noscript><p>{'a' * 600}</p>b</noscript>",
        ["Loading", "a" * 600, "b"],
    ),
    (
        "a page that needs scripts, with a notice in noscript",
        "<div>Loading</div><noscript>You need scripts, here.</noscript>",
        ["Loading"],
    ),
    ("hidden by a style over two lines", "<p>a<span style='color:red;\n display:\nnone'>x</span></p>", ["a"]),
    ("a style of another property", "<p>a<span style='x-display:none'>b</span></p>", ["ab"]),
    ("noscript beside text", f"<p>{'a' * 300}</p><noscript>x</noscript>", ["a" * 300]),
    ("body without tags", "just text", ["just text"]),
    ("nothing", "", []),
    ("hr separates blocks", "a<hr>b", ["a", "b"]),
]


@pytest.mark.parametrize(("html", "texts"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_blocks(html: str, texts: list[str]) -> None:
    assert list(blocks_of(html).text) == texts


GROUPS = [
    ("leaf siblings with the same tag and class", "<div><p>a</p><p>b</p><p>c</p></div>", [0, 0, 0]),
    ("another class", "<div><p>a</p><p class=x>b</p><p class=x>c</p></div>", [0, 1, 1]),
    ("another tag", "<div><p>a</p><h2>b</h2><p>c</p></div>", [0, 1, 2]),
    ("another parent", "<div><p>a</p></div><div><p>b</p></div>", [0, 1]),
    ("an only child", "<div>a<p>b</p></div>", [0, 0]),
    ("an only child with a class", "<div>a<p class=x>b</p></div>", [0, 1]),
    ("one child of two", "<div>a<p>b</p><p>c</p></div>", [0, 1, 1]),
    ("separated by br only", "<div>a<br><br>b</div>", [0, 0]),
    ("siblings after br and a child", "<div>a<br><br>b<hr></div><div>c</div>", [0, 0, 1]),
    ("siblings with children", "<ul><li>a<ul><li>b</ul><li>c</ul>", [0, 1, 2]),
]


@pytest.mark.parametrize(("html", "groups"), [case[1:] for case in GROUPS], ids=[case[0] for case in GROUPS])
def test_combine_phase(html: str, groups: list[int]) -> None:
    assert list(blocks_of(html).group) == groups


def test_paths_links_and_context() -> None:
    blocks = blocks_of(
        "<article class='story main'><h2 class=head>Title here</h2><ul><li><a href=x>four</a> four</li></ul>"
        "<figure><figcaption>c</figcaption></figure><blockquote>q</blockquote><div hidden><p>h</p></div></article>"
    )
    assert blocks.tag_paths.steps(blocks.tag_path[1]) == ("html", "body", "article", "ul", "li")
    assert blocks.class_paths.steps(blocks.class_path[0]) == ("story main", "head")
    assert blocks.class_paths.steps(blocks.class_path[1]) == ("story main",)
    assert blocks.link_share(1) == pytest.approx(4 / 9)
    assert [blocks.has(block, tags.HEADING) for block in range(5)] == [True, False, False, False, False]
    assert [blocks.has(block, tags.LIST) for block in range(5)] == [False, True, False, False, False]
    assert [blocks.has(block, tags.CAPTION) for block in range(5)] == [False, False, True, False, False]
    assert [blocks.has(block, tags.QUOTE) for block in range(5)] == [False, False, False, True, False]
    assert [blocks.has(block, tags.HIDDEN) for block in range(5)] == [False, False, False, False, True]
    assert all(blocks.has(block, tags.ARTICLE) for block in range(5))


def test_hidden_containers_below_max_depth() -> None:
    page = read_page("<div>" * 30 + "a<div hidden>x</div><style>y</style>b", limits=Limits(max_depth=10))
    assert "".join(segment(page).text) == "ab"


def test_blocks_can_be_pickled_and_do_not_hold_the_page() -> None:
    blocks = blocks_of("<div class=c><p>a</p></div>")
    assert has_node_table(blocks)  # for the paths, which have not been read
    copy = pickle.loads(pickle.dumps(blocks))
    for each in (blocks, copy):
        assert each.class_paths.steps(each.class_path[0]) == ("c",)
        assert list(each.rows[0]) == [5]
        assert not has_node_table(each)


def has_node_table(blocks: Blocks) -> bool:
    return any(isinstance(item, Nodes | NodeTable) for item in list_reachable(blocks))


def list_reachable(start: object) -> list[object]:
    reachable, ids = [start], {id(start)}
    for item in reachable:
        for referent in gc.get_referents(item):
            if id(referent) not in ids and not isinstance(referent, type | ModuleType | FunctionType):
                ids.add(id(referent))
                reachable.append(referent)
    return reachable


def test_rows_from_first_to_last_have_the_text() -> None:
    page = read_page("<div> a <b> b </b><br>c<br><br> <i>d</i> e <p>f</p></div>")
    blocks = segment(page)
    for block, text in enumerate(blocks.text):
        rows = range(blocks.first[block], blocks.last[block] + 1)
        joined = "".join(page.nodes.text[row] for row in rows)
        assert "".join(joined.split()) == "".join(text.split())


def read_visible_chars(page: Page) -> str:
    """Return all visible characters of a page in order, read from the node table without `Nodes.runs`."""
    nodes = page.nodes
    texts = [
        nodes.text[row]
        for row, tag in enumerate(nodes.tag)
        if tag == TEXT and not any(nodes.tag[ancestor] in tags.DROPPED for ancestor in nodes.ancestors(row))
    ]
    return "".join("".join(texts).split())


MARKUP = st.lists(
    st.sampled_from(
        "<p> </p> <div> </div> <b> </b> <br> <ul> <li> </ul> <table> <tr> <td> </table> <a\xa0href=x> </a> <h2> </h2> "
        "<blockquote> </blockquote> <span> </span> <script>x</script> a bb ccc é 中 &nbsp; <td> <form> </form> <hr>".split(
            " "
        )
    ),
    max_size=60,
)


@given(MARKUP)
def test_no_text_is_lost_or_duplicated(pieces: list[str]) -> None:
    page = read_page(" ".join(pieces).replace("\xa0", " "))
    blocks = segment(page)
    assert "".join("".join(blocks.text).split()) == read_visible_chars(page)
    assert list(blocks.first) == sorted(blocks.first)
    assert all(first <= last for first, last in zip(blocks.first, blocks.last, strict=True))


def test_selected_blocks() -> None:
    page = read_page("<title>Ferry returns</title><h1>Ferry returns</h1><p>a</p><h2>b</h2><p>c</p>")
    blocks = segment(page)
    assert (blocks.headline, list(blocks.group)) == (0, [0, 1, 2, 3])
    selection = select_blocks(page, blocks, [1, 2, 3])
    assert list(selection.text) == ["a", "b", "c"]
    assert [page.nodes.tag[row] for row in selection.container] == ["p", "h2", "p"]
    assert (selection.headline, list(selection.group)) == (
        1,
        [0, 1, 2],
    )  # recomputed: the headline is now the first heading
