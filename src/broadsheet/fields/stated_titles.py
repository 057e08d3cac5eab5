"""Titles that the page states, from all sources, without the name of the site."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.site_name import SEPARATOR, is_site_name, split_title
from broadsheet.fields.value import clean_texts
from broadsheet.text import COLONS, WIDE_ENDS, compile_later, fold_words

MAX_TITLE_CHARS = 400
_MAX_TITLES = 20  # of one source
_MAX_CUTS = 6  # of one title
_CUT = compile_later(SEPARATOR.pattern + rf"|\s*[{COLONS}]\s+|[：]|(?<=[?!{WIDE_ENDS}])\s+|\s+(?=\()")
# Every match of _CUT has one of these; they are faster to search for.
_CUT_CHARACTER = compile_later(rf"[-–—|·•»«~/<>_－｜{COLONS}?!{WIDE_ENDS}(]")


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
        "headline", "parsely-title", "sailthru.title", "dc.title", "dcterms.title", "title"
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
RELIABLE_SOURCES = tuple(source for source, _ in _RELIABLE_STRATEGIES)
SOURCES = (*RELIABLE_SOURCES, *(source for source, _ in _OTHER_STRATEGIES))


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
