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
    ordered = sorted(pages, key=lambda page: page.fingerprint)
    numbers = number_groups([frozenset(page.structure) for page in ordered], config.min_alike)
    groups: dict[int, list[SampledPage]] = {}
    for number, page in zip(numbers, ordered, strict=True):
        groups.setdefault(number, []).append(page)
    return tuple(sorted((Template(tuple(members)) for members in groups.values()), key=lambda group: -len(group.pages)))


def number_groups(structures: Iterable[Structure], min_alike: float) -> list[int]:
    """Return the group of each structure: that whose first member is most similar to it, or a new one."""
    firsts: list[Structure] = []
    numbers = []
    for structure in structures:
        similarities = [compare_structures(structure, first) for first in firsts]
        number = max(range(len(firsts)), key=similarities.__getitem__, default=0)
        if not firsts or similarities[number] < min_alike:
            number = len(firsts)
            firsts.append(structure)
        numbers.append(number)
    return numbers


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
