"""Group training pages by template."""

from __future__ import annotations

from collections.abc import Iterable

from broadsheet.methods.fusion.site_terms import hash_steps
from broadsheet.site.config import SiteConfig
from broadsheet.site.template import Structure, compare_structures
from broadsheet.training.fusion.pages import MeasuredPage

MAX_TEMPLATES = 200  # that are compared with each page; a later page that resembles none of them counts alone
MIN_ALIKE = SiteConfig.shipped().min_alike  # similarity of structure from which two pages have the same template


def number_templates(pages: Iterable[MeasuredPage]) -> list[int]:
    """Return the number of each page's template: that of the first page that is similar enough, or a new one."""
    structures: list[Structure] = []
    numbers: list[int] = []
    for page in pages:
        structure = frozenset(hash_steps(page.input).tolist())
        alike = [compare_structures(structure, other) for other in structures]
        if alike and max(alike) >= MIN_ALIKE:
            numbers.append(alike.index(max(alike)))
            continue
        numbers.append(max(numbers, default=-1) + 1)
        if len(structures) < MAX_TEMPLATES:
            structures.append(structure)
    return numbers
