"""The probability that an address leads to an article: two logistic regressions, and patterns of known articles.

`benchmarks/article_links.py` fits and measures the weights (docs/lab/discovery.md).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from broadsheet.discovery.addresses import ADDRESS_FEATURES, find_pattern, measure_address, names_no_article
from broadsheet.discovery.links import PLACE_FEATURES, PlacedLink
from broadsheet.discovery.weights import ADDRESS_WEIGHTS, LINK_WEIGHTS

MIN_SCORE = 0.5  # from which an address counts as an article's
_MIN_KNOWN = 10  # known articles from which the patterns of a site are used
_MIN_PATTERN_SHARE = 0.02  # of the known articles that share a pattern, for it to count as one of articles
_PATTERN_LOGIT = 2.0  # added for a pattern of known articles
_OTHER_PATTERN_LOGIT = -1.0  # added for a pattern that no known article has

_ADDRESS_WEIGHTS = tuple(ADDRESS_WEIGHTS[name] for name in ADDRESS_FEATURES)
_LINK_WEIGHTS = tuple(LINK_WEIGHTS[name] for name in (*ADDRESS_FEATURES, *PLACE_FEATURES))


class ArticleScorer:
    """Scores addresses of one site. It learns the patterns of addresses that are known to be articles."""

    def __init__(self) -> None:
        self._patterns: Counter[str] = Counter()

    def learn(self, address: str) -> None:
        """Count the pattern of an article's address: from a feed or a news sitemap."""
        self._patterns[find_pattern(address)] += 1

    def score_address(self, address: str) -> float:
        """Return the probability that an address is an article's, from its shape."""
        if names_no_article(address):
            return 0.0
        return _to_probability(
            ADDRESS_WEIGHTS["bias"]
            + _multiply(_ADDRESS_WEIGHTS, measure_address(address))
            + self._judge_pattern(address)
        )

    def score_link(self, link: PlacedLink) -> float:
        """Return the probability that a link leads to an article, from its address and its place."""
        if names_no_article(link.address):
            return 0.0
        features = (*measure_address(link.address), *link.features)
        return _to_probability(
            LINK_WEIGHTS["bias"] + _multiply(_LINK_WEIGHTS, features) + self._judge_pattern(link.address)
        )

    def _judge_pattern(self, address: str) -> float:
        article_count = self._patterns.total()
        if article_count < _MIN_KNOWN:
            return 0.0
        share = self._patterns[find_pattern(address)] / article_count
        return _PATTERN_LOGIT if share >= _MIN_PATTERN_SHARE else _OTHER_PATTERN_LOGIT


def _multiply(weights: Sequence[float], features: Sequence[float]) -> float:
    return sum(weight * feature for weight, feature in zip(weights, features, strict=True))


def _to_probability(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
