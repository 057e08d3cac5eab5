"""The HTML pages of the local site, in two layouts, and its robots.txt."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from tests.local_site.articles import MEMBERS, SECTIONS, LocalArticle

if TYPE_CHECKING:
    from tests.local_site.site import LocalSite

FORBIDDEN_PATHS = ("/members/", "/search", "/print/", "/sitemaps/members.xml")
_LINKED_SECTIONS = (*SECTIONS, MEMBERS)


def write_robots(base: str, crawl_delay: float | None) -> str:
    """Write robots.txt."""
    lines = [
        "User-agent: BadBot",
        "Disallow: /",
        "",
        "User-agent: *",
        *(f"Disallow: {path}" for path in FORBIDDEN_PATHS),
    ]
    if crawl_delay is not None:
        lines.append(f"Crawl-delay: {crawl_delay}")
    unusable = ["Sitemap: http://[bad/sitemap.xml", "Sitemap: https://valley.example:99999/sitemap.xml"]
    return "\n".join([*lines, "", *unusable, f"Sitemap: {base}/sitemap.xml", ""])


def write_home(site: LocalSite) -> str:
    """Write the home page: feeds, menu, and the newest articles of each section."""
    articles = [article for article in site.list_articles() if article.is_in_section]
    teasers = [article for section in _LINKED_SECTIONS for article in _take(articles, section, 3)]
    return _write_page(site, "The Valley Post", _write_teasers(site, teasers), has_feeds=True)


def write_section(site: LocalSite, section: str, articles: Sequence[LocalArticle], page: int, per_page: int) -> str:
    """Write a page of a section; sport counts its pages in the query, the others in the path."""
    shown = articles[per_page * (page - 1) : per_page * page]
    body = f"<h1>{section.title()}</h1>{_write_teasers(site, shown)}"
    if articles[per_page * page :]:
        target = f"/{section}/?page={page + 1}" if section == "sport" else f"/{section}/page/{page + 1}/"
        body += f'<div class="pager"><a rel="next" href="{target}">Older</a></div>'
    return _write_page(site, section.title(), body)


def write_article(site: LocalSite, article: LocalArticle) -> str:
    """Write the page of an article in the layout of the day."""
    write = _write_second if site.has_new_layout else _write_first
    return _write_page(site, article.title, write(article), canonical=site.base + article.path)


def write_text_page(site: LocalSite, title: str) -> str:
    """Write a page that is not an article."""
    return _write_page(site, title, f"<h1>{title}</h1><p>The Valley Post, 4 Mill Lane, Carrow.</p>")


def _take(articles: Sequence[LocalArticle], section: str, count: int) -> list[LocalArticle]:
    return [article for article in articles if article.section == section][:count]


def _write_teasers(site: LocalSite, articles: Sequence[LocalArticle]) -> str:
    if site.has_new_layout:
        cards = "".join(
            f'<li class="card"><a class="card-link" href="{article.path}"><span class="kicker">{article.section}</span>'
            f"<strong>{escape(article.title)}</strong></a><small>{article.published:%d %B %Y}</small></li>"
            for article in articles
        )
        return f'<ul class="cards">{cards}</ul>'
    return "".join(
        f'<div class="teaser"><h2><a href="{article.path}?utm_source=site&amp;utm_medium=teaser">{escape(article.title)}</a>'
        f'</h2><p class="date"><time datetime="{article.published.isoformat()}">{article.published:%d %B %Y}</time></p>'
        f'<p>{escape(article.paragraphs[0])} <a href="{article.path}#more">Read more</a></p></div>'
        for article in articles
    )


def _write_first(article: LocalArticle) -> str:
    paragraphs = "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in article.paragraphs)
    return (
        f'<div class="story"><h1>{escape(article.title)}</h1>'
        f'<div class="meta"><span class="byline">By {article.author}</span> '
        f'<time datetime="{article.published.isoformat()}">{article.published:%d %B %Y}</time></div>\n'
        f'<div class="text">{paragraphs}</div>'
        f'<p class="tools"><a href="/print{article.path}">Print</a></p></div>'
    )


def _write_second(article: LocalArticle) -> str:
    """Write an article in a layout that is harder to read: no paragraphs, no byline, no machine-readable date."""
    lines = "<br><br>".join(escape(paragraph) for paragraph in article.paragraphs)
    return (
        '<table class="frame"><tbody><tr><td class="gutter"></td><td class="canvas">'
        f'<div class="hero"><b class="display">{escape(article.title)}</b></div>'
        f'<section class="c-body"><span class="c-copy">{lines}</span></section>'
        '<section class="c-share"><i class="icon"></i><em>Share</em></section></td></tr></tbody></table>'
    )


def _write_page(site: LocalSite, title: str, body: str, *, has_feeds: bool = False, canonical: str = "") -> str:
    frame = _write_second_frame if site.has_new_layout else _write_first_frame
    head = f'<link rel="canonical" href="{canonical}">' if canonical else ""
    if has_feeds:
        head += _FEED_LINKS
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} - The Valley Post</title>'
        f'<meta property="og:site_name" content="The Valley Post">{head}</head>\n<body>{frame(body)}</body></html>\n'
    )


_FEED_LINKS = (
    '<link rel="alternate" type="application/rss+xml" href="/feed">'
    '<link rel="alternate" type="application/atom+xml" href="/feeds/letters.atom">'
    '<link rel="alternate" type="application/feed+json" href="/feeds/latest.json">'
    '<link rel="alternate" type="application/rss+xml" href="/feeds/loop.xml">'
    '<link rel="alternate" type="application/rss+xml" href="/feeds/broken.xml">'
)
_MENU = [
    *(f"/{section}/" for section in SECTIONS[1:]),
    f"/{SECTIONS[0]}",
    f"/{MEMBERS}/",
    "/weather/",
    "/live/",
    "/latest",
]


def _write_first_frame(body: str) -> str:
    menu = "".join(f'<li><a href="{path}">{path.strip("/").title()}</a></li>' for path in _MENU)
    return (
        f'<div id="top"><a href="/">The Valley Post</a><ul class="menu">{menu}</ul></div>\n'
        f'<div id="page"><div class="col">{body}</div>\n<div class="side"><h4>Service</h4><ul>'
        '<li><a href="/search?q=ferry+returns+after+eleven+years">Search for the ferry and all its stories</a></li>'
        '<li><a href="/authors/imogen-hale">All articles by Imogen Hale</a></li></ul></div></div>\n'
        '<div id="foot"><p>The Valley Post, 4 Mill Lane.</p><p><a href="/about">About</a> <a href="/privacy">Privacy</a>'
        '<a href="https://elsewhere.example/news/2024/03/01/a-story-on-another-site-entirely">A story elsewhere</a></p></div>'
    )


def _write_second_frame(body: str) -> str:
    menu = "".join(f'<a class="c-tab" href="{path}"><i></i>{path.strip("/").title()}</a>' for path in _MENU)
    return (
        '<header class="masthead"><svg class="logo"></svg><button class="burger">Menu</button></header>'
        f'<aside class="rail"><form class="finder"><input name="q"></form>{menu}</aside><main class="grid">{body}</main>'
        '<footer class="base"><dl><dt>Office</dt><dd>4 Mill Lane</dd></dl><a href="/about">About</a></footer>'
    )
