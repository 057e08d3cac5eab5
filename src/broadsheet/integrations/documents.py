"""What the document loaders share: sources to articles, articles to texts with metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

from broadsheet.article import Article
from broadsheet.errors import UsageError
from broadsheet.inputs import read_captures
from broadsheet.inputs.options import DEFAULT_READ_OPTIONS, ReadOptions
from broadsheet.many import extract_many
from broadsheet.options import ExtractOptions
from broadsheet.output.chunks import Chunk

Source = str | PathLike[str] | Article
Sources = Source | Iterable[Source]
_FIELDS = ("url", "title", "authors", "date", "language", "site_name", "description", "section", "keywords")


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How sources become texts."""

    max_tokens: int | None = None  # of a chunk; None: one text for each article
    overlap: int = 0  # tokens of the chunk before that a chunk repeats
    count_tokens: Callable[[str], int] | None = None  # the tokenizer of your model
    min_confidence: float = 0.0  # articles with a lower confidence are left out
    extract: ExtractOptions = field(default_factory=ExtractOptions)
    read: ReadOptions = DEFAULT_READ_OPTIONS  # guard of addresses, names of columns


@dataclass(frozen=True, slots=True)
class TextPiece:
    """The text of an article or of a chunk, with JSON-ready metadata."""

    text: str
    metadata: dict[str, Any]


def choose_options(options: LoadOptions | None, *, max_tokens: int | None) -> LoadOptions:
    """Return options with this size of chunks, if it is given."""
    options = options or LoadOptions()
    return options if max_tokens is None else replace(options, max_tokens=max_tokens)


def load_pieces(sources: Sources, options: LoadOptions) -> Iterator[TextPiece]:
    """Yield the texts of all articles. Pages without text are left out. Raises InputError or FetchError."""
    for article in load_articles(sources, options):
        if article.text and article.confidence >= options.min_confidence:
            yield from make_pieces(article, options)


def load_articles(sources: Sources, options: LoadOptions) -> Iterator[Article]:
    """Yield the articles of files, archives and addresses; articles are passed through."""
    for source in (sources,) if isinstance(sources, str | PathLike | Article) else sources:
        if isinstance(source, Article):
            yield source
        elif isinstance(source, str | PathLike):
            yield from extract_many(read_captures(source, options.read), workers=1, options=options.extract)
        else:
            raise UsageError(f"a source must be a path, an address or an Article, not {type(source).__name__}")


def make_pieces(article: Article, options: LoadOptions) -> Iterator[TextPiece]:
    """Yield the text of an article, or its chunks."""
    metadata = make_metadata(article)
    if options.max_tokens is None:
        yield TextPiece(article.text, metadata)
        return
    for chunk in article.chunks(options.max_tokens, overlap=options.overlap, count_tokens=options.count_tokens):
        yield TextPiece(chunk.text, {**metadata, **_describe_chunk(chunk)})


def make_metadata(article: Article) -> dict[str, Any]:
    """Return the fields that have a value, and `source`: the address, or the file that the page was read from."""
    record = article.to_dict(fields=(*_FIELDS, "status", "confidence", "source_file"))
    source_file = record.pop("source_file")
    filled = {name: value for name, value in record.items() if value not in (None, "", [])}
    return {"source": record["url"] or source_file or "", **filled}


def _describe_chunk(chunk: Chunk) -> dict[str, Any]:
    values = chunk.to_dict()
    return {name: values[name] for name in ("headings", "links", "start", "end")}
