"""Sites: the templates of many sites, by host."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from broadsheet.page import Page, host_of, read_page
from broadsheet.site.config import SiteConfig
from broadsheet.site.sample import fingerprint_page
from broadsheet.site.site import PageSource, Site, check_pages, split_source


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
