"""Page features: metadata and address (head features), and the network's scores (outcome features).

Small forests read them: whether the page is an article, the expected F1 of its text, and its type. Each group of
features is a TypedDict, which declares their names in order, and the function that writes them. The names and their
order are stored with the weights: a change needs new weights.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import log1p
from typing import NamedTuple, TypedDict, cast
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from broadsheet.kernel import measures
from broadsheet.kernel.measures import OUTCOME_NAMES as OUTCOME_NAMES
from broadsheet.kernel.title_features import count_digits
from broadsheet.methods.fusion.features import COLUMN_ROWS, read_chars
from broadsheet.models.arrays import round_single
from broadsheet.models.config import read_setting
from broadsheet.models.forest import Forest, load_forest
from broadsheet.models.weights import Weights
from broadsheet.page import Metadata, Page
from broadsheet.text import fold_words

Array = NDArray[np.float32]

PAGE_TYPES, TYPE_FORESTS = "page_types", "type_forests"  # of the configuration: names, and section of their forests
# Score of the article forest below which the page may have a type of its own: documentation and threads resemble
# articles. On wcxb, by site, types found and right with scores from 0.3: forum 60 %, 100 %, documentation 35 %, 79 %,
# listing 61 %, 76 %, product 39 %, 77 %, service 62 %, 67 %. 0.4 % of the articles get a wrong type.
MAX_OTHER_SCORE = 0.6
MIN_TYPE_SCORE = 0.3
MAX_ADDRESS_CHARS = 2_000
_LIST_TYPES = frozenset(("collectionpage", "searchresultspage", "itemlist", "imagegallery", "blog"))
_THING_TYPES = frozenset(
    ("product", "person", "profilepage", "event", "videoobject", "podcastepisode", "recipe", "place")
)
_PLAIN_ADDRESS = re.compile(r"https?://[a-z0-9.:-]*((?:/[!-\"$->@-~]*)?)(?:\?([!-\"$-~]*))?(?:#[!-~]*)?")
_DAY = re.compile(r"(?:19|20)\d\d[/_-]?[01]?\d(?:[/_-]?[0-3]?\d)?")  # in a path: 2024/03/16, 2024-03


def compute_head_features(page: Page) -> Array:
    """Compute the features of the page's metadata and address: (len(HEAD_NAMES),)."""
    row = _EMPTY_HEAD.copy()
    _fill_metadata(row, page.metadata)
    _fill_elements(row, page)
    _fill_address(row, find_address(page), page.metadata.title)
    _fill_title(row, page.metadata.title)
    return _make_array(row)


def _make_array(row: Mapping[str, object]) -> Array:
    return np.fromiter(row.values(), np.float32, len(row))  # faster than np.array


class _MetadataRow(TypedDict):
    og_article: float  # og:type
    og_website: float
    og_other: float
    items_article: float  # types of JSON-LD items
    items_list: float
    items_thing: float
    items_page: float
    has_published: float
    has_author: float
    has_section: float
    has_description: float
    has_canonical: float
    has_alternate: float
    has_amp: float


def _fill_metadata(row: _MetadataRow, metadata: Metadata) -> None:
    og_type = next(metadata.meta_texts("og:type"), "").strip().lower()
    item_types = {name.lower() for item in metadata.json_ld.items for name in item.types}
    names, links = metadata.meta.keys(), metadata.links
    row["og_article"] = "article" in og_type
    row["og_website"] = og_type == "website"
    row["og_other"] = bool(og_type) and "article" not in og_type and og_type != "website"
    row["items_article"] = min(len(metadata.articles), 3)
    row["items_list"] = bool(item_types & _LIST_TYPES)
    row["items_thing"] = bool(item_types & _THING_TYPES)
    row["items_page"] = bool(metadata.pages)
    row["has_published"] = "article:published_time" in names
    row["has_author"] = "author" in names or "article:author" in names
    row["has_section"] = "article:section" in names
    row["has_description"] = "description" in names
    row["has_canonical"] = "canonical" in links
    row["has_alternate"] = "alternate" in links
    row["has_amp"] = "amphtml" in links


class _ElementRow(TypedDict):
    """Number of elements, logarithmic."""

    h1_elements: float
    h2_elements: float
    h3_elements: float
    time_elements: float
    img_elements: float
    figure_elements: float
    script_elements: float


def _fill_elements(row: _ElementRow, page: Page) -> None:
    rows = page.nodes.rows
    row["h1_elements"] = log1p(len(rows["h1"]))
    row["h2_elements"] = log1p(len(rows["h2"]))
    row["h3_elements"] = log1p(len(rows["h3"]))
    row["time_elements"] = log1p(len(rows["time"]))
    row["img_elements"] = log1p(len(rows["img"]))
    row["figure_elements"] = log1p(len(rows["figure"]))
    row["script_elements"] = log1p(len(rows["script"]))


class _AddressRow(TypedDict):
    """The address of the page. All features are 0 if it is invalid."""

    has_address: float
    depth: float  # steps of the path
    last_chars: float  # of the longer of the last two steps
    last_hyphens: float
    path_digits: float
    has_day: float
    ends_with_slash: float
    is_root: float
    has_query: float
    is_file: float
    title_in_address: float  # share of the title's words


