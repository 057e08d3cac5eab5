"""Templates: groups of pages with the same structure, and the static keys of each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from broadsheet.site.config import SiteConfig
from broadsheet.site.keys import DATA_BITS
from broadsheet.site.sample import SampledPage

Structure = frozenset[int]  # hashes of tag and class name: keys.read_structure


class StaticKeys(NamedTuple):
    """The keys that enough neighbour pages have: static content."""

    keys: frozenset[int] = frozenset()
    data: frozenset[int] = frozenset()  # the data bits of the keys
    pages: int = 0  # number of neighbour pages


@dataclass(frozen=True)
class Template:
    """Pages with the same structure."""

    pages: tuple[SampledPage, ...]

    @cached_property
    def structure(self) -> Structure:
        """The hashes that at least half of the pages have."""
        support = Counter(part for page in self.pages for part in page.structure)
        return frozenset(part for part, count in support.items() if 2 * count >= len(self.pages))


def group_pages(pages: Iterable[SampledPage], config: SiteConfig) -> tuple[Template, ...]:
    """Group pages by structure, the largest template first. The order of the pages does not matter."""
    groups: list[tuple[Structure, list[SampledPage]]] = []  # structure of the first page, and all pages
    for page in sorted(pages, key=lambda page: page.fingerprint):
        structure = frozenset(page.structure)
        nearest = max(groups, key=lambda group: compare_structures(structure, group[0]), default=None)
        if nearest and compare_structures(structure, nearest[0]) >= config.min_alike:
            nearest[1].append(page)
        else:
            groups.append((structure, [page]))
    templates = [Template(tuple(members)) for _, members in groups]
    return tuple(sorted(templates, key=lambda template: -len(template.pages)))


def choose_neighbours(template: Template, section: str, config: SiteConfig) -> tuple[SampledPage, ...]:
    """Choose the neighbour pages: those of the same section first, then those most similar to the template."""

    def rank(page: SampledPage) -> tuple[bool, float, int]:
        similarity = compare_structures(frozenset(page.structure), template.structure)
        return page.section != section, -similarity, page.fingerprint

    return tuple(sorted(template.pages, key=rank)[: config.max_neighbours])


def find_static_keys(neighbours: Sequence[SampledPage], config: SiteConfig) -> StaticKeys:
    """Return the keys that enough neighbour pages have (section 3.1, first phase)."""
    if len(neighbours) < config.min_neighbours:
        return StaticKeys(pages=len(neighbours))
    support = Counter(key for page in neighbours for key in page.keys)
    min_support = max(math.ceil(config.min_share * len(neighbours)), config.min_neighbours)
    keys = frozenset(key for key, count in support.items() if count >= min_support)
    return StaticKeys(keys, frozenset(key & DATA_BITS for key in keys), len(neighbours))


def compare_structures(page: Collection[int], template: Structure) -> float:
    """Return the Jaccard similarity of two structures."""
    common = len(template.intersection(page))
    return common / max(len(page) + len(template) - common, 1)
