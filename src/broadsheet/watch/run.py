"""Run a watch: poll all sites once, or repeatedly. Events are delivered to the output exactly once.

Alarms, and other events if they are configured, are sent to the webhook at least once.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path

from broadsheet.atomic import write_atomically
from broadsheet.errors import FetchError, UsageError, describe_unknown
from broadsheet.extras import import_extra
from broadsheet.output.safe import clean_text
from broadsheet.watch.config import WatchConfig, WatchedSite
from broadsheet.watch.pages import WatchReader
from broadsheet.watch.poll import Poll, PollReport
from broadsheet.watch.state import FeedArticle, State, WaitingEvent
from broadsheet.web import AddressGuard
from broadsheet.web.fetch import post_json
from broadsheet.web.settings import DEFAULT_FETCH_LIMITS, PoliteSettings

_MAX_SITES = 8  # polled at a time
_BATCH = 500  # events written together
_MAX_FEED = 100  # articles in the feed
_SUMMARY_CHARS = 400
_PRIVATE_ADVICE = "set allow_private = true for this site in the configuration to fetch it"

Clock = Callable[[], datetime]


def get_time() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


class Watch:
    """A watch of several sites. It holds the state; use it as a context manager."""

    def __init__(self, config: WatchConfig, *, clock: Clock = get_time) -> None:
        for package in ("fastfeedparser", "lxml.etree"):
            import_extra(package, "discover")
        for folder in (config.state.parent, *(path.parent for path in (config.output, config.feed) if path)):
            if not folder.is_dir():
                raise UsageError(f"there is no folder {folder}; create it first")
        self._config = config
        self._clock = clock
        self._state = State(config.state, sent_kinds=config.webhook_events if config.webhook else ())
        for site in config.sites:
            WatchReader(site, self._state)  # a missing template or an unknown method is reported before the first poll

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._state.__exit__(None, None, None)

    def relearn(self, name: str) -> None:
        """Forget the learned template of a site; the next poll learns it again. Raises UsageError for other names."""
        sites = {site.name: site for site in self._config.sites}
        if name not in sites:
            raise UsageError(describe_unknown("site", name, sites))
        if template := sites[name].template:
            raise UsageError(f"the template of {name} is the file {template}; use broadsheet site learn --into")
        with self._state.change():
            self._state.forget_template(name)

    def poll(self) -> list[PollReport]:
        """Poll all sites once; events that an earlier run left behind are delivered first."""
        self._flush()
        reports = asyncio.run(self._poll_all())
        webhook = self._config.webhook
        problems = [] if webhook is None else _send_events(self._state, webhook)
        if self._config.feed is not None:
            _write_feed(self._state, self._config.feed, self._clock())
        if problems and reports:
            reports[-1].undelivered += problems
        return reports

    async def _poll_all(self) -> list[PollReport]:
        slots = asyncio.Semaphore(_MAX_SITES)

        async def poll(site: WatchedSite) -> PollReport:
            async with slots:
                return await self._make_poll(site).run()

        return list(await asyncio.gather(*map(poll, self._config.sites)))

    def _make_poll(self, site: WatchedSite) -> Poll:
        return Poll(site, self._state, self._make_fetch(site), self._clock(), self._flush, alerts=self._config.alerts)

    def _flush(self) -> None:
        _write_events(self._state, self._config.output)

    def _make_fetch(self, site: WatchedSite) -> PoliteSettings:
        config = self._config
        warc = None
        if config.warc is not None:
            config.warc.mkdir(parents=True, exist_ok=True)
            warc = config.warc / f"{site.name}-{get_time():%Y%m%dT%H%M%S%f}.warc.gz"
        return PoliteSettings(
            guard=AddressGuard(site.allow_private, advice=_PRIVATE_ADVICE).allow_ports_of(site.url),
            limits=replace(DEFAULT_FETCH_LIMITS, max_seconds=site.timeout),
            delay=site.delay,
            cache=config.cache_folder,
            warc=warc,
        )


def run_forever(watch: Watch, seconds: float, report: Callable[[list[PollReport]], None]) -> None:
    """Poll at regular intervals until interrupted."""
    while True:
        start = time.monotonic()
        report(watch.poll())
        time.sleep(max(0.0, seconds - (time.monotonic() - start)))


def _write_events(state: State, output: Path | None) -> list[str]:
    """Write the waiting events to the output file, or to stdout; return their lines."""
    lines: list[str] = []
    while events := state.list_unwritten(_BATCH):
        if output is None:
            _print_events(events)
        else:
            _append_events(state, output, events)
        with state.change():
            state.mark_written(event.number for event in events)
            if output is not None:
                state.save_output_size(str(output.absolute()), output.stat().st_size)
        lines += [event.line for event in events]
    return lines


def _print_events(events: list[WaitingEvent]) -> None:
    for event in events:
        sys.stdout.write(f"{event.line}\n")
    sys.stdout.flush()


def _append_events(state: State, output: Path, events: list[WaitingEvent]) -> None:
    """Append events to a file.

    A process that was killed may have written some of them already, the last one in part. These are at the end of the
    file, after the bytes that are known to be complete; writing continues where it stopped.
    """
    data = "".join(f"{event.line}\n" for event in events).encode("utf-8", "replace")
    output.touch()
    with output.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        complete = _find_complete_size(state, output, size)
        file.seek(complete)
        tail = file.read(len(data) + 1)
        data = data.removeprefix(tail)
        file.seek(0, os.SEEK_END)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _find_complete_size(state: State, output: Path, size: int) -> int:
    """Return how many bytes of the file are complete: all of it, if the file is new to the watch or was shortened."""
    complete = state.find_output_size(str(output.absolute()))
    if complete is None or complete > size:
        with state.change():
            state.save_output_size(str(output.absolute()), size)
        return size
    return complete


def _send_events(state: State, webhook: str) -> list[str]:
    """Send the waiting events to the webhook; return the reasons of failures. Failed ones are sent again next time."""
    problems = []
    for event in state.list_unsent():
        try:
            post_json(webhook, event.line)
        except FetchError as error:
            problems.append(f"cannot send an event: {error}")
            break
        with state.change():
            state.mark_sent(event.number)
    return problems


def _write_feed(state: State, path: Path, now: datetime) -> None:
    """Write the newest articles of all sites as an Atom feed."""
    articles = state.list_newest(_MAX_FEED)
    entries = "".join(map(_write_entry, articles))
    updated = articles[0].first_seen if articles else now.isoformat(timespec="seconds")
    feed = (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<title>Broadsheet watch</title><id>urn:broadsheet:watch:{_escape(path.stem)}</id>"
        f"<updated>{updated}</updated><author><name>Broadsheet</name></author>\n{entries}</feed>\n"
    )
    with write_atomically(path, errors="replace") as file:
        file.write(feed)


def _write_entry(article: FeedArticle) -> str:
    address, summary = _escape(article.url), _escape(" ".join(article.text.split())[:_SUMMARY_CHARS])
    return (
        f'<entry><title>{_escape(article.title or article.url)}</title><id>{address}</id><link href="{address}"/>'
        f"<updated>{article.first_seen}</updated><author><name>{_escape(article.site)}</name></author>"
        f"<summary>{summary}</summary></entry>\n"
    )


def _escape(text: str) -> str:
    return escape(clean_text(text))
