"""Page features: metadata and address (head features), and the network's scores (outcome features).

The forests of `page_forests` read them. A feature is a field of a NamedTuple and is written by that name. The names and
their order are stored with the weights: a change needs new weights.
"""

from __future__ import annotations

import re
from math import log1p
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.features import COLUMN_ROWS, MIN_LONG_CHARS, read_chars
from broadsheet.methods.fusion.network import BODY, COMMENT, TITLE
from broadsheet.models.columns import Columns, number_names
from broadsheet.page import Metadata, Page
from broadsheet.text.words import fold_words

Array = NDArray[np.float32]

MAX_ADDRESS_CHARS = 2_000
_LIST_TYPES = frozenset(("collectionpage", "searchresultspage", "itemlist", "imagegallery", "blog"))
_THING_TYPES = frozenset(
    ("product", "person", "profilepage", "event", "videoobject", "podcastepisode", "recipe", "place")
)
_DAY = re.compile(r"(?:19|20)\d\d[/_-]?[01]?\d(?:[/_-]?[0-3]?\d)?")  # in a path: 2024/03/16, 2024-03


def compute_head_features(page: Page) -> Array:
    """Compute the features of the page's metadata and address: (len(HEAD_NAMES),)."""
    title = page.metadata.title
    features = (
        *_read_metadata(page.metadata),
        *_count_elements(page),
        *_read_address(find_address(page), title),
        *_TitleFeatures(title_words=len(title.split()), title_parts=title.count(" | ") + title.count(" - ")),
    )
    return np.fromiter(features, np.float32, len(features))  # faster than np.array


class _MetadataFeatures(NamedTuple):
    og_article: bool  # og:type
    og_website: bool
    og_other: bool
    items_article: int  # types of JSON-LD items
    items_list: bool
    items_thing: bool
    items_page: bool
    has_published: bool
    has_author: bool
    has_section: bool
    has_description: bool
    has_canonical: bool
    has_alternate: bool
    has_amp: bool


def _read_metadata(metadata: Metadata) -> _MetadataFeatures:
    og_type = next(metadata.meta_texts("og:type"), "").strip().lower()
    item_types = {name.lower() for item in metadata.json_ld.items for name in item.types}
    names, links = metadata.meta.keys(), metadata.links
    return _MetadataFeatures(
        og_article="article" in og_type,
        og_website=og_type == "website",
        og_other=bool(og_type) and "article" not in og_type and og_type != "website",
        items_article=min(len(metadata.articles), 3),
        items_list=bool(item_types & _LIST_TYPES),
        items_thing=bool(item_types & _THING_TYPES),
        items_page=bool(metadata.pages),
        has_published="article:published_time" in names,
        has_author="author" in names or "article:author" in names,
        has_section="article:section" in names,
        has_description="description" in names,
        has_canonical="canonical" in links,
        has_alternate="alternate" in links,
        has_amp="amphtml" in links,
    )


_COUNTED_TAGS = ("h1", "h2", "h3", "time", "img", "figure", "script")
_ELEMENT_NAMES = tuple(f"{tag}_elements" for tag in _COUNTED_TAGS)


def _count_elements(page: Page) -> list[float]:
    rows = page.nodes.rows
    return [log1p(len(rows[tag])) for tag in _COUNTED_TAGS]


class _AddressFeatures(NamedTuple):
    has_address: float = 0.0
    depth: float = 0.0  # steps of the path
    last_chars: float = 0.0  # of the longer of the last two steps
    last_hyphens: float = 0.0
    path_digits: float = 0.0
    has_day: float = 0.0
    ends_with_slash: float = 0.0
    is_root: float = 0.0
    has_query: float = 0.0
    is_file: float = 0.0
    title_in_address: float = 0.0  # share of the title's words


def find_address(page: Page) -> str:
    """Return the first http(s) address of: the page's URL, the canonical link, og:url; "" if there is none."""
    metadata = page.metadata
    stated = (page.url or "", *metadata.links.get("canonical", ()), *metadata.meta_texts("og:url"))
    return next((address for address in stated if address.startswith("http")), "")[:MAX_ADDRESS_CHARS]


def _read_address(address: str, title: str) -> _AddressFeatures:
    try:
        parts = urlsplit(address)
    except ValueError:  # invalid IPv6 host
        return _AddressFeatures()
    steps = [step for step in parts.path.split("/") if step]
    last = unquote(max(steps[-2:], key=len, default=""))  # the last step may be /amp/ or /index.html
    address_words, title_words = set(fold_words(last).split()), set(fold_words(title).split())
    return _AddressFeatures(
        has_address=bool(address),
        depth=len(steps),
        last_chars=min(len(last), 150) / 10,
        last_hyphens=min(last.count("-") + last.count("_"), 20),
        path_digits=sum(map(str.isdigit, parts.path[:300])),
        has_day=_DAY.search(parts.path) is not None,
        ends_with_slash=parts.path.endswith("/"),
        is_root=bool(address) and not steps,
        has_query=bool(parts.query),
        is_file="." in (steps[-1] if steps else ""),
        title_in_address=len(address_words & title_words) / max(len(title_words), 1),
    )


