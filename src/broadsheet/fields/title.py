"""The headline, as a reader sees it.

Pages state it in many places, often in other words or with the site's name. A stated headline that also stands in a
visible heading wins; the heading's own words are taken then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from broadsheet.blocks import tags
from broadsheet.features import fold_words
from broadsheet.fields.clean import clean_text, clean_texts
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found
from broadsheet.fields.site_name import SEPARATOR, are_site_words, is_site_name, split_title

_MAX_LENGTH = 400
_MAX_HEADINGS = 40
_MAX_STATED = 20  # of one source
_MAX_CUTS = 20  # of one title
_MAX_MARKS = 20  # characters by which a shown headline may differ in length and still have the same words
_MIN_PREFIX = 15  # characters that two texts must share for one to be the other, cut short
_MIN_OVERLAP = 0.5  # share of words for which a heading still counts as the stated headline in other words


def find_title(evidence: Evidence) -> Found[str] | None:
    """Find the headline."""
    statements = _list_stated(evidence)
    first = list(islice(statements, 1))
    # The usual case first: it saves reading all headings.
    blocks = _list_heading_blocks(evidence, tags.HIDDEN | tags.FOOTER | tags.NAV)
    if first and (found := _match_equal(first, _read_headings(evidence, blocks, max_level=1))):
        return found
    stated, shown = [*first, *statements], _read_headings(evidence, blocks)
    for match in (_match_equal, _match_piece, _match_cut, _match_alike):
        if found := match(stated, shown):
            return found
    if found := _match_block(stated, evidence):
        return found
    if stated and stated[0].source != "html":
        return Found(stated[0].text, stated[0].source)
    # The method's own title is always visible, so that it would win over better ones if it were tried above.
    if title := clean_text(evidence.labels.title or ""):
        return Found(title, "method")
    if stated:
        return Found(_drop_short_end(stated[0].text), "html")
    return Found(next(iter(shown.values())).text, "html") if shown else None


def find_title_block(evidence: Evidence, title: str) -> int:
    """Find the block that shows the headline: a heading if there is one; -1 when the page does not show it."""
    texts, wanted = evidence.blocks.text, fold_words(title)
    shortest, longest = len(title) - _MAX_MARKS, len(title) + _MAX_MARKS
    headings = _list_heading_blocks(evidence, tags.HIDDEN)
    for candidates in (headings, range(len(texts))):
        for block in candidates:
            if shortest < len(texts[block]) < longest and fold_words(texts[block]) == wanted:
                return block
    # A kicker stands before the headline.
    return next((block for block in headings if title in texts[block]), -1)


# Where a headline is stated. Every strategy gives texts, the likeliest first.


def _from_json_ld(evidence: Evidence) -> Iterator[str]:
    yield from evidence.metadata.article_texts("headline")
    yield from evidence.metadata.article_texts("name")


def _from_opengraph(evidence: Evidence) -> Iterator[str]:
    return evidence.metadata.meta_texts("og:title", "twitter:title")


def _from_meta(evidence: Evidence) -> Iterator[str]:
    return evidence.metadata.meta_texts(
        "headline", "parsely-title", "sailthru.title", "dc.title", "dcterms.title", "title"
    )


def _from_links(evidence: Evidence) -> Iterator[str]:
    return iter(evidence.page.link_titles)


def _from_microdata(evidence: Evidence) -> Iterator[str]:
    for item in evidence.metadata.microdata:
        if item.name == "headline":
            yield item.value


def _from_html_title(evidence: Evidence) -> Iterator[str]:
    yield evidence.metadata.title


_STRATEGIES = (
    ("json-ld", _from_json_ld),
    ("opengraph", _from_opengraph),
    ("link", _from_links),
    ("meta", _from_meta),
    ("microdata", _from_microdata),
    ("html", _from_html_title),
)


@dataclass(frozen=True, slots=True)
class _Stated:
    text: str
    words: str
    source: str


def _list_stated(evidence: Evidence) -> Iterator[_Stated]:
    """Stated headlines without the site's name, each once, the likeliest first."""
    known: set[str] = set()
    for source, strategy in _STRATEGIES:
        for raw in clean_texts(strategy(evidence), most=_MAX_STATED):
            if len(raw) > 2 * _MAX_LENGTH:
                continue
            text = _strip_site_name(raw, evidence)
            if text in known or not 0 < len(text) <= _MAX_LENGTH:
                continue
            known.add(text)
            if not are_site_words(words := fold_words(text), evidence):
                yield _Stated(text, words, source)


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


