"""The headline, as a reader sees it.

Pages state it in many places, often in other words or with the site's name. A stated headline that also stands in a
visible heading wins; the heading's own words are taken then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from broadsheet.blocks import tags
from broadsheet.features import fold_words
from broadsheet.fields.clean import clean_text
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found
from broadsheet.fields.site_name import SEPARATOR, are_site_words, is_site_name, split_title

_MAX_LENGTH = 400
_MAX_HEADINGS = 40
_MIN_PREFIX = 15  # characters that two texts must share for one to be the other, cut short
_MIN_OVERLAP = 0.5  # share of words for which a heading still counts as the stated headline in other words


def find_title(evidence: Evidence) -> Found[str] | None:
    """Find the headline."""
    stated = list(_list_stated(evidence))
    # The usual case first: it saves reading all headings.
    if found := _match_equal(stated[:1], _list_headings(evidence, max_level=1)):
        return found
    shown = _list_headings(evidence)
    for match in (_match_equal, _match_piece, _match_cut, _match_alike):
        if found := match(stated, shown):
            return found
    if found := _match_block(stated, evidence):
        return found
    if stated and stated[0].source != "html":
        return stated[0]
    # The method's own title is always visible, so that it would win over better ones if it were tried above.
    if title := clean_text(evidence.labels.title or ""):
        return Found(title, "method")
    if stated:
        return Found(_drop_short_end(stated[0].value), "html")
    return Found(next(iter(shown.values())).text, "html") if shown else None


def find_title_block(evidence: Evidence, title: str) -> int:
    """Find the block that shows the headline: a heading if there is one; -1 when the page does not show it."""
    blocks, wanted = evidence.blocks, fold_words(title)
    equal = partial = -1
    for block, text in enumerate(blocks.text):
        is_heading = blocks.has(block, tags.HEADING) and not blocks.has(block, tags.HIDDEN)
        if text == title or (abs(len(text) - len(title)) < 20 and fold_words(text) == wanted):
            if is_heading:
                return block
            equal = block if equal < 0 else equal
        elif is_heading and partial < 0 and len(text) > len(title) and title in text:
            partial = block  # a kicker stands before the headline
    return equal if equal >= 0 else partial


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


def _list_stated(evidence: Evidence) -> Iterator[Found[str]]:
    for source, strategy in _STRATEGIES:
        for raw in strategy(evidence):
            text = _strip_site_name(clean_text(raw), evidence)
            if 0 < len(text) <= _MAX_LENGTH and not is_site_name(text, evidence):
                yield Found(text, source)


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


def _list_headings(evidence: Evidence, max_level: int = 6) -> _Headings:
    """Visible headings, the highest level first."""
    blocks, node_tag = evidence.blocks, evidence.page.nodes.tag
    found: list[tuple[int, int]] = []
    for block, meaning in enumerate(blocks.meaning):
        if meaning & tags.HEADING and not meaning & (tags.HIDDEN | tags.FOOTER | tags.NAV):
            level = tags.HEADINGS.get(node_tag[blocks.container[block]], 3)
            if level <= max_level:
                found.append((level, block))
    headings: _Headings = {}
    for level, block in sorted(found)[:_MAX_HEADINGS]:
        text = blocks.text[block].replace("\n", " ")
        if 3 < len(text) <= _MAX_LENGTH and not are_site_words(words := fold_words(text), evidence):
            headings.setdefault(words, _Heading(text, level))
    return headings


_CUTS = re.compile(SEPARATOR.pattern + r"|:\s+")

# How a stated headline is recognised among what the page shows, the surest way first.


def _match_equal(stated: list[Found[str]], headings: _Headings) -> Found[str] | None:
    for title in stated:
        if heading := headings.get(fold_words(title.value)):
            return Found(heading.text, title.source)
    return None


def _match_piece(stated: list[Found[str]], headings: _Headings) -> Found[str] | None:
    """Match one end of a title that has more in it: "Headline - Section - Town"."""
    for title in stated:
        for piece in _list_pieces(title.value):
            if (heading := headings.get(fold_words(piece))) and len(heading.text) >= _MIN_PREFIX:
                return Found(heading.text, title.source)
    return None


def _match_cut(stated: list[Found[str]], headings: _Headings) -> Found[str] | None:
    """Match a headline that was cut short in the metadata, or that carries more than the heading."""
    for title in stated:
        words = fold_words(title.value)
        for other, heading in headings.items():
            shorter = min(len(words), len(other))
            if shorter >= _MIN_PREFIX and words[:shorter] == other[:shorter]:
                return Found(heading.text, title.source)
    return None


def _match_alike(stated: list[Found[str]], headings: _Headings) -> Found[str] | None:
    """Match a headline that metadata give in other words than the page's first heading."""
    for title in stated:
        words = set(fold_words(title.value).split())
        for other, heading in headings.items():
            others = set(other.split())
            if heading.level == 1 and len(words & others) > _MIN_OVERLAP * max(len(words), len(others)):
                return Found(heading.text, title.source)
    return None


def _match_block(stated: list[Found[str]], evidence: Evidence) -> Found[str] | None:
    """Match text that is no heading to the parser, as on old pages."""
    shown = set(evidence.blocks.text)
    for title in stated:
        for piece in (title.value, *_list_pieces(title.value)):
            if len(piece) >= _MIN_PREFIX and piece in shown:
                return Found(piece, title.source)
    return None


def _list_pieces(title: str) -> list[str]:
    """Cut a title at its separators and colons: all beginnings, ends and inner parts, the longest first."""
    cuts = [match.span() for match in _CUTS.finditer(title)]
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
