"""Crawl a news site with Scrapy; the item pipeline turns each page into an article.

python examples/scrapy_spider.py https://news.example articles.jsonl
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess

SETTINGS = {
    "ITEM_PIPELINES": {"broadsheet.integrations.scrapy.ArticlePipeline": 300},
    "BROADSHEET_FIELDS": ["title", "authors", "date", "text", "status", "confidence"],
    "BROADSHEET_DROP": True,  # pages that are not articles
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_MAXSIZE": 8_000_000,
    "DOWNLOAD_TIMEOUT": 20,
    "LOG_LEVEL": "ERROR",
}


class NewsSpider(scrapy.Spider):
    """Follows the headlines of the home page."""

    name = "news"

    def __init__(self, home: str) -> None:
        super().__init__()
        self.start_urls = [home]

    def parse(self, response: Any) -> Iterator[Any]:
        """Follow the headlines."""
        yield from response.follow_all(css="h2 a, h3 a", callback=self.parse_page)

    def parse_page(self, response: Any) -> Iterator[dict[str, Any]]:
        """Hand the page to the pipeline, which replaces it with the article."""
        if isinstance(response, scrapy.http.HtmlResponse):
            yield {"url": response.url, "html": response.body}


if __name__ == "__main__":
    home, output = sys.argv[1:]
    process = CrawlerProcess({**SETTINGS, "FEEDS": {output: {"format": "jsonlines"}}})
    crawler = process.create_crawler(NewsSpider)
    process.crawl(crawler, home)
    process.start()
    print(crawler.stats.get_value("broadsheet/ok", 0), "articles")
