"""Site: the templates of one site, learned from its pages. Sites: those of many sites, by host."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from broadsheet.errors import LimitReached, UsageError
from broadsheet.page import Page, host_of, read_page
from broadsheet.site.home import is_home_address, read_link_titles, simplify_address
from broadsheet.site.keys import find_texts, find_texts_in_elements, read_structure
from broadsheet.site.sample import SampledPage, find_section, fingerprint_page, sample_page
from broadsheet.site.template import (
    MIN_CHANGED_DRIFT,
    SiteConfig,
    StaticKeys,
    Template,
    choose_neighbours,
    compare_structures,
    find_static_keys,
    group_pages,
    measure_distance,
)
from broadsheet.text import format_count

if TYPE_CHECKING:
    from broadsheet.article import Article
    from broadsheet.methods import Method
    from broadsheet.options import ExtractOptions, OptionChanges

PageSource = str | bytes | tuple[str | None, str | bytes]  # html, or a pair of address and html

_MAX_CACHED_KEYS = 1000  # sets of static keys
# Of a description
_MAX_TEMPLATES = 8
_MAX_TEXTS = 12
_MAX_SECTIONS = 5
_MIN_TEXT_CHARS = 3


def check_pages(name: str, pages: object) -> None:
    """Raise TypeError if pages are not an iterable of pages: one page, a folder name, a number."""
    if isinstance(pages, str | bytes | PathLike) or not isinstance(pages, Iterable):
        raise TypeError(f"{name} must be an iterable of pages (html, or pairs of address and html), not {pages!r:.80}")


def split_source(page: object) -> tuple[str | None, str | bytes]:
    """Return the address and the html of a page. Raises TypeError for anything else."""
    url, html = page if isinstance(page, tuple) and len(page) == 2 else (None, page)
    if not isinstance(html, str | bytes) or not isinstance(url, str | None):
        names = f"({type(url).__name__}, {type(html).__name__})" if url is not None else type(html).__name__
        raise TypeError(f"a page must be html (str or bytes) or a pair of address and html, not {names}")
    return url, html


@dataclass(frozen=True, slots=True)
class Drift:
    """The distance of a page from the nearest template of its site."""

    score: float  # share of the template's structure that the page lacks: 0..1
    has_changed: bool


class Site:
    """The templates of a site, learned from its pages. Pages and other sites can be added at any time."""

    def __init__(self, config: SiteConfig | None = None) -> None:
        self.config = config or SiteConfig.shipped()
        self.pages = 0  # number of pages seen
        self.sample: dict[int, SampledPage] = {}  # by fingerprint
        self.titles: dict[str, tuple[str, ...]] = {}  # simplified address -> texts of the links on home pages
        self._templates: tuple[Template, ...] | None = None
        self._static_keys: dict[tuple[int, str], StaticKeys] = {}  # by template and section

    @classmethod
    def learn(
        cls, pages: Iterable[PageSource], *, homes: Iterable[PageSource] = (), config: SiteConfig | None = None
    ) -> Self:
        """Learn a site from its pages: html, or pairs of address and html.

        `homes` are home and section pages; the texts of their links are used as titles of the linked pages. Pages
        whose address has the form of a home page's are read for titles as well.
        """
        check_pages("pages", pages)
        check_pages("homes", homes)
        site = cls(config)
        for page in pages:
            site.add(page)
        for home in homes:
            url, html = split_source(home)
            site.add_home(html, url)
        return site

    def add(self, page: PageSource) -> Self:
        """Learn one more page. A page that is added twice counts once."""
        url, html = split_source(page)
        fingerprint = fingerprint_page(html)
        if not is_home_address(url) and not self._is_sampled(fingerprint):
            self.pages += 1  # neither in the sample nor a home page: no need to parse it
            return self
        try:
            parsed = read_page(html, url=url)
        except LimitReached:  # one page that takes too long must not stop the others
            self.pages += 1
            return self
        self.add_parsed(parsed, fingerprint)
        return self

    def add_parsed(self, page: Page, fingerprint: int) -> None:
        """Learn a parsed page."""
        self.pages += 1
        if is_home_address(page.url):
            self._add_titles(read_link_titles(page))
        if self._is_sampled(fingerprint):
            self._add_sample(sample_page(page, fingerprint, of_elements=self.config.reads_elements))

    def add_home(self, html: str | bytes, url: str | None = None) -> Self:
        """Use the texts of a home or section page's links as titles of the linked pages."""
        url, html = split_source((url, html))
        with contextlib.suppress(LimitReached):  # a page that is too slow to read has no titles
            self._add_titles(read_link_titles(read_page(html, url=url)))
        return self

    def merge(self, other: Site) -> Self:
        """Add another site. The result is the same as if this site had learned the other's pages."""
        if other.config != self.config:
            raise UsageError("sites with different settings cannot be merged; learn one of them again")
        self.pages += other.pages
        self._add_titles(other.titles)
        for page in other.sample.values():
            if self._is_sampled(page.fingerprint):
                self._add_sample(page)
        return self

    def extract(
        self,
        html: str | bytes,
        url: str | None = None,
        method: str | Method | None = None,
        *,
        options: ExtractOptions | None = None,
        **changes: Unpack[OptionChanges],
    ) -> Article:
        """Extract a page of this site. The arguments are those of `broadsheet.extract`."""
        from broadsheet.api import extract

        changes["site"] = self
        return extract(html, url, method, options=options, **changes)

    def prepare(self, page: Page) -> Page:
        """Return the page with its static rows, and with its link titles from home pages."""
        titles, address = page.link_titles, page.url or page.base
        if not titles and self.titles and address:
            titles = self.titles.get(simplify_address(address), ())
        static = self.find_static(page)
        if self.config.reads_elements:
            rows = find_texts_in_elements(page.nodes, static.keys, static.data)
        else:
            rows = find_texts(page.nodes, static.keys)
        return replace(page, link_titles=titles, static_rows=rows)

    def find_static(self, page: Page) -> StaticKeys:
        """Return the static keys of the page's neighbours: pages of its template, those of its section first."""
        template, section = self._find_template(page), find_section(page.url or page.base)
        if (template, section) not in self._static_keys:
            if len(self._static_keys) >= _MAX_CACHED_KEYS:
                self._static_keys.clear()
            pages = self.templates[template] if template >= 0 else Template(tuple(self.sample.values()))
            self._static_keys[template, section] = find_static_keys(
                choose_neighbours(pages, section, self.config), self.config
            )
        return self._static_keys[template, section]

    def _find_template(self, page: Page) -> int:
        """Return the index of the page's template among those with enough pages; -1 if there is none."""
        min_pages = self.config.min_neighbours
        candidates = [index for index, template in enumerate(self.templates) if len(template.pages) >= min_pages]
        if len(candidates) < 2:
            return candidates[0] if candidates else -1
        structure = frozenset(read_structure(page.nodes))
        return max(candidates, key=lambda index: compare_structures(structure, self.templates[index].structure))

    def drift(self, page: str | bytes | Page) -> Drift:
        """Measure how much of the nearest template's structure a page lacks. If often high, learn the site again."""
        parsed = page if isinstance(page, Page) else read_page(page)
        structure = frozenset(read_structure(parsed.nodes))
        if not self.templates:
            return Drift(0.0, has_changed=False)
        score = measure_distance(structure, self.templates)
        return Drift(score, score >= MIN_CHANGED_DRIFT)

    def describe(self) -> str:
        """Describe in words what was learned."""
        return "\n".join(_describe(self))

    def save(self, path: str | Path) -> None:
        """Write the site to a file: JSON, or SQLite if the JSON would be large."""
        from broadsheet.site.storage import save_site

        save_site(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a saved site. Raises SiteFileError if the file cannot be read or is not a saved site."""
        from broadsheet.site.storage import load_site

        return load_site(cls, Path(path))

    @property
    def templates(self) -> tuple[Template, ...]:
        """The templates of the site, the most frequent first."""
        if self._templates is None:
            self._templates = group_pages(self.sample.values(), self.config)
        return self._templates

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Site):
            return NotImplemented
        state = (self.config, self.pages, self.sample, self.titles)
        return state == (other.config, other.pages, other.sample, other.titles)

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return f"<Site of {self.pages:,} pages, {len(self.sample):,} in the sample>"

    def _add_titles(self, titles: Mapping[str, tuple[str, ...]]) -> None:
        for address, texts in titles.items():
            merged = {*self.titles.get(address, ()), *texts}
            self.titles[address] = tuple(sorted(merged, key=lambda text: (-len(text), text)))

    def _is_sampled(self, fingerprint: int) -> bool:
        """Tell whether a page with this fingerprint belongs to the sample."""
        return len(self.sample) < self.config.max_pages or fingerprint <= max(self.sample)

    def _add_sample(self, page: SampledPage) -> None:
        twin = self.sample.get(page.fingerprint, page)  # the same page at another address: keep the first section name
        self.sample[page.fingerprint] = min(page, twin, key=lambda candidate: candidate.section)
        if len(self.sample) > self.config.max_pages:
            del self.sample[max(self.sample)]
        self._templates = None
        self._static_keys.clear()


class Sites:
    """Sites by host name. Pages of unknown host form one site."""

    def __init__(self, config: SiteConfig | None = None) -> None:
        self.config = config
        self.by_host: dict[str, Site] = {}

    def learn(self, pages: Iterable[PageSource]) -> None:
        """Learn pages of any sites, in any order."""
        check_pages("pages", pages)
        for page in pages:
            self.add(page)

    def add(self, page: PageSource) -> None:
        """Learn one more page."""
        url, html = split_source(page)
        if url:
            self._get_site(url).add((url, html))
        else:
            parsed = read_page(html)
            self._get_site(parsed.base).add_parsed(replace(parsed, url=parsed.base), fingerprint_page(html))

    def prepare(self, page: Page) -> Page:
        """Return the page with the static rows and link titles that its site knows."""
        site = self.by_host.get(host_of(page.url or page.base))
        return page if site is None else site.prepare(page)

    def _get_site(self, url: str | None) -> Site:
        host = host_of(url)
        if host not in self.by_host:
            self.by_host[host] = Site(self.config)
        return self.by_host[host]


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
    shown: list[str] = []
    for text in sorted(texts, key=lambda text: (-len(text), text)):
        if not any(text in outer for outer in shown):  # an element inside another one
            shown.append(text)
    return shown[:_MAX_TEXTS]