@dataclass(frozen=True, slots=True)
class _Heading:
    text: str
    level: int


_Headings = dict[str, _Heading]  # by their words


def _read_headings(evidence: Evidence, heading_blocks: list[int], max_level: int = 6) -> _Headings:
    """Read headings, the highest level first."""
    blocks, node_tag = evidence.blocks, evidence.page.nodes.tag
    found: list[tuple[int, int]] = []
    for block in heading_blocks:
        level = tags.HEADINGS.get(node_tag[blocks.container[block]], 3)
        if level <= max_level:
            found.append((level, block))
    headings: _Headings = {}
    for level, block in sorted(found)[:_MAX_HEADINGS]:
        text = blocks.text[block].replace("\n", " ")
        if 3 < len(text) <= _MAX_LENGTH and not are_site_words(words := fold_words(text), evidence):
            headings.setdefault(words, _Heading(text, level))
    return headings


def _list_heading_blocks(evidence: Evidence, but_not: int) -> list[int]:
    """Blocks that are headings, but none of those that stand in something else."""
    mask, wanted = tags.HEADING | but_not, tags.HEADING
    return [block for block, meaning in enumerate(evidence.blocks.meaning) if meaning & mask == wanted]


_CUTS = re.compile(SEPARATOR.pattern + r"|:\s+")

# How a stated headline is recognised among what the page shows, the surest way first.


def _match_equal(stated: list[_Stated], headings: _Headings) -> Found[str] | None:
    for title in stated:
        if heading := headings.get(title.words):
            return Found(heading.text, title.source)
    return None


def _match_piece(stated: list[_Stated], headings: _Headings) -> Found[str] | None:
    """Match one end of a title that has more in it: "Headline - Section - Town"."""
    for title in stated:
        for piece in _list_pieces(title.text):
            if (heading := headings.get(fold_words(piece))) and len(heading.text) >= _MIN_PREFIX:
                return Found(heading.text, title.source)
    return None


def _match_cut(stated: list[_Stated], headings: _Headings) -> Found[str] | None:
    """Match a headline that was cut short in the metadata, or that carries more than the heading."""
    for title in stated:
        words = title.words
        for other, heading in headings.items():
            shorter = min(len(words), len(other))
            if shorter >= _MIN_PREFIX and words[:shorter] == other[:shorter]:
                return Found(heading.text, title.source)
    return None


def _match_alike(stated: list[_Stated], headings: _Headings) -> Found[str] | None:
    """Match a headline that metadata give in other words than the page's first heading."""
    first = [(set(words.split()), heading.text) for words, heading in headings.items() if heading.level == 1]
    for title in stated if first else ():
        words = set(title.words.split())
        for others, text in first:
            if len(words & others) > _MIN_OVERLAP * max(len(words), len(others)):
                return Found(text, title.source)
    return None


def _match_block(stated: list[_Stated], evidence: Evidence) -> Found[str] | None:
    """Match text that is no heading to the parser, as on old pages."""
    shown = set(evidence.blocks.text)
    for title in stated:
        for piece in (title.text, *_list_pieces(title.text)):
            if len(piece) >= _MIN_PREFIX and piece in shown:
                return Found(piece, title.source)
    return None


def _list_pieces(title: str) -> list[str]:
    """Cut a title at its separators and colons: all beginnings, ends and inner parts, the longest first."""
    cuts = [match.span() for match in islice(_CUTS.finditer(title), _MAX_CUTS)]
    starts = [0, *(end for _, end in cuts)]
    stops = [*(start for start, _ in cuts), len(title)]
    pieces = {title[:stop] for stop in stops[:-1]} | {title[start:] for start in starts[1:]}
    pieces |= {title[start:stop] for start, stop in zip(starts[1:-1], stops[1:-1], strict=True)}
    return sorted(pieces, key=lambda piece: (-len(piece), piece))


def _drop_short_end(title: str) -> str:
    """Take a short last part off a `<title>`: where nothing else is known, it is the site's name."""
    parts = split_title(title)
    if len(parts) < 2 or len(parts[-1]) * 2 > len(parts[0]):
        return title
    return title[: title.rindex(parts[-2]) + len(parts[-2])]
