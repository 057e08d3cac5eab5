"""What discovery returns: the addresses of articles, and the addresses that could not be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum


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
