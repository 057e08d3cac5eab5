"""The ranker of title candidates: features, a network with one hidden layer, and a softmax over the candidates.

"None of them" is one more candidate, with score 0. The probability of the chosen candidate is therefore a confidence.

Training and extraction use the same function, `compute_features`. The values are written in `kernel.title_features`,
one function for each group. The names and their order are stored with the weights (`columns` in config.json): a change
needs `broadsheet train title`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import exp
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import tags
from broadsheet.errors import UsageError
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.site_name import has_separator
from broadsheet.fields.title_candidates import NO_LEVEL, Candidates
from broadsheet.html.names import TAG_IDS
from broadsheet.html.normalize import normalize_text
from broadsheet.kernel.title_features import find_similarity, write_positions, write_sources, write_texts
from broadsheet.models.config import read_setting
from broadsheet.models.weights import check_arrays, load_weights
from broadsheet.page import Nodes
from broadsheet.text import compile_later, fold_words

MODEL = "title"
Floats = NDArray[np.float32]
Samples = NDArray[np.float32]  # (candidates, features)

MAX_BODY_CHARS = 1_000  # start of the article text that candidates are compared with
MAX_BODY_BLOCKS = 5
_MAX_TITLE_ELEMENT_CHARS = 500
_MAX_ADDRESS_CHARS = 1_000
_NO_WORDS: set[str] = set()


class Ranker(NamedTuple):
    """Weights of the network. Features are not scaled: they have values of about 0 to 1."""

    inner: Floats  # (features, hidden)
    inner_bias: Floats  # (hidden,)
    outer: Floats  # (hidden,)
    outer_bias: float

    def predict(self, samples: Samples) -> list[float]:
        """Return the probability of each candidate of a page. The rest to 1 is the probability of none."""
        hidden = samples @ self.inner
        hidden += self.inner_bias
        np.maximum(hidden, 0.0, out=hidden)
        scores = (hidden @ self.outer).tolist()
        # Plain Python is faster than NumPy for a few numbers.
        highest = max(*scores, -self.outer_bias)
        powers = [exp(score - highest) for score in scores]
        total = sum(powers) + exp(-self.outer_bias - highest)
        return [power / total for power in powers]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays for a folder of weights."""
        bias = np.array([self.outer_bias], np.float32)
        return {"inner": self.inner, "inner_bias": self.inner_bias, "outer": self.outer, "outer_bias": bias}


@cache
def load_ranker(folder: Path | None = None) -> Ranker:
    """Load the shipped ranker, or that of a folder."""
    weights = load_weights(MODEL, folder)
    if read_setting(weights, "columns", kind=tuple[str, ...]) != FEATURE_NAMES:
        raise UsageError(f"{weights.folder} was trained with other features; {weights.advice}")
    check_arrays(weights, {"inner": (len(FEATURE_NAMES), None), "outer_bias": (1,)})
    hidden = (weights.arrays["inner"].shape[1],)
    check_arrays(weights, {"inner_bias": hidden, "outer": hidden})
    arrays = weights.arrays
    return Ranker(arrays["inner"], arrays["inner_bias"], arrays["outer"], float(arrays["outer_bias"][0]))


def compute_features(evidence: Evidence, candidates: Candidates) -> Samples:
    """Compute the features of all candidates of a page."""
    word_sets = [set(candidate.words.split()) for candidate in candidates]
    page = _PageData(evidence, candidates, word_sets)
    rows = list(candidates)
    samples = np.zeros((len(rows), len(FEATURE_NAMES)), np.float32)
    write_sources(samples, rows, page, NO_LEVEL)
    write_texts(samples, rows, word_sets, page, has_separator)
    write_positions(samples, rows, page, evidence.blocks.context, _CONTEXT_MASKS, _BOLD_TAGS)
    return samples


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
            self.most_similar = max(headings, key=lambda pair: find_similarity(pair[1], first_words))[0].words
        self.address_words = _read_address_words(evidence)
        texts = evidence.blocks.text[self.first_body : self.first_body + MAX_BODY_BLOCKS]
        body = " ".join(texts)[:MAX_BODY_CHARS].lower()
        body = normalize_text(body)
        # Parts of longer words match too: splitting the text into words would take longer than all other features.
        self.body_words = {word for word in set().union(*word_sets) if word in body}

    def read_names(self, row: int) -> tuple[bool, bool]:
        """Tell whether class, id and itemprop of an element are those of a title, and of something beside it."""
        return _judge_names(_read_names(self.nodes, row))


