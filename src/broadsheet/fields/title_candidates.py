"""Title candidates: texts that the page states, shows, or both. Texts with the same words are one candidate.

Stated titles are also cut at separators and colons ("Headline | Section", "Opinion: Headline"), and headings at the
borders of elements inside them (`<h1><span>Kicker</span> Headline</h1>`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from broadsheet.blocks import tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.site_name import SEPARATOR, are_site_words, is_site_name, split_title
from broadsheet.fields.value import clean_texts
from broadsheet.kernel.selection import find_flagged, find_texts_like
from broadsheet.text import COLONS, WIDE_ENDS, compile_later, fold_text, fold_words

MAX_TITLE_CHARS = 400
MAX_LENGTH_DIFFERENCE = 10  # characters by which two spellings of a title may differ: quotes, dashes, a full stop
_MAX_TITLES = 20  # of one source
_MAX_CUTS = 6  # of one title
_CUT = compile_later(SEPARATOR.pattern + rf"|\s*[{COLONS}]\s+|[：]|(?<=[?!{WIDE_ENDS}])\s+|\s+(?=\()")
# Every match of _CUT has one of these; they are faster to search for.
_CUT_CHARACTER = compile_later(rf"[-–—|·•»«~/<>_－｜{COLONS}?!{WIDE_ENDS}(]")
NO_LEVEL = 7  # level of texts that are not headings
_TESTED_CHARS = 8
MIN_HEADING_CHARS = 4
MIN_PIECE_CHARS = 8
MIN_BODY_CHARS = 60  # of a block that is prose, not a label
LINE_CHARS = range(12, 201)  # length of a line above the text that may be the headline
MAX_LINES_ABOVE = 8  # blocks above the text that may show the headline without being headings
MAX_CUT_TITLES = 4  # stated titles that are cut
MAX_HEADINGS = 8
MAX_HEADING_ROWS = 6  # text nodes of a heading that is cut
DEFAULT_HEADING_LEVEL = 3  # if another container is between the heading element and the block
_HEADING_MASK = tags.HEADING | tags.HIDDEN | tags.FOOTER | tags.NAV
_SEPARATORS = " :|-–—·•"  # stripped from the ends of parts of a heading


class StatedTitle(NamedTuple):
    """A title as one source states it, and its folded words."""

    text: str
    words: str
    source: str


def read_reliable_titles(evidence: Evidence) -> list[StatedTitle]:
    """Read the titles of JSON-LD and OpenGraph, which seldom name anything but the headline."""
    return list(_read_titles(evidence, _RELIABLE_STRATEGIES))


def read_titles(evidence: Evidence, reliable_titles: Sequence[StatedTitle] | None = None) -> list[StatedTitle]:
    """Read the titles of all sources; `reliable_titles` are those of `read_reliable_titles` if read before."""
    reliable_titles = read_reliable_titles(evidence) if reliable_titles is None else reliable_titles
    return [*reliable_titles, *_read_titles(evidence, _OTHER_STRATEGIES)]


def list_pieces(title: str) -> list[str]:
    """Cut a title at its separators and colons: all prefixes, suffixes and inner parts, the longest first."""
    cuts = [match.span() for match in islice(_CUT.finditer(title), _MAX_CUTS)] if _CUT_CHARACTER.search(title) else []
    if not cuts:
        return []
    starts = [0, *(end for _, end in cuts)]
    stops = [*(start for start, _ in cuts), len(title)]
    pieces = {title[:stop] for stop in stops[:-1]} | {title[start:] for start in starts[1:]}
    pieces |= {title[start:stop] for start, stop in zip(starts[1:-1], stops[1:-1], strict=True)}
    return sorted(pieces, key=lambda piece: (-len(piece), piece))


# Strategies: where a title is stated. Each gives texts, the most probable first.


def read_json_ld_titles(evidence: Evidence) -> Iterator[str]:
    """Read the headlines, then the names, of the JSON-LD items that describe this page."""
    yield from evidence.metadata.article_texts("headline")
    yield from evidence.metadata.article_texts("name")


def read_opengraph_titles(evidence: Evidence) -> Iterator[str]:
    """Read the titles for social media."""
    return evidence.metadata.meta_texts("og:title", "twitter:title")


def _read_links(evidence: Evidence) -> Iterator[str]:
    return iter(evidence.page.link_titles)


def _read_meta(evidence: Evidence) -> Iterator[str]:
    return evidence.metadata.meta_texts(
        "headline", "parsely-title", "sailthru.title", "dc.title", "dcterms.title", "citation_title", "title"
    )


def _read_microdata(evidence: Evidence) -> Iterator[str]:
    return (item.value for item in evidence.metadata.microdata if item.name == "headline")


def _read_method(evidence: Evidence) -> Iterator[str]:
    if evidence.labels.title:
        yield evidence.labels.title


def _read_title_element(evidence: Evidence) -> Iterator[str]:
    yield evidence.metadata.title


_Strategy = Callable[[Evidence], Iterator[str]]
_RELIABLE_STRATEGIES: tuple[tuple[str, _Strategy], ...] = (
    ("json-ld", read_json_ld_titles),
    ("opengraph", read_opengraph_titles),
)
_OTHER_STRATEGIES: tuple[tuple[str, _Strategy], ...] = (
    ("link", _read_links),
    ("meta", _read_meta),
    ("microdata", _read_microdata),
    ("method", _read_method),
    ("html", _read_title_element),
)
_STRATEGIES = dict(_RELIABLE_STRATEGIES + _OTHER_STRATEGIES)
RELIABLE_SOURCES = tuple(source for source, _ in _RELIABLE_STRATEGIES)
SOURCES = tuple(_STRATEGIES)


def _read_titles(evidence: Evidence, strategies: Sequence[tuple[str, _Strategy]]) -> Iterator[StatedTitle]:
    for source, strategy in strategies:
        for title in clean_texts(strategy(evidence), max_texts=_MAX_TITLES):
            if 0 < len(title) <= 2 * MAX_TITLE_CHARS:
                text = _strip_site_name(title, evidence)
                if 0 < len(text) <= MAX_TITLE_CHARS:
                    yield StatedTitle(text, fold_words(text), source)


def _strip_site_name(title: str, evidence: Evidence) -> str:
    """Remove the site's name, and all parts beyond it, from both ends of a title."""
    parts = split_title(title)
    if len(parts) < 2:
        return title
    start, stop = 0, len(parts)
    for number, part in enumerate(parts):
        if is_site_name(part, evidence):
            if number == 0:
                start = 1
            else:
                stop = number
                break
    if start >= stop:
        return title
    first = title.index(parts[start])
    last = title.rindex(parts[stop - 1]) + len(parts[stop - 1]) if stop < len(parts) else len(title)
    return title[first:last] if first < last else title


