"""Filters of pages: before extraction, by address; after it, by what was extracted. Dropped pages are counted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from broadsheet.article import Article, Status
from broadsheet.capture import Capture
from broadsheet.errors import UsageError
from broadsheet.output.record import read_text
from broadsheet.page import host_of


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that a page must meet. The defaults keep every page."""

    hosts: tuple[str, ...] = ()  # these and their subdomains; without "www."
    url_pattern: str = ""  # regular expression, searched in the address
    without_url_pattern: str = ""  # pages whose address matches are dropped
    languages: tuple[str, ...] = ()  # ISO 639-1
    statuses: tuple[str, ...] = ()
    min_confidence: float = 0.0
    min_chars: int = 0  # of the text
    first_date: date | None = None  # of publication; pages without a date are dropped
    last_date: date | None = None

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError."""
        for pattern in (self.url_pattern, self.without_url_pattern):
            try:
                re.compile(pattern)
            except re.error as error:
                raise UsageError(f"{pattern!r} is not a regular expression: {error}") from error
        if unknown := set(self.statuses) - set(Status):
            raise UsageError(f"unknown status {min(unknown)!r}; known: {', '.join(Status)}")

    def check_capture(self, capture: Capture) -> str:
        """Return why a page is dropped before extraction; "" to keep it. Damaged records are kept: they are rows."""
        if capture.html is None:
            return ""
        if self.hosts and not self._has_host(capture.url):
            return "host"
        url = capture.url or ""
        if self.url_pattern and not re.search(self.url_pattern, url):
            return "url"
        return "url" if self.without_url_pattern and re.search(self.without_url_pattern, url) else ""

    def check_article(self, article: Article) -> str:
        """Return why an article is dropped; "" to keep it. Failures are dropped only by the filter of statuses."""
        if self.statuses and article.status not in self.statuses:
            return "status"
        if article.status.is_failure:
            return ""
        if self.languages and (article.language or "") not in self.languages:
            return "language"
        if article.confidence < self.min_confidence:
            return "confidence"
        if self.min_chars and len(read_text(article)) < self.min_chars:
            return "length"
        return "" if self._has_date(article) else "date"

    def _has_host(self, url: str | None) -> bool:
        host = host_of(url)
        return any(host == name or host.endswith(f".{name}") for name in self.hosts)

    def _has_date(self, article: Article) -> bool:
        if self.first_date is None and self.last_date is None:
            return True
        if article.date is None:
            return False
        day = article.date.date()
        return (self.first_date or day) <= day <= (self.last_date or day)
