"""Feeds and sitemaps of the local site."""

from __future__ import annotations

import json
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING

from tests.local_site.articles import LocalArticle

if TYPE_CHECKING:
    from tests.local_site.site import LocalSite

_FEED_ITEMS = 30
_NEWS_ITEMS = 12
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_NEWS = "http://www.google.com/schemas/sitemap-news/0.9"


def write_rss(site: LocalSite) -> str:
    """Write the RSS feed: the newest articles, forbidden ones among them; addresses with tracking parameters."""
    items = "".join(
        f"<item><title>{escape(article.title)}</title>"
        f"<link>{site.base}{article.path}?utm_source=rss&amp;utm_campaign=feed</link>"
        f'<guid isPermaLink="false">post-{article.number}</guid>'
        f"<pubDate>{format_datetime(article.published)}</pubDate></item>\n"
        for article in _list_newest(site, _FEED_ITEMS)
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel><title>The Valley Post</title>'
        f"<link>{site.base}/</link><description>News</description>\n{items}</channel></rss>\n"
    )


def write_atom(site: LocalSite) -> str:
    """Write the Atom feed of letters, with relative addresses."""
    entries = "".join(
        f'<entry><title type="html">{escape(article.title)}</title><id>tag:valley.example,2024:{article.number}</id>'
        f'<link rel="alternate" href="{article.path}"/><published>{article.published.isoformat()}</published>'
        f"<updated>{article.published.isoformat()}</updated></entry>\n"
        for article in site.list_articles()
        if article.is_letter
    )
    return (
        f'<?xml version="1.0"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:base="{site.base}/">'
        f"<title>Letters</title><id>{site.base}/</id><updated>{site.now.isoformat()}</updated>\n{entries}</feed>\n"
    )


def write_json_feed(site: LocalSite) -> str:
    """Write the JSON feed."""
    items = [
        {
            "id": str(article.number),
            "url": site.base + article.path,
            "title": article.title,
            "date_published": article.published.isoformat(),
        }
        for article in _list_newest(site, _FEED_ITEMS)
    ]
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "The Valley Post", "items": items})


def write_sitemap_index(site: LocalSite) -> str:
    """Write the sitemap index: parts, a missing one, a damaged one, a forbidden one."""
    names = ("old.xml", "recent.xml.gz", "news.xml", "missing.xml", "broken.xml", "members.xml")
    parts = "".join(f"<sitemap><loc>{site.base}/sitemaps/{name}</loc></sitemap>\n" for name in names)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{_SITEMAP}">\n{parts}</sitemapindex>\n'


def write_sitemap(site: LocalSite, part: int) -> str:
    """Write a sitemap: the older half, the newer half, or the forbidden articles."""
    listed = [article for article in site.list_articles() if article.is_in_sitemap]
    half = site.article_count // 2
    chosen = {
        0: [article for article in listed if article.number < half],
        1: [article for article in listed if article.number >= half],
        2: [article for article in listed if article.is_forbidden],
    }[part]
    urls = "".join(
        f"<url><loc>{escape(site.base + article.path)}</loc><lastmod>{article.published:%Y-%m-%d}</lastmod></url>\n"
        for article in chosen
    )
    pages = f"<url><loc>{site.base}/about</loc></url><url><loc>{site.base}/</loc></url>\n"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_SITEMAP}">\n{pages}{urls}</urlset>\n'


def write_news_sitemap(site: LocalSite) -> str:
    """Write the news sitemap: titles and times of the newest articles."""
    urls = "".join(
        f"<url><loc>{escape(site.base + article.path)}</loc><news:news><news:publication><news:name>The Valley Post"
        "</news:name><news:language>en</news:language></news:publication>"
        f"<news:publication_date>{article.published.isoformat()}</news:publication_date>"
        f"<news:title>{escape(article.title)}</news:title></news:news></url>\n"
        for article in _list_newest(site, _NEWS_ITEMS)
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_SITEMAP}" xmlns:news="{_NEWS}">\n{urls}</urlset>\n'
    )


def _list_newest(site: LocalSite, count: int) -> list[LocalArticle]:
    listed = [article for article in site.list_articles() if article.is_in_sitemap and article.is_in_section]
    return listed[:count]
