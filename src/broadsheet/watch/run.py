"""Run a watch: poll all sites once, or repeatedly."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from broadsheet.errors import UsageError, describe_unknown
from broadsheet.extras import import_extra
from broadsheet.watch.config import WatchConfig, WatchedSite
from broadsheet.watch.outbox import send_alarms, write_events
from broadsheet.watch.pages import PageReader
from broadsheet.watch.poll import Poll, PollReport
from broadsheet.watch.state import State
from broadsheet.web import AddressGuard
from broadsheet.web.settings import DEFAULT_FETCH_LIMITS, PoliteSettings

_MAX_SITES = 8  # polled at a time

Clock = Callable[[], datetime]


def get_time() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


class Watch:
    """A watch of several sites. It holds the state; use it as a context manager."""

    def __init__(self, config: WatchConfig, *, clock: Clock = get_time) -> None:
        for package in ("fastfeedparser", "lxml.etree", "protego"):
            import_extra(package, "discover")
        for folder in (config.state.parent, config.output.parent if config.output else None):
            if folder is not None and not folder.is_dir():
                raise UsageError(f"there is no folder {folder}; create it first")
        self._config = config
        self._clock = clock
        self._state = State(config.state)
        for site in config.sites:
            PageReader(site, self._state)  # a missing template or an unknown method is reported before the first poll

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
        problems = send_alarms(self._state, self._config.webhook)
        if problems and reports:
            reports[-1].undelivered += problems
        return reports

    async def _poll_all(self) -> list[PollReport]:
        slots = asyncio.Semaphore(_MAX_SITES)

        async def poll(site: WatchedSite) -> PollReport:
            async with slots:
                return await Poll(site, self._state, self._make_fetch(site), self._clock(), self._flush).run()

        return list(await asyncio.gather(*map(poll, self._config.sites)))

    def _flush(self) -> None:
        write_events(self._state, self._config.output)

    def _make_fetch(self, site: WatchedSite) -> PoliteSettings:
        config = self._config
        warc = None
        if config.warc is not None:
            config.warc.mkdir(parents=True, exist_ok=True)
            warc = config.warc / f"{site.name}-{get_time():%Y%m%dT%H%M%S%f}.warc.gz"
        return PoliteSettings(
            guard=AddressGuard(allow_private=site.allow_private).allow_ports_of(site.url),
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
