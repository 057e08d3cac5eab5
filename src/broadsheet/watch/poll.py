"""One poll of one site: discover articles, read new ones, check known ones for changes, raise alarms."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from difflib import unified_diff
from typing import Any, TypeVar

from broadsheet.discovery.addresses import make_key
from broadsheet.discovery.crawl import Crawl
from broadsheet.discovery.find import DiscoverOptions, Find
from broadsheet.errors import FetchError
from broadsheet.site.health import PAGE_ALARMS, Alarm, AlarmKind, HealthLimits, judge_pages, judge_silence
from broadsheet.watch.config import WatchAlert, WatchedSite
from broadsheet.watch.pages import WatchedPage, WatchReader
from broadsheet.watch.state import Event, EventKind, KnownArticle, State
from broadsheet.web.client import Reply, WebClient
from broadsheet.web.failure import find_http_status
from broadsheet.web.settings import PoliteSettings

_CHUNK = 20  # pages that are fetched, stored and reported together
_MAX_FAILURES = 5  # polls in which a new page may fail; then it is no longer tried
_MAX_MISSES = 2  # polls in a row with 404 after which an article counts as vanished; with 410 it does at once
_GONE, _NOT_FOUND = 410, 404
_ADVICE = {
    AlarmKind.DRIFT: "check the texts, then learn the site again (broadsheet watch --relearn)",
    AlarmKind.CONFIDENCE: "check the texts",
    AlarmKind.FIELDS: "check the pages",
    AlarmKind.SILENCE: "check whether the site has moved or blocks the watch",
}

T = TypeVar("T")


@dataclass(slots=True)
class PollReport:
    """What a poll did."""

    site: str
    new: int = 0
    changed: int = 0
    vanished: int = 0
    alarms: tuple[str, ...] = ()  # kinds that are active
    problems: list[str] = field(default_factory=list)  # pages that could not be read
    undelivered: list[str] = field(default_factory=list)  # why alarms could not be sent to the webhook


class Poll:
    """A poll of one site. Pages are stored together with their events, some at a time."""

    def __init__(  # noqa: PLR0913 - a poll needs them all
        self,
        site: WatchedSite,
        state: State,
        fetch: PoliteSettings,
        now: datetime,
        flush: Callable[[], None],
        *,
        alerts: Sequence[WatchAlert] = (),
    ) -> None:
        self._alerts = alerts
        self._site = site
        self._state = state
        self._fetch = fetch
        self._now = now
        self._flush = flush  # delivers the events so far
        self._reader = WatchReader(site, state)
        self._page_count = 0  # pages that were measured
        self._handled: set[str] = set()  # keys of pages that were fetched in this poll
        self._report = PollReport(site.name)

    async def run(self) -> PollReport:
        """Poll the site."""
        try:
            async with WebClient(self._fetch) as client:
                finds = await self._discover(client)
                await self._read_new(client, finds)
                await self._recheck(client, finds)
        except FetchError as error:  # of the start page
            self._apply({AlarmKind.UNREACHABLE}, [Alarm(AlarmKind.UNREACHABLE, str(error))])
            self._report.problems.append(str(error))
        else:
            self._apply({AlarmKind.UNREACHABLE}, [])
            self._judge_pages()
        silence = judge_silence(self._find_last_new(), self._now, self._site.silence)
        self._apply({AlarmKind.SILENCE}, [silence] if silence else [])
        self._flush()
        self._report.alarms = tuple(self._state.list_alarms(self._site.name))
        return self._report

    async def _discover(self, client: WebClient) -> list[Find]:
        site = self._site
        options = DiscoverOptions(
            since=self._now - timedelta(days=site.days),
            max_files=site.max_files,
            max_pages=site.max_pages,
            fetch=self._fetch,
        )
        discovery = await Crawl(client, site.url, options).run()
        self._report.problems += [f"{problem.url}: {problem.reason}" for problem in discovery.problems]
        return list(discovery.finds)

    # New articles.

    async def _read_new(self, client: WebClient, finds: Sequence[Find]) -> None:
        name = self._site.name
        unknown = [
            find
            for find in finds
            if self._state.find_article(name, make_key(find.url)) is None
            and self._state.find_failures(name, make_key(find.url)) < _MAX_FAILURES
        ]
        for chunk in _split(unknown[: self._site.max_new], _CHUNK):
            results = await _get_all(client, [find.url for find in chunk])
            with self._state.change():  # one commit for the chunk, because each commit waits for the disk
                self._learn(results)
                for find, result in zip(chunk, results, strict=True):
                    self._handled.add(make_key(find.url))
                    if isinstance(result, FetchError):
                        self._count_failure(find, str(result))
                    else:
                        self._add_new(find, self._reader.read(result))
            self._flush()

    def _count_failure(self, find: Find, problem: str) -> None:
        """Report a page that could not be read. The next polls try it again."""
        self._report.problems.append(problem)
        self._state.count_failure(self._site.name, make_key(find.url))

    def _learn(self, results: Sequence[Reply | FetchError]) -> None:
        if self._reader.needs_pages:
            self._reader.learn([result for result in results if isinstance(result, Reply)])

    def _add_new(self, find: Find, page: WatchedPage) -> None:
        """Store a page that was not known: an article, another address of a known one, or not an article."""
        if page.is_blocked:
            problem = f"{page.url}: {page.article.status.meaning}"
            if page.article.status.is_failure:
                self._count_failure(find, problem)
            else:  # a consent wall may cover the whole site for hours, so the page is tried again while it is listed
                self._report.problems.append(problem)
            return
        name, key, final_key = self._site.name, make_key(find.url), make_key(page.url)
        row = _make_row(key, page, "active" if page.is_article else "ignored")
        is_twin = page.is_article and self._find_twin(key, final_key, page) is not None
        if is_twin or (page.is_article and key != final_key):
            self._state.save_article(name, replace(row, state="alias", text=""), self._now)
        elif not page.is_article:
            self._state.save_article(name, row, self._now)
        if is_twin or not page.is_article:
            return
        self._state.save_article(name, replace(row, key=final_key), self._now)
        self._handled.add(final_key)
        self._state.save_last_new(name, self._now)
        self._add_measure(page)
        self._add_event(EventKind.NEW, {"url": page.url, "article": page.article.to_dict()})
        for alert in self._alerts:
            if matches := alert.find_matches(page.article):
                values = {"url": page.url, "title": page.article.title, "alert": alert.name, "matches": matches}
                self._add_event(EventKind.ALERT, values)
        self._report.new += 1

    def _find_twin(self, key: str, final_key: str, page: WatchedPage) -> KnownArticle | None:
        """Return the known article that a new address leads to: by redirect, or with the same text."""
        twin = self._state.find_article(self._site.name, final_key) if final_key != key else None
        return twin or (self._state.find_text(self._site.name, page.article.text) if page.article.text else None)

    # Known articles.

    async def _recheck(self, client: WebClient, finds: Sequence[Find]) -> None:
        recent = self._state.list_recent(self._site.name, self._now - self._site.recheck)
        listed = (self._state.find_article(self._site.name, make_key(find.url)) for find in finds)
        vanished = [article for article in listed if article is not None and article.state == "vanished"]
        unchecked = [article for article in [*recent, *vanished] if article.key not in self._handled]
        for chunk in _split(unchecked, _CHUNK):
            results = await _get_all(client, [article.url for article in chunk])
            with self._state.change():
                self._learn(results)
                for article, result in zip(chunk, results, strict=True):
                    if isinstance(result, FetchError):
                        self._note_failure(article, result)
                    else:
                        self._compare(article, result)
            self._flush()

    def _note_failure(self, known: KnownArticle, error: FetchError) -> None:
        status = find_http_status(error)
        if status not in (_GONE, _NOT_FOUND):
            self._report.problems.append(str(error))
        elif known.state == "active":
            misses = known.misses + 1
            is_gone = status == _GONE or misses >= _MAX_MISSES
            if is_gone:
                gone = replace(known, state="vanished", misses=misses)
                self._report_vanished(gone, f"the server answered {status}")
            else:
                self._state.save_article(self._site.name, replace(known, misses=misses), self._now)

    def _report_vanished(self, article: KnownArticle, reason: str) -> None:
        self._state.save_article(self._site.name, article, self._now)
        self._add_event(EventKind.VANISHED, {"url": article.url, "title": article.title, "reason": reason})
        self._report.vanished += 1

    def _find_other(self, known: KnownArticle, reply: Reply) -> KnownArticle | None:
        """Return another article that the address of a known one leads to now."""
        key = make_key(reply.url)
        other = self._state.find_article(self._site.name, key) if key != known.key else None
        return other if other is not None and other.state == "active" else None

    def _compare(self, known: KnownArticle, reply: Reply) -> None:
        """Compare an article with what is known of it, and store the difference."""
        if (other := self._find_other(known, reply)) is not None:
            if known.state == "active":
                self._report_vanished(replace(known, state="vanished"), f"it redirects to {other.url}")
            return
        if known.state == "vanished":
            self._add_event(EventKind.RETURNED, {"url": known.url, "title": known.title})
        updated = replace(known, state="active", misses=0)
        if not _is_same_page(known, reply):
            page = self._reader.read(reply)
            self._add_measure(page)
            if page.is_article and not page.measure.has_changed:
                updated = self._report_change(updated, page)
        if updated != known:
            self._state.save_article(self._site.name, updated, self._now)

    def _report_change(self, known: KnownArticle, page: WatchedPage) -> KnownArticle:
        article = page.article
        title = article.title or ""
        if article.text.split() != known.text.split() or title != known.title:
            values: dict[str, Any] = {"url": known.url, "diff": _compare_texts(known.text, article.text)}
            if title != known.title:
                values["old_title"] = known.title
            self._add_event(EventKind.CHANGED, {**values, "article": article.to_dict()})
            self._report.changed += 1
        return replace(known, title=title, text=article.text, html_hash=page.html_hash)

    # Alarms and events.

    def _find_last_new(self) -> datetime:
        """Return the time of the last new article; that of the first poll if there was none."""
        last_new = self._state.find_last_new(self._site.name)
        if last_new is None:
            last_new = self._now
            with self._state.change():
                self._state.save_last_new(self._site.name, last_new)
        return last_new

    def _add_measure(self, page: WatchedPage) -> None:
        self._state.add_measure(self._site.name, page.measure)
        self._page_count += 1

    def _add_event(self, kind: EventKind, values: dict[str, Any]) -> None:
        self._state.add_event(Event(kind, self._site.name, self._now, values))

    def _judge_pages(self) -> None:
        site = self._site
        limits = HealthLimits(site.min_confidence, site.max_confidence_drop, site.fields)
        alarms = judge_pages(self._state.list_measures(site.name), limits, new_pages=self._page_count)
        if self._page_count and alarms is not None:  # otherwise the alarms stay as they were
            self._apply(PAGE_ALARMS, alarms)

    def _apply(self, judged: Set[AlarmKind], alarms: Sequence[Alarm]) -> None:
        """Report the alarms that begin, and those of the judged kinds that end."""
        name = self._site.name
        with self._state.change():
            active = self._state.list_alarms(name)
            for alarm in alarms:
                if alarm.kind not in active:
                    self._state.save_alarm(name, alarm.kind, self._now)
                    self._add_event(EventKind.ALARM, {"alarm": str(alarm.kind), "message": _add_advice(alarm)})
            raised = {alarm.kind for alarm in alarms}
            for kind in judged - raised:
                if kind in active:
                    self._state.delete_alarm(name, kind)
                    self._add_event(EventKind.RESOLVED, {"alarm": str(kind)})


def _add_advice(alarm: Alarm) -> str:
    advice = _ADVICE.get(alarm.kind)
    return f"{alarm.message}; {advice}" if advice else alarm.message


def _compare_texts(old: str, new: str) -> str:
    """Return the paragraphs that changed, as a unified diff without file names."""
    lines = list(unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1))
    return "\n".join(lines[2:])


def _make_row(key: str, page: WatchedPage, state: str) -> KnownArticle:
    article = page.article
    return KnownArticle(key, page.url, state, article.title or "", article.text, page.html_hash, 0)


def _is_same_page(known: KnownArticle, reply: Reply) -> bool:
    return bool(known.html_hash) and hashlib.sha256(reply.body).hexdigest() == known.html_hash


async def _get_all(client: WebClient, addresses: Sequence[str]) -> list[Reply | FetchError]:
    async def get(address: str) -> Reply | FetchError:
        try:
            return await client.get(address)
        except FetchError as error:
            return error

    return await asyncio.gather(*map(get, addresses))


def _split(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
