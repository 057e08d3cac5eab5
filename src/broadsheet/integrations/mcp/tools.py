"""The tools as plain functions: arguments in, JSON-ready values out. They raise BroadsheetError."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Literal

from broadsheet.api import extract
from broadsheet.article import Article
from broadsheet.discovery import DiscoverOptions, discover
from broadsheet.errors import UsageError
from broadsheet.evaluation.measures import score_shingles
from broadsheet.methods import methods
from broadsheet.options import ExtractOptions
from broadsheet.text import split_words
from broadsheet.web import DEFAULT_GUARD, AddressGuard, FetchedPage, fetch_page
from broadsheet.web.settings import PoliteSettings

Format = Literal["markdown", "text", "record", "chunks"]
_FIELDS = ("url", "title", "authors", "date_text", "language", "site_name", "description", "status", "confidence")
_MAX_FILES = 100  # feeds, sitemaps and pages of one discovery
_MAX_FINDS = 500
_SAMPLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class ToolPage:
    """A page that a tool was asked about: its HTML, or an address to fetch."""

    html: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """What the person who starts the server decides, not the model that uses it."""

    options: ExtractOptions = field(default_factory=ExtractOptions)
    guard: AddressGuard = DEFAULT_GUARD


def run_extract(
    page: ToolPage,
    settings: ToolSettings,
    *,
    method: str | None = None,
    output: Format = "markdown",
    max_tokens: int = 400,
) -> dict[str, Any]:
    """Return the article of a page. If the settings name fields, the record of these is returned."""
    article = _extract(_read(page, settings), settings, method)
    if output == "record" or settings.options.fields:
        return article.to_dict()
    record = article.to_dict(fields=(*_FIELDS, "status_reason"))
    if output == "chunks":
        return {**record, "chunks": [chunk.to_dict() for chunk in article.chunks(max_tokens)]}
    return {**record, "text": article.markdown if output == "markdown" else article.text}


def choose_fields(settings: ToolSettings, fields: list[str] | None) -> ToolSettings:
    """Return settings with these fields of articles. Raises UsageError."""
    return settings if fields is None else replace(settings, options=replace(settings.options, fields=fields))


def run_discover(url: str, settings: ToolSettings, *, since: str | None = None, limit: int = 50) -> dict[str, Any]:
    """Return the addresses of a site's articles, newest first."""
    if not 1 <= limit <= _MAX_FINDS:
        raise UsageError(f"limit must be from 1 to {_MAX_FINDS}, not {limit}")
    settings.guard.check_address(url if "://" in url else f"https://{url}")
    options = DiscoverOptions(
        since=_read_day(since), limit=limit, max_files=_MAX_FILES, fetch=PoliteSettings(guard=settings.guard)
    )
    discovery = discover(url, options=options)
    return {
        "articles": [find.to_dict() for find in discovery],
        "unread_addresses": len(discovery.problems),
        "requests": discovery.requests,
    }


def run_compare(page: ToolPage, settings: ToolSettings, *, names: list[str] | None = None) -> dict[str, Any]:
    """Extract a page with several methods. `agreement` is the shingle F1 with the text of the first one."""
    fetched = _read(page, settings)
    articles = [_extract(fetched, settings, name) for name in dict.fromkeys(names or methods())]
    first = split_words(articles[0].text)
    return {"methods": [_compare(article, first) for article in articles]}


def _compare(article: Article, first: list[str]) -> dict[str, Any]:
    words = split_words(article.text)
    return {
        "method": article.method,
        "status": article.status.value,
        "confidence": round(article.confidence, 3),
        "title": article.title,
        "words": len(words),
        "agreement": round(score_shingles(words, first).f1, 3),
        "text_start": article.text[:_SAMPLE_CHARS],
        "text_end": article.text[-_SAMPLE_CHARS:],
    }


def _read(page: ToolPage, settings: ToolSettings) -> FetchedPage:
    if page.html is not None:
        return FetchedPage(page.url or "", page.html.encode("utf-8", "surrogatepass"), "utf-8")
    if not page.url:
        raise UsageError("pass html or url")
    # The port of the address is not allowed automatically: the model may have taken the address from a page.
    settings.guard.check_address(page.url)
    return fetch_page(page.url, limits=settings.options.limits, guard=settings.guard)


def _extract(page: FetchedPage, settings: ToolSettings, method: str | None) -> Article:
    options = settings.options if method is None else replace(settings.options, method=method)
    return extract(page.html, url=page.url or None, options=replace(options, charset=page.charset))


def _read_day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise UsageError(f"since must be a date such as 2024-03-16, not {text!r}") from error