def find_address(page: Page) -> str:
    """Return the first http(s) address of: the page's URL, the canonical link, og:url; "" if there is none."""
    metadata = page.metadata
    stated = (page.url or "", *metadata.links.get("canonical", ()), *metadata.meta_texts("og:url"))
    return next((address for address in stated if address.startswith("http")), "")[:MAX_ADDRESS_CHARS]


def _fill_address(row: _AddressRow, address: str, title: str) -> None:
    try:
        path, query = split_address(address)
    except ValueError:  # invalid IPv6 host
        return
    steps = [step for step in path.split("/") if step]
    last = unquote(max(steps[-2:], key=len, default=""))  # the last step may be /amp/ or /index.html
    address_words, title_words = set(fold_words(last).split()), set(fold_words(title).split())
    row["has_address"] = bool(address)
    row["depth"] = len(steps)
    row["last_chars"] = min(len(last), 150) / 10
    row["last_hyphens"] = min(last.count("-") + last.count("_"), 20)
    row["path_digits"] = count_digits(path[:300])
    row["has_day"] = _DAY.search(path) is not None
    row["ends_with_slash"] = path.endswith("/")
    row["is_root"] = bool(address) and not steps
    row["has_query"] = bool(query)
    row["is_file"] = "." in (steps[-1] if steps else "")
    row["title_in_address"] = len(address_words & title_words) / max(len(title_words), 1)


def split_address(address: str) -> tuple[str, str]:
    """Return path and query of an address. Raise ValueError if it is invalid."""
    if plain := _PLAIN_ADDRESS.fullmatch(address):  # most addresses; urlsplit takes ten times as long
        return plain[1], plain[2] or ""
    parts = urlsplit(address)
    return parts.path, parts.query


class _TitleRow(TypedDict):
    title_words: float
    title_parts: float


def _fill_title(row: _TitleRow, title: str) -> None:
    row["title_words"] = len(title.split())
    row["title_parts"] = title.count(" | ") + title.count(" - ")


class _HeadRow(_MetadataRow, _ElementRow, _AddressRow, _TitleRow):
    """All head features."""


HEAD_NAMES = tuple(_HeadRow.__annotations__)
_EMPTY_HEAD: _HeadRow = cast("_HeadRow", dict.fromkeys(HEAD_NAMES, 0.0))


EXPECTED_F1 = OUTCOME_NAMES.index("expected_f1")
_SUMMED_COLUMNS = bytes(COLUMN_ROWS[name] for name in measures.SUMMED_NAMES)


def compute_outcome_features(
    block_features: Array, scores: Array, threshold: float, chars: Array | None = None
) -> Array:
    """Compute features of the network's output: (len(OUTCOME_NAMES),).

    `block_features` is (names, n); `scores` is (n, roles) in the order of `OUTPUT_ROLES`; `chars`, the length of each
    block, is read from the features if it is not given.
    """
    lengths = read_chars(block_features) if chars is None else chars
    row = np.empty(len(OUTCOME_NAMES), np.float32)
    buffers = block_features.reshape(-1).data, _SUMMED_COLUMNS, scores.reshape(-1).data, lengths.data
    measures.measure_outcome(*buffers, round_single(threshold), row.data)
    return row


class PagePrediction(NamedTuple):
    """The prediction for a page."""

    is_article: bool
    confidence: float  # expected F1 of the extracted text
    page_type: str | None  # None: an article, or unknown


class PageForests(NamedTuple):
    """The forests: is it an article, how good is the text, and is it a page of a type."""

    article: Forest
    quality: Forest
    article_threshold: float  # score below which a page is not an article
    types: Mapping[str, Forest]  # page type -> forest

    def predict(self, features: NDArray[np.float32], article_threshold: float | None = None) -> PagePrediction:
        """Predict from the head features followed by the outcome features of a page.

        `article_threshold` replaces the threshold that is stored with the weights.
        """
        threshold = self.article_threshold if article_threshold is None else article_threshold
        article_score = self.article.predict_one(features)
        return PagePrediction(
            is_article=article_score >= threshold,
            confidence=self.quality.predict_one(features),
            page_type=self.find_type(features) if article_score < MAX_OTHER_SCORE else None,
        )

    def find_type(self, features: NDArray[np.float32]) -> str | None:
        """Find the likeliest page type; None if none is likely."""
        scores = {page_type: forest.predict_one(features) for page_type, forest in self.types.items()}
        page_type = max(scores, key=scores.__getitem__, default=None)
        return page_type if page_type and scores[page_type] >= MIN_TYPE_SCORE else None


def read_forests(weights: Weights, features: int) -> PageForests:
    """Read the forests of a weights folder. Raise UsageError if an array is missing or does not fit."""
    # Weights of version 3 and before have no types.
    types = read_setting(weights, PAGE_TYPES, kind=tuple[str, ...]) if PAGE_TYPES in weights.config else ()
    return PageForests(
        article=load_forest(weights, "article", features),
        quality=load_forest(weights, "quality", features),
        article_threshold=read_setting(weights, "article_limit", kind=float),
        types={name: load_forest(weights, name, features, section=(TYPE_FORESTS,)) for name in types},
    )
