"""Templates: the kinds of pages that a site has, each with what all its pages say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from broadsheet.site.config import SiteConfig
from broadsheet.site.keys import DATA_BITS
from broadsheet.site.sample import SampledPage

Looks = frozenset[int]


@dataclass(frozen=True, slots=True)
class StaticKeys:
    """The part of the table that marks noise: keys with enough support."""

    keys: frozenset[int] = frozenset()
    data: frozenset[int] = frozenset()  # the data bits of the keys
    pages: int = 0  # the neighbours that were asked


@dataclass(frozen=True)
class Template:
    """Pages of one structure."""

    pages: tuple[SampledPage, ...]

    @cached_property
    def looks(self) -> Looks:
        """The structure that at least half of the pages have."""
        support = Counter(look for page in self.pages for look in page.looks)
        return frozenset(look for look, count in support.items() if 2 * count >= len(self.pages))


def group_pages(pages: Iterable[SampledPage], config: SiteConfig) -> tuple[Template, ...]:
    """Put pages of like structure together, the largest template first. The order of the pages does not matter."""
    leaders: list[tuple[Looks, list[SampledPage]]] = []
    for page in sorted(pages, key=lambda page: page.fingerprint):
        looks = frozenset(page.looks)
        nearest = max(leaders, key=lambda leader: compare_looks(looks, leader[0]), default=None)
        if nearest and compare_looks(looks, nearest[0]) >= config.min_alike:
            nearest[1].append(page)
        else:
            leaders.append((looks, [page]))
    templates = [Template(tuple(members)) for _, members in leaders]
    return tuple(sorted(templates, key=lambda template: -len(template.pages)))


def choose_neighbours(template: Template, section: str, config: SiteConfig) -> tuple[SampledPage, ...]:
    """Choose the neighbour pages: of the same section first, then those that are most like the template."""

    def rank(page: SampledPage) -> tuple[bool, float, int]:
        return page.section != section, -compare_looks(frozenset(page.looks), template.looks), page.fingerprint

    return tuple(sorted(template.pages, key=rank)[: config.max_neighbours])


def find_static_keys(neighbours: Sequence[SampledPage], config: SiteConfig) -> StaticKeys:
    """Count the support of all keys and keep those that enough neighbours have (section 3.1, first phase)."""
    if len(neighbours) < config.min_neighbours:
        return StaticKeys(pages=len(neighbours))
    support = Counter(key for page in neighbours for key in page.keys)
    least = max(math.ceil(config.min_share * len(neighbours)), config.min_neighbours)
    keys = frozenset(key for key, count in support.items() if count >= least)
    return StaticKeys(keys, frozenset(key & DATA_BITS for key in keys), len(neighbours))


def compare_looks(some: Collection[int], others: Looks) -> float:
    """Jaccard similarity of two structures."""
    common = len(others.intersection(some))
    return common / max(len(some) + len(others) - common, 1)
