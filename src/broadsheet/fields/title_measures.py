"""Numbers that tell a headline from its rivals: named columns, the same in training and at run time."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import tags
from broadsheet.features import fold_words
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.site_name import are_site_words, split_title
from broadsheet.fields.title_candidates import NO_LEVEL, Candidate, Candidates
from broadsheet.page import Nodes

Samples = NDArray[np.float32]  # (candidates, COLUMNS)

COLUMNS = (
    *("in_json_ld", "in_opengraph", "in_meta", "in_microdata", "in_method", "in_html_title"),
    *("sources", "is_piece", "is_inner", "rank", "is_first_shown", "is_first_alike"),
    *("is_h1", "is_h2", "is_lower_heading", "is_first_h1", "is_only_h1", "is_first_heading", "no_h1"),
    *("is_shown", "times", "place", "to_body", "is_above_body", "is_far_above"),
    *("chars", "words", "is_short", "is_long", "capitals", "digits", "ends_sentence", "has_separator"),
    *("in_slug", "no_slug", "like_html_title", "is_in_html_title", "begins_html_title", "is_html_title"),
    *("like_opengraph", "no_opengraph", "like_json_ld", "no_json_ld", "like_h1"),
    *("is_site", "in_header", "in_main", "in_aside", "link_share", "is_called_title", "is_called_other", "is_bold"),
    *("in_body", "following"),
)
_MAX_NAME = 400  # characters of a class
_TITLE_NAME = re.compile(r"title|headline|heading|hdl")
_OTHER_NAME = re.compile(
    r"sub|kicker|logo|site|brand|related|widget|modal|teaser|side|author|comment|cookie|promo|card"
)
_BOLD = frozenset("b strong font big".split())
_MAX_BODY = 1_500  # characters of the text that candidates are compared with
_MAX_STEPS = 3
_START = 40  # characters whose kinds are counted
_SLUG_NOISE = frozenset("html htm php asp aspx news article articles story index www".split())


def measure_candidates(evidence: Evidence, candidates: Candidates) -> Samples:
    """Measure all candidates of a page."""
    seen = _Surroundings(evidence, candidates)
    rows = [_measure(candidate, rank, seen) for rank, candidate in enumerate(candidates)]
    return np.array(rows, np.float32).reshape(len(rows), len(COLUMNS))


class _Surroundings:
    """What candidates are compared with, read once a page."""

    def __init__(self, evidence: Evidence, candidates: Candidates) -> None:
        metadata = evidence.metadata
        self.evidence = evidence
        self.first_body = candidates.first_body
        self.html_title = fold_words(metadata.title[:500])
        self.html_title_words = set(self.html_title.split())
        self.opengraph = _read_first(candidates, "opengraph")
        self.json_ld = _read_first(candidates, "json-ld")
        headings = [known for known in candidates if known.level < NO_LEVEL and not known.is_inner]
        highest = [known for known in headings if known.level == 1]
        self.h1_words = [set(known.words.split()) for known in highest[:3]]
        self.h1s = len(highest)
        self.first_h1 = min((known.block for known in highest), default=-1)
        self.first_heading = min((known.block for known in headings), default=-1)
        # What simple rules would take: the first stated title that is a heading, and the heading most like the first.
        self.first_shown = next((known.words for known in headings if known.sources), "")
        stated = set(next((known.words for known in candidates if known.sources), "").split())
        likest = max(headings, key=lambda known: _share(set(known.words.split()), stated), default=None)
        self.first_alike = likest.words if likest and stated else ""
        self.slug = _read_slug(evidence)
        texts = evidence.blocks.text[self.first_body : self.first_body + 5]
        self.body = set(fold_words(" ".join(texts)[:_MAX_BODY]).split())


def _read_first(candidates: Candidates, source: str) -> set[str]:
    return set(next((known.words for known in candidates if source in known.sources), "").split())


def _read_slug(evidence: Evidence) -> set[str]:
    """Words of the address; none when it has too few to say anything."""
    address = evidence.page.url or evidence.page.base or ""
    try:
        path = urlsplit(address[:1_000]).path
    except ValueError:
        return set()
    words = set(re.findall(r"[^\W\d_]{2,}", unquote(path).lower())) - _SLUG_NOISE
    return words if len(words) > 2 else set()


def _measure(known: Candidate, rank: int, seen: _Surroundings) -> tuple[float, ...]:
    sources, words, text = known.sources, set(known.words.split()), known.text
    is_heading = known.level < NO_LEVEL and not known.is_inner
    is_h1 = is_heading and known.level == 1
    html_title, start = seen.html_title, text[:_START]
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
        is_h1,
        is_heading and known.level == 2,
        is_heading and known.level > 2,
        is_h1 and known.block == seen.first_h1,
        is_h1 and seen.h1s == 1,
        is_heading and known.block == seen.first_heading,
        not seen.h1s,
        *_measure_place(known, seen),
        min(len(text), 200) / 100,
        min(len(words), 30) / 15,
        len(text) < 20,
        len(text) > 120,
        sum(map(str.isupper, start)) / len(start),
        sum(map(str.isdigit, start)) / len(start),
        text[-1] in ".!?。",
        len(split_title(text)) > 1,
        len(words & seen.slug) / len(words) if seen.slug else 0.0,
        not seen.slug,
        _share(words, seen.html_title_words),
        known.words in html_title,
        html_title.startswith(known.words),
        html_title == known.words,
        _share(words, seen.opengraph),
        not seen.opengraph,
        _share(words, seen.json_ld),
        not seen.json_ld,
        max((_share(words, others) for others in seen.h1_words), default=0.0),
        are_site_words(known.words, seen.evidence),
        *_measure_container(known, seen),
        len(words & seen.body) / len(words),
        _measure_following(known, seen),
    )


def _share(words: set[str], others: set[str]) -> float:
    return len(words & others) / len(words | others) if others else 0.0


def _measure_place(known: Candidate, seen: _Surroundings) -> tuple[float, ...]:
    block, first = known.block, seen.first_body
    if block < 0:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    place = block / max(len(seen.evidence.blocks), 1)
    distance = max(min(first - block, 30), -30) / 30
    return (1.0, min(known.times, 4) / 4, place, distance, block < first, first - block > 30)


def _measure_container(known: Candidate, seen: _Surroundings) -> tuple[float, ...]:
    block = known.block
    if block < 0:
        return (0.0,) * 7
    blocks, nodes = seen.evidence.blocks, seen.evidence.page.nodes
    meaning, container = blocks.meaning[block], blocks.container[block]
    named = (nodes.attr(container, attribute)[:_MAX_NAME] for attribute in ("class", "id", "itemprop"))
    name = " ".join(named).lower()
    return (
        bool(meaning & tags.HEADER),
        bool(meaning & (tags.MAIN | tags.ARTICLE)),
        bool(meaning & (tags.ASIDE | tags.NAV | tags.FOOTER | tags.LIST)),
        blocks.link_share(block),
        _TITLE_NAME.search(name) is not None,
        _OTHER_NAME.search(name) is not None,
        _is_bold(nodes, blocks.first[block], container),
    )


def _is_bold(nodes: Nodes, row: int, container: int) -> bool:
    for _ in range(_MAX_STEPS):
        row = nodes.parent[row]
        if row <= container:
            return False
        if nodes.tag[row] in _BOLD:
            return True
    return False


def _measure_following(known: Candidate, seen: _Surroundings) -> float:
    """Length of the block below."""
    texts, below = seen.evidence.blocks.text, known.block + 1
    return min(len(texts[below]), 400) / 400 if 0 < below < len(texts) else 0.0
