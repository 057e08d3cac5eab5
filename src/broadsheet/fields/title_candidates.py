"""What may be the headline: texts that the page states, shows, or both, each once by its words.

Stated ones are also cut at separators and colons ("Headline | Section", "Opinion: Headline"), shown ones at the borders
of elements inside a heading (`<h1><span>Kicker</span> Headline</h1>`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from broadsheet.blocks import fold_text, tags
from broadsheet.features import fold_words
from broadsheet.fields.clean import clean_texts
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.site_name import SEPARATOR, are_site_words, is_site_name, split_title

MAX_LENGTH = 400
NO_LEVEL = 7  # of what is no heading
_MAX_STATED = 20  # of one source
_MAX_CUTS = 6  # of one title
_MAX_CUT_TITLES = 4
_MIN_PIECE = 8  # characters
_MAX_HEADINGS = 24
_MAX_ROWS = 6  # text nodes of a heading that is taken apart
_NEAR = 8  # blocks above the text that may show the headline without being headings
_NEAR_LENGTHS = range(12, 201)
_MIN_TEXT = 60  # characters of a block that is text and no label
_CUTS = re.compile(SEPARATOR.pattern + r"|\s*[:：]\s+|[：]|(?<=[?!。！？])\s+|\s+(?=\()")


@dataclass(slots=True)
class Candidate:
    """A text that may be the headline. Filled while the page is read, and not changed thereafter."""

    text: str
    words: str
    sources: set[str] = field(default_factory=set)  # where it is stated as it is
    level: int = NO_LEVEL  # of the heading that shows it
    block: int = -1  # that shows it first, -1 when none does
    times: int = 0  # how often blocks show it
    is_piece: bool = True  # part of a longer text, and nothing by itself
    is_inner: bool = False  # part of a heading
    origin: str = ""  # source of the longer text that it is a piece of

    @property
    def source(self) -> str:
        """Where it is from: where it is stated, else where it is shown."""
        stated = next((source for source, _ in STRATEGIES if source in self.sources), self.origin)
        return stated or ("heading" if self.level < NO_LEVEL else "text")


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """All candidates of a page by their words, and what they are compared with."""

    by_words: dict[str, Candidate]
    first_body: int  # block; the number of blocks when there is no text

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.by_words.values())

    def __len__(self) -> int:
        return len(self.by_words)


def list_candidates(evidence: Evidence) -> Candidates:
    """List what may be the headline, stated ones first, in the order of their sources."""
    found: dict[str, Candidate] = {}
    first_body = find_first_body(evidence)
    _add_stated(evidence, found)
    _add_headings(evidence, found)
    _add_near(evidence, found, first_body)
    _see_shown(evidence, found)
    return Candidates(found, first_body)


def find_first_body(evidence: Evidence) -> int:
    """Find the first block of the text that is long enough not to be the headline itself."""
    texts = evidence.blocks.text
    return next((block for block in evidence.body if len(texts[block]) > _MIN_TEXT), len(texts))


# Where a headline is stated. Every strategy gives texts, the likeliest first.


def _from_json_ld(evidence: Evidence) -> Iterator[str]:
    yield from evidence.metadata.article_texts("headline")
    yield from evidence.metadata.article_texts("name")


def _from_opengraph(evidence: Evidence) -> Iterator[str]:
    return evidence.metadata.meta_texts("og:title", "twitter:title")


def _from_links(evidence: Evidence) -> Iterator[str]:
    return iter(evidence.page.link_titles)


def _from_meta(evidence: Evidence) -> Iterator[str]:
    return evidence.metadata.meta_texts(
        "headline", "parsely-title", "sailthru.title", "dc.title", "dcterms.title", "title"
    )


def _from_microdata(evidence: Evidence) -> Iterator[str]:
    return (item.value for item in evidence.metadata.microdata if item.name == "headline")


def _from_method(evidence: Evidence) -> Iterator[str]:
    if evidence.labels.title:
        yield evidence.labels.title


def _from_html_title(evidence: Evidence) -> Iterator[str]:
    yield evidence.metadata.title


STRATEGIES = (
    ("json-ld", _from_json_ld),
    ("opengraph", _from_opengraph),
    ("link", _from_links),
    ("meta", _from_meta),
    ("microdata", _from_microdata),
    ("method", _from_method),
    ("html", _from_html_title),
)


def list_stated(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Stated headlines without the site's name, with their source."""
    for source, strategy in STRATEGIES:
        for raw in clean_texts(strategy(evidence), most=_MAX_STATED):
            if len(raw) <= 2 * MAX_LENGTH and 0 < len(text := _strip_site_name(raw, evidence)) <= MAX_LENGTH:
                yield text, source


def _add_stated(evidence: Evidence, found: dict[str, Candidate]) -> None:
    for text, source in list_stated(evidence):
        words = fold_words(text)
        if words and not are_site_words(words, evidence):
            known = found.setdefault(words, Candidate(text, words))
            known.sources.add(source)
            known.is_piece = False
    for whole in list(islice(found.values(), _MAX_CUT_TITLES)):
        for piece in list_pieces(whole.text):
            if len(piece) >= _MIN_PIECE and (words := fold_words(piece)) and not are_site_words(words, evidence):
                found.setdefault(words, Candidate(piece, words, origin=whole.source))


