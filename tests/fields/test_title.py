from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from broadsheet.fields import Fields
from broadsheet.fields import title as title_module

H = "Bridge over the Thaya opens after nine years"
BODY = "<p>The first paragraph of the story is here.</p>"
TITLE = "Cats, they win"
OTHER_TITLE = "How the cats of the valley won"
TEXT = "<p>Some cats, they say, win.</p>"


def ld(headline: str) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", "headline": headline})}</script>'


@pytest.mark.parametrize(
    ("html", "source"),
    [
        (ld(H), "json-ld"),
        (f'<meta property="og:title" content="{H}">', "opengraph"),
        (f'<meta name="twitter:title" content="{H}">', "opengraph"),
        (f'<meta name="dc.title" content="{H}">', "meta"),
        (f"<b itemprop=headline>{H}</b>", "microdata"),
        (f"<title>{H}</title>", "html"),
        (f"<h1>{H}</h1>", "heading"),
        # the site's name is removed
        (f'<meta property="og:site_name" content="Moon Post"><title>{H} | Moon Post</title>', "html"),
        (f'<meta property="og:site_name" content="Moon Post"><title>Moon Post - {H}</title>', "html"),
        (
            f'<meta property="og:site_name" content="Moon Post"><title>{H} - Politics - Moon Post</title><h1>{H}</h1>',
            "html",
        ),
        (f"<title>{H} – The Example</title>", "html"),
        (f"<title>{H} - Nobody knows</title>", "html"),
        (f"<title>Town news: {H}</title><div>{H}</div>", "html"),
        (f"<title>Whoever - Wherever - {H}</title><td>{H}</td>", "html"),
        # the visible heading wins
        (ld("SEO says something else") + f'<meta property="og:title" content="{H}"><h1>{H}</h1>', "opengraph"),
        (ld(H[:30] + "…") + f"<h1>{H}</h1>", "heading"),
        (ld("Bridge over Thaya opens now after nine long years") + f"<h1>{H}</h1>", "heading"),
        (f"<title>{H}</title>" + ld(H) + "<h1>Moon Post</h1><h2>Other story</h2>", "json-ld"),
        (ld(H) + "<h1 hidden>Something else</h1>", "json-ld"),
        # escaped twice, and with unusual white space
        (ld("Bridge over the&amp;nbsp;Thaya  opens\nafter <b>nine</b> years"), "json-ld"),
    ],
)
def test_finds_the_headline(read: Callable[..., Fields], html: str, source: str) -> None:
    title = read(html + BODY, "https://example.org/a").title
    assert title is not None
    assert (title.value, title.source) == (H, source)


def test_the_visible_spelling_wins(read: Callable[..., Fields]) -> None:
    title = read(ld("“Quoted” headline of the day") + "<h1>'Quoted' headline of the day</h1>" + BODY).title
    assert title is not None
    assert title.value == "'Quoted' headline of the day"


@pytest.mark.parametrize("text", [f"{H} | Opinion", f"PARIS | {H}"])
def test_a_bar_separates_headline_and_section(read: Callable[..., Fields], text: str) -> None:
    title = read(ld(text) + f"<h1>{text}</h1>" + BODY).title
    assert title is not None
    assert (title.value, title.source) == (H, "json-ld")


@pytest.mark.parametrize(
    "heading",
    [
        f"<span class=kicker>Banyan</span><br><span>{H}</span>",
        f"<span>Roads and rivers</span> – <span>{H}</span>",
        f"<b>5 May 2021</b> {H}",
        f"{H} <small>Video</small>",
    ],
)
def test_part_of_a_heading_that_metadata_state(read: Callable[..., Fields], heading: str) -> None:
    html = f'<meta property="og:title" content="{H}"><title>Roads and rivers - {H}</title><h1>{heading}</h1>'
    title = read(html + BODY).title
    assert title is not None
    assert title.value == H


def test_the_name_of_the_site_in_the_only_h1_is_not_the_headline(read: Callable[..., Fields]) -> None:
    linked_data = json.dumps({"@type": "BlogPosting", "headline": H, "name": "Moon Diary"})
    head = (
        f'<meta property="og:site_name" content="Moon Diary"><script type="application/ld+json">{linked_data}</script>'
    )
    title = read(f"{head}<title>{H} : Moon Diary</title><h1><a href=/>Moon Diary</a></h1><h2>{H}</h2>{BODY}").title
    assert title is not None
    assert title.value == H


