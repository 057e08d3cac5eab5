"""Settings of polite fetching."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from broadsheet.errors import UsageError
from broadsheet.option_field import group, option
from broadsheet.page import Limits
from broadsheet.web.guard import DEFAULT_GUARD, AddressGuard

# A sitemap has up to 50 MB (sitemaps.org); this is for one file after unpacking.
DEFAULT_FETCH_LIMITS = Limits(max_bytes=52_428_800, max_seconds=30.0)


@dataclass(frozen=True, slots=True)
class PoliteSettings:
    """How to fetch many addresses."""

    guard: AddressGuard = group(DEFAULT_GUARD)  # which addresses may be fetched
    limits: Limits = DEFAULT_FETCH_LIMITS  # bytes and seconds of one response
    delay: float = option(0.5, "Seconds between two requests to a host; robots.txt may ask for more.", least=0.0)
    max_per_host: int = 2  # requests at a time; one if robots.txt asks for a delay
    max_requests: int = 8  # at a time, to all hosts
    max_retries: int = 2  # after temporary errors
    max_wait: float = 60.0  # seconds; a longer Retry-After ends the attempt
    max_crawl_delay: float = 120.0  # seconds; a longer Crawl-delay is taken as this
    respects_robots: bool = True  # robots.txt
    cache: Path | None = option(  # of those that have an ETag or Last-Modified
        None, "Folder for responses; unchanged files are not downloaded again.", metavar="FOLDER"
    )
    warc: Path | None = option(None, "Write all responses to a web archive (extra archive).", metavar="FILE")

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError."""
        for name in ("delay", "max_wait", "max_crawl_delay"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"{name} must be a number of seconds of at least 0, not {getattr(self, name)!r}")
        for name in ("max_per_host", "max_requests"):
            if not getattr(self, name) >= 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)!r}")
