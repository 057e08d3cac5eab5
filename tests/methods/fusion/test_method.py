"""Fusion with its shipped weights, on kinds of pages that other extractors get wrong."""

from __future__ import annotations

import numpy as np
import pytest

import broadsheet
from broadsheet.article import Status
from broadsheet.blocks import Role, segment
from broadsheet.methods.fusion import Fusion, FusionConfig
from broadsheet.methods.fusion.config import DEFAULT_CONFIG
from broadsheet.methods.fusion.corrections import add_headings, drop_last_headings, drop_repeated
from broadsheet.page import read_page

SENTENCES = (
    "The ferry sailed again on Saturday, eleven years after the county withdrew its grant.",
    "Since then islanders have driven thirty-eight miles round the estuary, said the harbour master, Doris Penn.",
    "The new boat runs on batteries, which charge at the pier in eleven minutes, and carries sixty people.",
    "Two thirds of its price came from the transport board; the rest was raised by 612 households.",
    "“We can see the town from our kitchens,” said one of them, “and now we can go there before breakfast.”",
    "Critics doubt that the boat will pay for itself, as the last one never did, but nobody wants to say so today.",
)
PARAGRAPHS = [f"<p>{SENTENCES[number]} {SENTENCES[(number + 1) % 6]}</p>" for number in range(6)]
NAV = (
    "<nav class=menu><ul>"
    + "".join(f"<li><a href=/{number}>Topic {number}</a></li>" for number in range(12))
    + "</ul></nav>"
)
RELATED = (
    "<aside class=related><h3>More news</h3><ul>"
    + "".join(f"<li><a href=/news/{number}>Council votes on bridge number {number}</a></li>" for number in range(5))
    + "</ul></aside>"
)
FOOTER = "<footer><p>© 2024 The Bay Courier. All rights reserved.</p><a href=/imprint>Imprint</a></footer>"


def make_page(*parts: str) -> str:
    return (
        "<html lang=en><head><title>Ferry returns after eleven years - The Bay Courier</title>"
        "<meta property=og:type content=article></head><body>"
        f"<header>{NAV}</header><main><article class=story><h1>Ferry returns after eleven years</h1>"
        "<div class=byline>By Imogen Hale</div><time class=date>16 March 2024</time>"
        f"<div class=article-body>{''.join(parts)}</div></article>{RELATED}</main>{FOOTER}</body></html>"
    )


def extract_lines(html: str) -> list[str]:
    return broadsheet.extract(html, method="fusion").text.splitlines()


def text_of(paragraph: str) -> str:
    return paragraph.removeprefix("<p>").removesuffix("</p>")


TEXTS = [text_of(paragraph) for paragraph in PARAGRAPHS]


def test_text_without_boilerplate() -> None:
    article = broadsheet.extract(make_page(*PARAGRAPHS), method="fusion")
    assert article.text.splitlines() == TEXTS
    assert article.status is Status.OK
    assert 0.8 < article.confidence <= 1


@pytest.mark.parametrize(
    ("kind", "between"),
    [
        ("advert", "<div class=ad-slot><span>Advertisement</span></div>"),
        ("teasers", RELATED),
        ("newsletter", "<form class=newsletter-signup><label>Sign up for our newsletter</label><input></form>"),
        ("share buttons", "<ul class=share-tools><li><a href=#>Share</a></li><li><a href=#>Tweet</a></li></ul>"),
    ],
)
def test_article_with_other_content_in_between(kind: str, between: str) -> None:
    assert extract_lines(make_page(*PARAGRAPHS[:3], between, *PARAGRAPHS[3:])) == TEXTS, kind


