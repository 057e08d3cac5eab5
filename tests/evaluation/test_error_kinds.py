from __future__ import annotations

from pathlib import Path

import pytest

from broadsheet.blocks import segment
from broadsheet.corpora import Record
from broadsheet.evaluation import scores
from broadsheet.evaluation.scores import ERROR_KINDS, classify_block, find_block_errors, read_gold
from broadsheet.page import read_page

LONG_TEXT = (
    "The harbour of Westport opened again on Monday after two years of repairs, and cookies were served to all. " * 3
)


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<div class='user-comments'><p>First!</p></div>", "comment"),
        ("<div class='recommended'><p>First!</p></div>", "related links"),
        ("<section class='RelatedStories'><p>More</p></section>", "related links"),
        ("<ul><li><a href=/x>Ships wait outside</a></li></ul>", "related links"),
        ("<figure><figcaption>The harbour</figcaption></figure>", "caption"),
        ("<p>Photo: Ann Lee</p>", "caption"),
        ("<p>The harbour on Monday. Picture by Ann Lee</p>", "caption"),
        ("<p>The harbour on Monday. (Harbour Press Photo/Ann Lee)</p>", "caption"),
        ("<p>The harbour on Monday. Ann Lee/Harbour Images</p>", "caption"),
        ("<p>A photo of the harbour hung in his office.</p>", None),
        ("<p>By Ann Lee</p>", "byline"),
        ("<p>Updated 12 May 2020</p>", "byline"),
        ("<ul><li>Bread and salt</li></ul>", "list item"),
        ("<p>We use cookies.</p>", "consent text"),
        (f"<p>{LONG_TEXT}</p>", None),
        ("<p>Sign up for our newsletter</p>", "newsletter"),
        ("<table><tr><td>12</td></tr></table>", "table"),
        ("<blockquote><p>So be it.</p></blockquote>", "quote"),
        ("<h2>What now?</h2>", "heading"),
        ("<p>The harbour opened.</p>", None),
        ("<nav><p>News Sport</p></nav>", "navigation"),
        ("<header><p>The Westport Post</p></header>", "navigation"),
        ("<footer><p>All rights reserved</p></footer>", "footer"),
        ("<aside><p>The tides of today</p></aside>", "sidebar"),
        ("<form><p>Your name</p></form>", "form"),
        ("<p hidden>The harbour opened.</p>", "hidden text"),
        (f"<p>{LONG_TEXT}</p><p>{LONG_TEXT}</p>", "repeated text"),
    ],
)
def test_classify_block(html: str, kind: str | None) -> None:
    blocks = segment(read_page(html))
    assert classify_block(blocks, 0) == kind
    assert kind is None or kind in ERROR_KINDS


@pytest.mark.parametrize(
    ("kept", "kinds"),
    [
        ("one two", ["missed: end of the text"]),
        ("two three", ["missed: start of the text"]),
        ("one three", ["missed: middle of the text"]),
        ("", ["missed: whole text"] * 3),
        ("one two three zero", ["extra: start of the text"]),
        ("one two three half", ["extra: middle of the text"]),
        ("one two three four", ["extra: end of the text"]),
        ("zero", ["extra: start of the text", *["missed: whole text"] * 3]),
    ],
)
def test_kinds_by_place(kept: str, kinds: list[str]) -> None:
    paragraphs = {name: f"Paragraph {name} is about the {name}." for name in "zero one half two three four".split()}
    html = "".join(f"<p>{text}</p>" for text in paragraphs.values())
    gold = read_gold(Record(id="a", html=html, text="\n".join(paragraphs[name] for name in ("one", "two", "three"))))
    errors = list(find_block_errors(gold, [name in kept.split() for name in paragraphs]))
    assert [f"{error.error}: {error.kind}" for error in errors] == kinds
    assert {error.kind for error in errors} <= set(ERROR_KINDS)


def test_rules_do_not_name_companies() -> None:
    """Rules must apply to pages of any site."""
    rules = Path(scores.__file__).read_text("utf-8").lower()
    assert not [
        name for name in ("disqus", "onetrust", "outbrain", "taboola", "reuters", "getty", "afp") if name in rules
    ]


def test_only_wrong_blocks_are_errors() -> None:
    html = "<title>Harbour opens</title><h1>Harbour opens</h1><p>The harbour opened on Monday.</p><h2>What now?</h2><p>We use cookies.</p>"
    gold = read_gold(Record(id="a", html=html, text="Harbour opens\nThe harbour opened on Monday.\nWhat now?"))
    errors = find_block_errors(gold, [True, True, False, True])
    assert [(error.error, error.kind, error.words) for error in errors] == [
        ("missed", "heading", 2),
        ("extra", "consent text", 3),
    ]
