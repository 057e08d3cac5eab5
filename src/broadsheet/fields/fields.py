"""What is known of an article besides its text: each value with the place it came from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A value and its source: "json-ld", "meta", "opengraph", "microdata", "html", "url", "text", ..."""

    value: T
    source: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that belongs to the article."""

    url: str
    caption: str | None = None
    alt: str | None = None


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
