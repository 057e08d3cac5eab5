"""The value of a field, with its source and confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypeVar

T = TypeVar("T")
UNMEASURED_CONFIDENCE = 0.9  # for fields without labelled pages; set by hand


class FieldValue(NamedTuple, Generic[T]):
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


FigureKind = Literal["image", "video", "audio", "post", "embed"]


@dataclass(frozen=True, slots=True)
class Figure:
    """An image, a video, or an embedded post or graphic, in its place in the body."""

    url: str  # of the image; of the page or file of a video, a post or a graphic
    kind: FigureKind = "image"
    title: str = ""  # text alternative of an image, title of a video, text of a post
    caption: str = ""
    credit: str = ""  # creator or owner, as the page states it
    preview_url: str = ""  # the image that represents a video


class PlacedFigure(NamedTuple):
    """A figure and the node row of its element."""

    row: int
    figure: Figure
