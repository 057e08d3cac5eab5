"""Sites: the templates of many sites, each page given to its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urlsplit

from broadsheet.page import Page, read_page
from broadsheet.site.config import SiteConfig
from broadsheet.site.sample import fingerprint_page
from broadsheet.site.site import PageSource, Site


class Sites:
    """Sites by host name. Pages that do not tell theirs are taken for pages of one site."""

    def __init__(self, config: SiteConfig | None = None) -> None:
        self.config = config
        self.by_host: dict[str, Site] = {}

    def learn(self, pages: Iterable[PageSource]) -> None:
        """Learn pages of any sites, in any order."""
        for page in pages:
            self.add(page)

    def add(self, page: PageSource) -> None:
        """Learn one more page."""
        url, html = page if isinstance(page, tuple) else (None, page)
        if url:
            self._find(url).add((url, html))
        else:
            read = read_page(html)
            self._find(read.base).add_parsed(replace(read, url=read.base), fingerprint_page(html))

    def prepare(self, page: Page) -> Page:
        """Tell a page what its site knows of it."""
        site = self.by_host.get(_host_of(page.url or page.base))
        return page if site is None else site.prepare(page)

    def _find(self, url: str | None) -> Site:
        host = _host_of(url)
        if host not in self.by_host:
            self.by_host[host] = Site(self.config)
        return self.by_host[host]


def _host_of(url: str | None) -> str:
    try:
        return (urlsplit(url or "").hostname or "").removeprefix("www.")
    except ValueError:  # such as a broken IPv6 host
        return ""
