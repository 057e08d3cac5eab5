"""What may be the headline: texts that the page states, shows, or both, each once by its words.

Stated ones are also cut at separators and colons ("Headline | Section", "Opinion: Headline"), shown ones at the borders
of elements inside a heading (`<h1><span>Kicker</span> Headline</h1>`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from broadsheet.blocks import tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.site_name import are_site_words, split_title
from broadsheet.fields.title_stated import (
    MAX_LENGTH,
    SOURCES,
    Stated,
    from_json_ld,
    from_opengraph,
    list_pieces,
    list_stated,
)
from broadsheet.text import fold_text, fold_words

NO_LEVEL = 7  # of what is no heading
_MAX_CUT_TITLES = 4
_MIN_PIECE = 8  # characters
_MAX_HEADINGS = 8
_MAX_ROWS = 6  # text nodes of a heading that is taken apart
_NEAR = 8  # blocks above the text that may show the headline without being headings
_NEAR_LENGTHS = range(12, 201)
_MIN_TEXT = 60  # characters of a block that is text and no label
_HEADING_MASK = tags.HEADING | tags.HIDDEN | tags.FOOTER | tags.NAV
_ENDS = " :|-–—·•"


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
    element: int = -1  # node row of what holds that part
    beside: int = -1  # and of what holds the rest of the heading
    origin: str = ""  # source of the longer text that it is a piece of

    @property
    def source(self) -> str:
        """Where it is from: where it is stated, else where it is shown."""
        stated = next((source for source in SOURCES if source in self.sources), self.origin)
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


def list_candidates(evidence: Evidence, plain: Sequence[Stated] | None = None) -> Candidates:
    """List what may be the headline, stated ones first, in the order of their sources."""
    found: dict[str, Candidate] = {}
    first_body = find_first_body(evidence)
    _add_stated(evidence, found, list_stated(evidence, plain))
    names = _find_names(evidence)
    _add_headings(evidence, found, first_body, names)
    if not any(known.level == 1 and known.sources for known in found.values()):
        _add_near(evidence, found, first_body)
    _see_shown(evidence, found, names)
    return Candidates(found, first_body)


def find_first_body(evidence: Evidence) -> int:
    """Find the first block of the text that is long enough not to be the headline itself."""
    texts = evidence.blocks.text
    return next((block for block in evidence.body if len(texts[block]) > _MIN_TEXT), len(texts))


def list_highest(evidence: Evidence) -> list[int]:
    """Blocks that are directly in an `<h1>` and can be seen; not those of menus and footers."""
    blocks, nodes = evidence.blocks, evidence.page.nodes
    return [
        block
        for row in nodes.rows["h1"]
        for block in range(bisect_left(blocks.first, row), bisect_left(blocks.first, nodes.end[row]))
        if blocks.container[block] == row and blocks.context[block] & _HEADING_MASK == tags.HEADING
    ]


# What the page states.


def _add_stated(evidence: Evidence, found: dict[str, Candidate], stated: Sequence[Stated]) -> None:
    for one in stated:
        if known := found.get(one.words):
            known.sources.add(one.source)
        elif one.words and not are_site_words(one.words, evidence):
            found[one.words] = Candidate(one.text, one.words, {one.source}, is_piece=False)
    for whole in list(islice(found.values(), _MAX_CUT_TITLES)):
        for piece in list_pieces(whole.text):
            words = fold_words(piece) if len(piece) >= _MIN_PIECE else ""
            if words and words not in found and not are_site_words(words, evidence):
                found[words] = Candidate(piece, words, origin=whole.source)


# What the page shows.


def _add_headings(evidence: Evidence, found: dict[str, Candidate], first_body: int, names: frozenset[str]) -> None:
    """Add headings, those of the highest level first; those below the beginning of the text if there are no others."""
    blocks = evidence.blocks
    headings = _list_headings(evidence)
    above = [pair for pair in headings if pair[1] <= first_body or pair[0] == 1]
    for level, block in sorted(above or headings)[:_MAX_HEADINGS]:
        text = blocks.text[block].replace("\n", " ")
        if not 3 < len(text) <= MAX_LENGTH:
            continue
        words = fold_words(text)
        if words and words not in names and not are_site_words(words, evidence):
            known = found.setdefault(words, Candidate(text, words))
            if known.level > level:
                _show_in_heading(known, level, block, text)
        if level <= 2:
            _add_inner(evidence, found, block, level)


def _list_headings(evidence: Evidence) -> list[tuple[int, int]]:
    """Levels and blocks of the headings that can be seen; not those of menus and footers."""
    meanings = evidence.blocks.context
    found = [block for block, meaning in enumerate(meanings) if meaning & _HEADING_MASK == tags.HEADING]
    return [(_read_level(evidence, block), block) for block in found]


def _read_level(evidence: Evidence, block: int) -> int:
    """Level of a heading, by its container; 3 when something stands between the two."""
    return tags.HEADINGS.get(evidence.page.nodes.tag[evidence.blocks.container[block]], 3)


def _show_in_heading(known: Candidate, level: int, block: int, text: str) -> None:
    """Note that a heading shows a candidate, in the heading's own words: quotes and dashes as the reader sees them."""
    known.level, known.block, known.text, known.is_piece, known.is_inner = level, block, text, False, False


