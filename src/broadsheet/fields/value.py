"""The value of a field, with its source and confidence; and how the text of metadata is cleaned."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Literal, NamedTuple, TypeVar

from broadsheet.text import compile_later, fold_text

T = TypeVar("T")
UNMEASURED_CONFIDENCE = 0.9  # for fields without labelled pages; set by hand
_SURROGATE = compile_later("[\ud800-\udfff]")
_FORMATTING_TAG = compile_later(
    r"</?(?:a|b|big|br|div|em|font|h[1-6]|i|li|p|small|span|strong|su[bp]|u)(?:\s[^<>]{0,200})?/?>", re.IGNORECASE
)
_MAX_CHARS = 5_000
_MAX_TEXTS = 50


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


def clean_text(raw: str) -> str:
    """Fold white space, resolve entities that were escaped twice, and drop formatting tags and broken characters."""
    text = raw[:_MAX_CHARS]
    if "&" in text:
        text = html.unescape(html.unescape(text))
    if "<" in text:
        text = _FORMATTING_TAG.sub(" ", text)
    # JSON can contain half a surrogate pair, which UTF-8 cannot encode.
    if not text.isascii() and _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    return fold_text(text)


def clean_texts(raw_texts: Iterable[str], *, max_texts: int = _MAX_TEXTS) -> Iterator[str]:
    """Clean the first texts, without duplicates: a page can state the same value a thousand times."""
    return map(clean_text, dict.fromkeys(islice(raw_texts, max_texts)))
