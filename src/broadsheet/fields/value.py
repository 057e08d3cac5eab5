"""The value of a field, with its source and confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
UNMEASURED_CONFIDENCE = 0.9  # for fields without labelled pages; set by hand


@dataclass(frozen=True, slots=True)
class FieldValue(Generic[T]):
    """A value, its source ("json-ld", "meta", "opengraph", "microdata", "html", "url", ...) and its confidence.

    The confidence is the share of values from the same source that were right on labelled pages.
    """

    value: T
    source: str
    confidence: float = UNMEASURED_CONFIDENCE


@dataclass(frozen=True, slots=True)
class Image:
    """An image of the article."""

    url: str
    caption: str | None = None
    alt: str | None = None  # text alternative
    credit: str | None = None  # creator or owner, as the page states it
