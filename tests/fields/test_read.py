import json
import random
from collections.abc import Callable
from dataclasses import fields as list_fields

import pytest

from broadsheet.fields import Fields
from broadsheet.fields.clean import clean_text

ODD: tuple[object, ...] = (
    None,
    True,
    -1,
    1e300,
    "",
    " ",
    "\ud83d",
    "x" * 9_000,
    [],
    {},
    [[]],
    {"@id": "#"},
    {"name": {}},
    "0",
    "{{x}}",
)
NAMES = (
    "headline",
    "author",
    "datePublished",
    "dateModified",
    "image",
    "publisher",
    "keywords",
    "inLanguage",
    "url",
    "@id",
    "@type",
)


@pytest.mark.parametrize("seed", range(30))
def test_odd_metadata_neither_fail_nor_come_out_broken(read: Callable[..., Fields], seed: int) -> None:
    random_ = random.Random(seed)
    article = {"@type": "Article"} | {name: random_.choice(ODD) for name in random_.sample(NAMES, 6)}
    tags = "".join(
        f"<meta property='{name}' content='{random_.choice(ODD)}'>" for name in ("og:url", "date", "og:image", "author")
    )
    found = read(
        f"<script type='application/ld+json'>{json.dumps([article, {}])}</script>{tags}<h1>Headline</h1><p>Text.</p>",
        random_.choice(("https://example.org/", "http://[", "x", "", None)),
    )
    for field in list_fields(found):
        value = getattr(found, field.name)
        assert value is None or repr(value).encode()


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<h1>" * 2_000,
        "<time>" * 2_000,
        "<p>x" * 5_000,
        "<a rel=author>x</a>" * 5_000,
        "<i itemprop=author itemscope>" * 3_000,
        "<meta name=author content='" + "a, " * 50_000 + "'>",
        "<meta name=date content='" + "1" * 100_000 + "'>",
        "<title>" + " - " * 50_000 + "</title>",
        "<title>" + "a | " * 50_000 + "</title><h1>a</h1><p>x",
        "<meta property=og:image content='https://" + "a" * 500_000 + "<'><p>x",
        "<div class='" + "author " * 50_000 + "'>By " + "x " * 50_000 + "</div><p>x",
    ],
)
def test_hostile_pages_are_read(read: Callable[..., Fields], html: str) -> None:
    assert isinstance(read(html), Fields)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (" a\n b ", "a b"),
        ("a &amp;amp; b", "a & b"),
        ("Tom &#8217;s", "Tom ’s"),
        ("a <b>bold</b> move", "a bold move"),
        ("a < b > c", "a < b > c"),
        ("the <canvas> element", "the <canvas> element"),
        ("zero\u200bwidth", "zerowidth"),
        ("half a pair \ud83d", "half a pair"),
        ("\ud83d\ude00", "😀"),
    ],
)
def test_clean_text(raw: str, text: str) -> None:
    assert clean_text(raw) == text
