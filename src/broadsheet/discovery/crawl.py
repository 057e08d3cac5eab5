"""Discovery of one site: home page, feeds, sitemaps and sections, fetched concurrently and politely."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

from broadsheet.discovery.addresses import is_same_site, make_key, resolve_link
from broadsheet.discovery.feeds import FEED_PLACES, parse_feed
from broadsheet.discovery.find import DiscoverOptions, Discovery, Find, FindSet, Origin, Problem, make_aware
from broadsheet.discovery.links import PlacedLink, list_sections, read_listing
from broadsheet.discovery.scoring import MIN_SCORE, ArticleScorer
from broadsheet.discovery.sitemaps import SITEMAP_PLACES, Sitemap, SitemapPart, parse_sitemap
from broadsheet.errors import FetchError, InputError, LimitReached, UsageError
from broadsheet.extras import import_extra
from broadsheet.page import host_of, read_page
from broadsheet.web import find_fault
from broadsheet.web.client import Reply, WebClient
from broadsheet.web.failure import find_http_status
from broadsheet.web.robots import find_origin
from broadsheet.web.settings import PoliteSettings

ItemT = TypeVar("ItemT")


def discover(  # noqa: PLR0913 - the common options as keywords
    url: str,
    *,
    since: date | datetime | None = None,
    limit: int | None = None,
    cache: str | Path | None = None,
    allow_private: bool = False,
    options: DiscoverOptions | None = None,
) -> Discovery:
    """Find the articles of a site in its feeds, sitemaps, home and section pages.

    Args:
        url: The home page, or a section page: then only articles of that section.
        since: Only articles from this day on.
        limit: The largest number of finds.
        cache: A folder of responses; unchanged files are not fetched again.
        allow_private: Also fetch from private addresses, such as http://localhost:8000.
        options: A `DiscoverOptions` value, which the arguments above change: delays, numbers of files, WARC output.

    Raises FetchError if the start page cannot be fetched.

    """
    settings = _make_options(options, since, limit, cache, allow_private=allow_private)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(discover_async(url, settings))
    with ThreadPoolExecutor(1) as threads:  # called inside an event loop, as in a notebook
        return threads.submit(lambda: asyncio.run(discover_async(url, settings))).result()


async def discover_async(url: str, options: DiscoverOptions | None = None) -> Discovery:
    """Do the same as `discover`, inside an event loop."""
    options = options or DiscoverOptions()
    for package in ("fastfeedparser", "lxml.etree"):
        import_extra(package, "discover")
    start = _complete_address(url)
    fetch = replace(options.fetch, guard=options.fetch.guard.allow_ports_of(start))
    async with WebClient(fetch) as client:
        return await Crawl(client, start, replace(options, fetch=fetch)).run()


def _complete_address(url: str) -> str:
    """Add https:// to a bare host name. Raises UsageError for what cannot be an address."""
    address = url.strip()
    if "://" not in address and "." in address and " " not in address:
        address = f"https://{address}"
    if fault := find_fault(address):
        raise UsageError(f"{url!r:.200} cannot be fetched: {fault}")
    return address


def _make_options(
    options: DiscoverOptions | None,
    since: date | datetime | None,
    limit: int | None,
    cache: str | Path | None,
    *,
    allow_private: bool,
) -> DiscoverOptions:
    options = options or DiscoverOptions()
    fetch: PoliteSettings = options.fetch
    if cache is not None:
        fetch = replace(fetch, cache=Path(cache))
    if allow_private:
        fetch = replace(fetch, guard=replace(fetch.guard, allow_private=True))
    return replace(
        options,
        since=options.since if since is None else since,
        limit=options.limit if limit is None else limit,
        fetch=fetch,
    )


_MAX_DEPTH = 3  # of sitemap indexes in indexes
_MAX_ORIGINS = 20  # subdomains whose robots.txt is read
_PAGE_TYPES = frozenset(("text/html", "application/xhtml+xml", ""))


