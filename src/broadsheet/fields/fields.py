"""What is known of an article besides its text: each value with the place it came from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A value, its source ("json-ld", "meta", "opengraph", "microdata", "html", "url", ...), and how sure it is.

    The confidence is the share of values from such a source that were right on labelled pages.
    """

    value: T
    source: str
    confidence: float = 0.9


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that belongs to the article."""

    url: str
    caption: str | None = None
    alt: str | None = None
    credit: str | None = None  # who made it or owns it, as the page says


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one page; None where the page does not tell."""

    title: Found[str] | None = None
    authors: Found[tuple[str, ...]] | None = None
    date: Found[datetime] | None = None
    date_modified: Found[datetime] | None = None
    language: Found[str] | None = None
    site_name: Found[str] | None = None
    description: Found[str] | None = None
    section: Found[str] | None = None
    keywords: Found[tuple[str, ...]] | None = None
    images: Found[tuple[Image, ...]] | None = None
    url: Found[str] | None = None
    canonical_url: Found[str] | None = None
    amp_url: Found[str] | None = None
