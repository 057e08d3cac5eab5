"""Page features: metadata and address (head features), and the network's scores (outcome features).

Small forests read them: whether the page is an article, the expected F1 of its text, and its type. Each group of
features is a TypedDict, which declares their names in order, and the function that writes them. The names and their
order are stored with the weights: a change needs new weights.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from math import log1p
from typing import NamedTuple, TypedDict, cast
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from broadsheet.kernel import measures
from broadsheet.methods.fusion.features import COLUMN_ROWS, read_chars
from broadsheet.methods.fusion.network import BODY, BYLINE, DATE, TITLE
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
        parts = urlsplit(address)
    except ValueError:  # invalid IPv6 host
        return
    path = parts.path
    steps = [step for step in path.split("/") if step]
    last = unquote(max(steps[-2:], key=len, default=""))  # the last step may be /amp/ or /index.html
    address_words, title_words = set(fold_words(last).split()), set(fold_words(title).split())
    row["has_address"] = bool(address)
    row["depth"] = len(steps)
    row["last_chars"] = min(len(last), 150) / 10
    row["last_hyphens"] = min(last.count("-") + last.count("_"), 20)
    row["path_digits"] = sum(map(str.isdigit, path[:300]))
    row["has_day"] = _DAY.search(path) is not None
    row["ends_with_slash"] = path.endswith("/")
    row["is_root"] = bool(address) and not steps
    row["has_query"] = bool(parts.query)
    row["is_file"] = "." in (steps[-1] if steps else "")
    row["title_in_address"] = len(address_words & title_words) / max(len(title_words), 1)


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


class _OutcomeRow(TypedDict):
    """Kept blocks are those above the threshold. Shares and means of kept blocks are weighted by characters."""

    chars: float  # kept, log
    blocks: float  # kept, log
    share: float  # of the page's characters that are kept
    sureness: float  # mean score of kept blocks
    doubt: float  # distance of scores from 0 or 1, per expected character of text
    expected_f1: float
    links: float  # share of link characters in kept blocks
    runs: float  # sequences of kept blocks, log
    longest: float  # characters of the longest kept block, log
    block_chars: float  # mean length of kept blocks, log
    before_headline: float  # share of kept characters
    has_headline: float
    page_blocks: float  # log
    page_chars: float  # log
    page_links: float  # share of link characters
    ends_sentence: float  # share of kept blocks
    ends_cut: float  # share of kept blocks
    headings: float  # share of kept blocks
    repeats: float  # in kept blocks
    comments: float  # mean comment score of the page
    title: float  # highest score of the role in the page
    byline: float
    date: float
    long_share: float  # share of kept characters in long blocks
    in_body: float  # share of kept characters that the stated article text has
    has_body: float
    ends_at: float  # relative index of the last kept block
    likely: float  # highest score
    unspaced: float  # share of unspaced characters in kept blocks


OUTCOME_NAMES = tuple(_OutcomeRow.__annotations__)
EXPECTED_F1 = OUTCOME_NAMES.index("expected_f1")
_EMPTY_OUTCOME: _OutcomeRow = cast("_OutcomeRow", dict.fromkeys(OUTCOME_NAMES, 0.0))


def compute_outcome_features(
    block_features: Array, scores: Array, threshold: float, chars: Array | None = None
) -> Array:
    """Compute features of the network's output: (len(OUTCOME_NAMES),).

    `block_features` is (names, n); `scores` is (n, roles), article text first; `chars`, the length of each block, is
    read from the features if it is not given.
    """
    width = len(_Sums._fields)
    sums, extremes = array("d", bytes(8 * 3 * width)), array("d", bytes(8 * (3 + scores.shape[1])))
    lengths = read_chars(block_features) if chars is None else chars
    flat_features, flat_scores = block_features.reshape(-1).data, scores.reshape(-1).data
    measures.sum_blocks(
        flat_features, _SUMMED_COLUMNS, flat_scores, lengths.data, round_single(threshold), sums, extremes
    )
    of_page, of_kept, of_blocks = (_Sums._make(sums[row * width : (row + 1) * width]) for row in range(3))
    row = _EMPTY_OUTCOME.copy()
    _fill_page(row, of_page, len(scores))
    _fill_kept(row, of_page, of_kept, of_blocks)
    longest, runs, last, *highest = extremes.tolist()
    row["likely"], row["title"], row["byline"], row["date"] = (highest[role] for role in (BODY, TITLE, BYLINE, DATE))
    row["has_headline"] = block_features[COLUMN_ROWS["has_headline"], 0]
    row["has_body"] = block_features[COLUMN_ROWS["has_body"], 0]
    row["longest"] = log1p(longest)
    row["runs"] = log1p(runs)
    row["ends_at"] = block_features[COLUMN_ROWS["at"], int(last)] if last >= 0 else 0.0
    return _make_array(row)


class _Sums(NamedTuple):
    """Weighted sums over blocks: of block features, the first eight, and of values derived from the scores."""

    links: float
    after_headline: float
    ends_sentence: float
    ends_cut: float
    in_heading: float
    repeats: float
    in_body: float
    unspaced_share: float
    weight: float
    score: float
    comment_score: float
    is_long: float
    doubt: float  # distance of the score from 0 or 1


_SUMMED_COLUMNS = bytes(COLUMN_ROWS[name] for name in _Sums._fields[:8])


def _fill_page(row: _OutcomeRow, of_page: _Sums, blocks: int) -> None:
    chars = max(of_page.weight, 1.0)
    row["doubt"] = of_page.doubt / max(of_page.score, 1.0)
    row["page_blocks"] = log1p(blocks)
    row["page_chars"] = log1p(chars)
    row["page_links"] = of_page.links / chars
    row["comments"] = of_page.comment_score / chars


def _fill_kept(row: _OutcomeRow, of_page: _Sums, of_kept: _Sums, of_blocks: _Sums) -> None:
    """Write features of kept blocks: weighted by their characters, or by 1 (`of_blocks`)."""
    chars, blocks = max(of_kept.weight, 1.0), max(of_blocks.weight, 1.0)
    row["chars"] = log1p(of_kept.weight)
    row["blocks"] = log1p(of_blocks.weight)
    row["share"] = of_kept.weight / max(of_page.weight, 1.0)
    row["sureness"] = of_kept.score / chars
    row["expected_f1"] = 2 * of_kept.score / max(of_kept.weight + of_page.score, 1.0)
    row["links"] = of_kept.links / chars
    row["block_chars"] = log1p(of_kept.weight / blocks)
    row["before_headline"] = 1 - of_kept.after_headline / chars
    row["ends_sentence"] = of_blocks.ends_sentence / blocks
    row["ends_cut"] = of_blocks.ends_cut / blocks
    row["headings"] = of_blocks.in_heading / blocks
    row["repeats"] = of_kept.repeats / chars
    row["long_share"] = of_kept.is_long / chars
    row["in_body"] = of_kept.in_body / chars
    row["unspaced"] = of_kept.unspaced_share / chars


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
