"""Features of title candidates. Training and extraction use the same function, `compute_features`.

Each group of features is a TypedDict, which declares their names in order, and the function that writes them. The names
and their order are stored with the weights (`columns` in config.json): a change needs `broadsheet train title`.
"""

from __future__ import annotations

import unicodedata
from itertools import chain
from typing import TypedDict, cast
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.site_name import has_separator
from broadsheet.fields.title.candidates import NO_LEVEL, Candidate, Candidates
from broadsheet.page import Nodes
from broadsheet.text import fold_words
from broadsheet.text.patterns import compile_later
from broadsheet.text.punctuation import ASCII_ENDS, IDEOGRAPHIC_FULL_STOP

_SENTENCE_ENDS = ASCII_ENDS + IDEOGRAPHIC_FULL_STOP

Samples = NDArray[np.float32]  # (candidates, features)

MAX_BODY_CHARS = 1_000  # start of the article text that candidates are compared with
MAX_BODY_BLOCKS = 5
CASE_CHARS = 40  # start of a candidate in which capitals and digits are counted
MAX_DISTANCE = 30  # blocks between a candidate and the article text
_MAX_TITLE_ELEMENT_CHARS = 500
_MAX_ADDRESS_CHARS = 1_000
_NO_WORDS: set[str] = set()


def compute_features(evidence: Evidence, candidates: Candidates) -> Samples:
    """Compute the features of all candidates of a page."""
    word_sets = [set(candidate.words.split()) for candidate in candidates]
    page = _PageData(evidence, candidates, word_sets)
    rows = []
    for rank, (candidate, words) in enumerate(zip(candidates, word_sets, strict=True)):
        row = _EMPTY_ROW.copy()
        _fill_source(row, candidate, rank, page)
        _fill_text(row, candidate, words, page)
        if candidate.block >= 0:
            _fill_position(row, candidate, page)
        rows.append(row.values())
    numbers = np.fromiter(chain.from_iterable(rows), np.float32, len(rows) * len(FEATURE_NAMES))  # faster than np.array
    return numbers.reshape(len(rows), len(FEATURE_NAMES))


class _PageData:
    """Values that all candidates of a page are compared with."""

    def __init__(self, evidence: Evidence, candidates: Candidates, word_sets: list[set[str]]) -> None:
        self.blocks = evidence.blocks
        self.nodes = evidence.page.nodes
        self.first_body = candidates.first_body
        self.title_element = fold_words(evidence.metadata.title[:_MAX_TITLE_ELEMENT_CHARS])
        self.title_element_words = set(self.title_element.split())
        pairs = list(zip(candidates, word_sets, strict=True))
        stated = [(candidate, words) for candidate, words in pairs if candidate.sources]
        self.opengraph_words = next(
            (words for candidate, words in stated if "opengraph" in candidate.sources), _NO_WORDS
        )
        self.json_ld_words = next((words for candidate, words in stated if "json-ld" in candidate.sources), _NO_WORDS)
        headings = [
            (candidate, words) for candidate, words in pairs if candidate.level < NO_LEVEL and not candidate.is_inner
        ]
        h1s = [(candidate, words) for candidate, words in headings if candidate.level == 1]
        self.h1_words = [words for _, words in h1s[:3]]
        self.h1_count = len(h1s)
        self.first_h1 = min((candidate.block for candidate, _ in h1s), default=-1)
        self.first_heading = min((candidate.block for candidate, _ in headings), default=-1)
        # The choices of two simple rules: the first stated title that is a heading, and the heading that is most
        # similar to the first stated title.
        self.first_shown = next((candidate.words for candidate, _ in headings if candidate.sources), "")
        self.most_similar = ""
        if stated and headings:
            first_words = stated[0][1]
            self.most_similar = max(headings, key=lambda pair: _find_similarity(pair[1], first_words))[0].words
        self.address_words = _read_address_words(evidence)
        texts = evidence.blocks.text[self.first_body : self.first_body + MAX_BODY_BLOCKS]
        body = " ".join(texts)[:MAX_BODY_CHARS].lower()
        body = body if body.isascii() else unicodedata.normalize("NFC", body)
        # Parts of longer words match too: splitting the text into words would take longer than all other features.
        self.body_words = {word for word in set().union(*word_sets) if word in body}


_ADDRESS_PATH = compile_later(r"[^/?#]*//[^/?#]*([^?#]*)")
_ADDRESS_WORD = compile_later(r"[^\W\d_]{2,}")
_COMMON_ADDRESS_WORDS = frozenset("html htm php asp aspx news article articles story index www".split())


