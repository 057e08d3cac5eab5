"""Numbers that tell a headline from its rivals: named columns, the same in training and at run time."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.site_name import has_separator
from broadsheet.fields.title_candidates import NO_LEVEL, Candidate, Candidates
from broadsheet.page import Nodes
from broadsheet.text import fold_words
from broadsheet.text.punctuation import ASCII_ENDS, IDEOGRAPHIC_FULL_STOP

Samples = NDArray[np.float32]  # (candidates, COLUMNS)

COLUMNS = (
    *("in_json_ld", "in_opengraph", "in_meta", "in_microdata", "in_method", "in_html_title"),
    *("sources", "is_piece", "is_inner", "rank", "is_first_shown", "is_first_alike"),
    *("is_h1", "is_h2", "is_lower_heading", "is_first_h1", "is_only_h1", "is_first_heading", "no_h1"),
    *("chars", "words", "is_short", "is_long", "capitals", "digits", "ends_sentence", "has_separator"),
    *("in_slug", "no_slug", "like_html_title", "is_in_html_title", "begins_html_title", "is_html_title"),
    *("like_opengraph", "no_opengraph", "like_json_ld", "no_json_ld", "like_h1", "in_body"),
    *("is_shown", "times", "place", "to_body", "is_above_body", "is_far_above"),
    *("in_header", "in_main", "in_aside", "link_share", "is_called_title", "is_called_other", "is_bold", "following"),
    "beside_other",
)
_MAX_NAME = 400  # characters of a class
_TITLE_NAME = re.compile(r"title|headline|heading|hdl")
_OTHER_NAME = re.compile(
    r"sub|kicker|overline|topline|eyebrow|dachzeile|roofline|rubri|label|logo|site|brand|related|widget|modal|teaser|side|author|"
    r"comment|cookie|promo|card"
)
_BOLD = frozenset("b strong font big".split())
_MAX_BODY = 1_000  # characters of the text that candidates are compared with
_MAX_STEPS = 3
_START = 40  # characters whose kinds are counted
_NO_WORDS: set[str] = set()
_NO_PLACE = (0.0,) * (len(COLUMNS) - COLUMNS.index("is_shown"))
_IN_MAIN = tags.MAIN | tags.ARTICLE
_IN_ASIDE = tags.ASIDE | tags.NAV | tags.FOOTER | tags.LIST
_PATH = re.compile(r"[^/?#]*//[^/?#]*([^?#]*)")  # of an address
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_ENDS = ASCII_ENDS + IDEOGRAPHIC_FULL_STOP
_SLUG_NOISE = frozenset("html htm php asp aspx news article articles story index www".split())


def measure_candidates(evidence: Evidence, candidates: Candidates) -> Samples:
    """Measure all candidates of a page."""
    own_words = [set(known.words.split()) for known in candidates]
    seen = _Surroundings(evidence, candidates, own_words)
    ranked = enumerate(zip(candidates, own_words, strict=True))
    rows = [_measure(known, words, rank, seen) for rank, (known, words) in ranked]
    numbers = np.fromiter(chain.from_iterable(rows), np.float32, len(rows) * len(COLUMNS))  # np.array takes longer
    return numbers.reshape(len(rows), len(COLUMNS))


def is_called_other(nodes: Nodes, row: int) -> bool:
    """Tell whether an element is called as something that stands around headlines: a kicker, a label, a logo."""
    return _OTHER_NAME.search(_read_name(nodes, row)) is not None


class _Surroundings:
    """What candidates are compared with, read once a page."""

    def __init__(self, evidence: Evidence, candidates: Candidates, own_words: list[set[str]]) -> None:
        self.evidence = evidence
        self.blocks = evidence.blocks
        self.first_body = candidates.first_body
        self.html_title = fold_words(evidence.metadata.title[:500])
        self.html_title_words = set(self.html_title.split())
        pairs = list(zip(candidates, own_words, strict=True))
        stated = [(known, words) for known, words in pairs if known.sources]
        self.opengraph = next((words for known, words in stated if "opengraph" in known.sources), _NO_WORDS)
        self.json_ld = next((words for known, words in stated if "json-ld" in known.sources), _NO_WORDS)
        headings = [(known, words) for known, words in pairs if known.level < NO_LEVEL and not known.is_inner]
        highest = [(known, words) for known, words in headings if known.level == 1]
        self.h1_words = [words for _, words in highest[:3]]
        self.h1s = len(highest)
        self.first_h1 = min((known.block for known, _ in highest), default=-1)
        self.first_heading = min((known.block for known, _ in headings), default=-1)
        # What simple rules would take: the first stated title that is a heading, and the heading most like the first.
        self.first_shown = next((known.words for known, _ in headings if known.sources), "")
        first = stated[0][1] if stated else _NO_WORDS
        likest = max(headings, key=lambda pair: _share(pair[1], first), default=None) if stated else None
        self.first_alike = likest[0].words if likest else ""
        self.slug = _read_slug(evidence)
        texts = evidence.blocks.text[self.first_body : self.first_body + 5]
        body = " ".join(texts)[:_MAX_BODY].lower()
        body = body if body.isascii() else unicodedata.normalize("NFC", body)
        # As parts of words, too: to cut the text into its words would take longer than all else that is done here.
        self.body_words = {word for word in set().union(*own_words) if word in body}


def _read_slug(evidence: Evidence) -> set[str]:
    """Words of the address; none when it has too few to say anything."""
    path = _PATH.match((evidence.page.url or evidence.page.base or "")[:1_000])
    words = set(_LETTERS.findall(unquote(path[1]).lower())) - _SLUG_NOISE if path else _NO_WORDS
    return words if len(words) > 2 else _NO_WORDS


def _measure(known: Candidate, words: set[str], rank: int, seen: _Surroundings) -> tuple[float, ...]:
    sources, text, count = known.sources, known.text, len(words)
    size, level = len(text), NO_LEVEL if known.is_inner else known.level
    html_title, start = seen.html_title, text[:_START]
    is_in_html_title = known.words in html_title
    return (
        "json-ld" in sources,
        "opengraph" in sources or "link" in sources,
        "meta" in sources,
        "microdata" in sources,
        "method" in sources,
        "html" in sources,
        min(len(sources), 4) / 4,
        known.is_piece,
        known.is_inner,
        min(rank, 20) / 20,
        known.words == seen.first_shown,
        known.words == seen.first_alike,
        level == 1,
        level == 2,
        2 < level < NO_LEVEL,
        level == 1 and known.block == seen.first_h1,
        level == 1 and seen.h1s == 1,
        level < NO_LEVEL and known.block == seen.first_heading,
        not seen.h1s,
        min(size, 200) / 100,
        min(count, 30) / 15,
        size < 20,
        size > 120,
        sum(map(str.isupper, start)) / len(start),
        sum(map(str.isdigit, start)) / len(start),
        text[-1] in _SENTENCE_ENDS,
        has_separator(text),
        len(words & seen.slug) / count if seen.slug else 0.0,
        not seen.slug,
        _share(words, seen.html_title_words),
        is_in_html_title,
        is_in_html_title and html_title.startswith(known.words),
        html_title == known.words,
        _share(words, seen.opengraph),
        not seen.opengraph,
        _share(words, seen.json_ld),
        not seen.json_ld,
        max([_share(words, others) for others in seen.h1_words]) if seen.h1_words else 0.0,
        len(words & seen.body_words) / count,
        *(_measure_place(known, seen) if known.block >= 0 else _NO_PLACE),
    )


def _share(words: set[str], others: set[str]) -> float:
    if not others:
        return 0.0
    both = len(words & others)
    return both / (len(words) + len(others) - both)


def _measure_place(known: Candidate, seen: _Surroundings) -> tuple[float, ...]:
    block, first, blocks = known.block, seen.first_body, seen.blocks
    nodes, texts = seen.evidence.page.nodes, blocks.text
    meaning, container = blocks.context[block], blocks.container[block]
    name = _read_name(nodes, known.element if known.is_inner else container)
    return (
        1.0,
        min(known.times, 4) / 4,
        block / len(texts),
        max(min(first - block, 30), -30) / 30,
        block < first,
        first - block > 30,
        meaning & tags.HEADER > 0,
        meaning & _IN_MAIN > 0,
        meaning & _IN_ASIDE > 0,
        blocks.link_chars[block] / len(texts[block]),
        _TITLE_NAME.search(name) is not None,
        _OTHER_NAME.search(name) is not None,
        _is_bold(nodes, blocks.first[block], container),
        min(len(texts[block + 1]), 400) / 400 if block + 1 < len(texts) else 0.0,
        known.is_inner and is_called_other(nodes, known.beside),
    )


def _read_name(nodes: Nodes, row: int) -> str:
    """Read what an element is called."""
    get = nodes.attrs.get
    names = get(row, "class") or "", get(row, "id") or "", get(row, "itemprop") or ""
    return " ".join([name[:_MAX_NAME] for name in names]).lower()


def _is_bold(nodes: Nodes, row: int, container: int) -> bool:
    for _ in range(_MAX_STEPS):
        row = nodes.parent[row]
        if row <= container:
            return False
        if nodes.tag[row] in _BOLD:
            return True
    return False
