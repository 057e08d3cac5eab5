"""An item pipeline for Scrapy: items with HTML become items with the article. Extra `scrapy`.

    ITEM_PIPELINES = {"broadsheet.integrations.scrapy.ArticlePipeline": 300}
    yield {"url": response.url, "html": response.text}     # in the spider; response.body works too

| setting | meaning |
|---|---|
| BROADSHEET_HTML_FIELD | the field with the page ("html"); it is removed |
| BROADSHEET_FIELDS | columns of the record that are added; all by default |
| BROADSHEET_METHOD | a name from `broadsheet.methods()` |
| BROADSHEET_DROP | True: items whose status is not "ok" are dropped |
"""

from __future__ import annotations

from typing import Any, Self

from broadsheet.api import PageInput, check_page
from broadsheet.article import Article, Status
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.options import ExtractOptions
from broadsheet.output.record import choose_columns, to_dict
from broadsheet.workers.extraction import extract_safely

import_extra("scrapy", "scrapy")

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.threads import deferToThread


class ArticlePipeline:
    """Adds the article to each item that has a page. Pages are extracted in threads while the crawl continues."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        fields = settings.getlist("BROADSHEET_FIELDS") or None
        method = settings.get("BROADSHEET_METHOD")
        self._stats = crawler.stats
        self._html_field = settings.get("BROADSHEET_HTML_FIELD", "html")
        self._columns = choose_columns(fields)
        self._drops = settings.getbool("BROADSHEET_DROP", False)
        names = tuple(column.name for column in self._columns)
        self._options = ExtractOptions(fields=names) if method is None else ExtractOptions(method=method, fields=names)
        self._options.load_method()  # raises UnknownMethod before the crawl starts

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the pipeline of a crawl."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """Replace the page of an item with its article. Items without a page pass unchanged."""
        adapter = ItemAdapter(item)
        html = adapter.get(self._html_field)
        if html is None:
            return item
        article = await maybe_deferred_to_future(deferToThread(self._extract, html, adapter.get("url")))
        self._stats.inc_value(f"broadsheet/{article.status}")
        if self._drops and article.status is not Status.OK:
            raise DropItem(f"{article.url}: {article.status.meaning}")
        del adapter[self._html_field]
        for name, value in to_dict(article, self._columns).items():
            _set_field(adapter, name, value)
        return item

    def _extract(self, html: str | bytes, url: str | None) -> Article:
        check_page(html, url)
        return extract_safely(PageInput(url, html), self._options)


def _set_field(adapter: ItemAdapter, name: str, value: object) -> None:
    try:
        adapter[name] = value
    except KeyError as error:
        kind = adapter.item.__class__.__name__
        raise UsageError(f"{kind} has no field {name!r}; add it, or name fewer in BROADSHEET_FIELDS") from error