class _TitleFeatures(NamedTuple):
    title_words: int
    title_parts: int


HEAD_NAMES = (
    *_MetadataFeatures._fields,
    *_ELEMENT_NAMES,
    *_AddressFeatures._fields,
    *_TitleFeatures._fields,
)


class _OutcomeFeatures(NamedTuple):
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


OUTCOME_NAMES = _OutcomeFeatures._fields


class _Sums(NamedTuple):
    """Sums over blocks: of block features, the first eight, and of values derived from the scores."""

    links: float
    after_headline: float
    ends_sentence: float
    ends_cut: float
    in_heading: float
    repeats: float
    in_body: float
    unspaced_share: float
    one: float  # the sum of the weights
    score: float
    comment_score: float
    is_long: float
    doubt: float


_SUMMED_FEATURES = _Sums._fields[:8]
_SUMMED_FEATURE_ROWS = np.array([COLUMN_ROWS[name] for name in _SUMMED_FEATURES])
_SUMMED_ROWS = number_names(_Sums._fields)


def compute_outcome_features(block_features: Array, scores: Array, threshold: float) -> Array:
    """Compute features of the network's output: (len(OUTCOME_NAMES),).

    `block_features` is (names, n); `scores` is (n, roles), article text first.
    """
    block_columns = Columns(COLUMN_ROWS, block_features)
    body_scores = scores[:, BODY]
    is_kept = body_scores > threshold
    chars = read_chars(block_features)
    kept_chars = chars * is_kept
    kept_blocks = np.flatnonzero(is_kept)
    runs = 1 + int((kept_blocks[1:] - kept_blocks[:-1] > 1).sum()) if len(kept_blocks) else 0
    # One matrix product for all sums: over characters, characters of kept blocks, and kept blocks.
    summed = Columns(_SUMMED_ROWS, np.empty((len(_SUMMED_ROWS), len(scores)), np.float32))
    block_features.take(_SUMMED_FEATURE_ROWS, axis=0, out=summed.group(_SUMMED_FEATURES), mode="clip")
    summed["one"] = 1
    summed["score"] = body_scores
    summed["comment_score"] = scores[:, COMMENT]
    summed["is_long"] = chars > MIN_LONG_CHARS
    np.minimum(body_scores, 1 - body_scores, out=summed["doubt"])
    sums = (summed.values @ np.stack((chars, kept_chars, is_kept), axis=1)).T.tolist()
    of_page, of_kept, of_blocks = map(_Sums._make, sums)
    kept, expected, kept_count = of_kept.one, of_page.score, of_blocks.one
    page_chars, some_kept, some_blocks = max(of_page.one, 1.0), max(kept, 1.0), max(kept_count, 1.0)
    title, byline, date = scores[:, TITLE:].max(0).tolist()
    features = _OutcomeFeatures(
        chars=log1p(kept),
        blocks=log1p(kept_count),
        share=kept / page_chars,
        sureness=of_kept.score / some_kept,
        doubt=of_page.doubt / max(expected, 1.0),
        expected_f1=2 * of_kept.score / max(kept + expected, 1.0),
        links=of_kept.links / some_kept,
        runs=log1p(runs),
        longest=log1p(float(kept_chars.max())),
        block_chars=log1p(kept / some_blocks),
        before_headline=1 - of_kept.after_headline / some_kept,
        has_headline=block_columns["has_headline"][0],
        page_blocks=log1p(len(scores)),
        page_chars=log1p(page_chars),
        page_links=of_page.links / page_chars,
        ends_sentence=of_blocks.ends_sentence / some_blocks,
        ends_cut=of_blocks.ends_cut / some_blocks,
        headings=of_blocks.in_heading / some_blocks,
        repeats=of_kept.repeats / some_kept,
        comments=of_page.comment_score / page_chars,
        title=title,
        byline=byline,
        date=date,
        long_share=of_kept.is_long / some_kept,
        in_body=of_kept.in_body / some_kept,
        has_body=block_columns["has_body"][0],
        ends_at=block_columns["at"][kept_blocks[-1]] if len(kept_blocks) else 0.0,
        likely=float(body_scores.max()),
        unspaced=of_kept.unspaced_share / some_kept,
    )
    return np.fromiter(features, np.float32, len(features))  # faster than np.array
