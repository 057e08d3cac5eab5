"""Headlines as the page states them, in all the places there are, without the site's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from broadsheet.fields.clean import clean_texts
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.site_name import SEPARATOR, is_site_name, split_title
from broadsheet.text import fold_words
from broadsheet.text.punctuation import COLONS, WIDE_ENDS

MAX_LENGTH = 400
_MAX_STATED = 20  # of one source
_MAX_CUTS = 6  # of one title
_MARK = re.compile(rf"[-–—|·•»«~/<>_－｜{COLONS}?!{WIDE_ENDS}(]")  # what each cut has
_CUTS = re.compile(SEPARATOR.pattern + rf"|\s*[{COLONS}]\s+|[：]|(?<=[?!{WIDE_ENDS}])\s+|\s+(?=\()")


@dataclass(frozen=True, slots=True)
class Stated:
    """A headline as one source states it, and its words."""

    text: str
    words: str
    source: str


def list_plain(evidence: Evidence) -> list[Stated]:
    """List what JSON-LD and OpenGraph state: they name the headline, and seldom anything else."""
    return list(_read(evidence, STRATEGIES[:_PLAIN]))


def list_stated(evidence: Evidence, plain: Sequence[Stated] | None = None) -> list[Stated]:
    """List what all sources state; `plain` is what `list_plain` has found, where it was asked."""
    plain = list_plain(evidence) if plain is None else plain
    return [*plain, *_read(evidence, STRATEGIES[_PLAIN:])]


def list_pieces(title: str) -> list[str]:
    """Cut a title at its separators and colons: all beginnings, ends and inner parts, the longest first."""
    cuts = [match.span() for match in islice(_CUTS.finditer(title), _MAX_CUTS)] if _MARK.search(title) else []
    if not cuts:
        return []
    starts = [0, *(end for _, end in cuts)]
    stops = [*(start for start, _ in cuts), len(title)]
    pieces = {title[:stop] for stop in stops[:-1]} | {title[start:] for start in starts[1:]}
    pieces |= {title[start:stop] for start, stop in zip(starts[1:-1], stops[1:-1], strict=True)}
    return sorted(pieces, key=lambda piece: (-len(piece), piece))


# Where a headline is stated. Every strategy gives texts, the likeliest first.


def from_json_ld(evidence: Evidence) -> Iterator[str]:
    """Headlines and names of the items of JSON-LD that are this page."""
    yield from evidence.metadata.article_texts("headline")
    yield from evidence.metadata.article_texts("name")


def from_opengraph(evidence: Evidence) -> Iterator[str]:
    """Titles for social media."""
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


_Strategy = Callable[[Evidence], Iterator[str]]
STRATEGIES: tuple[tuple[str, _Strategy], ...] = (
    ("json-ld", from_json_ld),
    ("opengraph", from_opengraph),
    ("link", _from_links),
    ("meta", _from_meta),
    ("microdata", _from_microdata),
    ("method", _from_method),
    ("html", _from_html_title),
)
SOURCES = tuple(source for source, _ in STRATEGIES)
_PLAIN = 2  # how many of them are plain


def _read(evidence: Evidence, strategies: Sequence[tuple[str, _Strategy]]) -> Iterator[Stated]:
    for source, strategy in strategies:
        for raw in clean_texts(strategy(evidence), max_texts=_MAX_STATED):
            if 0 < len(raw) <= 2 * MAX_LENGTH and 0 < len(text := _strip_site_name(raw, evidence)) <= MAX_LENGTH:
                yield Stated(text, fold_words(text), source)


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
