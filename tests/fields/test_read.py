import json
import random
import time
from collections.abc import Callable

import pytest

from broadsheet.blocks import Labels, Role, segment
from broadsheet.fields import FIELDS, Fields
from broadsheet.fields.value import clean_text, clean_texts
from broadsheet.page import read_page

ODD_VALUES: tuple[object, ...] = (
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
PROPERTIES = (
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
def test_odd_metadata_give_no_error_and_no_broken_text(read: Callable[..., Fields], seed: int) -> None:
    random_ = random.Random(seed)
    article = {"@type": "Article"} | {name: random_.choice(ODD_VALUES) for name in random_.sample(PROPERTIES, 6)}
    tags = "".join(
        f"<meta property='{name}' content='{random_.choice(ODD_VALUES)}'>"
        for name in ("og:url", "date", "og:image", "author")
    )
    fields = read(
        f"<script type='application/ld+json'>{json.dumps([article, {}])}</script>{tags}<h1>Headline</h1><p>Text.</p>",
        random_.choice(("https://example.org/", "http://[", "x", "", None)),
    )
    for field in FIELDS:
        value = getattr(fields, field.name)
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
    read(html).find_all()


MAX_SECONDS = 3.0  # ten times the usual time of the slowest, for slow machines
PARAGRAPHS = "<h1>Headline</h1>" + "<p>The first paragraph of the story begins here." * 3


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(f"<i itemprop='{'author ' * 20_000}'>x</i>" + PARAGRAPHS, id="names of one property"),
        pytest.param("<i itemprop=name>" * 35 + "word " * 1_200_000 + "</i>" * 35 + PARAGRAPHS, id="nested properties"),
        pytest.param(
            "<i itemprop=author>" * 400 + "<b>x</b>" * 60_000 + "</i>" * 400 + PARAGRAPHS, id="nested authors"
        ),
        pytest.param(
            "".join(f"<meta property=og:title content='{n} {'a | ' * 80}'>" for n in range(1_500))
            + "".join(f"<h2>{n} {'heading ' * 40}</h2>" for n in range(50))
            + PARAGRAPHS,
            id="titles",
        ),
        pytest.param(
            "<script type='application/ld+json'>"
            + json.dumps(
                [
                    {"@type": "Person", "@id": "#p", "name": [f"{n} {'&amp;' * 200}" for n in range(200)]},
                    *[{"@type": "Article", "author": [{"@id": "#p"}] * 150, "publisher": {"@id": "#p"}}] * 200,
                ]
            )
            + "</script>"
            + PARAGRAPHS,
            id="references",
        ),
        pytest.param(
            PARAGRAPHS
            + "<figure>"
            + "<img src=/a.jpg>" * 99
            + f"<figcaption>{'word ' * 400_000}</figcaption></figure>"
            + PARAGRAPHS,
            id="images with one caption",
        ),
        pytest.param("<time>" * 200 + "word " * 200_000 + "</time>" * 200 + PARAGRAPHS, id="nested times"),
        pytest.param(f"<p>x<img srcset='{', ' * 300_000}'><img srcset='{'a 1w,' * 200_000}'><p>x", id="srcset"),
    ],
)
def test_hostile_pages_are_fast(html: str) -> None:
    page = read_page(html)
    blocks = segment(page)
    roles = [Role.BODY if page.nodes.tag[row] == "p" else Role.BOILERPLATE for row in blocks.container]
    labels = Labels(roles, [1.0] * len(roles))
    started = time.process_time()
    Fields(page, blocks, labels).find_all()
    assert time.process_time() - started < MAX_SECONDS


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


def test_clean_texts_drops_duplicates_of_the_first() -> None:
    assert list(clean_texts(["a  b", "a  b", "c", "d"], max_texts=3)) == ["a b", "c"]
