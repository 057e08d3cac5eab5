"""The figures of the body: images, videos, and embedded posts and graphics, with caption and credit.

A figure belongs to the article if it is among the kept blocks, or between the headline and the first of them.
Icons, portraits, advertisements and teasers are left out: by stated size, by names, and by the text beside them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from broadsheet.blocks import CONTENT_ROLES
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.figure_elements import READERS
from broadsheet.fields.figure_places import FigurePlaces, Place
from broadsheet.fields.names import drop_repetition
from broadsheet.fields.value import Figure, PlacedFigure, clean_text
from broadsheet.page import Nodes
from broadsheet.text import compile_later, fold_text

_MAX_CANDIDATES = 60  # elements that are read
_MAX_FIGURES = 60
_MAX_CAPTION_CHARS = 1_000
_MIN_UNIQUE_CHARS = 16  # a shorter file name may be that of several images
_IMAGE_ENDINGS = frozenset(("jpg", "jpeg", "png", "webp", "gif", "avif"))
_NAME = compile_later(r"[^\W\d_][\w.'’-]*(?: [\w.'’-]+){1,3}")
_MAX_NAME_LINE_CHARS = 20  # of a byline, beside the name
_SIZE_SUFFIX = compile_later(r"[-_](?:\d{2,4}x\d{2,4}|scaled)$")
_MAX_CAPTION_ROWS = 40
_MAX_RAW_CHARS = 2_000
_MAX_CREDIT_CHARS = 200
_CREDIT_CLASS = compile_later(
    r"credit|copyright|photographer|attribution|(?:^|[\s_-])(?:source|quelle|byline)(?:$|[\s_-])"
)
_CREDIT_LABEL = (
    r"(?:©|\(c\)|credit(?:\.{3}|…)|(?:(?:photo|image|picture|bild|foto|photograph|fotografie|crédit|credit|credits|bildquelle|"
    r"quelle|fuente|imagen|imago|illustration|fotó|kuva|фото|写真|图|copyright)"
    r"(?:\s(?:by|courtesy|credit|credits|photo|source|von|de|di))?\s?[:：©/]))"
)
# "Photo by Ann Li" needs no colon, but it begins the caption or follows a sentence or a separator.
_CREDIT_BY = (
    r"(?:photo|photos|photograph|image|picture|illustration|graphic|foto|bild)\s(?:by|courtesy\sof|courtesy|von)\s"
    r"(?-i:(?=[^\W\d_a-z]))"
)
_CREDIT_AT_START = compile_later(rf"^(?:{_CREDIT_LABEL}\s?)+", re.IGNORECASE)
_CREDIT_AT_END = compile_later(rf"(?:^|(?<=[\s(\[|.,]))(?:{_CREDIT_LABEL}\s?)+([^:]{{2,120}})$", re.IGNORECASE)
_CREDIT_BY_AT_END = compile_later(
    r"(?:^|(?<=[.!?)…|/–—(\[])\s|(?<=[(\[|/]))\(?"
    rf"{_CREDIT_BY}((?:[^:.]|(?<=\b\w)\.|(?<=\b\w\w)\.){{2,80}})\.?\)?$",  # a full stop only in "A. Li" and "Dr. Li"
    re.IGNORECASE,
)
# Every match of the last two patterns has one of these; they are faster to search for.
_CREDIT_MARKS = ("©", "(c)", ":", "：", "/", "credit")
_CREDIT_BY_WORDS = ("photo", "image", "picture", "illustration", "graphic", "foto", "bild")
_PARTICLES = frozenset(
    "of the for and via de del della di da dos van von der den la le du et y und with from s".split()
)
_CAPTION_SEPARATORS = " |·•-–—,/"


def find_figures(evidence: Evidence) -> tuple[PlacedFigure, ...]:
    """Return the figures of the body in the order of the page, each once."""
    places = FigurePlaces(evidence)
    rows = places.rows()
    if not rows:
        return ()
    present = [tag for tag in READERS if evidence.page.nodes.rows[tag]]
    elements = sorted(chain.from_iterable(evidence.elements(tag, rows) for tag in present))
    if not elements:
        return ()
    candidates = list(_read_candidates(evidence, elements[:_MAX_CANDIDATES], places))
    lead = _choose_lead(evidence, [candidate for candidate in candidates if candidate.place.is_lead])
    candidates = _drop_copies([item for item in candidates if item is lead or not item.place.is_lead])[:_MAX_FIGURES]
    # The last figure in an element has the caption.
    last = {candidate.place.wrapper: candidate for candidate in candidates}
    return tuple(
        PlacedFigure(item.row, _add_caption(evidence, item) if last[item.place.wrapper] is item else item.figure)
        for item in candidates
    )


def has_figure_elements(nodes: Nodes, rows: range) -> bool:
    """Tell whether some rows have elements that may show a figure."""
    for tag in READERS:
        tag_rows = nodes.rows[tag]
        at = bisect_left(tag_rows, rows.start) if tag_rows else 0
        if at < len(tag_rows) and tag_rows[at] < rows.stop:
            return True
    return False


def make_key(url: str) -> str:
    """Return a text that is equal for the same image in two sizes. A long file name is enough."""
    folder, name = _split_address(url)
    if not name:
        return url
    return name if len(name) >= _MIN_UNIQUE_CHARS else f"{folder}/{name}"


def _split_address(url: str) -> tuple[str, str]:
    """Return the folder and the name of an image file, without ending and size; "" for other addresses."""
    folder, _, file = url.partition("?")[0].rpartition("/")
    name, _, ending = file.rpartition(".")
    if ending.lower() not in _IMAGE_ENDINGS:
        return "", ""
    may_have_size = name[-1:].isdigit() or name.endswith("scaled")
    return folder, _SIZE_SUFFIX.sub("", name) if may_have_size else name


class _Candidate(NamedTuple):
    row: int
    figure: Figure  # without caption
    place: Place


def _read_candidates(evidence: Evidence, elements: list[int], places: FigurePlaces) -> Iterator[_Candidate]:
    nodes = evidence.page.nodes
    last_shown = -1  # block below the last image with an address that is not in a <noscript>
    for row in elements:
        place = places.find(row)  # first, because reading attributes takes longer
        if not place:
            continue
        figure = READERS[nodes.tag[row]](evidence, row)
        is_fallback = nodes.tag[nodes.parent[row]] == "noscript"
        if is_fallback and last_shown == places.block_below(row):
            continue  # the same image for browsers without scripts
        if not is_fallback and nodes.tag[row] == "img":
            last_shown = places.block_below(row) if figure else -1
        if figure and figure.kind == "audio" and figure.title and figure.title == _read_headline(evidence):
            continue  # the article read aloud
        is_alone = not place.captions and not place.is_figure
        if figure and not (is_alone and _is_portrait(evidence, figure, places.block_below(row))):
            yield _Candidate(row, figure, place)


def _read_headline(evidence: Evidence) -> str:
    return evidence.blocks.text[evidence.title_block] if evidence.title_block >= 0 else ""


def _is_portrait(evidence: Evidence, figure: Figure, below: int) -> bool:
    """Tell whether the text alternative is a name that the line below it shows: "By Ann Li"."""
    is_name = _NAME.fullmatch(figure.title) is not None
    if not is_name or below >= len(evidence.blocks) or evidence.labels.roles[below] in CONTENT_ROLES:
        return False
    line = evidence.blocks.text[below]
    return figure.title in line and len(line) <= len(figure.title) + _MAX_NAME_LINE_CHARS


def _drop_copies(candidates: list[_Candidate]) -> list[_Candidate]:
    """Drop repeated figures. Of a preview and the image that follows it, the preview is dropped."""
    kept: dict[str, _Candidate] = {}
    last_key = ""
    for candidate in candidates:
        key = make_key(candidate.figure.url)
        if key not in kept or (key == last_key and kept[key].place.wrapper == candidate.place.wrapper):
            kept[key], last_key = candidate, key
    return list(kept.values())


def _choose_lead(evidence: Evidence, candidates: list[_Candidate]) -> _Candidate | None:
    """Choose the figure above the text: the image that the metadata state, one with a caption, or the first one.

    The first one must not be inside a line of text, as a symbol before the date or the author's portrait is. A sound
    above the text is usually the article read aloud, so it is chosen only if there is nothing else.
    """
    if not candidates:
        return None
    candidates = [candidate for candidate in candidates if candidate.figure.kind != "audio"] or candidates
    stated = {make_key(url) for url in evidence.metadata.meta_texts("og:image", "twitter:image")}
    for candidate in candidates:
        if make_key(candidate.figure.url) in stated:
            return candidate
    for candidate in candidates:
        if candidate.place.captions or candidate.place.is_figure:
            return candidate
    return next((item for item in candidates if item.place.is_below_headline and not item.place.is_in_line), None)


def _add_caption(evidence: Evidence, candidate: _Candidate) -> Figure:
    if not candidate.place.captions:
        return candidate.figure
    caption = read_caption(evidence, candidate.place.captions)
    text = drop_repetition(clean_text(caption.text)[:_MAX_CAPTION_CHARS])
    return replace(candidate.figure, caption=text, credit=clean_text(caption.credit))


class Caption(NamedTuple):
    """The caption of an image, and the credit, which is not part of the caption."""

    text: str = ""
    credit: str = ""


NO_CAPTION = Caption()


def read_caption(evidence: Evidence, captions: Sequence[int]) -> Caption:
    """Read the caption in some blocks, without the credit: an element with its class, or text after "Photo:" or "©"."""
    nodes, blocks = evidence.page.nodes, evidence.blocks
    rows = [row for block in captions for row in blocks.rows[block] if nodes.text[row]]
    text = _join_texts(nodes, rows)
    start = blocks.container[captions[0]]
    elements = range(start, min(blocks.last[captions[-1]] + 1, start + _MAX_CAPTION_ROWS))
    for element, name in zip(elements, nodes.attrs.get_all(elements, "class"), strict=True):
        if not name or not _CREDIT_CLASS.search(name.lower()):
            continue
        credit = _join_texts(nodes, [row for row in rows if element < row < nodes.end[element]])
        if credit and credit in text:
            rest = _strip_separators(text.replace(credit, ""))  # some pages state it twice
            split = _split_credit(text)
            if not rest and split.text and split.credit:  # the element has the caption too
                return split
            return Caption(_split_credit(rest).text, _clean_credit(credit))
    return _split_credit(text)


def _split_credit(text: str) -> Caption:
    """Split off a credit at the end of a caption, after "Photo:" or "©"."""
    start = max(len(text) - _MAX_CREDIT_CHARS, 0)
    end = text[start:].lower()
    match = _CREDIT_AT_END.search(text, start) if any(mark in end for mark in _CREDIT_MARKS) else None
    if match:
        return Caption(_strip_separators(text[: match.start()]), _strip_separators(match[1]))
    match = _CREDIT_BY_AT_END.search(text, start) if any(word in end for word in _CREDIT_BY_WORDS) else None
    if match and _is_name(match[1]):
        return Caption(_strip_separators(text[: match.start()]), _strip_separators(match[1]))
    return Caption(text)


def _is_name(text: str) -> bool:
    """Tell whether all words begin with a capital or are particles: "Ann Li for the News", not "Ann Li shows boats"."""
    words = re.findall(r"[^\W\d_]+", text)
    return all(not word[0].islower() or word in _PARTICLES for word in words)


def _join_texts(nodes: Nodes, rows: Sequence[int]) -> str:
    return fold_text(" ".join([nodes.text[row] for row in rows])[:_MAX_RAW_CHARS])


def _clean_credit(credit: str) -> str:
    return _CREDIT_AT_START.sub("", credit)[:_MAX_CREDIT_CHARS]


def _strip_separators(text: str) -> str:
    """Remove the separators between caption and credit, and unpaired brackets, from both ends."""
    text = text.strip(_CAPTION_SEPARATORS)
    for opening, closing in ("()", "[]"):
        if text.count(opening) != text.count(closing):
            text = text.strip(_CAPTION_SEPARATORS + opening + closing)
    return text