@dataclass(slots=True)
class Candidate:
    """A text that may be the headline. It is filled while candidates are collected, and not changed after that."""

    text: str
    words: str
    sources: set[str] = field(default_factory=set)  # sources that state exactly this text
    level: int = NO_LEVEL  # of the heading that shows it
    block: int = -1  # the first block that shows it; -1 if there is none
    shown_count: int = 0  # number of blocks that show it
    is_piece: bool = True  # only found as a part of a longer text
    is_inner: bool = False  # part of a heading
    element: int = -1  # node row of the element of that part
    other_element: int = -1  # node row of the element of the rest of the heading
    piece_source: str = ""  # source of the longer text that it is a piece of

    @property
    def source(self) -> str:
        """Where it is stated, or else where it is shown."""
        stated = next((source for source in SOURCES if source in self.sources), self.piece_source)
        return stated or ("heading" if self.level < NO_LEVEL else "text")


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """All candidates of a page by their words."""

    by_words: dict[str, Candidate]
    first_body: int  # first block of the article text; the number of blocks if there is none

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.by_words.values())

    def __len__(self) -> int:
        return len(self.by_words)


def list_candidates(evidence: Evidence, reliable_titles: Sequence[StatedTitle] | None = None) -> Candidates:
    """List the texts that may be the headline: stated titles first, in the order of their sources."""
    by_words: dict[str, Candidate] = {}
    first_body = find_first_body(evidence)
    _add_stated_titles(evidence, by_words, read_titles(evidence, reliable_titles))
    site_names = _find_site_names(evidence)
    _add_headings(evidence, by_words, first_body, site_names)
    if not any(candidate.level == 1 and candidate.sources for candidate in by_words.values()):
        _add_lines_above(evidence, by_words, first_body)
    _count_shown(evidence, by_words, site_names)
    return Candidates(by_words, first_body)


