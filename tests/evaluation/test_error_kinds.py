from __future__ import annotations

from pathlib import Path

import pytest

from broadsheet.blocks import segment
from broadsheet.corpora import Record
from broadsheet.evaluation import error_kinds
from broadsheet.evaluation.error_kinds import ERROR_KINDS, classify_block, find_block_errors
from broadsheet.evaluation.gold import read_gold
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
        ("<p>A photo of the harbour hung in his office.</p>", "other"),
        ("<p>By Ann Lee</p>", "byline"),
        ("<p>Updated 12 May 2020</p>", "byline"),
        ("<ul><li>Bread and salt</li></ul>", "list item"),
        ("<p>We use cookies.</p>", "consent text"),
        (f"<p>{LONG_TEXT}</p>", "other"),
        ("<p>Sign up for our newsletter</p>", "newsletter"),
        ("<table><tr><td>12</td></tr></table>", "table"),
        ("<blockquote><p>So be it.</p></blockquote>", "quote"),
        ("<h2>What now?</h2>", "heading"),
        ("<p>The harbour opened.</p>", "other"),
    ],
)
def test_classify_block(html: str, kind: str) -> None:
    blocks = segment(read_page(html))
    assert classify_block(blocks, 0) == kind
    assert kind in ERROR_KINDS


def test_rules_do_not_name_companies() -> None:
    """Rules must apply to pages of any site."""
    rules = Path(error_kinds.__file__).read_text("utf-8").lower()
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
