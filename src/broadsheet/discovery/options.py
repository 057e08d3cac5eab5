"""Options of discovery."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time

from broadsheet.discovery.find import Find, Origin, make_aware
from broadsheet.errors import UsageError
from broadsheet.web.settings import PoliteSettings


@dataclass(frozen=True, slots=True)
class DiscoverOptions:
    """What to look for, and how much to fetch."""

    since: date | datetime | None = None  # only articles from this day on
    limit: int | None = None  # maximum number of finds; fetching stops when it is reached
    max_files: int = 500  # feeds, sitemaps and pages that are fetched
    max_sections: int = 30  # section pages that the start page links to
    max_pages: int = 20  # pages of one section
    reads_feeds: bool = True
    reads_sitemaps: bool = True
    reads_pages: bool = True  # links of home and section pages
    fetch: PoliteSettings = field(default_factory=PoliteSettings)  # delays, limits, cache, WARC output

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