def may_repeat_title(evidence: Evidence, get_named_evidence: Callable[[], Evidence]) -> bool:
    """Tell whether a block of the text may have the words of the title: quick, and without the title.

    If not, no block of the text is a candidate by itself, as a heading or a line above the text, or has the words of a
    stated title, of another candidate, or of a part of them. The evidence with the name of the site is asked for only
    if the text has such a line.
    """
    blocks, body = evidence.blocks, evidence.body
    texts, contexts = blocks.text, blocks.context
    first_body = find_first_body(evidence)
    body_headings = [block for block in body if contexts[block] & tags.HEADING]
    if any(block <= first_body or _is_in_h1(evidence, block) for block in body_headings):
        return True
    headings = _list_headings(evidence)
    above = [(level, block) for level, block in headings if block <= first_body or level == 1]
    if body_headings and not above:
        return True
    shown = [texts[block] for _, block in above or headings]
    first_line = first_body - MAX_LINES_ABOVE
    lines = body[bisect_left(body, first_line) : bisect_right(body, first_body)]
    if any(len(texts[block]) in LINE_CHARS for block in lines):
        if not _has_stated_h1(above, get_named_evidence):
            return True
    else:
        shown += texts[max(first_line, 0) : first_body]
    titles = [text for read in _STRATEGIES.values() for text in islice(read(evidence), _MAX_TITLES)] + shown
    max_chars = min(max(map(len, titles)), 2 * MAX_TITLE_CHARS) + MAX_LENGTH_DIFFERENCE
    short = [block for block in body if len(texts[block]) <= max_chars]
    if not short:
        return False
    stated = " ".join([fold_words(title) for title in clean_texts(titles, max_texts=len(titles))]).replace(" ", "")
    likely = [texts[block] for block in short if _may_be_part(texts[block], stated)]
    return any(fold_words(text).replace(" ", "") in stated for text in likely)


def _may_be_part(text: str, words: str) -> bool:
    """Tell whether the first letters of a text are in folded words without spaces: folding it takes longer."""
    start = text[:_TESTED_CHARS].replace(" ", "")
    is_folded_simply = start.isalnum() and text[: _TESTED_CHARS + 1].isascii()
    return not is_folded_simply or start.lower() in words


def _is_in_h1(evidence: Evidence, block: int) -> bool:
    nodes, container = evidence.page.nodes, evidence.blocks.container[block]
    return "h1" in (nodes.tag_of(container), nodes.tag_of(nodes.parent[container]))


def _has_stated_h1(headings: Sequence[tuple[int, int]], get_named_evidence: Callable[[], Evidence]) -> bool:
    """Tell whether an `<h1>` shows a stated title: then lines above the text are no candidates."""
    h1_blocks = [block for level, block in headings if level == 1][:MAX_HEADINGS]
    if not h1_blocks:
        return False
    evidence = get_named_evidence()
    texts = [evidence.blocks.text[block].replace("\n", " ") for block in h1_blocks]
    shown = {fold_words(text) for text in texts if MIN_HEADING_CHARS <= len(text) <= MAX_TITLE_CHARS}
    titles = _read_titles(evidence, (*_RELIABLE_STRATEGIES, *_OTHER_STRATEGIES))
    words = next((title.words for title in titles if title.words in shown), "")
    return bool(words) and not are_site_words(words, evidence) and words not in _find_site_names(evidence)


def find_first_body(evidence: Evidence) -> int:
    """Find the first block of the article text that is too long to be the headline."""
    texts = evidence.blocks.text
    return next((block for block in evidence.body if len(texts[block]) > MIN_BODY_CHARS), len(texts))


def list_h1_blocks(evidence: Evidence) -> list[int]:
    """List the visible blocks whose container is an `<h1>`, except those in menus and footers."""
    blocks, nodes = evidence.blocks, evidence.page.nodes
    return [
        block
        for row in nodes.rows["h1"]
        for block in range(bisect_left(blocks.first, row), bisect_left(blocks.first, nodes.end[row]))
        if blocks.container[block] == row and blocks.context[block] & _HEADING_MASK == tags.HEADING
    ]


def _add_stated_titles(evidence: Evidence, by_words: dict[str, Candidate], titles: Sequence[StatedTitle]) -> None:
    for title in titles:
        if candidate := by_words.get(title.words):
            candidate.sources.add(title.source)
        elif title.words and not are_site_words(title.words, evidence):
            by_words[title.words] = Candidate(title.text, title.words, {title.source}, is_piece=False)
    for candidate in list(islice(by_words.values(), MAX_CUT_TITLES)):
        for piece in list_pieces(candidate.text):
            words = fold_words(piece) if len(piece) >= MIN_PIECE_CHARS else ""
            if words and words not in by_words and not are_site_words(words, evidence):
                by_words[words] = Candidate(piece, words, piece_source=candidate.source)


def _add_headings(
    evidence: Evidence, by_words: dict[str, Candidate], first_body: int, site_names: frozenset[str]
) -> None:
    """Add headings, the highest level first. Headings below the start of the text count only if there are no others."""
    blocks = evidence.blocks
    headings = _list_headings(evidence)
    above = [(level, block) for level, block in headings if block <= first_body or level == 1]
    for level, block in sorted(above or headings)[:MAX_HEADINGS]:
        text = blocks.text[block].replace("\n", " ")
        if not MIN_HEADING_CHARS <= len(text) <= MAX_TITLE_CHARS:
            continue
        words = fold_words(text)
        if words and words not in site_names and not are_site_words(words, evidence):
            candidate = by_words.setdefault(words, Candidate(text, words))
            if candidate.level > level:
                _set_heading(candidate, level, block, text)
        if level <= 2:
            _add_heading_parts(evidence, by_words, block, level)