_ADDRESS_PATH = compile_later(r"[^/?#]*//[^/?#]*([^?#]*)")
_ADDRESS_WORD = compile_later(r"[^\W\d_]{2,}")
_COMMON_ADDRESS_WORDS = frozenset("html htm php asp aspx news article articles story index www".split())


def _read_address_words(evidence: Evidence) -> set[str]:
    """Return the words of the page's address; none if it has fewer than three."""
    path = _ADDRESS_PATH.match((evidence.page.url or evidence.page.base or "")[:_MAX_ADDRESS_CHARS])
    words = set(_ADDRESS_WORD.findall(unquote(path[1]).lower())) - _COMMON_ADDRESS_WORDS if path else _NO_WORDS
    return words if len(words) > 2 else _NO_WORDS


# Where the candidate is stated, and the heading that shows it.
_SOURCE_NAMES = (
    "in_json_ld",  # sources that state exactly this text
    "in_opengraph",
    "in_meta",
    "in_microdata",
    "in_method",
    "in_html_title",
    "sources",
    "is_piece",
    "is_inner",
    "rank",  # in the order of sources
    "is_first_shown",  # the choices of two simple rules
    "is_first_alike",
    "is_h1",
    "is_h2",
    "is_lower_heading",
    "is_first_h1",
    "is_only_h1",
    "is_first_heading",
    "no_h1",
)

# Characters and words of the candidate, and words that it shares with other texts of the page.
_TEXT_NAMES = (
    "chars",
    "words",
    "is_short",
    "is_long",
    "capitals",
    "digits",
    "ends_sentence",
    "has_separator",
    "in_slug",  # share of the words that the page's address has
    "no_slug",
    "like_html_title",  # Jaccard index of the words
    "is_in_html_title",
    "begins_html_title",
    "is_html_title",
    "like_opengraph",
    "no_opengraph",
    "like_json_ld",
    "no_json_ld",
    "like_h1",
    "in_body",  # share of the words that the start of the article text has
)

# The block that shows the candidate. All features are 0 if there is none.
_POSITION_NAMES = (
    "is_shown",
    "times",  # number of blocks that show it
    "place",  # relative index of its block
    "to_body",  # blocks to the article text
    "is_above_body",
    "is_far_above",
    "in_header",
    "in_main",
    "in_aside",
    "link_share",
    "is_called_title",  # by class, id or itemprop
    "is_called_other",
    "is_bold",
    "following",  # length of the next block
    "beside_other",  # the rest of the heading is named as a kicker or label
)

FEATURE_NAMES = (*_SOURCE_NAMES, *_TEXT_NAMES, *_POSITION_NAMES)

_CONTEXT_MASKS = (tags.HEADER, tags.MAIN | tags.ARTICLE, tags.ASIDE | tags.NAV | tags.FOOTER | tags.LIST)
_BOLD_TAGS = frozenset(TAG_IDS[name] for name in ("b", "strong", "font", "big"))

_MAX_NAME_CHARS = 400  # of one attribute
_TITLE_NAME = compile_later(r"title|headline|heading|hdl")
_OTHER_NAME = compile_later(
    r"sub|kicker|overline|topline|eyebrow|dachzeile|roofline|rubri|label|logo|site|brand|related|widget|modal|teaser|side|author|"
    r"comment|cookie|promo|card"
)


def has_other_name(nodes: Nodes, row: int) -> bool:
    """Tell whether an element is named as something that appears near headlines: a kicker, a label, a logo."""
    return _judge_names(_read_names(nodes, row))[1]


@lru_cache(maxsize=1024)  # pages share class names
def _judge_names(names: str) -> tuple[bool, bool]:
    return _TITLE_NAME.search(names) is not None, _OTHER_NAME.search(names) is not None


def _read_names(nodes: Nodes, row: int) -> str:
    """Return the class, id and itemprop of an element, in lower case."""
    get = nodes.attrs.get
    names = get(row, "class") or "", get(row, "id") or "", get(row, "itemprop") or ""
    return " ".join([name[:_MAX_NAME_CHARS] for name in names]).lower()