def _find_names(evidence: Evidence) -> frozenset[str]:
    """Find what stands in `<title>` beside the stated headline: a heading that says no more is the site's name."""
    stated = frozenset(
        fold_words(text) for source in (from_json_ld, from_opengraph) for text in islice(source(evidence), 2)
    )
    if not stated:
        return stated
    parts = frozenset(map(fold_words, split_title(evidence.metadata.title)))
    return parts - stated if parts & stated else frozenset()


def _add_inner(evidence: Evidence, found: dict[str, Candidate], block: int, level: int) -> None:
    """Add the beginnings and ends of a heading that holds other elements: kickers, dates, labels."""
    rows = evidence.blocks.rows[block]
    if not 1 < len(rows) <= _MAX_ROWS:
        return
    nodes = evidence.page.nodes
    texts = [nodes.text[row] or " " for row in rows]
    for cut in range(1, len(rows)):
        first, last = nodes.parent[rows[0]], nodes.parent[rows[-1]]
        for part, element, beside in ((texts[:cut], first, last), (texts[cut:], last, first)):
            text = fold_text("".join(part)).strip(_ENDS)
            if len(text) >= _MIN_PIECE and (words := fold_words(text)):
                known = found.setdefault(words, Candidate(text, words))
                if known.block < 0:
                    known.block, known.level, known.is_inner = block, level, True
                    known.element, known.beside = element, beside


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


def _see_shown(evidence: Evidence, found: dict[str, Candidate], names: frozenset[str]) -> None:
    """Count the blocks that show each candidate. Only those of about its length that begin alike are read: few do."""
    beginnings: dict[int, set[str]] = {}  # by length
    for words, known in found.items():
        for length in range(len(known.text) - 2, len(known.text) + 3):
            beginnings.setdefault(length, set()).add(words[0])
    blocks = evidence.blocks
    for block, text in enumerate(blocks.text):
        fitting = beginnings.get(len(text))
        if fitting is None:
            continue
        first = text[0]
        # The first letter may be made of two characters; a quote before it may be missing elsewhere.
        if first.isalnum() and first.lower()[0] not in fitting and not "\u0300" <= text[1:2] <= "\u036f":
            continue
        shown = found.get(fold_words(text))
        if shown is None or blocks.has(block, tags.HIDDEN):
            continue
        shown.times += 1
        is_heading = blocks.context[block] & _HEADING_MASK == tags.HEADING and shown.words not in names
        level = _read_level(evidence, block) if is_heading else NO_LEVEL
        if level < shown.level:
            _show_in_heading(shown, level, block, text.replace("\n", " "))
        elif shown.block < 0:
            shown.block, shown.text = block, text.replace("\n", " ")
