"""Chunk: a piece of an article's text, with its place."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a chunk."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of an article's text: `article.text[chunk.start : chunk.end] == chunk.text`."""

    text: str
    start: int  # in characters of `article.text`
    end: int
    tokens: int  # of the text, as counted by the caller's function or as estimated
    headings: tuple[str, ...] = ()  # path of headings above the chunk, the outermost first; without the title
    links: tuple[Link, ...] = ()
    title: str | None = None  # of the article
    source: str | None = None  # address of the article; without one, the file that it was read from

    def to_dict(self) -> dict[str, Any]:
        """Return the chunk as JSON-ready values."""
        return {**asdict(self), "headings": list(self.headings), "links": [asdict(link) for link in self.links]}
