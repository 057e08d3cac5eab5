"""Chunks of written bodies, of random bodies, and of the sample pages."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import broadsheet
from broadsheet.article import (
    Article,
    Cell,
    Code,
    Definition,
    Definitions,
    Heading,
    Listing,
    Paragraph,
    Part,
    Provenance,
    Quote,
    Run,
    Table,
)
from broadsheet.errors import UsageError
from broadsheet.fields import Figure
from broadsheet.output.as_markdown import render_markdown
from broadsheet.output.as_text import render_part
from broadsheet.output.chunk_units import Link, Unit, read_units, split_characters
from broadsheet.output.chunks import Chunk, estimate_tokens, make_chunks

PAGES = sorted((Path(__file__).parents[2] / "examples" / "pages").rglob("*.html"))


def count_words(text: str) -> int:
    return len(text.split())


def paragraph(*texts: str) -> Paragraph:
    return Paragraph(tuple(map(Run, texts)))


def heading(level: int, text: str) -> Heading:
    return Heading(level, (Run(text),))


def listing(*texts: str, is_ordered: bool = False) -> Listing:
    return Listing(is_ordered, tuple((paragraph(text),) for text in texts))


def cut(body: tuple[Part, ...], max_tokens: int) -> list[str]:
    return [chunk.text for chunk in Article(body=body).chunks(max_tokens, count_tokens=count_words)]


SECTIONS = (
    paragraph("The lead."),
    heading(2, "First"),
    paragraph("One two three."),
    heading(3, "Below"),
    paragraph("Four five."),
    heading(2, "Second"),
    paragraph("Six."),
)


@pytest.mark.parametrize(
    ("body", "max_tokens", "texts"),
    [
        ((), 10, []),
        ((paragraph(" "), Heading(2, ())), 10, []),
        (SECTIONS, 100, ["The lead.", "First\nOne two three.\nBelow\nFour five.", "Second\nSix."]),
        (SECTIONS, 6, ["The lead.", "First\nOne two three.", "Below\nFour five.", "Second\nSix."]),
        ((heading(3, "a"), paragraph("b"), heading(2, "c"), paragraph("d")), 100, ["a\nb", "c\nd"]),
        # A list or a table that fits is whole, and stands alone if need be.
        ((paragraph("a b c"), listing("d", "e")), 5, ["a b c", "- d\n- e"]),
        ((paragraph("a b c"), listing("d", "e", "f")), 4, ["a b c", "- d\n- e", "- f"]),
        (
            (Table(((Cell((Run("a"),)), Cell((Run("b"),))), (Cell((Run("c"),)), Cell((Run("d"),))))),),
            3,
            ["a | b", "c | d"],
        ),
        ((listing("a", "b", is_ordered=True), paragraph("c")), 5, ["1. a\n2. b\nc"]),
        # Sentences, words, characters.
        ((paragraph("One two. Three four! Five six seven"),), 4, ["One two. Three four!", "Five six seven"]),
        ((paragraph("One two three four. Five."),), 3, ["One two three", "four. Five."]),
        # A heading is not left alone where its paragraph can be cut.
        ((heading(2, "H"), paragraph("a b. c d.")), 4, ["H\na b.", "c d."]),
        # Headings inside lists begin sections, too.
        (
            (Listing(True, ((heading(3, "A"), paragraph("a")), (heading(3, "B"), paragraph("b")))),),
            100,
            ["1. A\n  a", "2. B\n  b"],
        ),
        ((Quote((paragraph("a b"), paragraph("c d"))), paragraph("e")), 4, ["a b\nc d", "e"]),
        ((Code("a\n\n  b\n   \nc"),), 2, ["a\n\n  b", "c"]),
        ((Definitions((Definition((Run("t"),), ((paragraph("d e"),),)),)), paragraph("f")), 3, ["t\n  d e", "f"]),
        # The number of an item that starts with a list is on a line of its own.
        ((Listing(True, ((Figure("https://x.example/i.png"), listing("a", "b")),)),), 2, ["1.", "  - a", "  - b"]),
    ],
)
def test_chunks(body: tuple[Part, ...], max_tokens: int, texts: list[str]) -> None:
    assert cut(body, max_tokens) == texts


def test_cut_into_characters() -> None:
    chunks = Article(body=(paragraph("北京e\u0301👍🏽x"),)).chunks(1, count_tokens=len)
    assert [chunk.text for chunk in chunks] == ["北", "京", "e\u0301", "👍🏽", "x"]


def test_heading_path_links_and_source() -> None:
    body = (
        heading(2, "Top"),
        heading(3, "Inner\nline"),
        Paragraph((Run("See the the "), Run("the", href="https://a.example/"), Run(". More text here. "))),
        Paragraph((Run("2", script="sup", href="https://b.example/"), Run(" x", href="javascript:alert(1)"))),
    )
    article = Article(title="T", url="https://x.example/", body=body)
    chunks = article.chunks(6, count_tokens=count_words)
    assert [chunk.headings for chunk in chunks] == [("Top",), ("Top", "Inner line"), ("Top", "Inner line")]
    assert [chunk.links for chunk in chunks] == [
        (),
        (Link("the", "https://a.example/"),),
        (Link("2", "https://b.example/"),),
    ]
    assert {(chunk.title, chunk.source) for chunk in chunks} == {("T", "https://x.example/")}
    assert Article(body=body, provenance=Provenance(source_file="a.warc")).chunks()[0].source == "a.warc"
    assert json.loads(json.dumps(chunks[1].to_dict()))["links"] == [{"text": "the", "url": "https://a.example/"}]


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "3", True])
def test_wrong_maximum(wrong: object) -> None:
    with pytest.raises(UsageError, match="max_tokens must be a whole number of at least 1"):
        Article().chunks(wrong)  # type: ignore[arg-type]


def test_records() -> None:
    article = broadsheet.extract(PAGES[0].read_bytes())
    again = Article.from_dict(article.to_dict(include=["body"]))
    assert [chunk.to_dict() for chunk in again.chunks(60)] == [chunk.to_dict() for chunk in article.chunks(60)]
    plain = Article.from_dict(article.to_dict())  # lines only
    check_chunks(plain, 60, estimate_tokens)
    assert not any(chunk.headings or chunk.links for chunk in plain.chunks(60))


TEXTS = st.text(st.sampled_from("abc .!?\n北。e\u0301~["), max_size=40)
RUNS = st.lists(
    st.builds(
        Run,
        TEXTS,
        is_bold=st.booleans(),
        href=st.sampled_from((None, None, "https://a.example/x")),
        is_deleted=st.booleans(),
        script=st.sampled_from(("", "", "sup", "note")),
    ),
    max_size=4,
).map(tuple)
LEAVES = st.one_of(
    st.builds(Paragraph, RUNS),
    st.builds(Heading, st.integers(1, 6), RUNS),
    st.builds(Code, TEXTS),
    st.builds(
        Table,
        st.lists(st.lists(st.builds(Cell, RUNS, columns=st.integers(1, 2)), max_size=3).map(tuple), max_size=3).map(
            tuple
        ),
        RUNS,
    ),
    st.just(Figure("https://x.example/i.png")),
)


def nest(parts: st.SearchStrategy[Part]) -> st.SearchStrategy[Part]:
    several = st.lists(parts, max_size=3).map(tuple)
    items = st.lists(several, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Quote, several),
        st.builds(Listing, st.booleans(), items),
        st.builds(Definitions, st.lists(st.builds(Definition, RUNS, items), max_size=2).map(tuple)),
    )


BODIES = st.lists(st.recursive(LEAVES, nest, max_leaves=6), max_size=8).map(tuple)


def check_chunks(article: Article, max_tokens: int, count_tokens: Callable[[str], int]) -> tuple[Chunk, ...]:
    """Check everything that is promised of the chunks of an article."""
    text = article.text
    chunks = article.chunks(max_tokens, count_tokens=count_tokens)
    content = read_units(article.body)
    assert content.text == text
    assert all(before.end <= after.start for before, after in pairwise(chunks))
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip()
        assert chunk.tokens == count_tokens(chunk.text)
    kept = "".join(chunk.text for chunk in chunks)
    assert "".join(kept.split()) == "".join(text.split())
    check_headings(chunks, content.units)
    check_whole_units(chunks, content.units, lambda start, end: count_tokens(text[start:end]) <= max_tokens)
    return chunks


def list_headings(units: tuple[Unit, ...]) -> list[Unit]:
    return [found for unit in units for found in ((unit,) if unit.level else list_headings(unit.inner))]


def check_headings(chunks: tuple[Chunk, ...], units: tuple[Unit, ...]) -> None:
    headings = list_headings(units)
    for chunk in chunks:
        above = [heading for heading in headings if heading.start <= chunk.start]
        level = above[-1].level if above else 0
        for inner in headings:
            if chunk.start < inner.start < chunk.end:
                assert above, "text before the first heading is a chunk of its own"
                assert inner.level > level


def check_whole_units(chunks: tuple[Chunk, ...], units: tuple[Unit, ...], fits: Callable[[int, int], bool]) -> None:
    for unit in units:
        if unit.has_heading:
            check_whole_units(chunks, unit.inner, fits)
        elif unit.inner and fits(unit.start, unit.end):
            holders = [chunk for chunk in chunks if chunk.start < unit.end and unit.start < chunk.end]
            assert len(holders) == 1, "a list or table that fits is in one chunk"
        else:
            check_whole_units(chunks, unit.inner, fits)


@given(BODIES, st.integers(1, 12))
def test_random_bodies(body: tuple[Part, ...], max_tokens: int) -> None:
    article = Article(body=body)
    chunks = check_chunks(article, max_tokens, len)
    for chunk in chunks:  # a single character with its accents may take more
        assert chunk.tokens <= max_tokens or len(split_characters(chunk.text, Unit(0, len(chunk.text)))) == 1
    check_chunks(article, max_tokens, estimate_tokens)


@given(st.recursive(LEAVES, nest, max_leaves=10))
def test_units_cover_the_lines(part: Part) -> None:
    """Also of deeply nested parts: each line of the text belongs to a unit."""
    lines = render_part(part)
    content = read_units((part,))
    assert content.text == "\n".join(lines)
    assert [unit.end for unit in content.units] == ([len(content.text)] if lines else [])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
@pytest.mark.parametrize("max_tokens", [5, 50, 400])
def test_sample_pages(path: Path, max_tokens: int) -> None:
    for chunk in check_chunks(broadsheet.extract(path.read_bytes()), max_tokens, estimate_tokens):
        assert chunk.tokens <= max_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("The harbour ferry returns.", 7),
        ("2024-03-16", 6),
        ("北京 a_b", 5),
        ("привет мир", 3),
        ("one\n\ntwo", 4),
    ],
)
def test_estimate(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_many_lines_take_little_time() -> None:
    """The number of counted characters grows with the text, not with its square."""
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return len(text)

    body = tuple(paragraph("ab") for _ in range(20_000))
    chunks = Article(body=body).chunks(30_000, count_tokens=count)
    assert len(chunks) == 2
    assert counted < 20 * 60_000


def test_long_nested_texts_take_little_time() -> None:
    """Each level of a list asks whether it fits; the answer must not read the whole text."""
    parts: tuple[Part, ...] = tuple(Paragraph((Run("word " * 40),)) for _ in range(2_000))
    for _ in range(200):
        parts = (Quote(parts),)
    article = Article(title="t", body=parts)
    started = time.thread_time()
    chunks = make_chunks(article)
    assert time.thread_time() - started < 3
    assert all(chunk.tokens <= 400 for chunk in chunks)
    assert sum(len(chunk.text) for chunk in chunks) > 380_000


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_overlap(path: Path) -> None:
    article = broadsheet.extract(path.read_bytes())
    chunks = article.chunks(60, overlap=25)
    for chunk in chunks:
        assert article.text[chunk.start : chunk.end] == chunk.text
        assert chunk.tokens <= 60
    for before, after in pairwise(chunks):
        repeated = article.text[after.start : before.end]
        assert not repeated or (before.headings == after.headings and estimate_tokens(repeated) <= 25)
    covered = {at for chunk in chunks for at in range(chunk.start, chunk.end)}
    assert all(at in covered for at, letter in enumerate(article.text) if not letter.isspace())


def test_overlap_is_whole_sentences() -> None:
    body = (paragraph("One is here. Two is here."), paragraph("Three is here. Four is here."))
    chunks = Article(body=body).chunks(14, overlap=6)
    assert [chunk.text for chunk in chunks] == [
        "One is here. Two is here.",
        "Two is here.\nThree is here. Four is here.",
    ]


def test_markdown() -> None:
    items = listing(*(f"item {number}" for number in range(9)))
    body = (heading(2, "Now"), Paragraph((Run("Bold", is_bold=True), Run(" text."))), items)
    (whole,) = Article(body=body).chunks(with_markdown=True)
    assert whole.markdown == render_markdown(body)
    assert "markdown" not in Article(body=body).chunks()[0].to_dict()
    parts = Article(body=body).chunks(15, with_markdown=True)
    assert parts[0].markdown is not None
    assert parts[0].markdown.startswith("## Now\n\n**Bold** text.")
    assert "item 8" in str(parts[-1].to_dict()["markdown"])


@pytest.mark.parametrize(
    ("overlap", "message"), [(-1, "at least 0, not -1"), (True, "not True"), (10, r"less than max_tokens \(10\)")]
)
def test_wrong_overlap(overlap: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Article().chunks(10, overlap=overlap)