class Crawl:
    """The discovery of one site."""

    def __init__(self, client: WebClient, start: str, options: DiscoverOptions) -> None:
        self._client = client
        self._start = start
        self._options = options
        self._host = host_of(start)
        self._folder = ""  # if the start page is a section: finds of feeds and sitemaps must be below it
        self._known = FindSet()  # of feeds and news sitemaps: certainly articles
        self._candidates: list[Find] = []  # of sitemaps
        self._links: list[PlacedLink] = []
        self._problems: list[Problem] = []
        self._likely: set[str] = set()  # keys of wanted finds so far, counted for the limit
        self._scorer = ArticleScorer()
        self._requested: set[str] = set()
        self._file_count = 0
        self._find_count = 0  # of feeds, sitemaps and pages, repeated ones included
        self._group = asyncio.TaskGroup()

    async def run(self) -> Discovery:
        """Return the finds. Raises FetchError if the start page cannot be fetched."""
        start = await self._fetch_start()
        async with self._group:
            await self._read_start(start)
        finds = [find for find in self._judge() if self._options.is_wanted(find)]
        allowed = await self._drop_forbidden(finds)
        return Discovery(tuple(allowed[: self._options.limit]), tuple(self._problems), self._client.request_count)

    # Fetching.

    async def _fetch_start(self) -> Reply:
        reply = await self._client.get(self._start)
        self._requested.add(make_key(self._start))
        self._requested.add(make_key(reply.url))
        self._file_count += 1
        self._host = host_of(reply.url)
        path = urlsplit(reply.url).path.rstrip("/")
        self._folder = "" if "." in path else path
        return reply

    async def _read_start(self, reply: Reply) -> None:
        options = self._options
        feeds = await self._read_page(reply, is_start=True)
        if options.reads_feeds and not feeds:
            self._spawn_all(self._read_feed(urljoin(reply.url, place), is_guess=True) for place in FEED_PLACES)
        if options.reads_sitemaps:
            stated = (await self._client.find_rules(reply.url)).sitemaps
            named = [place for address in stated if (place := resolve_link(address, reply.url))]
            places = named or [urljoin(reply.url, place) for place in SITEMAP_PLACES]
            self._spawn_all(self._read_sitemap(SitemapPart(place, None), is_guess=not named) for place in places)

    def _spawn_all(self, tasks: Iterable[Coroutine[None, None, None]]) -> None:
        for task in tasks:
            self._group.create_task(task)

    async def _fetch(self, address: str, *, is_guess: bool = False) -> Reply | None:
        """Fetch a file once; None if it cannot be read, or if enough was read."""
        if find_fault(address):
            return None
        key = make_key(address)
        if key in self._requested or self._is_done():
            return None
        self._requested.add(key)
        self._file_count += 1
        try:
            return await self._client.get(address)
        except FetchError as error:
            if not (is_guess and find_http_status(error) is not None):
                self._add_problem(address, str(error).partition(": ")[2])
            return None

    def _is_done(self) -> bool:
        """Return whether enough files were fetched, or enough articles were found."""
        limit = self._options.limit
        if self._find_count >= self._options.max_finds:
            return True
        return self._file_count >= self._options.max_files or (limit is not None and len(self._likely) >= limit)

    def _add_problem(self, address: str, reason: str) -> None:
        self._problems.append(Problem(address, reason))

    # Feeds and sitemaps.

    async def _read_feed(self, address: str, *, is_guess: bool = False) -> None:
        reply = await self._fetch(address, is_guess=is_guess)
        if reply is None:
            return
        try:
            feed = parse_feed(reply.body, reply.url)
        except InputError as error:
            if not is_guess:
                self._add_problem(address, str(error))
            return
        if feed.fault:
            self._add_problem(address, feed.fault)
        for find in self._take(feed.finds, address):
            self._add_known(find)

    async def _read_sitemap(self, part: SitemapPart, *, is_guess: bool = False, depth: int = 0) -> None:
        earliest = self._options.earliest
        if earliest and part.date and make_aware(part.date) < earliest:
            return
        reply = await self._fetch(part.url, is_guess=is_guess)
        if reply is None:
            return
        try:
            sitemap = parse_sitemap(reply.body, reply.url)
        except InputError as error:
            if not is_guess:
                self._add_problem(part.url, str(error))
            return
        if sitemap.fault:
            self._add_problem(part.url, sitemap.fault)
        self._add_sitemap(sitemap, part.url, depth)

    def _take(self, items: Sequence[ItemT], address: str) -> Sequence[ItemT]:
        """Return as many items of a file as may still be looked at."""
        left = self._options.max_finds - self._find_count
        self._find_count += min(left, len(items))
        if len(items) > left:
            reason = f"only the first {self._options.max_finds:,} addresses of the site are looked at (--max-finds)"
            self._add_problem(address, reason)
        return items[:left]

    def _add_sitemap(self, sitemap: Sitemap, address: str, depth: int) -> None:
        for find in self._take(sitemap.finds, address):
            if find.origins == (Origin.SITEMAP,):
                if self._is_inside(find.url):
                    self._candidates.append(find)
                    self._count(find, self._scorer.score_address(find.url))
            else:
                self._add_known(find)
        if depth < _MAX_DEPTH:
            files_left = max(0, self._options.max_files - self._file_count)
            newest_first = sorted(sitemap.parts, key=_rank_part)[:files_left]
            self._spawn_all(self._read_sitemap(part, depth=depth + 1) for part in newest_first)

    def _add_known(self, find: Find) -> None:
        if is_same_site(find.url, self._host):
            self._scorer.learn(find.url)
            if self._is_inside(find.url):
                self._known.add(find)
                self._count(find, find.score)

    def _count(self, find: Find, score: float) -> None:
        if score >= MIN_SCORE and self._options.limit is not None and self._options.is_wanted(find):
            self._likely.add(make_key(find.url))

    def _is_inside(self, address: str) -> bool:
        return is_same_site(address, self._host) and urlsplit(address).path.startswith(self._folder)

    # Pages.

    async def _read_page(self, reply: Reply, *, is_start: bool = False, number: int = 1) -> bool:
        """Read the links of a page; return whether it links to feeds."""
        if reply.content_type.media_type not in _PAGE_TYPES:
            self._add_problem(reply.url, f"is {reply.content_type.media_type}, not an HTML page")
            return False
        try:
            page = read_page(reply.body, url=reply.url, charset=reply.content_type.charset)
        except LimitReached as error:
            self._add_problem(reply.url, str(error))
            return False
        listing = read_listing(page, reply.url, self._host)
        links = [link for link in listing.links if not (self._folder and link.is_in_menu)]
        links = list(self._take(links, reply.url))
        self._links += links
        for link in links:
            self._count(_make_find(link), self._scorer.score_link(link))
        options = self._options
        if options.reads_feeds:
            self._spawn_all(self._read_feed(feed) for feed in listing.feeds)
        if options.reads_pages and is_start and not self._folder:
            sections = list_sections(listing.links, reply.url)[: options.max_sections]
            self._spawn_all(self._read_section(section) for section in sections)
        if options.reads_pages and listing.next_page and number < options.max_pages and self._has_recent(listing.links):
            self._spawn_all([self._read_section(listing.next_page, number + 1)])
        return bool(listing.feeds)

    async def _read_section(self, address: str, number: int = 1) -> None:
        reply = await self._fetch(address)
        if reply is not None and is_same_site(reply.url, self._host):
            await self._read_page(reply, number=number)

    def _has_recent(self, links: Iterable[PlacedLink]) -> bool:
        """Return whether later pages of the listing may have articles that are recent enough."""
        earliest = self._options.earliest
        dates = [make_aware(link.date) for link in links if link.date]
        return earliest is None or not dates or max(dates) >= earliest

    # Finds.

    def _judge(self) -> list[Find]:
        """Return all finds: those of feeds, and the candidates whose score is high enough."""
        scorer = self._scorer
        for find in self._candidates:
            score = scorer.score_address(find.url)
            if score >= MIN_SCORE:
                self._known.add(replace(find, score=score))
        if self._options.reads_pages:
            for link in self._links:
                score = scorer.score_link(link)
                if score >= MIN_SCORE:
                    self._known.add(replace(_make_find(link), score=score))
        start_key = make_key(self._start)
        return [find for find in self._known.list_finds() if make_key(find.url) != start_key]

    async def _drop_forbidden(self, finds: list[Find]) -> list[Find]:
        """Drop the finds that robots.txt forbids, and those on subdomains without a readable one."""
        if not self._options.fetch.respects_robots:
            return finds
        origins = list(dict.fromkeys(find_origin(find.url) for find in finds))[:_MAX_ORIGINS]
        rules = {origin: await self._client.find_rules(origin) for origin in origins}
        return [find for find in finds if (rule := rules.get(find_origin(find.url))) and rule.allows(find.url)]


def _make_find(link: PlacedLink) -> Find:
    return Find(link.address, link.text, link.date, (Origin.LINK,))


def _rank_part(part: SitemapPart) -> float:
    return -make_aware(part.date).timestamp() if part.date else 0.0
