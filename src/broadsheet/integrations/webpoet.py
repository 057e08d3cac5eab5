"""A page object for web-poet, and so for scrapy-poet. Extra `web-poet`.

async def parse(self, response, page: ArticlePage):    # in a spider with scrapy-poet
yield await page.to_item()
"""

from __future__ import annotations

from typing import Any

from broadsheet.api import extract
from broadsheet.article import Article
from broadsheet.extras import import_extra

import_extra("web_poet", "web-poet")

from web_poet import WebPage, cached_method


class ArticlePage(WebPage[dict]):
    """The article of a response. Override `options` for another method, or `to_item` for other items."""

    options: dict[str, Any] = {}  # noqa: RUF012 - keyword arguments of `extract`; subclasses replace it
    columns: tuple[str, ...] | None = None  # of the item; None: the whole record

    @cached_method
    def extract_article(self) -> Article:
        """Return the article; extracted once."""
        charset = self.response.headers.declared_encoding()
        return extract(self.response.body, url=str(self.response.url), **{"charset": charset, **self.options})

    async def to_item(self) -> dict[str, Any]:
        """Return the record of the article."""
        article: Article = self.extract_article()
        return article.to_dict(fields=self.columns)
