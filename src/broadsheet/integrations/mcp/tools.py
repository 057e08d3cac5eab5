"""The tools as plain functions: arguments in, JSON-ready values out. They raise BroadsheetError."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from itertools import accumulate
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
_LONG_FIELDS = ("text", "chunks", "comments", "comment_details")


@dataclass(frozen=True, slots=True)
class ToolPage:
    """A page that a tool was asked about: its HTML, or an address to fetch."""

    html: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class TextPart:
    """The part of a text that one answer has: at most this many characters, or the chunks or comments with as many."""

    offset: int = 0  # of the first character; in a list, the number of the first chunk or comment
    max_chars: int = 20_000

    def cut(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Cut the text, chunks or comments of an answer, and add `read_on`, which says how to get the next part."""
        if self.offset < 0 or self.max_chars < 1:
            raise UsageError("offset must be at least 0, and max_chars at least 1")
        name, *others = [name for name in _LONG_FIELDS if answer.get(name)] or [""]
        hints = []
        if name:
            value = answer[name]
            end = self._find_end(value) if isinstance(value, str) else self._find_end_of_list(value)
            answer[name] = value[self.offset : end]
            if end < len(value):
                unit = "characters" if isinstance(value, str) else name
                hints = [f"{unit} {self.offset:,} to {end:,} of {len(value):,}; call again with offset={end}"]
        for other in others:
            if sum(map(_count_chars, answer[other])) > self.max_chars:
                hints.append(f'{len(answer[other]):,} {other} are left out; call again with fields=["{other}"]')
                answer[other] = []
        return {**answer, "read_on": "; ".join(hints)} if hints else answer

    def _find_end(self, text: str) -> int:
        """Return the end of the part: after a line break or a space of its second half, if there is one."""
        end = self.offset + self.max_chars
        if end >= len(text):
            return len(text)
        breaks = (text.rfind(mark, end - self.max_chars // 2, end) + 1 for mark in ("\n", " "))
        return next(filter(None, breaks), end)

    def _find_end_of_list(self, values: list[Any]) -> int:
        """Return the number after the last value that fits; the first one is always taken."""
        sizes = accumulate(map(_count_chars, values[self.offset :]))
        return min(self.offset + max(sum(size <= self.max_chars for size in sizes), 1), len(values))


def _count_chars(value: Any) -> int:
    """Count the characters of a comment or chunk."""
    return len(value["text"] if isinstance(value, dict) else value)


FIRST_PART = TextPart()


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """What the person who starts the server decides, not the model that uses it."""

    options: ExtractOptions = field(default_factory=ExtractOptions)
    guard: AddressGuard = DEFAULT_GUARD


def run_extract(  # noqa: PLR0913 - arguments of the tool
    page: ToolPage,
    settings: ToolSettings,
    *,
    method: str | None = None,
    output: Format = "markdown",
    max_tokens: int = 400,
    part: TextPart = FIRST_PART,
) -> dict[str, Any]:
    """Return the article of a page. If the settings name fields, the record of these is returned."""
    article = _extract(_read(page, settings), settings, method)
    if output == "record" or settings.options.fields:
        return part.cut(article.to_dict())
    record = article.to_dict(fields=(*_FIELDS, "status_reason"))
    if output == "chunks":
        return part.cut({**record, "chunks": [chunk.to_dict() for chunk in article.chunks(max_tokens)]})
    return part.cut({**record, "text": article.markdown if output == "markdown" else article.text})


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