def _read_address_words(evidence: Evidence) -> set[str]:
    """Return the words of the page's address; none if it has fewer than three."""
    path = _ADDRESS_PATH.match((evidence.page.url or evidence.page.base or "")[:_MAX_ADDRESS_CHARS])
    words = set(_ADDRESS_WORD.findall(unquote(path[1]).lower())) - _COMMON_ADDRESS_WORDS if path else _NO_WORDS
    return words if len(words) > 2 else _NO_WORDS


class _SourceRow(TypedDict):
    """Where the candidate is stated, and the heading that shows it."""

    in_json_ld: float  # sources that state exactly this text
    in_opengraph: float
    in_meta: float
    in_microdata: float
    in_method: float
    in_html_title: float
    sources: float
    is_piece: float
    is_inner: float
    rank: float  # in the order of sources
    is_first_shown: float  # the choices of two simple rules
    is_first_alike: float
    is_h1: float
    is_h2: float
    is_lower_heading: float
    is_first_h1: float
    is_only_h1: float
    is_first_heading: float
    no_h1: float


def _fill_source(row: _SourceRow, candidate: Candidate, rank: int, page: _PageData) -> None:
    sources, level = candidate.sources, NO_LEVEL if candidate.is_inner else candidate.level
    row["in_json_ld"] = "json-ld" in sources
    row["in_opengraph"] = "opengraph" in sources or "link" in sources
    row["in_meta"] = "meta" in sources
    row["in_microdata"] = "microdata" in sources
    row["in_method"] = "method" in sources
    row["in_html_title"] = "html" in sources
    row["sources"] = min(len(sources), 4) / 4
    row["is_piece"] = candidate.is_piece
    row["is_inner"] = candidate.is_inner
    row["rank"] = min(rank, 20) / 20
    row["is_first_shown"] = candidate.words == page.first_shown
    row["is_first_alike"] = candidate.words == page.most_similar
    row["is_h1"] = level == 1
    row["is_h2"] = level == 2
    row["is_lower_heading"] = 2 < level < NO_LEVEL
    row["is_first_h1"] = level == 1 and candidate.block == page.first_h1
    row["is_only_h1"] = level == 1 and page.h1_count == 1
    row["is_first_heading"] = level < NO_LEVEL and candidate.block == page.first_heading
    row["no_h1"] = not page.h1_count


class _TextRow(TypedDict):
    """Characters and words of the candidate, and words that it shares with other texts of the page."""

    chars: float
    words: float
    is_short: float
    is_long: float
    capitals: float
    digits: float
    ends_sentence: float
    has_separator: float
    in_slug: float  # share of the words that the page's address has
    no_slug: float
    like_html_title: float  # Jaccard index of the words
    is_in_html_title: float
    begins_html_title: float
    is_html_title: float
    like_opengraph: float
    no_opengraph: float
    like_json_ld: float
    no_json_ld: float
    like_h1: float
    in_body: float  # share of the words that the start of the article text has


def _fill_text(row: _TextRow, candidate: Candidate, words: set[str], page: _PageData) -> None:
    text, chars, count = candidate.text, len(candidate.text), len(words)
    title_element, start = page.title_element, text[:CASE_CHARS]
    capitals, digits = _count_capitals_and_digits(start)
    is_in_title_element = candidate.words in title_element
    row["chars"] = min(chars, 200) / 100
    row["words"] = min(count, 30) / 15
    row["is_short"] = chars < 20
    row["is_long"] = chars > 120
    row["capitals"] = capitals / len(start)
    row["digits"] = digits / len(start)
    row["ends_sentence"] = text[-1] in _SENTENCE_ENDS
    row["has_separator"] = has_separator(text)
    row["in_slug"] = len(words & page.address_words) / count if page.address_words else 0.0
    row["no_slug"] = not page.address_words
    row["like_html_title"] = _find_similarity(words, page.title_element_words)
    row["is_in_html_title"] = is_in_title_element
    row["begins_html_title"] = is_in_title_element and title_element.startswith(candidate.words)
    row["is_html_title"] = title_element == candidate.words
    row["like_opengraph"] = _find_similarity(words, page.opengraph_words)
    row["no_opengraph"] = not page.opengraph_words
    row["like_json_ld"] = _find_similarity(words, page.json_ld_words)
    row["no_json_ld"] = not page.json_ld_words
    row["like_h1"] = max([_find_similarity(words, others) for others in page.h1_words]) if page.h1_words else 0.0
    row["in_body"] = len(words & page.body_words) / count


