"""What a page is, in numbers: what its head and address say, and what the network made of its blocks.

Two small forests read them: is this an article, and how good is the text that was taken from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from broadsheet.features.measures import NAMES
from broadsheet.features.words import fold_words
from broadsheet.models.forest import read_forest
from broadsheet.page import Metadata, Page

Row = NDArray[np.float32]

FORESTS = ("article", "quality")

_LISTS = frozenset(("collectionpage", "searchresultspage", "itemlist", "imagegallery", "blog"))
_THINGS = frozenset(("product", "person", "profilepage", "event", "videoobject", "podcastepisode", "recipe", "place"))
_COUNTED = ("h1", "h2", "h3", "time", "img", "figure", "script")
_DAY = re.compile(r"(?:19|20)\d\d[/_-]?[01]?\d(?:[/_-]?[0-3]?\d)?")
_MAX_ADDRESS = 2_000

HEAD_NAMES = (
    *("og_article", "og_website", "og_other", "items_article", "items_list", "items_thing", "items_page"),
    *("has_published", "has_author", "has_section", "has_description", "has_canonical", "has_alternate", "has_amp"),
    *(f"{tag}_elements" for tag in _COUNTED),
    *("has_address", "depth", "last_chars", "last_hyphens", "path_digits", "has_day", "ends_with_slash", "is_root"),
    *("has_query", "is_file", "title_in_address", "title_words", "title_parts"),
)
OUTCOME_NAMES = (
    *("chars", "blocks", "share", "sureness", "doubt", "expected_f1", "links", "runs", "longest", "block_chars"),
    *("before_headline", "has_headline", "page_blocks", "page_chars", "page_links", "ends_sentence", "ends_cut"),
    *("headings", "repeats", "comments", "title", "byline", "date", "long_share", "in_body", "has_body", "ends_at"),
    *("likely", "unspaced"),
)


def measure_head(page: Page, metadata: Metadata) -> Row:
    """Measure what stands in the head of a page and in its address: as HEAD_NAMES."""
    kind = next(metadata.meta_texts("og:type"), "").strip().lower()
    types = {name.lower() for item in metadata.json_ld.items for name in item.types}
    names = metadata.meta.keys()
    elements = (len(page.nodes.rows[tag]) for tag in _COUNTED)
    return np.array(
        (
            "article" in kind,
            kind == "website",
            bool(kind) and "article" not in kind and kind != "website",
            min(len(metadata.articles), 3),
            bool(types & _LISTS),
            bool(types & _THINGS),
            bool(metadata.pages),
            "article:published_time" in names,
            "author" in names or "article:author" in names,
            "article:section" in names,
            "description" in names,
            "canonical" in metadata.links,
            "alternate" in metadata.links,
            "amphtml" in metadata.links,
            *np.log1p(np.fromiter(elements, np.float32, len(_COUNTED))),
            *_measure_address(_find_address(page, metadata), metadata.title),
            len(metadata.title.split()),
            metadata.title.count(" | ") + metadata.title.count(" - "),
        ),
        np.float32,
    )


def _find_address(page: Page, metadata: Metadata) -> str:
    stated = (page.url or "", *metadata.links.get("canonical", ()), *metadata.meta_texts("og:url"))
    return next((address for address in stated if address.startswith("http")), "")[:_MAX_ADDRESS]


def _measure_address(address: str, title: str) -> Iterable[float]:
    try:
        parts = urlsplit(address)
    except ValueError:  # brackets that are no address
        return (0.0,) * 11
    steps = [step for step in parts.path.split("/") if step]
    last = unquote(max(steps[-2:], key=len, default=""))  # some end with /amp/ or /index.html
    words, wanted = set(fold_words(last).split()), set(fold_words(title).split())
    return (
        bool(address),
        len(steps),
        min(len(last), 150) / 10,
        min(last.count("-") + last.count("_"), 20),
        sum(map(str.isdigit, parts.path[:300])),
        _DAY.search(parts.path) is not None,
        parts.path.endswith("/"),
        bool(address) and not steps,
        bool(parts.query),
        "." in (steps[-1] if steps else ""),
        len(words & wanted) / max(len(wanted), 1),
    )


def count_characters_of(measures: NDArray[np.float32]) -> Row:
    """How long blocks are, given their measures (names, n)."""
    return np.asarray(np.expm1(measures[_AT["chars"]]), np.float32)


def measure_outcome(measures: NDArray[np.float32], found: NDArray[np.float32], limit: float) -> Row:
    """Measure what the network found: as OUTCOME_NAMES. `measures` (names, n), `found` (n, roles), content first."""
    likely = found[:, 0]
    is_kept = likely > limit
    chars = count_characters_of(measures)
    kept, hoped, total = float(chars @ is_kept), float(chars @ likely), max(float(chars.sum()), 1.0)
    some, count = max(kept, 1.0), max(int(is_kept.sum()), 1)
    weights = chars * is_kept / some
    order = np.flatnonzero(is_kept)
    runs = 1 + int((np.diff(order) > 1).sum()) if len(order) else 0

    def mean(name: str) -> float:
        return float(weights @ measures[_AT[name]])

    return np.array(
        (
            np.log1p(kept),
            np.log1p(len(order)),
            kept / total,
            float(weights @ likely),
            float(chars @ np.minimum(likely, 1 - likely)) / max(hoped, 1.0),
            2 * float((chars * is_kept) @ likely) / max(kept + hoped, 1.0),
            mean("links"),
            np.log1p(runs),
            np.log1p(float((chars * is_kept).max())),
            np.log1p(kept / count),
            1 - mean("after_headline"),
            measures[_AT["has_headline"], 0],
            np.log1p(len(likely)),
            np.log1p(total),
            float(chars @ measures[_AT["links"]]) / total,
            float(measures[_AT["ends_sentence"]] @ is_kept) / count,
            float(measures[_AT["ends_cut"]] @ is_kept) / count,
            float(measures[_AT["in_heading"]] @ is_kept) / count,
            mean("repeats"),
            float(chars @ found[:, 1]) / total,
            *found[:, 2:].max(0),
            float((chars * is_kept * (chars > 80)).sum()) / some,
            mean("in_body"),
            measures[_AT["has_body"], 0],
            measures[_AT["at"], order[-1]] if len(order) else 0.0,
            float(likely.max()),
            mean("unspaced_share"),
        ),
        np.float32,
    )


_AT = {name: at for at, name in enumerate(NAMES)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of a page as a whole."""

    is_article: bool
    confidence: float  # expected F1 of its text


class Judge:
    """Two forests: is this an article, and how good is the text."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any]) -> None:
        self._article, self._quality = (read_forest(name, arrays, config[name]) for name in FORESTS)
        self._limit = float(config["article_limit"])

    def judge(self, measures: Row) -> Verdict:
        """Judge one page by the measures of its head and of what was found in it."""
        sample = measures.tolist()
        return Verdict(
            is_article=self._article.predict_one(sample) >= self._limit,
            confidence=self._quality.predict_one(sample),
        )
