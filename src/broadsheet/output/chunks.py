"""Chunks of an article for search and language models: `article.chunks(max_tokens=400)`.

A chunk is a section with all its subsections, if they fit. Otherwise the text before the first subheading is packed
into chunks, and each subsection is split in the same way. So a chunk crosses no heading of its own level or of a higher
one, except the one that it starts with. Within a section, paragraphs, lists and tables stay whole if they fit into a
chunk; larger ones are cut between items, rows and lines, then between sentences, words and characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice, pairwise
from typing import Any

from broadsheet.article import Article
from broadsheet.article.parts import Paragraph, Part, Run
from broadsheet.output.as_markdown import render_markdown
from broadsheet.output.chunk_units import (
    Link,
    TextLink,
    TextUnits,
    Unit,
    read_units,
    split_characters,
    split_sentences,
    split_words,
)
from broadsheet.output.formats import DEFAULT_CHUNKS, ChunkOptions
from broadsheet.output.record import dump_json, to_json_value

# A word of up to 6 ASCII letters is one token, a longer one has one more for every 6 letters; numbers are cut into
# threes. Words of other alphabets have a token for every 3 characters. A character of a script without spaces, a
# punctuation mark and a line break are one token each. docs/howto/llm.md compares this with two tokenizers.
_TOKEN = re.compile(
    "\n"
    r"|[A-Za-z]{1,6}"
    r"|\d{1,3}"
    "|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
    r"|[^\W\d_A-Za-z]{1,3}"
    r"|[^\w\s]|_"
)
CountTokens = Callable[[str], int]


def estimate_tokens(text: str) -> int:
    """Return about as many tokens as the tokenizers of large language models make of a text."""
    return sum(1 for _ in _TOKEN.finditer(text))


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
    markdown: str | None = None  # on demand

    def to_dict(self) -> dict[str, Any]:
        """Return the chunk as JSON-ready values."""
        record = {**asdict(self), "headings": list(self.headings), "links": [asdict(link) for link in self.links]}
        return {name: value for name, value in record.items() if name != "markdown" or value is not None}


def make_chunks(
    article: Article, options: ChunkOptions = DEFAULT_CHUNKS, count_tokens: CountTokens = estimate_tokens
) -> tuple[Chunk, ...]:
    """Return the chunks of an article, in order."""
    content = read_units(article.body)
    packer = _Packer(content.text, options.max_tokens - options.overlap, count_tokens)
    lead, sections = _read_sections(content.units)
    spans = [*_pack_section(lead, packer), *(span for section in sections for span in _pack_tree(section, packer))]
    if options.overlap:
        starts = [_find_overlap(*pair, packer, options) for pair in pairwise(spans)]
        spans[1:] = [replace(span, start=start) for span, start in zip(spans[1:], starts, strict=True)]
    return tuple(_make_chunk(article, content, span, packer, options) for span in spans)


def format_chunks(article: Article, options: ChunkOptions = DEFAULT_CHUNKS) -> str:
    """Write the chunks of an article, one JSON object per line."""
    return "\n".join(dump_json(to_json_value(chunk.to_dict())) for chunk in make_chunks(article, options))


def _find_overlap(before: _Span, span: _Span, packer: _Packer, options: ChunkOptions) -> int:
    """Return where a chunk starts that repeats the end of the one before it in the section: sentences, or words."""
    text, count = packer.text, packer.count_tokens
    for split in (split_sentences, split_words) if span.is_continued else ():
        start = span.start
        for piece in reversed(split(text, Unit(before.start, before.end))):
            if count(text[piece.start : span.start]) > options.overlap:
                break
            start = piece.start
        if start < span.start and count(text[start : span.end]) <= options.max_tokens:
            return start
    return span.start


@dataclass(slots=True)
class _Section:
    """A heading with the units below it, up to the next heading, and the sections below that."""

    level: int
    path: tuple[str, ...]
    units: list[Unit] = field(default_factory=list)
    inner: list[_Section] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.inner[-1].end if self.inner else self.units[-1].end


@dataclass(frozen=True, slots=True)
class _Span:
    """The place of a chunk."""

    start: int
    end: int
    path: tuple[str, ...]
    is_continued: bool = False  # the chunk before it is of the same section


def _read_sections(units: Iterable[Unit]) -> tuple[_Section, list[_Section]]:
    """Return the text before the first heading, and the outermost sections."""
    lead = _Section(0, ())
    open_sections = [lead]
    for unit in _open_units(units):
        if unit.level:
            while len(open_sections) > 1 and open_sections[-1].level >= unit.level:
                open_sections.pop()
            parent = open_sections[-1]
            open_sections.append(_Section(unit.level, (*parent.path, unit.title), [unit]))
            parent.inner.append(open_sections[-1])
        else:
            open_sections[-1].units.append(unit)
    sections, lead.inner = lead.inner, []
    return lead, sections


def _open_units(units: Iterable[Unit]) -> Iterator[Unit]:
    """Yield units. Lists and quotes that contain a heading are opened: headings come before lists."""
    for unit in units:
        if unit.has_heading and not unit.level:
            yield from _open_units(unit.inner)
        else:
            yield unit


def _pack_tree(section: _Section, packer: _Packer) -> Iterator[_Span]:
    start = section.units[0].start
    if packer.fits(start, section.end):
        yield _Span(start, section.end, section.path)
        return
    yield from _pack_section(section, packer)
    for inner in section.inner:
        yield from _pack_tree(inner, packer)


def _pack_section(section: _Section, packer: _Packer) -> Iterator[_Span]:
    return (_Span(start, end, section.path, at > 0) for at, (start, end) in enumerate(packer.pack(section.units)))


class _Packer:
    """Puts as many units as fit into each chunk."""

    def __init__(self, text: str, max_tokens: int, count_tokens: CountTokens) -> None:
        self.text = text
        self.count_tokens = count_tokens
        self._max_tokens = max_tokens

    def fits(self, start: int, end: int) -> bool:
        if self.count_tokens is estimate_tokens:  # a long text is read only as far as it fits
            tokens = _TOKEN.finditer(self.text, start, end)
            return next(islice(tokens, self._max_tokens, None), None) is None
        return self.count_tokens(self.text[start:end]) <= self._max_tokens

    def pack(self, units: Sequence[Unit]) -> Iterator[tuple[int, int]]:
        """Yield the ranges of the chunks."""
        pieces = [unit for unit in self._cut_all(units) if not self.text[unit.start : unit.end].isspace()]
        first = 0
        while first < len(pieces):
            last = self._find_last(pieces, first)
            yield pieces[first].start, pieces[last].end
            first = last + 1

    def _find_last(self, pieces: Sequence[Unit], first: int) -> int:
        """Return the last piece that fits into a chunk with the first one. Only the first one may be too long."""
        start, step, last = pieces[first].start, 1, first
        while last + step < len(pieces) and self.fits(start, pieces[last + step].end):
            last, step = last + step, 2 * step
        while step := step // 2:
            if last + step < len(pieces) and self.fits(start, pieces[last + step].end):
                last += step
        return last

    def _cut_all(self, units: Sequence[Unit]) -> Iterator[Unit]:
        for at, unit in enumerate(units):
            heading = units[at - 1] if at and units[at - 1].level else None
            # A paragraph that fits into a chunk is cut if its heading would otherwise be alone in the chunk before.
            start = heading.start if heading and not unit.inner else unit.start
            yield from (unit,) if self.fits(start, unit.end) else self._cut(unit)

    def _cut(self, unit: Unit) -> Iterator[Unit]:
        """Yield the parts of a unit that is too long."""
        if unit.inner:
            for inner in unit.inner:
                yield from (inner,) if self.fits(inner.start, inner.end) else self._cut(inner)
            return
        for sentence in split_sentences(self.text, unit):
            if self.fits(sentence.start, sentence.end):
                yield sentence
                continue
            for word in split_words(self.text, sentence):
                is_whole = self.fits(word.start, word.end)
                yield from (word,) if is_whole else split_characters(self.text, word)


def _make_chunk(article: Article, content: TextUnits, span: _Span, packer: _Packer, options: ChunkOptions) -> Chunk:
    text = content.text[span.start : span.end]
    return Chunk(
        text,
        span.start,
        span.end,
        tokens=packer.count_tokens(text),
        headings=span.path,
        links=tuple(placed.link for placed in _find_links(content.links, span)),
        title=article.title,
        source=article.url or article.provenance.source_file,
        markdown=render_markdown(tuple(_list_parts(content, span))) if options.with_markdown else None,
    )


def _list_parts(content: TextUnits, span: _Span) -> Iterator[Part]:
    """Yield the parts of a chunk. The lines of one that is cut are paragraphs without markup."""
    for part, unit in zip(content.parts, content.units, strict=True):
        if span.start <= unit.start and unit.end <= span.end:
            yield part
        elif unit.start < span.end and span.start < unit.end:
            lines = content.text[max(span.start, unit.start) : min(span.end, unit.end)].splitlines()
            yield from (Paragraph((Run(line.strip()),)) for line in lines)


def _find_links(links: Sequence[TextLink], span: _Span) -> Sequence[TextLink]:
    """Return the links that start in a chunk."""
    first = bisect_left(links, span.start, key=lambda placed: placed.start)
    return links[first : bisect_left(links, span.end, key=lambda placed: placed.start)]