_ASCII_CAPITALS, _ASCII_DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"0123456789"


def _count_capitals_and_digits(text: str) -> tuple[int, int]:
    if text.isascii():  # bytes are several times as fast
        raw = text.encode()
        return len(raw) - len(raw.translate(None, _ASCII_CAPITALS)), len(raw) - len(raw.translate(None, _ASCII_DIGITS))
    return sum(map(str.isupper, text)), sum(map(str.isdigit, text))


def _find_similarity(words: set[str], others: set[str]) -> float:
    """Return the Jaccard index of two sets; 0 if the second is empty."""
    if not others:
        return 0.0
    both = len(words & others)
    return both / (len(words) + len(others) - both)


class _PositionRow(TypedDict):
    """The block that shows the candidate. All features are 0 if there is none."""

    is_shown: float
    times: float  # number of blocks that show it
    place: float  # relative index of its block
    to_body: float  # blocks to the article text
    is_above_body: float
    is_far_above: float
    in_header: float
    in_main: float
    in_aside: float
    link_share: float
    is_called_title: float  # by class, id or itemprop
    is_called_other: float
    is_bold: float
    following: float  # length of the next block
    beside_other: float  # the rest of the heading is named as a kicker or label


_MAIN_CONTEXT = tags.MAIN | tags.ARTICLE
_ASIDE_CONTEXT = tags.ASIDE | tags.NAV | tags.FOOTER | tags.LIST


def _fill_position(row: _PositionRow, candidate: Candidate, page: _PageData) -> None:
    block, blocks, nodes, texts = candidate.block, page.blocks, page.nodes, page.blocks.text
    context, container = blocks.context[block], blocks.container[block]
    distance = page.first_body - block
    names = _read_names(nodes, candidate.element if candidate.is_inner else container)
    row["is_shown"] = 1.0
    row["times"] = min(candidate.shown_count, 4) / 4
    row["place"] = block / len(texts)
    row["to_body"] = max(min(distance, MAX_DISTANCE), -MAX_DISTANCE) / MAX_DISTANCE
    row["is_above_body"] = distance > 0
    row["is_far_above"] = distance > MAX_DISTANCE
    row["in_header"] = context & tags.HEADER > 0
    row["in_main"] = context & _MAIN_CONTEXT > 0
    row["in_aside"] = context & _ASIDE_CONTEXT > 0
    row["link_share"] = blocks.link_chars[block] / len(texts[block])
    row["is_called_title"] = _TITLE_NAME.search(names) is not None
    row["is_called_other"] = _OTHER_NAME.search(names) is not None
    row["is_bold"] = _is_bold(nodes, blocks.first[block], container)
    row["following"] = min(len(texts[block + 1]), 400) / 400 if block + 1 < len(texts) else 0.0
    row["beside_other"] = candidate.is_inner and has_other_name(nodes, candidate.other_element)


class _Row(_SourceRow, _TextRow, _PositionRow):
    """All features of a candidate."""


FEATURE_NAMES = tuple(_Row.__annotations__)
_EMPTY_ROW: _Row = cast("_Row", dict.fromkeys(FEATURE_NAMES, 0.0))

_MAX_NAME_CHARS = 400  # of one attribute
_TITLE_NAME = compile_later(r"title|headline|heading|hdl")
_OTHER_NAME = compile_later(
    r"sub|kicker|overline|topline|eyebrow|dachzeile|roofline|rubri|label|logo|site|brand|related|widget|modal|teaser|side|author|"
    r"comment|cookie|promo|card"
)


def has_other_name(nodes: Nodes, row: int) -> bool:
    """Tell whether an element is named as something that appears near headlines: a kicker, a label, a logo."""
    return _OTHER_NAME.search(_read_names(nodes, row)) is not None


def _read_names(nodes: Nodes, row: int) -> str:
    """Return the class, id and itemprop of an element, in lower case."""
    get = nodes.attrs.get
    names = get(row, "class") or "", get(row, "id") or "", get(row, "itemprop") or ""
    return " ".join([name[:_MAX_NAME_CHARS] for name in names]).lower()


_BOLD_TAGS = frozenset("b strong font big".split())
_MAX_BOLD_STEPS = 3  # from the text node outwards


def _is_bold(nodes: Nodes, row: int, container: int) -> bool:
    for _ in range(_MAX_BOLD_STEPS):
        row = nodes.parent[row]
        if row <= container:
            return False
        if nodes.tag[row] in _BOLD_TAGS:
            return True
    return False