@pytest.mark.parametrize(
    ("kind", "part", "lines"),
    [
        (
            "list",
            (
                "<p>What changes, in short:</p><ul><li>Six sailings a day, at the hour.</li>"
                "<li>Tickets cost three pounds, children sail free.</li><li>Bicycles are welcome on board.</li></ul>"
            ),
            ["Six sailings a day, at the hour.", "Tickets cost three pounds, children sail free."],
        ),
        ("subheading", "<h2>A battery and a grant</h2>", ["A battery and a grant"]),
        (
            "quotation",
            "<blockquote><p>I just wanted to be on the first ferry, and now I have been on it, said the lady.</p></blockquote>",
            ["I just wanted to be on the first ferry, and now I have been on it, said the lady."],
        ),
    ],
)
def test_parts_of_the_article_are_kept(kind: str, part: str, lines: list[str]) -> None:
    extracted = extract_lines(make_page(*PARAGRAPHS[:3], part, *PARAGRAPHS[3:]))
    assert set(TEXTS) <= set(extracted), kind
    assert all(any(line in other for other in extracted) for line in lines), (kind, extracted)


def test_repeated_paragraph_is_dropped() -> None:
    assert extract_lines(make_page(*PARAGRAPHS, PARAGRAPHS[2])) == TEXTS


def test_headings_at_the_end_are_dropped() -> None:
    roles = [Role.HEADING, Role.BODY, Role.HEADING, Role.BOILERPLATE, Role.HEADING]
    blocks, scores = segment(read_page("<p>a")), np.zeros(5, np.float32)
    assert set(drop_last_headings(blocks, roles, scores, DEFAULT_CONFIG)) == {2, 4}
    assert not drop_last_headings(blocks, [Role.HEADING], scores, DEFAULT_CONFIG)


@pytest.mark.parametrize(
    ("html", "scores", "is_added"),
    [
        ("<p>a<h2>b</h2><p>c", (0.9, 0.4, 0.9), True),
        ("<p>a<div>x</div><div>y</div><h2>b</h2><p>c", (0.9, 0.1, 0.1, 0.4, 0.9), True),
        ("<p>a<h2>b</h2><p>c", (0.9, 0.2, 0.9), False),
        ("<p>a<h2>b</h2><p>c", (0.1, 0.4, 0.9), False),  # no text before it
        ("<p>a<h2>b</h2><p>c", (0.9, 0.4, 0.1), False),  # no text below it
        ("<p>a<h2>b</h2><h3>c</h3><p>d", (0.9, 0.4, 0.9, 0.9), False),  # a heading below it
        ("<p>a<p>b<p>c", (0.9, 0.4, 0.9), False),
        ("<p>a<h2>b</h2>", (0.9, 0.4), False),
    ],
)
def test_doubtful_headings_between_text_are_kept(html: str, scores: tuple[float, ...], is_added: bool) -> None:
    blocks = segment(read_page(html))
    roles = [Role.BODY if score > 0.5 else Role.BOILERPLATE for score in scores]
    added = add_headings(blocks, roles, np.array(scores, np.float32), DEFAULT_CONFIG)
    assert (Role.HEADING in added.values()) == is_added


def test_other_articles_are_dropped() -> None:
    other = "<article class=story><h1>Bridge closed for repair</h1><div class=article-body>{}</div></article>"
    page = make_page(*PARAGRAPHS[:3]).replace(RELATED, other.format("".join(PARAGRAPHS[3:])))
    assert extract_lines(page) == TEXTS[:3]


@pytest.mark.parametrize(
    ("text", "hidden", "kept"),
    [("Short line, twice.", "", 2), ("Short line, twice.", " hidden", 1), (TEXTS[0], "", 1), ("Twice.", " hidden", 2)],
)
def test_length_of_repeated_texts(text: str, hidden: str, kept: int) -> None:
    blocks = segment(read_page(f"<p>{text}</p><p{hidden}>{text}</p>"))
    dropped = drop_repeated(blocks, [Role.BODY] * len(blocks), np.zeros(2, np.float32), DEFAULT_CONFIG)
    assert len(blocks) - len(dropped) == kept


