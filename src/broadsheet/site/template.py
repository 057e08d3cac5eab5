"""Templates: groups of pages with the same structure, the static keys of each, and the parameters of site mode."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from broadsheet.site.keys import DATA_BITS
from broadsheet.site.sample import SampledPage

MIN_CHANGED_DRIFT = 0.3  # drift from which a page counts as redesigned; see docs/explanation/sites.md
Structure = frozenset[int]  # hashes of tag and class name: keys.read_structure


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """Parameters of site mode. The defaults are the published values of StaDyNoT; the rest is marked "ours"."""

    reads_elements: bool = True  # keys of elements: tag, attributes and data (section 3.1); else keys of text nodes
    min_share: float = 1.0  # of the neighbour pages that must have a key for it to be static; "all" in section 3.1
    max_neighbours: int = 10  # section 3.1 and Table 1: 10 neighbours of one category, 9 besides the page itself
    min_neighbours: int = 1  # with fewer, nothing is static; also the minimum support. Not in the paper: 1
    max_pages: int = 256  # ours: the size of the sample, see site/sample.py
    min_alike: float = 0.0  # Jaccard similarity of structure from which two pages share a template. 0: all pages do

    @classmethod
    def shipped(cls) -> SiteConfig:
        """Return the parameters that `Site` uses: keys of text nodes, on 60 % of the neighbours of the same template.

        Three neighbours are needed, because an article and its archive copy share all text.

        Tuned on big5-05 and big5-09, train and dev, leave-one-out. Mean word F1 of stadynot and of twcem: 0.965 and
        0.945 as published; 0.980 and 0.947 on 60 % of the neighbours; the same with text nodes, in a quarter of the
        time.
        """
        return cls(reads_elements=False, min_share=0.6, min_neighbours=3, min_alike=0.5)


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


def measure_distance(structure: Structure, templates: Sequence[Template]) -> float:
    """Return the share of the nearest template's structure that a page lacks: 0..1."""
    nearest = max(templates, key=lambda template: compare_structures(structure, template.structure))
    return 1 - len(nearest.structure & structure) / max(len(nearest.structure), 1)
