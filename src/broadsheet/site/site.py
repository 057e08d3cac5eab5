"""Site: what many pages of one site tell of each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from broadsheet.errors import LimitReached, UsageError
from broadsheet.page import Page, read_page
from broadsheet.site.config import SiteConfig
from broadsheet.site.home import is_home_address, read_link_titles, simplify_address
from broadsheet.site.keys import find_texts, find_texts_in_elements, read_looks
from broadsheet.site.sample import SampledPage, find_section, fingerprint_page, sample_page
from broadsheet.site.template import (
    StaticKeys,
    Template,
    choose_neighbours,
    compare_looks,
    find_static_keys,
    group_pages,
)

if TYPE_CHECKING:
    from broadsheet.article import Article
    from broadsheet.methods import Method

PageSource = str | bytes | tuple[str | None, str | bytes]  # html, or a pair of address and html

CHANGED_AT = 0.3  # drift from which a page counts as one of another layout; see docs/sites.md
_MAX_CACHED = 1000  # tables of neighbours that are kept at hand


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a page is from what the site was learned from."""

    score: float  # 0: all of the template is there, 1: nothing of it
    has_changed: bool


class Site:
    """The template of a site, learned from its pages. More pages and other sites' halves can be added at any time."""

    def __init__(self, config: SiteConfig | None = None) -> None:
        self.config = config or SiteConfig.shipped()
        self.pages = 0  # that were seen
        self.sample: dict[int, SampledPage] = {}  # by fingerprint
        self.titles: dict[str, tuple[str, ...]] = {}  # what home pages call the pages of these addresses
        self._templates: tuple[Template, ...] | None = None
        self._static: dict[tuple[int, str], StaticKeys] = {}

    @classmethod
    def learn(
        cls, pages: Iterable[PageSource], *, homes: Iterable[PageSource] = (), config: SiteConfig | None = None
    ) -> Self:
        """Learn a site from pages of it: html, or pairs of address and html.

        `homes` are home and section pages, whose links name the pages that they lead to. Pages whose addresses look
        like those of home pages are read for that, too.
        """
        site = cls(config)
        for page in pages:
            site.add(page)
        for home in homes:
            url, html = home if isinstance(home, tuple) else (None, home)
            site.add_home(html, url)
        return site

    def add(self, page: PageSource) -> Self:
        """Learn one more page. A page that was learned before counts once."""
        url, html = page if isinstance(page, tuple) else (None, page)
        fingerprint = fingerprint_page(html)
        if not is_home_address(url) and not self._has_room(fingerprint):
            self.pages += 1  # neither in the sample nor a home page: it need not even be parsed
            return self
        try:
            read = read_page(html, url=url)
        except LimitReached:  # one monstrous page must not stop the others
            self.pages += 1
            return self
        self.add_parsed(read, fingerprint)
        return self

    def add_parsed(self, page: Page, fingerprint: int) -> None:
        """Learn a page that was parsed already."""
        self.pages += 1
        if is_home_address(page.url):
            self._add_titles(read_link_titles(page))
        if self._has_room(fingerprint):
            self._add_sample(sample_page(page, fingerprint, of_elements=self.config.reads_elements))

    def add_home(self, html: str | bytes, url: str | None = None) -> Self:
        """Take the texts of a home or section page's links as titles of the pages that they lead to."""
        page = read_page(html, url=url)
        self._add_titles(read_link_titles(replace(page, url=url or page.base)))
        return self

    def merge(self, other: Site) -> Self:
        """Learn all that another site has learned: the same as if it had seen the other's pages itself."""
        if other.config != self.config:
            raise UsageError("sites that were learned with different settings cannot be merged; learn one of them anew")
        self.pages += other.pages
        self._add_titles(other.titles)
        for page in other.sample.values():
            if self._has_room(page.fingerprint):
                self._add_sample(page)
        return self

    def extract(self, html: str | bytes, url: str | None = None, method: str | Method | None = None) -> Article:
        """Extract a page by the default method, or any, with what the site taught."""
        from broadsheet.api import extract
        from broadsheet.methods import DEFAULT_METHOD

        return extract(html, url, method or DEFAULT_METHOD, site=self)

    def prepare(self, page: Page) -> Page:
        """Tell a page what the site knows of it: which of its texts are the template's, what home pages call it."""
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
        """The static keys of the page's neighbours: pages of its template, those of its section first."""
        template, section = self._find_template(page), find_section(page.url or page.base)
        if (template, section) not in self._static:
            if len(self._static) >= _MAX_CACHED:
                self._static.clear()
            pages = self.templates[template] if template >= 0 else Template(tuple(self.sample.values()))
            self._static[template, section] = find_static_keys(
                choose_neighbours(pages, section, self.config), self.config
            )
        return self._static[template, section]

    def _find_template(self, page: Page) -> int:
        """Number of the template that the page is made from, of those with enough pages; -1 for all pages together."""
        least = self.config.min_neighbours
        known = [at for at, template in enumerate(self.templates) if len(template.pages) >= least]
        if len(known) < 2:
            return known[0] if known else -1
        looks = frozenset(read_looks(page.nodes))
        return max(known, key=lambda at: compare_looks(looks, self.templates[at].looks))

    def drift(self, page: str | bytes | Page) -> Drift:
        """Measure how much of the nearest template's structure a page lacks. Often high: learn the site anew."""
        read = page if isinstance(page, Page) else read_page(page)
        looks = frozenset(read_looks(read.nodes))
        if not self.templates:
            return Drift(0.0, has_changed=False)
        template = max(self.templates, key=lambda template: compare_looks(looks, template.looks))
        score = 1 - len(template.looks & looks) / max(len(template.looks), 1)
        return Drift(score, score >= CHANGED_AT)

    def describe(self) -> str:
        """Say in words what was learned."""
        from broadsheet.site.describe import describe_site

        return describe_site(self)

    def save(self, path: str | Path) -> None:
        """Write the site to a file: JSON, or SQLite where that would be large."""
        from broadsheet.site.storage import save_site

        save_site(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a site that was saved. Raises UsageError for a file that is none."""
        from broadsheet.site.storage import load_site

        return load_site(cls, Path(path))

    @property
    def templates(self) -> tuple[Template, ...]:
        """The kinds of pages that the site has, the most frequent first."""
        if self._templates is None:
            self._templates = group_pages(self.sample.values(), self.config)
        return self._templates

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Site):
            return NotImplemented
        mine = (self.config, self.pages, self.sample, self.titles)
        return mine == (other.config, other.pages, other.sample, other.titles)

    __hash__ = None  # type: ignore[assignment]  # a site grows

    def __repr__(self) -> str:
        return f"<Site of {self.pages:,} pages, {len(self.sample):,} in the sample>"

    def _add_titles(self, titles: Mapping[str, tuple[str, ...]]) -> None:
        for address, texts in titles.items():
            known = {*self.titles.get(address, ()), *texts}
            self.titles[address] = tuple(sorted(known, key=lambda text: (-len(text), text)))

    def _has_room(self, fingerprint: int) -> bool:
        return len(self.sample) < self.config.max_pages or fingerprint <= max(self.sample)

    def _add_sample(self, page: SampledPage) -> None:
        same = self.sample.get(page.fingerprint, page)  # known from another address: the first section stays
        self.sample[page.fingerprint] = min(page, same, key=lambda each: each.section)
        if len(self.sample) > self.config.max_pages:
            del self.sample[max(self.sample)]
        self._templates = None
        self._static.clear()
