"""Fusion with its shipped weights, on pages of the kinds that go wrong elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import broadsheet
from broadsheet.article import Status
from broadsheet.blocks import Role, segment
from broadsheet.methods.fusion.method import Fusion, _leave_last_headings, _leave_repeated
from broadsheet.methods.fusion.threshold import HIGHEST, LOWEST, find_limit
from broadsheet.methods.fusion.verdict import HEAD_NAMES, OUTCOME_NAMES, measure_head, measure_outcome
from broadsheet.page import read_page

SENTENCES = (
    "The ferry sailed again on Saturday, eleven years after the county withdrew its grant.",
    "Since then islanders have driven thirty-eight miles round the estuary, said the harbour master, Doris Penn.",
    "The new boat runs on batteries, which charge at the pier in eleven minutes, and carries sixty people.",
    "Two thirds of its price came from the transport board; the rest was raised by 612 households.",
    "“We can see the town from our kitchens,” said one of them, “and now we can go there before breakfast.”",
    "Critics doubt that the boat will pay for itself, as the last one never did, but nobody wants to say so today.",
)
PARAGRAPHS = [f"<p>{SENTENCES[at]} {SENTENCES[(at + 1) % 6]}</p>" for at in range(6)]
NAV = "<nav class=menu><ul>" + "".join(f"<li><a href=/{at}>Topic {at}</a></li>" for at in range(12)) + "</ul></nav>"
RELATED = (
    "<aside class=related><h3>More news</h3><ul>"
    + "".join(f"<li><a href=/news/{at}>Council votes on bridge number {at}</a></li>" for at in range(5))
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


WHOLE = [text_of(paragraph) for paragraph in PARAGRAPHS]


def test_the_text_and_nothing_else() -> None:
    article = broadsheet.extract(make_page(*PARAGRAPHS), method="fusion")
    assert article.text.splitlines() == WHOLE
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
def test_an_article_that_is_split_is_kept_whole(kind: str, between: str) -> None:
    assert extract_lines(make_page(*PARAGRAPHS[:3], between, *PARAGRAPHS[3:])) == WHOLE, kind


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
def test_what_belongs_to_the_text_is_kept(kind: str, part: str, lines: list[str]) -> None:
    found = extract_lines(make_page(*PARAGRAPHS[:3], part, *PARAGRAPHS[3:]))
    assert set(WHOLE) <= set(found), kind
    assert all(any(line in own for own in found) for line in lines), (kind, found)


def test_no_paragraph_twice() -> None:
    assert extract_lines(make_page(*PARAGRAPHS, PARAGRAPHS[2])) == WHOLE


def test_the_text_does_not_end_with_a_heading() -> None:
    roles = [Role.HEADING, Role.BODY, Role.HEADING, Role.BOILERPLATE, Role.HEADING]
    assert _leave_last_headings(roles, [0, 1, 2, 4]) == [0, 1]
    assert _leave_last_headings([Role.HEADING], [0]) == [0]


@pytest.mark.parametrize(
    ("text", "hidden", "times"),
    [("Short line, twice.", "", 2), ("Short line, twice.", " hidden", 1), (WHOLE[0], "", 1), ("Twice.", " hidden", 2)],
)
def test_repeated(text: str, hidden: str, times: int) -> None:
    blocks = segment(read_page(f"<p>{text}</p><p{hidden}>{text}</p>"))
    assert len(_leave_repeated(blocks, [*range(len(blocks))])) == times


def test_comments_are_no_text() -> None:
    comments = "".join(
        f"<div class=comment><span class=comment-author>reader{at}</span><p>I sailed on it, and it was fine, I must say.</p></div>"
        for at in range(4)
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
def test_any_language(language: str, sentence: str) -> None:
    paragraphs = [f"<p>{number}. {sentence} {sentence}</p>" for number in range(1, 6)]
    assert extract_lines(make_page(*paragraphs)) == [text_of(each) for each in paragraphs], language


def test_a_section_page_is_no_article() -> None:
    teasers = "".join(
        f"<div class=teaser><h3><a href=/news/{at}>Council votes on bridge number {at}</a></h3><p>It was a long night...</p></div>"
        for at in range(20)
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
    at = {text: block for block, text in enumerate(blocks.text)}
    assert labels.roles[at["Ferry returns after eleven years"]] is Role.TITLE
    assert labels.roles[at["By Imogen Hale"]] is Role.BYLINE
    assert labels.roles[at["16 March 2024"]] is Role.DATE
    assert labels.scores[at[WHOLE[0]]] > 0.9 > 0.1 > labels.scores[at["Topic 3"]]


@pytest.mark.parametrize(
    ("likely", "chars", "kept"),
    [
        ([0.9, 0.8, 0.1], [100, 100, 100], 2),
        ([0.3, 0.29, 0.01], [100, 100, 100], 2),  # a page that all is doubted of
        ([0.1, 0.1, 0.1], [100, 100, 100], 0),
        ([0.99, 0.85], [1000, 50], 2),
        ([0.99, 0.3], [100, 1000], 1),
    ],
)
def test_limit(likely: list[float], chars: list[float], kept: int) -> None:
    scores = np.array(likely, np.float32)
    limit = find_limit(scores, np.array(chars, np.float32))
    assert LOWEST <= limit <= HIGHEST
    assert int((scores > limit).sum()) == kept


def test_a_limit_of_ones_own() -> None:
    page = read_page(make_page(*PARAGRAPHS))
    blocks = segment(page)
    assert set(Fusion(threshold=1.0).label(page, blocks).roles) <= {
        Role.BOILERPLATE,
        Role.TITLE,
        Role.BYLINE,
        Role.DATE,
    }


def test_measures_of_a_page_have_names() -> None:
    page = read_page(make_page(*PARAGRAPHS), url="https://bay.example/2024/03/16/ferry-returns.html")
    head = dict(zip(HEAD_NAMES, measure_head(page).tolist(), strict=True))
    assert (head["og_article"], head["has_day"], head["depth"], head["is_file"]) == (1, 1, 4, 1)
    assert head["title_in_address"] == pytest.approx(2 / 8)
    measures = np.zeros((200, 3), np.float32)
    assert len(measure_outcome(measures, np.zeros((3, 5), np.float32), 0.5)) == len(OUTCOME_NAMES)


@pytest.mark.parametrize("url", [None, "", "http://[", "https://x.example", "https://x.example/" + "a/" * 3000])
def test_odd_addresses(url: str | None) -> None:
    page = read_page("<p>Text.</p>", url=url)
    assert np.isfinite(measure_head(page)).all()