def _list_headings(evidence: Evidence) -> list[tuple[int, int]]:
    """List level and block of the visible headings, except those in menus and footers."""
    headings = find_flagged(evidence.blocks.context, _HEADING_MASK, tags.HEADING)
    return [(_read_level(evidence, block), block) for block in headings]


def _read_level(evidence: Evidence, block: int) -> int:
    """Return the level of a heading, from the tag of its container."""
    return tags.HEADINGS.get(evidence.page.nodes.tag_of(evidence.blocks.container[block]), DEFAULT_HEADING_LEVEL)


def _set_heading(candidate: Candidate, level: int, block: int, text: str) -> None:
    """Record the heading that shows a candidate, and take its text: quotes and dashes as the reader sees them."""
    candidate.level, candidate.block, candidate.text = level, block, text
    candidate.is_piece, candidate.is_inner = False, False


def _find_site_names(evidence: Evidence) -> frozenset[str]:
    """Find the parts of `<title>` beside the stated headline. A heading with one of these texts names the site."""
    stated = frozenset(
        fold_words(text)
        for read_source in (read_json_ld_titles, read_opengraph_titles)
        for text in islice(read_source(evidence), 2)
    )
    if not stated:
        return stated
    parts = frozenset(map(fold_words, split_title(evidence.metadata.title)))
    return parts - stated if parts & stated else frozenset()


def _add_heading_parts(evidence: Evidence, by_words: dict[str, Candidate], block: int, level: int) -> None:
    """Add the prefixes and suffixes of a heading with several text nodes: kickers, dates, labels and the rest."""
    rows = evidence.blocks.rows[block]
    if not 1 < len(rows) <= MAX_HEADING_ROWS:
        return
    nodes = evidence.page.nodes
    texts = [nodes.text[row] or " " for row in rows]
    first, last = nodes.parent[rows[0]], nodes.parent[rows[-1]]
    for cut in range(1, len(rows)):
        for part, element, other_element in ((texts[:cut], first, last), (texts[cut:], last, first)):
            text = fold_text("".join(part)).strip(_SEPARATORS)
            if len(text) >= MIN_PIECE_CHARS and (words := fold_words(text)):
                candidate = by_words.setdefault(words, Candidate(text, words))
                if candidate.block < 0:
                    candidate.block, candidate.level, candidate.is_inner = block, level, True
                    candidate.element, candidate.other_element = element, other_element


def _add_lines_above(evidence: Evidence, by_words: dict[str, Candidate], first_body: int) -> None:
    """Add short lines just above the text: old pages have no headings."""
    blocks = evidence.blocks
    for block in range(max(first_body - MAX_LINES_ABOVE, 0), min(first_body + 1, len(blocks))):
        text = blocks.text[block]
        is_line = len(text) in LINE_CHARS and blocks.link_chars[block] * 2 < len(text)
        if is_line and not blocks.has(block, tags.HIDDEN):
            words = fold_words(text)
            if words and not are_site_words(words, evidence):
                candidate = by_words.setdefault(words, Candidate(text.replace("\n", " "), words))
                if candidate.block < 0:
                    candidate.block = block
                candidate.is_piece = False


def _count_shown(evidence: Evidence, by_words: dict[str, Candidate], site_names: frozenset[str]) -> None:
    """Count the blocks that show each candidate.

    Words are folded only for blocks with about the length and the first letter of a candidate, because few have both.
    """
    first_letters: dict[int, set[str]] = {}  # by length
    for words, candidate in by_words.items():
        for length in range(len(candidate.text) - 2, len(candidate.text) + 3):
            first_letters.setdefault(length, set()).add(words[0])
    blocks = evidence.blocks
    # The first letter may be followed by a combining accent; a quote before it may be absent in the candidate.
    for block in find_texts_like(blocks.text, first_letters):
        shown = by_words.get(fold_words(blocks.text[block]))
        if shown is not None and not blocks.has(block, tags.HIDDEN):
            _add_shown_block(evidence, shown, block, is_site_name=shown.words in site_names)


def _add_shown_block(evidence: Evidence, candidate: Candidate, block: int, *, is_site_name: bool) -> None:
    candidate.shown_count += 1
    text = evidence.blocks.text[block].replace("\n", " ")
    is_heading = evidence.blocks.context[block] & _HEADING_MASK == tags.HEADING and not is_site_name
    level = _read_level(evidence, block) if is_heading else NO_LEVEL
    if level < candidate.level:
        _set_heading(candidate, level, block, text)
    elif candidate.block < 0:
        candidate.block, candidate.text = block, text
