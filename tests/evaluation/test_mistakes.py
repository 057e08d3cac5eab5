from __future__ import annotations

from pathlib import Path

import pytest

from broadsheet.blocks import segment
from broadsheet.corpora import Record
from broadsheet.evaluation import mistakes
from broadsheet.evaluation.gold import read_gold
from broadsheet.evaluation.mistakes import KINDS, find_mistakes, name_kind
from broadsheet.page import read_page

LONG = "The harbour of Westport opened again on Monday after two years of repairs, and cookies were served to all. " * 3


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
        ("<p>A photo of the harbour hung in his office.</p>", "other"),
        ("<p>By Ann Lee</p>", "byline"),
        ("<p>Updated 12 May 2020</p>", "byline"),
        ("<ul><li>Bread and salt</li></ul>", "list item"),
        ("<p>We use cookies.</p>", "consent text"),
        (f"<p>{LONG}</p>", "other"),
        ("<p>Sign up for our newsletter</p>", "newsletter"),
        ("<table><tr><td>12</td></tr></table>", "table"),
        ("<blockquote><p>So be it.</p></blockquote>", "quote"),
        ("<h2>What now?</h2>", "heading"),
        ("<p>The harbour opened.</p>", "other"),
    ],
)
def test_kinds(html: str, kind: str) -> None:
    blocks = segment(read_page(html))
    assert name_kind(blocks, 0) == kind
    assert kind in KINDS


def test_rules_name_no_company() -> None:
    """Kinds of blocks are told by what they are, not by whose they are."""
    rules = Path(mistakes.__file__).read_text("utf-8").lower()
    assert not [
        name for name in ("disqus", "onetrust", "outbrain", "taboola", "reuters", "getty", "afp") if name in rules
    ]


def test_wrong_blocks_are_named_and_right_ones_are_not() -> None:
    html = "<title>Harbour opens</title><h1>Harbour opens</h1><p>The harbour opened on Monday.</p><h2>What now?</h2><p>We use cookies.</p>"
    gold = read_gold(Record(id="a", html=html, text="Harbour opens\nThe harbour opened on Monday.\nWhat now?"))
    found = [(mistake.error, mistake.kind, mistake.words) for mistake in find_mistakes(gold, [True, True, False, True])]
    assert found == [("missed", "heading", 2), ("extra", "consent text", 3)]
