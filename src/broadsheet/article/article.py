"""Article: the result of an extraction, with its status, its blocks, its comments and its provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import fields as list_fields
from datetime import datetime
from enum import StrEnum
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Self

from broadsheet.article.lazy import (
    ALWAYS_THERE,
    LazyValues,
    RequestedValues,
    complete,
    find_reason,
    get_requested,
    make_lazy,
)
from broadsheet.article.parts import Part
from broadsheet.blocks import Blocks, Labels, Reason, Role, tags
from broadsheet.fields import Image

if TYPE_CHECKING:
    from broadsheet.output.chunks import Chunk

_MAX_REPR_TITLE_CHARS = 60


class Status(StrEnum):
    """Whether the page has an article, or the reason why not. The text is returned in any case, if there is some.

    Each row: value, meaning, advice. The command line and the documentation use these texts.
    """

    meaning: str
    advice: str  # "" for OK only

    OK = "ok", "an article was found", ""
    EMPTY = "empty", "no article text was found", "inspect the blocks with --explain or Article.blocks"
    NOT_ARTICLE = "not_article", "the page does not look like an article", "check that it shows a single article"
    CONSENT_WALL = "consent_wall", "the page only asks for consent to cookies", "save the page after agreeing"
    PAYWALLED = "paywalled", "only the beginning of the article is in the page", "save the page after logging in"
    JS_SHELL = "js_shell", "the text is not in the page; a script loads it", "save the page from a browser"
    TOO_LARGE = "too_large", "the page exceeds a limit; only its beginning was read", "raise the limit"
    TIMEOUT = "timeout", "the time limit was reached", "raise the time limit"
    FAILED = "failed", "the page could not be processed", "see the reason in sources['status']"

    def __new__(cls, value: str, meaning: str = "", advice: str = "") -> Self:
        """Create a member. The defaults are for type checkers: `Status("ok")` looks a member up."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        member.advice = advice
        return member

    @property
    def is_failure(self) -> bool:
        """Return True if Broadsheet could not process the page. Other statuses describe the page."""
        return self in (Status.FAILED, Status.TIMEOUT)


class Comment(str):
    """The text of a comment, with its author and date, and the comment that it replies to.

    A comment is a string, so that a list of comments can be joined, searched and written like a list of texts. Where
    the page does not show the structure, only the text is known.
    """

    __slots__ = ("author", "date", "reply_to")

    author: str | None
    date: datetime | None
    reply_to: int | None  # position of the comment that it replies to, in `Article.comments`

    def __new__(
        cls, text: str, author: str | None = None, date: datetime | None = None, reply_to: int | None = None
    ) -> Self:
        """Create a comment."""
        comment = super().__new__(cls, text)
        comment.author = author
        comment.date = date
        comment.reply_to = reply_to
        return comment

    @classmethod
    def of(cls, text: str) -> Comment:
        """Return a comment as it is, and a plain string as a comment without author and date."""
        return text if isinstance(text, Comment) else cls(text)

    @property
    def text(self) -> str:
        """The text as a plain string."""
        return str.__str__(self)

    def __repr__(self) -> str:
        return f"Comment({str.__repr__(self)}, author={self.author!r}, date={self.date!r}, reply_to={self.reply_to!r})"

    def __getnewargs__(self) -> tuple[str, str | None, datetime | None, int | None]:  # type: ignore[override]
        return self.text, self.author, self.date, self.reply_to

    def to_dict(self) -> dict[str, object]:
        """Return author, date, text and reply_to as JSON-ready values."""
        date = self.date.isoformat() if self.date else None
        return {"author": self.author, "date": date, "text": self.text, "reply_to": self.reply_to}


