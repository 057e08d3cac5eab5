"""What discovery looks for and what it returns: options, addresses of articles, and addresses that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from enum import StrEnum

from broadsheet.discovery.addresses import clean_address, make_key, read_address_date
from broadsheet.errors import UsageError
from broadsheet.option_field import group, option, read_date
from broadsheet.web.settings import PoliteSettings


class Origin(StrEnum):
    """Where an address was found. The order is that of trust in its title and date."""

    FEED = "feed"
    NEWS_SITEMAP = "news_sitemap"
    LINK = "link"  # on a home or section page
    SITEMAP = "sitemap"


@dataclass(frozen=True, slots=True)
class Find:
    """The address of an article."""

    url: str  # without tracking parameters and fragment
    title: str = ""
    date: datetime | None = None  # of publication; in a plain sitemap, of the last change
    origins: tuple[Origin, ...] = ()
    score: float = 1.0  # probability that the address is an article's; 1 in feeds and news sitemaps

    def to_dict(self) -> dict[str, object]:
        """Return the find as plain values for JSON."""
        return {
            "url": self.url,
            "title": self.title or None,
            "date": self.date.isoformat() if self.date else None,
            "origins": [str(origin) for origin in self.origins],
            "score": round(self.score, 3),
        }

    def to_json(self) -> str:
        """Return the find as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @property
    def moment(self) -> datetime | None:
        """The date with a time zone, for comparisons: UTC if it states none."""
        return None if self.date is None else make_aware(self.date)


@dataclass(frozen=True, slots=True)
class Problem:
    """An address that could not be read."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class Discovery:
    """The finds of a site, newest first; those without a date come last."""

    finds: tuple[Find, ...]
    problems: tuple[Problem, ...] = ()
    requests: int = 0  # that were sent

    def __iter__(self) -> Iterator[Find]:
        return iter(self.finds)

    def __len__(self) -> int:
        return len(self.finds)


def make_aware(moment: datetime) -> datetime:
    """Return a date with a time zone: UTC if it states none."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class DiscoverOptions:
    """What to look for, and how much to fetch."""

    since: date | datetime | None = option(
        None, "Only articles from this day on.", metavar="YYYY-MM-DD", read=read_date
    )
    limit: int | None = option(None, "Maximum number of articles.", least=1)  # fetching stops when it is reached
    max_files: int = option(500, "Maximum number of feeds, sitemaps and pages to fetch.", least=1)
    max_finds: int = option(200_000, "Maximum number of addresses that are looked at.", least=1)
    max_sections: int = 30  # section pages that the start page links to
    max_pages: int = 20  # pages of one section
    reads_feeds: bool = True
    reads_sitemaps: bool = True
    reads_pages: bool = True  # links of home and section pages
    fetch: PoliteSettings = group(PoliteSettings)  # delays, limits, cache, WARC output

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError."""
        if self.since is not None and not isinstance(self.since, date):
            raise UsageError(f"since must be a date such as datetime.date(2024, 3, 16), not {self.since!r:.80}")
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"limit must be at least 1, not {self.limit!r}")

    @property
    def earliest(self) -> datetime | None:
        """The earliest wanted time."""
        if self.since is None or isinstance(self.since, datetime):
            return make_aware(self.since) if self.since else None
        return make_aware(datetime.combine(self.since, time()))

    def is_wanted(self, find: Find) -> bool:
        """Return whether a find is recent enough. Without a date it counts as recent, unless only a sitemap has it."""
        if self.earliest is None:
            return True
        if find.moment is None:
            return find.origins != (Origin.SITEMAP,)
        return find.moment >= self.earliest


_RANKS = {origin: rank for rank, origin in enumerate(Origin)}


class FindSet:
    """Finds by the key of their address."""

    def __init__(self) -> None:
        self._finds: dict[str, Find] = {}

    def add(self, find: Find) -> None:
        """Add a find, or complete the one with the same address."""
        find = replace(find, url=clean_address(find.url))
        key = make_key(find.url)
        earlier = self._finds.get(key)
        self._finds[key] = find if earlier is None else _merge(earlier, find)

    def __iter__(self) -> Iterator[Find]:
        return iter(self._finds.values())

    def __len__(self) -> int:
        return len(self._finds)

    def list_finds(self) -> list[Find]:
        """Return the finds, the newest first; a missing date is read from the address."""
        finds = [_add_date(find) for find in self._finds.values()]
        dated = sorted((find for find in finds if find.moment), key=lambda find: find.moment, reverse=True)  # type: ignore[arg-type,return-value]
        return [*dated, *(find for find in finds if find.moment is None)]


def _add_date(find: Find) -> Find:
    return find if find.date else replace(find, date=read_address_date(find.url))


def _merge(first: Find, second: Find) -> Find:
    """Take title and date from the more trusted origin that states them; of two links, the longer text."""
    better, worse = sorted((first, second), key=lambda find: _RANKS[find.origins[0]])
    if better.origins[0] is Origin.LINK and len(worse.title) > len(better.title):
        title = worse.title
    else:
        title = better.title or worse.title
    origins = sorted({*first.origins, *second.origins}, key=_RANKS.__getitem__)
    return Find(
        url=better.url,
        title=title,
        date=better.date or worse.date,
        origins=tuple(origins),
        score=max(first.score, second.score),
    )