def test_an_element_named_as_a_kicker_is_dropped(read: Callable[..., Fields]) -> None:
    heading = f"<h1><i class=overline>Roads</i> - <b>{H}</b></h1>"
    title = read(f'<meta property="og:title" content="Rivers of the north: {H}">' + heading + BODY).title
    assert title is not None
    assert title.value == H


def test_the_only_h1_at_the_start_of_the_title_element_is_not_ranked(
    read: Callable[..., Fields], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(title_module, "list_candidates", None)  # a call would fail
    title = read(f"<title>{H} - Some section | Some site</title><h1>{H}</h1><h2>Other story</h2>" + BODY).title
    assert title is not None
    assert (title.value, title.source) == (H, "html")


def test_tags_in_the_text_of_a_headline_are_kept(read: Callable[..., Fields]) -> None:
    title = read(f'<meta property="og:title" content="How to use the &lt;canvas&gt; element">{BODY}').title
    assert title is not None
    assert title.value == "How to use the <canvas> element"


@pytest.mark.parametrize(("keywords", "source"), [({"link_titles": (H,)}, "link"), ({"title": H}, "method")])
def test_external_hints_win_over_the_title_element(
    read: Callable[..., Fields], keywords: dict[str, object], source: str
) -> None:
    title = read("<title>Example Online</title>" + BODY, **keywords).title
    assert title is not None
    assert (title.value, title.source) == (H, source)


def test_no_title(read: Callable[..., Fields]) -> None:
    assert read(BODY).title is None
    assert read("").title is None


@pytest.mark.parametrize(
    ("body", "title_blocks"),
    [
        (TEXT, set()),
        (f"<p>{TITLE}</p>{TEXT}", {0}),
        (f"<p>“Cats – they win!”</p>{TEXT}<p>{TITLE}.</p>", {0, 2}),
        (f"<p>{TITLE} again</p>{TEXT}", set()),
        (f"<div>{TITLE}</div>{TEXT}", set()),  # not a body block
        (f"<h1><p>Pets of today – <b>{TITLE}</b></p></h1>{TEXT}", {0}),
        (f"<h1><p>{TITLE}: all the facts from the meeting of the whole valley</p></h1>{TEXT}", set()),
        (f"<h2><p>Pets of today: {TITLE}</p></h2>{TEXT}", set()),  # a heading of the text
        (f"<h2><p>Pets</p></h2><h1><p>{OTHER_TITLE}</p></h1>{TEXT}", {0, 1}),
    ],
)
def test_title_blocks(read: Callable[..., Fields], body: str, title_blocks: set[int]) -> None:
    fields = read(
        f"<title>{TITLE}</title><meta property=og:title content='{TITLE}'>"
        f"<meta name=twitter:title content='{OTHER_TITLE}'>{body}"
    )
    assert fields.title is not None
    assert fields.title_blocks == title_blocks


def test_without_a_title(read: Callable[..., Fields]) -> None:
    assert read("<p>.</p>").title_blocks == set()


# Long paragraphs repeat no title: whether one does is told without the title.
@pytest.mark.parametrize(
    ("body", "needs_title"),
    [
        (f"<p>{'The cats of the valley win again. ' * 8}</p>", False),
        (f"<h1>{OTHER_TITLE}</h1><p>{'The cats of the valley win again. ' * 8}</p><p>Only they win.</p>", False),
        (f"<p>{'The cats of the valley win again. ' * 8}</p><p>Cats: THEY win!</p>", True),
        (f"<p>{'The cats of the valley win again. ' * 8}</p><h2><p>Why</p></h2>", True),
        (f"<p>{'The cats of the valley win again. ' * 3}</p>", True),  # may be a headline that is no heading
    ],
)
def test_most_texts_need_no_title(read: Callable[..., Fields], body: str, needs_title: bool) -> None:
    fields = read(f"<title>{TITLE}</title>{body}")
    assert fields.title_blocks == ({1} if "THEY" in body else set())
    assert ("headline" in vars(fields)) == needs_title