@dataclass(frozen=True, slots=True)
class Provenance:
    """Origin of the page, and the program that extracted it. None where unknown."""

    source_file: str | None = None  # file or address that the page was read from
    source_offset: int | None = None  # bytes in WARC and JSON Lines files, rows in tables
    fetched_at: datetime | None = None  # when the page was captured
    http_status: int | None = None
    html_hash: str | None = None  # SHA-256 of the page
    weights: str | None = None  # hash of the method's weights
    broadsheet_version: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the page, with its label."""

    text: str
    role: Role
    score: float  # 0..1: probability that the block is article text
    path: str  # containers from the root, e.g. "html/body/div/p"
    nodes: range  # rows of the page's node table, in document order
    link_share: float  # share of its characters that are in links
    is_hidden: bool
    reasons: tuple[Reason, ...] = ()  # for its role, with the option `explain`


@dataclass(frozen=True, slots=True)
class Doubt:
    """A block that was narrowly decided: its score is close to 0.5."""

    text: str
    score: float  # 0..1: probability that the block is article text
    is_kept: bool  # whether it is in the text
    block: int  # its place in `Article.blocks`


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Article(LazyValues):
    """A news article: its fields, its text with structure, and the confidence in each of them.

    `sources` holds the source of each field that has a value: "json-ld", "meta", "opengraph", "microdata", "html",
    "url", "text", ...; `confidences` its confidence from 0 to 1. `confidence` is that of the text.

    Text, body, comments, images, blocks, exactness, doubts and the hash of the page are made on first use. Until then
    the article keeps its page. Each has the time limit of the page, and raises LimitReached beyond it. Copying with
    `dataclasses.replace`, comparing and pickling make all of them; the pickle does not contain the page.

    With the option `fields`, other fields raise FieldNotRequested, except for url, status, confidence and method.
    """

    # The fields, in the order of `broadsheet.fields.FIELDS`, which describes them.
    url: str | None = None  # as given by the caller, otherwise the canonical one
    title: str | None = None
    authors: tuple[str, ...] = ()
    date: datetime | None = None  # of publication
    date_modified: datetime | None = None
    language: str | None = None  # ISO 639-1 if the language has such a code
    site_name: str | None = None
    description: str | None = None
    section: str | None = None
    keywords: tuple[str, ...] = ()
    images: tuple[Image, ...] = ()  # the main one first
    canonical_url: str | None = None  # as stated by the page
    amp_url: str | None = None
    author_kinds: tuple[str, ...] = ()  # for each author: "person" or "organization"
    page_type: str | None = None  # "article", "live_blog", "forum", ..., "other"

    body: tuple[Part, ...] = ()
    comments: tuple[Comment, ...] = ()  # in the order of the page
    status: Status = Status.OK
    confidence: float = 0.0  # 0..1: expected F1 of the text
    exactness: float | None = None  # 0..1: probability that the text is right to the word; None: unknown
    doubts: tuple[Doubt, ...] = ()  # the few blocks that were narrowly decided, in the order of the page
    method: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    confidences: Mapping[str, float] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)
    page_blocks: Blocks | None = field(default=None, repr=False, compare=False)
    labels: Labels | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        """Return one short line: the status, the confidence, the title and the date, as far as requested."""
        words = [f"Article {self.status} {self.confidence:.2f}"]
        if hasattr(self, "title"):
            words[0] += f" {_shorten_title(self.title)}"
        if hasattr(self, "date") and self.date:
            words.append(f"{self.date:%Y-%m-%d}")
        if hasattr(self, "text"):
            words.append(f"{len(self.text):,} characters")
        return f"<{', '.join(words)}>"

    def _repr_html_(self) -> str:
        """Show the article in a notebook, with confidences in colour."""
        from broadsheet.output.as_html import show_article

        return show_article(self)

    def __eq__(self, other: object) -> bool:
        """Compare the values; of an article with requested fields, those fields."""
        if not isinstance(other, Article):
            return NotImplemented
        return _read_compared(self) == _read_compared(other)

    __hash__ = None  # type: ignore[assignment]  # the values contain dicts

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle all values, or the requested ones, without the page. Raises LimitReached."""
        requested = get_requested(complete(self))
        names = ALWAYS_THERE if requested else self.__slots__
        return _restore_article, ({name: getattr(self, name) for name in names}, requested)

    @property
    def status_reason(self) -> str | None:
        """Why the page failed, what was wrong with its capture, or what the status means. None if all is well."""
        if reason := find_reason(self):
            return reason
        return None if self.status is Status.OK else self.status.meaning

    @property
    def image(self) -> Image | None:
        """The main image."""
        if requested := get_requested(self):
            image: Image | None = requested.make("image")
            return image
        return self.images[0] if self.images else None

    # The output functions are imported when they are used: their modules import this one.

    @property
    def text(self) -> str:
        """The body as plain text, one block per line, without headline, byline, captions and comments."""
        text = self._text
        if text is None:
            from broadsheet.output.as_text import render_text

            source = self._source
            text = source.make("text") if source else render_text(self.body)
            self._fill(_text=text)
        return text

    @property
    def markdown(self) -> str:
        """The body as Markdown, with headings, lists, quotes, tables, figures, links and emphasis."""
        from broadsheet.output.as_markdown import render_markdown

        return self._derive("markdown", render_markdown)

    @property
    def html(self) -> str:
        """The body as HTML that is safe to embed: no scripts, event handlers or attributes of the page."""
        from broadsheet.output.as_html import render_html

        return self._derive("html", render_html)

    def _derive(self, name: str, render: Callable[[tuple[Part, ...]], str]) -> str:
        """Return a form of the body."""
        requested = get_requested(self)
        rendered: str = requested.make(name) if requested else render(self.body)
        return rendered

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of the page in order, with role, score and path."""
        if self.page_blocks is None or self.labels is None:
            return ()
        return tuple(_make_block(self.page_blocks, self.labels, index) for index in range(len(self.page_blocks)))

    def chunks(
        self,
        max_tokens: int = 400,
        *,
        count_tokens: Callable[[str], int] | None = None,
        overlap: int = 0,
        with_markdown: bool = False,
    ) -> tuple[Chunk, ...]:
        """Split the text into chunks for search and language models, along the structure of the article.

        No chunk crosses a heading of its own level. Paragraphs, lists and tables stay whole if they fit.

        Args:
            max_tokens: The maximum number of tokens of a chunk.
            count_tokens: A function that counts the tokens of a text, such as the tokenizer of your model. By default
                the number is estimated: see `broadsheet.output.chunks.estimate_tokens`.
            overlap: So many tokens of the chunk before it, in whole sentences, a chunk repeats within a section.
            with_markdown: Chunks have `markdown`; the lines of a part that is cut are without markup.

        An article from `from_dict` needs a record with "body"; without it the structure is not known, and chunks are
        made of lines.

        """
        from broadsheet.output.chunks import estimate_tokens, make_chunks
        from broadsheet.output.formats import ChunkOptions

        options = ChunkOptions(max_tokens, overlap, with_markdown)
        return make_chunks(self, options, count_tokens or estimate_tokens)

    def to_dict(self, *, fields: Sequence[str] | None = None, include: Sequence[str] = ()) -> dict[str, Any]:
        """Return the record of the article: JSON-ready values, always the same keys in the same order.

        Args:
            fields: Names of the columns to return; if None, the requested fields, or all of the record.
            include: More columns: "markdown", "html", "body" (the tree of parts), "blocks" (of the page, with paths).

        """
        from broadsheet.output.record import choose_columns_of, to_dict

        return to_dict(self, choose_columns_of(self, fields, include))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Article:
        """Return the article of a record, such as a line of JSON Lines or a row of a Parquet file.

        The body has its structure if the record includes "body"; otherwise each line of the text is a paragraph.
        """
        from broadsheet.output.read_record import read_record

        return read_record(record)

    def to_json(
        self, *, indent: int | None = None, fields: Sequence[str] | None = None, include: Sequence[str] = ()
    ) -> str:
        """Return the record of the article as JSON, on one line unless `indent` is given."""
        from broadsheet.output.record import dump_json

        return dump_json(self.to_dict(fields=fields, include=include), indent=indent)

    def to_schema_org(self) -> dict[str, Any]:
        """Return a schema.org NewsArticle for JSON-LD."""
        from broadsheet.output.as_schema import to_schema_org

        return to_schema_org(self)

    def to_tei(self) -> str:
        """Return a TEI P5 document."""
        from broadsheet.output.as_tei import to_tei

        return to_tei(self)


_UNCOMPARED = frozenset(field.name for field in list_fields(Article) if not field.compare)
_COMPARED = tuple(field.name for field in list_fields(Article) if field.compare)


def _read_compared(article: Article) -> dict[str, Any]:
    """Return the values by which articles are compared."""
    requested = get_requested(article)
    names = (*ALWAYS_THERE, "status_reason", *requested.values) if requested else _COMPARED
    return {name: getattr(article, name) for name in names if name not in _UNCOMPARED}


def _restore_article(values: Mapping[str, Any], requested: RequestedValues | None) -> Article:
    """Return an article that was pickled."""
    return make_lazy(Article, requested, **values) if requested else Article(**values)


def _shorten_title(title: str | None) -> str:
    return "without title" if title is None else repr(shorten(title, _MAX_REPR_TITLE_CHARS, placeholder="…"))


def _make_block(blocks: Blocks, labels: Labels, index: int) -> Block:
    return Block(
        text=blocks.text[index],
        role=labels.roles[index],
        score=labels.scores[index],
        path="/".join(blocks.tag_paths.steps(blocks.tag_path[index])),
        nodes=range(blocks.first[index], blocks.last[index] + 1),
        link_share=blocks.link_share(index),
        is_hidden=blocks.has(index, tags.HIDDEN),
        reasons=labels.reasons[index] if labels.reasons else (),
    )
