"""Article: what Broadsheet gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from broadsheet.article.parts import Part
from broadsheet.blocks import Blocks, Labels, Role, tags
from broadsheet.fields import Image


class Status(StrEnum):
    """Whether there is an article, or why not. Text is given back either way, where there is some."""

    OK = "ok"
    EMPTY = "empty"  # no article text was found
    NOT_ARTICLE = "not_article"
    CONSENT_WALL = "consent_wall"
    PAYWALLED = "paywalled"
    JS_SHELL = "js_shell"  # the text is not in the page: a program would have to fetch it
    TOO_LARGE = "too_large"  # only the beginning of the page, within the limits, was read
    TIMEOUT = "timeout"
    FAILED = "failed"  # the method broke on this page (extract_many only; extract raises)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the page as the method saw it."""

    text: str
    role: Role
    score: float  # 0..1: how much the method believes that this is article text
    path: str  # containers from the root, e.g. "html/body/div/p"
    nodes: range  # rows of the page's node table, in document order
    link_share: float
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class Article:
    """A news article: fields, text with structure, and how sure Broadsheet is of it.

    `sources` says for each field that has a value where it came from: "json-ld", "meta", "opengraph", "microdata",
    "html", "url", "text", ...; `confidences`, how sure that value is, from 0 to 1. `confidence` is about the text.
    """

    url: str | None = None
    title: str | None = None
    authors: tuple[str, ...] = ()
    date: datetime | None = None
    date_modified: datetime | None = None
    language: str | None = None  # ISO 639-1 where there is one
    site_name: str | None = None
    description: str | None = None
    section: str | None = None
    keywords: tuple[str, ...] = ()
    images: tuple[Image, ...] = ()
    canonical_url: str | None = None  # as the page states it; `url` is where it was found, when that is known
    amp_url: str | None = None
    body: tuple[Part, ...] = ()
    comments: tuple[str, ...] = ()
    status: Status = Status.OK
    confidence: float = 0.0
    method: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    confidences: Mapping[str, float] = field(default_factory=dict)
    page_blocks: Blocks | None = field(default=None, repr=False, compare=False)
    labels: Labels | None = field(default=None, repr=False, compare=False)

    @property
    def image(self) -> Image | None:
        """The main picture."""
        return self.images[0] if self.images else None

    # The renderers are imported when used: they stand above this module, and most callers need one of them.

    @property
    def text(self) -> str:
        """Plain text, one block a line: no headline, by-line, captions or comments."""
        from broadsheet.output.as_text import render_text

        return render_text(self.body)

    @property
    def markdown(self) -> str:
        """Text as Markdown: headings, lists, quotes, tables, links and emphasis kept."""
        from broadsheet.output.as_markdown import render_markdown

        return render_markdown(self.body)

    @property
    def html(self) -> str:
        """Text as HTML that is safe to embed: no scripts, handlers or foreign attributes."""
        from broadsheet.output.as_html import render_html

        return render_html(self.body)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Every block of the page, in order, with its role, score and place."""
        if self.page_blocks is None or self.labels is None:
            return ()
        return tuple(_view(self.page_blocks, self.labels, at) for at in range(len(self.page_blocks)))

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON-ready values."""
        from broadsheet.output.as_json import to_dict

        return to_dict(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """All fields as JSON; one line unless `indent` is given."""
        from broadsheet.output.as_json import to_json

        return to_json(self, indent=indent)

    def to_schema_org(self) -> dict[str, Any]:
        """A schema.org NewsArticle, ready for JSON-LD."""
        from broadsheet.output.as_schema import to_schema_org

        return to_schema_org(self)

    def to_tei(self) -> str:
        """A TEI P5 document."""
        from broadsheet.output.as_tei import to_tei

        return to_tei(self)


def _view(blocks: Blocks, labels: Labels, at: int) -> Block:
    return Block(
        text=blocks.text[at],
        role=labels.roles[at],
        score=labels.scores[at],
        path="/".join(blocks.tag_paths.steps(blocks.tag_path[at])),
        nodes=range(blocks.first[at], blocks.last[at] + 1),
        link_share=blocks.link_share(at),
        is_hidden=blocks.has(at, tags.HIDDEN),
    )
