"""What a page is, in numbers: what its head and address say, and what the network made of its blocks.

Two small forests read them: is this an article, and how good is the text that was taken from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log1p
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.features import NAMES
from broadsheet.models.forest import read_forest
from broadsheet.page import Metadata, Page
from broadsheet.text.words import fold_words

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


def measure_head(page: Page) -> Row:
    """Measure what stands in the head of a page and in its address: as HEAD_NAMES."""
    metadata = page.metadata
    kind = next(metadata.meta_texts("og:type"), "").strip().lower()
    types = {name.lower() for item in metadata.json_ld.items for name in item.types}
    names = metadata.meta.keys()
    rows = page.nodes.rows
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
            *(log1p(len(rows[tag])) for tag in _COUNTED),
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
    kept_chars = chars * is_kept
    order = np.flatnonzero(is_kept)
    runs = 1 + int((order[1:] - order[:-1] > 1).sum()) if len(order) else 0
    # All sums in one go: by length, by the length of what is kept, and by number of what is kept.
    rows = np.empty((len(_SUMMED) + 5, len(likely)), np.float32)
    measures.take(_SUMMED, axis=0, out=rows[:-5], mode="clip")
    rows[-5], rows[-4], rows[-3], rows[-2] = 1, likely, found[:, 1], chars > 80
    np.minimum(likely, 1 - likely, out=rows[-1])
    by_length, by_kept, by_number = (rows @ np.stack((chars, kept_chars, is_kept), axis=1)).T.tolist()
    links, after_headline, ends_sentence, ends_cut, headings, repeats, in_body, unspaced = range(len(_SUMMED))
    total, hoped, kept, count = by_length[-5], by_length[-4], by_kept[-5], by_number[-5]
    total, some, number = max(total, 1.0), max(kept, 1.0), max(count, 1.0)
    return np.array(
        (
            log1p(kept),
            log1p(count),
            kept / total,
            by_kept[-4] / some,
            by_length[-1] / max(hoped, 1.0),
            2 * by_kept[-4] / max(kept + hoped, 1.0),
            by_kept[links] / some,
            log1p(runs),
            log1p(float(kept_chars.max())),
            log1p(kept / number),
            1 - by_kept[after_headline] / some,
            measures[_AT["has_headline"], 0],
            log1p(len(likely)),
            log1p(total),
            by_length[links] / total,
            by_number[ends_sentence] / number,
            by_number[ends_cut] / number,
            by_number[headings] / number,
            by_kept[repeats] / some,
            by_length[-3] / total,
            *found[:, 2:].max(0).tolist(),
            by_kept[-2] / some,
            by_kept[in_body] / some,
            measures[_AT["has_body"], 0],
            measures[_AT["at"], order[-1]] if len(order) else 0.0,
            float(likely.max()),
            by_kept[unspaced] / some,
        ),
        np.float32,
    )


_AT = {name: at for at, name in enumerate(NAMES)}
_SUMMED_NAMES = "links after_headline ends_sentence ends_cut in_heading repeats in_body unspaced_share".split()
_SUMMED = np.array([_AT[name] for name in _SUMMED_NAMES])


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