def _strip_site_name(title: str, evidence: Evidence) -> str:
    """Take the site's name, and what stands beyond it, off either end of a title."""
    parts = split_title(title)
    if len(parts) < 2:
        return title
    start, stop = 0, len(parts)
    for at, part in enumerate(parts):
        if is_site_name(part, evidence):
            if at == 0:
                start = 1
            else:
                stop = at
                break
    if start >= stop:
        return title
    first = title.index(parts[start])
    last = title.rindex(parts[stop - 1]) + len(parts[stop - 1]) if stop < len(parts) else len(title)
    return title[first:last] if first < last else title


def list_pieces(title: str) -> list[str]:
    """Cut a title at its separators and colons: all beginnings, ends and inner parts, the longest first."""
    cuts = [match.span() for match in islice(_CUTS.finditer(title), _MAX_CUTS)]
    starts = [0, *(end for _, end in cuts)]
    stops = [*(start for start, _ in cuts), len(title)]
    pieces = {title[:stop] for stop in stops[:-1]} | {title[start:] for start in starts[1:]}
    pieces |= {title[start:stop] for start, stop in zip(starts[1:-1], stops[1:-1], strict=True)}
    return sorted(pieces, key=lambda piece: (-len(piece), piece))


# What the page shows.


def list_headings(evidence: Evidence) -> list[int]:
    """Blocks that are headings and can be seen; not those of menus and footers."""
    mask, wanted = tags.HEADING | tags.HIDDEN | tags.FOOTER | tags.NAV, tags.HEADING
    return [block for block, meaning in enumerate(evidence.blocks.meaning) if meaning & mask == wanted]


def read_level(evidence: Evidence, block: int) -> int:
    """Level of a heading, by its container; 3 when something stands between the two."""
    return tags.HEADINGS.get(evidence.page.nodes.tag[evidence.blocks.container[block]], 3)


def _add_headings(evidence: Evidence, found: dict[str, Candidate]) -> None:
    """Add headings, those of the highest level first: a page may have hundreds."""
    blocks = evidence.blocks
    ordered = sorted((read_level(evidence, block), block) for block in list_headings(evidence))
    beside = _find_beside(evidence)
    for level, block in ordered[:_MAX_HEADINGS]:
        text = blocks.text[block].replace("\n", " ")
        if not 3 < len(text) <= MAX_LENGTH:
            continue
        words = fold_words(text)
        if words and words not in beside and not are_site_words(words, evidence):
            known = found.setdefault(words, Candidate(text, words))
            if known.level > level:
                # The heading's own words: quotes and dashes as the reader sees them.
                known.level, known.block, known.text, known.is_piece = level, block, text, False
        if level <= 2:
            _add_inner(evidence, found, block, level)


def _find_beside(evidence: Evidence) -> frozenset[str]:
    """Find what stands in `<title>` beside the stated headline: a heading that says no more is the site's name."""
    stated = frozenset(
        fold_words(text) for source in (_from_json_ld, _from_opengraph) for text in islice(source(evidence), 2)
    )
    parts = frozenset(map(fold_words, split_title(evidence.metadata.title)))
    return parts - stated if parts & stated else frozenset()


def _add_inner(evidence: Evidence, found: dict[str, Candidate], block: int, level: int) -> None:
    """Add the beginnings and ends of a heading that holds other elements: kickers, dates, labels."""
    rows = evidence.blocks.rows[block]
    if not 1 < len(rows) <= _MAX_ROWS:
        return
    texts = [evidence.page.nodes.text[row] or " " for row in rows]
    for cut in range(1, len(rows)):
        for part in (texts[:cut], texts[cut:]):
            text = fold_text("".join(part)).strip(" :|-–—·•")
            if len(text) >= _MIN_PIECE and (words := fold_words(text)):
                known = found.setdefault(words, Candidate(text, words))
                if known.block < 0:
                    known.block, known.level, known.is_inner = block, level, True


def _add_near(evidence: Evidence, found: dict[str, Candidate], first_body: int) -> None:
    """Add short lines just above the text: old pages have no other heading."""
    blocks = evidence.blocks
    for block in range(max(first_body - _NEAR, 0), min(first_body + 1, len(blocks))):
        text = blocks.text[block]
        if (
            len(text) in _NEAR_LENGTHS
            and blocks.link_chars[block] * 2 < len(text)
            and not blocks.has(block, tags.HIDDEN)
        ):
            words = fold_words(text)
            if words and not are_site_words(words, evidence):
                known = found.setdefault(words, Candidate(text.replace("\n", " "), words))
                if known.block < 0:
                    known.block = block
                known.is_piece = False


def _see_shown(evidence: Evidence, found: dict[str, Candidate]) -> None:
    """Count the blocks that show each candidate. Only those of about the same length are read: most are not."""
    lengths = sorted({len(known.text) for known in found.values()})
    blocks = evidence.blocks
    for block, text in enumerate(blocks.text):
        size = len(text)
        if size > MAX_LENGTH + 3:
            continue
        at = bisect_left(lengths, size - 2)
        if at == len(lengths) or lengths[at] > size + 2:
            continue
        known = found.get(fold_words(text))
        if known is None or blocks.has(block, tags.HIDDEN):
            continue
        known.times += 1
        if known.block < 0 or known.is_inner:
            known.block, known.is_inner = block, False
            known.text = text.replace("\n", " ")