def test_comments_are_not_article_text() -> None:
    comments = "".join(
        f"<div class=comment><span class=comment-author>reader{number}</span><p>I sailed on it, and it was fine, I must say.</p></div>"
        for number in range(4)
    )
    html = make_page(*PARAGRAPHS).replace(
        "</article>", f"</article><section id=comments><h3>4 comments</h3>{comments}</section>"
    )
    article = broadsheet.extract(html, method="fusion")
    assert "I sailed on it" not in article.text


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        (
            "zh",
            "渡轮星期六重新启航，距离县政府取消补贴已有十一年。港务长表示，岛上居民此后一直要绕海湾行驶三十八英里。",
        ),
        (
            "ru",
            "Паром снова отправился в субботу, через одиннадцать лет после того, как округ отменил субсидию, сказал начальник порта.",
        ),
        (
            "ar",
            "أبحرت العبارة من جديد يوم السبت، بعد أحد عشر عاماً من سحب المقاطعة منحتها، كما قال مدير الميناء للصحفيين.",
        ),
        (
            "el",
            "Το πλοίο απέπλευσε ξανά το Σάββατο, έντεκα χρόνια αφότου η κομητεία απέσυρε την επιχορήγηση, είπε ο λιμενάρχης.",
        ),
    ],
)
def test_languages(language: str, sentence: str) -> None:
    paragraphs = [f"<p>{number}. {sentence} {sentence}</p>" for number in range(1, 6)]
    assert extract_lines(make_page(*paragraphs)) == [text_of(paragraph) for paragraph in paragraphs], language


def test_section_page_is_not_an_article() -> None:
    teasers = "".join(
        f"<div class=teaser><h3><a href=/news/{number}>Council votes on bridge number {number}</a></h3><p>It was a long night...</p></div>"
        for number in range(20)
    )
    html = (
        "<html><head><title>News - The Bay Courier</title><meta property=og:type content=website></head>"
        f"<body>{NAV}<h1>News</h1><div class=teasers>{teasers}</div>{FOOTER}</body></html>"
    )
    assert broadsheet.extract(html, url="https://bay.example/news/", method="fusion").status is Status.NOT_ARTICLE


def test_roles_and_scores() -> None:
    page = read_page(make_page(*PARAGRAPHS))
    blocks = segment(page)
    labels = Fusion().label(page, blocks)
    block_of = {text: block for block, text in enumerate(blocks.text)}
    assert labels.roles[block_of["Ferry returns after eleven years"]] is Role.TITLE
    assert labels.roles[block_of["By Imogen Hale"]] is Role.BYLINE
    assert labels.roles[block_of["16 March 2024"]] is Role.DATE
    assert labels.scores[block_of[TEXTS[0]]] > 0.9 > 0.1 > labels.scores[block_of["Topic 3"]]


def test_fixed_threshold() -> None:
    page = read_page(make_page(*PARAGRAPHS))
    blocks = segment(page)
    roles = Fusion(FusionConfig(threshold=1.0)).label(page, blocks).roles
    assert set(roles) <= {Role.BOILERPLATE, Role.TITLE, Role.BYLINE, Role.DATE}


def test_article_threshold() -> None:
    page = read_page(make_page(*PARAGRAPHS))
    blocks = segment(page)
    assert Fusion().label(page, blocks).is_article
    assert not Fusion(FusionConfig(article_threshold=1.0)).label(page, blocks).is_article


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        (f"<p>a<p>{TEXTS[0]}<p>b<p>c<p>{TEXTS[0]}<p>d", 6),  # a refrain
        (f"<p>a<p>{TEXTS[0]}<p>b<p>c<div><p>{TEXTS[0]}</div><p>d", 5),  # among other elements
        (f"<p>a<p>{TEXTS[0]}<p>b<p>c<p>a<p>{TEXTS[0]}<p>b", 6),  # after the same text: a copy of the whole
        (f"<p>{TEXTS[0]}<p>a<p>b<p>{TEXTS[0]}<p>d", 4),  # the first paragraph: a teaser
    ],
)
def test_repetition_by_the_author_is_kept(html: str, kept: int) -> None:
    blocks = segment(read_page(html))
    dropped = drop_repeated(blocks, [Role.BODY] * len(blocks), np.zeros(9, np.float32), DEFAULT_CONFIG)
    assert len(blocks) - len(dropped) == kept
