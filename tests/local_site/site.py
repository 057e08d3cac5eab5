"""The state of the local site: which articles exist on which day, and what each address answers."""

from __future__ import annotations

import gzip
import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from urllib.parse import parse_qs, urlsplit

from tests.local_site import listings, pages
from tests.local_site.articles import FIRST_DAY, MEMBERS, SECTIONS, LocalArticle, find_publication, make_article

NEW_PER_DAY = 4
CHANGED_PER_DAY = 2
VANISHED_PER_DAY = 1
MOVED_DAY = 2  # one article gets another address; the old one redirects
PER_PAGE = 20  # articles on one page of a section


@dataclass(frozen=True, slots=True)
class DayEvents:
    """Numbers of the articles that appear, change and vanish on one day."""

    new: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    vanished: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP response."""

    body: bytes = b""
    media_type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0  # the server waits before it answers
    is_endless: bool = False  # the body never ends
    is_cut: bool = False  # the connection closes in the middle of the body


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A request that the site received."""

    path: str
    status: int
    moment: float  # time.monotonic()
    user_agent: str


class LocalSite:
    """A news site whose content depends on `day`."""

    def __init__(
        self,
        article_count: int = 300,
        *,
        layout_day: int | None = None,
        crawl_delay: float | None = None,
        slow_seconds: float = 0.2,
        is_live_endless: bool = True,
    ) -> None:
        self.article_count = article_count  # on day 0, the forbidden ones included
        self.layout_day = layout_day  # from this day on all pages have another layout
        self.crawl_delay = crawl_delay
        self.slow_seconds = slow_seconds
        self.is_live_endless = is_live_endless  # the page /live/ never ends, so that every client needs a time limit
        self.day = 0
        self.walls: set[int] = set()  # articles whose pages only ask for consent to cookies
        self.redirects: dict[int, int] = {}  # articles that lead to another one
        self.base = ""  # set by serve_site
        self.requests: list[LoggedRequest] = []
        self.received: list[tuple[str, bytes]] = []  # path and body of POST requests: webhooks
        self._counts: Counter[str] = Counter()
        self._articles: dict[int, list[LocalArticle]] = {}  # by day
        self._lock = threading.Lock()
        self._held = threading.Condition()
        self._hold_after: int | None = None  # requests that are answered

    # Content.

    def events_of(self, day: int) -> DayEvents:
        """Return what happens on a day. Only articles that are allowed, and listed in a sitemap, change or vanish."""
        if day < 1:
            return DayEvents()
        first = self.article_count + (day - 1) * NEW_PER_DAY
        start = (day - 1) * (CHANGED_PER_DAY + VANISHED_PER_DAY)
        stable = self.stable_numbers[start : start + CHANGED_PER_DAY + VANISHED_PER_DAY]
        return DayEvents(
            new=tuple(range(first, first + NEW_PER_DAY)),
            changed=tuple(stable[:CHANGED_PER_DAY]),
            vanished=tuple(stable[CHANGED_PER_DAY:]),
        )

    @cached_property
    def stable_numbers(self) -> list[int]:
        """Numbers of day 0, newest first, of articles without a special role."""
        articles = map(self._make_first, range(self.article_count - 1, -1, -1))
        special = {self.moved_number, self.failing_number, self.cut_number}
        return [
            article.number
            for article in articles
            if article.is_in_sitemap and article.is_in_section and not article.is_forbidden
            if article.number not in special
        ]

    @property
    def moved_number(self) -> int:
        """The article that moves to another address on MOVED_DAY."""
        return self._find_plain(3)

    @property
    def failing_number(self) -> int:
        """The article whose page always answers 500."""
        return self._find_plain(4)

    @property
    def cut_number(self) -> int:
        """The article whose first answer breaks off."""
        return self._find_plain(8)

    def _find_plain(self, digit: int) -> int:
        numbers = range(digit, self.article_count, 10)
        return next(number for number in numbers if not self._make_first(number).is_forbidden)

    def _make_first(self, number: int) -> LocalArticle:
        return make_article(number, find_publication(number, self.article_count, NEW_PER_DAY))

    def list_articles(self, day: int | None = None) -> list[LocalArticle]:
        """Return the articles of a day, the forbidden ones included, newest first."""
        day = self.day if day is None else day
        if day not in self._articles:
            self._articles[day] = self._make_articles(day)
        return self._articles[day]

    def _make_articles(self, day: int) -> list[LocalArticle]:
        gone = {number for earlier in range(1, day + 1) for number in self.events_of(earlier).vanished}
        count = self.article_count + day * NEW_PER_DAY
        articles = [self._find_article(number, day) for number in range(count) if number not in gone]
        return sorted(articles, key=lambda article: article.published, reverse=True)

    def _find_article(self, number: int, day: int) -> LocalArticle:
        article = self._make_first(number)
        if number == self.moved_number and day >= MOVED_DAY:
            article = replace(article, path=f"/{article.section}/moved/{article.path.strip('/').split('/')[-1]}")
        for changed_day in range(1, day + 1):
            if number in self.events_of(changed_day).changed:
                first, *rest = article.paragraphs
                update = f"Update of day {changed_day}: the vote on case {number} was put off until further notice."
                article = replace(article, paragraphs=(first, update, *rest))
        return article

    def list_allowed(self, day: int | None = None) -> list[str]:
        """Return the addresses of the articles that robots.txt allows."""
        return [self.base + article.path for article in self.list_articles(day) if not article.is_forbidden]

    def list_forbidden(self, day: int | None = None) -> list[str]:
        """Return the addresses of the articles that robots.txt forbids."""
        return [self.base + article.path for article in self.list_articles(day) if article.is_forbidden]

    def address_of(self, number: int) -> str:
        """Return the address of an article today."""
        return self.base + self._find_article(number, self.day).path

    @property
    def now(self) -> datetime:
        """The time of the current day."""
        return FIRST_DAY + timedelta(days=self.day)

    @property
    def has_new_layout(self) -> bool:
        """Whether the pages have the second layout today."""
        return self.layout_day is not None and self.day >= self.layout_day

    def count_forbidden_requests(self) -> int:
        """Return how many requests broke robots.txt."""
        return sum(request.path.startswith(pages.FORBIDDEN_PATHS) for request in self.requests)

    # Answers.

    def answer(self, target: str, user_agent: str = "", validator: str = "") -> Answer:
        """Answer a GET request; with 304 if the ETag that the client knows is still that of the file."""
        with self._lock:
            self._counts[target] += 1
            answer = self._answer(target, self._counts[target])
            if validator and answer.status == 200 and validator == make_validator(answer.body):
                answer = Answer(status=304, headers={"ETag": validator})
            self.requests.append(LoggedRequest(target, answer.status, time.monotonic(), user_agent))
        return answer

    def hold_after(self, requests: int | None) -> None:
        """Answer so many more requests; let the others wait until this is called again. None: answer all."""
        with self._held:
            self._hold_after = None if requests is None else len(self.requests) + requests
            self._held.notify_all()

    def wait_for_turn(self) -> None:
        """Wait while the requests are held. Called for every request before it is answered."""
        with self._held:
            self._held.wait_for(lambda: self._hold_after is None or len(self.requests) < self._hold_after)

    def _answer(self, target: str, count: int) -> Answer:
        parts = urlsplit(target)
        if make := self._fixed.get(parts.path):
            return make()
        if listing := self._answer_listing(parts.path, int(parse_qs(parts.query).get("page", ["1"])[0]), count):
            return listing
        return self._answer_article(parts.path, count)

    @cached_property
    def _fixed(self) -> dict[str, Callable[[], Answer]]:
        return {
            "/robots.txt": lambda: _text(pages.write_robots(self.base, self.crawl_delay), "text/plain"),
            "/": lambda: _text(pages.write_home(self)),
            "/feed": lambda: _redirect("/feeds/rss.xml"),
            "/feeds/rss.xml": lambda: _text(listings.write_rss(self), "application/rss+xml"),
            "/feeds/letters.atom": lambda: _text(listings.write_atom(self), "application/atom+xml"),
            "/feeds/latest.json": lambda: _text(listings.write_json_feed(self), "application/feed+json"),
            "/feeds/loop.xml": lambda: _redirect("/feeds/loop.xml?again"),
            "/feeds/broken.xml": lambda: _text(listings.write_rss(self)[:700], "application/rss+xml"),
            "/sitemap.xml": lambda: _text(listings.write_sitemap_index(self), "application/xml"),
            "/sitemaps/old.xml": lambda: _text(listings.write_sitemap(self, part=0), "application/xml"),
            "/sitemaps/recent.xml.gz": lambda: _gzip(listings.write_sitemap(self, part=1)),
            "/sitemaps/news.xml": lambda: _text(listings.write_news_sitemap(self), "application/xml"),
            "/sitemaps/broken.xml": lambda: _text(listings.write_sitemap(self, part=1)[:900], "application/xml"),
            "/sitemaps/members.xml": lambda: _text(listings.write_sitemap(self, part=2), "application/xml"),
            "/latest": lambda: _redirect(f"/{MEMBERS}/"),  # from an allowed address to a forbidden one
            "/weather/": lambda: Answer(b"failure", status=500),
            "/live/": lambda: Answer(b"<html><body>", is_endless=self.is_live_endless),
            "/about": lambda: _text(pages.write_text_page(self, "About us")),
            "/privacy": lambda: _text(pages.write_text_page(self, "Privacy")),
            "/authors/imogen-hale": lambda: _text(pages.write_text_page(self, "Imogen Hale")),
        }

    def _answer_listing(self, path: str, page: int, count: int) -> Answer | None:
        section = path.strip("/").split("/")[0]
        if section not in (*SECTIONS, MEMBERS):
            return None
        rest = path.strip("/").split("/")[1:]
        if rest[:1] == ["page"] and len(rest) == 2 and rest[1].isdigit():
            page = int(rest[1])
        elif rest:
            return None
        if not path.endswith("/"):
            return _redirect(f"{path}/")
        if section == "farms" and count == 1:
            return Answer(b"busy", status=503, headers={"Retry-After": "1"})
        listed = [article for article in self.list_articles() if article.section == section and article.is_in_section]
        if page > 1 and not listed[PER_PAGE * (page - 1) :]:
            return Answer(b"no such page", status=404)
        seconds = self.slow_seconds if section == "culture" else 0.0
        return _text(pages.write_section(self, section, listed, page, PER_PAGE), seconds=seconds)

    def _answer_article(self, path: str, count: int) -> Answer:
        article = next((article for article in self.list_articles() if article.path == path), None)
        if article is None:
            return self._answer_missing(path)
        if article.number == self.failing_number:
            return Answer(b"failure", status=500)
        if article.number in self.redirects:
            return _redirect(self._find_article(self.redirects[article.number], self.day).path, status=301)
        if article.number in self.walls:
            return _text("<title>Consent</title><p>We and our partners use cookies. Do you agree to all cookies?</p>")
        answer = _text(pages.write_article(self, article))
        if article.section == "culture":
            answer = replace(answer, seconds=self.slow_seconds / 4)
        return replace(answer, is_cut=article.number == self.cut_number and count == 1)

    def _answer_missing(self, path: str) -> Answer:
        moved = self._find_article(self.moved_number, self.day)
        if path == self._make_first(self.moved_number).path:
            return _redirect(moved.path, status=301)
        is_gone = any(path == self._make_first(number).path for number in self._list_vanished())
        return Answer(b"<html><body><h1>Not here</h1></body></html>", status=410 if is_gone else 404)

    def _list_vanished(self) -> list[int]:
        return [number for day in range(1, self.day + 1) for number in self.events_of(day).vanished]


def make_validator(body: bytes) -> str:
    """Return the ETag of a body."""
    return f'"{hashlib.sha256(body).hexdigest()[:16]}"'


def _text(text: str, media_type: str = "text/html; charset=utf-8", *, seconds: float = 0.0) -> Answer:
    return Answer(text.encode(), media_type, seconds=seconds)


def _gzip(text: str) -> Answer:
    return Answer(gzip.compress(text.encode(), mtime=0), "application/gzip")


def _redirect(target: str, *, status: int = 302) -> Answer:
    return Answer(b"", status=status, headers={"Location": target})
