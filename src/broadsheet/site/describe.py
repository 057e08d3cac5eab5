"""Describe a learned site in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from broadsheet.site.sample import SampledPage
from broadsheet.site.site import Site
from broadsheet.site.template import Template, choose_neighbours, find_static_keys
from broadsheet.text import format_count

_MAX_TEMPLATES = 8
_MAX_TEXTS = 12
_MAX_SECTIONS = 5
_MIN_TEXT_CHARS = 3


def describe_site(site: Site) -> str:
    """Describe a site: number of pages, templates, and static texts of each template."""
    return "\n".join(_describe(site))


def _describe(site: Site) -> Iterator[str]:
    sampled = len(site.sample)
    sample = f", {sampled:,} kept as a sample" if sampled != site.pages else ""
    yield f"{format_count(site.pages, 'page')} seen{sample}"
    if site.titles:
        yield f"{format_count(len(site.titles), 'address', 'es')} named by links on home and section pages"
    min_pages = site.config.min_neighbours
    templates = [template for template in site.templates if len(template.pages) >= min_pages]
    for number, template in enumerate(templates[:_MAX_TEMPLATES], start=1):
        yield from _describe_template(site, number, template)
    if len(templates) > _MAX_TEMPLATES:
        yield f"and {format_count(len(templates) - _MAX_TEMPLATES, 'smaller template')}"
    if others := sum(len(template.pages) for template in site.templates if len(template.pages) < min_pages):
        yield f"{format_count(others, 'page')} without a template: fewer than {min_pages} pages are alike"


def _describe_template(site: Site, number: int, template: Template) -> Iterator[str]:
    sections = Counter(page.section for page in template.pages if page.section)
    names = sorted(sections, key=lambda name: (-sections[name], name))[:_MAX_SECTIONS]
    where = f", in {', '.join(names)}" if names else ""
    yield f"template {number}: {format_count(len(template.pages), 'page')} of {len(site.sample):,}{where}"
    neighbours = choose_neighbours(template, "", site.config)
    static = find_static_keys(neighbours, site.config)
    keys = format_count(len(static.keys), "static key")
    yield f"  {keys}: on {site.config.min_share:.0%} of {len(neighbours)} neighbours"
    if texts := _list_texts(neighbours, static.keys):
        yield "  static texts: " + " | ".join(texts)


def _list_texts(pages: Sequence[SampledPage], keys: frozenset[int]) -> list[str]:
    texts = {text for page in pages for key, text in page.texts.items() if key in keys and len(text) >= _MIN_TEXT_CHARS}
    return sorted(texts, key=lambda text: (-len(text), text))[:_MAX_TEXTS]
