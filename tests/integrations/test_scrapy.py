"""A real crawl of the local site, in a process of its own: Twisted starts only once in a process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.local_site import LocalSite, serve_site

pytestmark = pytest.mark.integrations

EXAMPLE = Path(__file__).parents[2] / "examples" / "scrapy_spider.py"

POET_CRAWL = """
import sys, scrapy
from scrapy.crawler import CrawlerProcess
from broadsheet.integrations.webpoet import ArticlePage

class TitlePage(ArticlePage):
    columns = ("url", "title", "method")
    options = {"method": "twcem"}

class News(scrapy.Spider):
    name = "news"
    start_urls = sys.argv[2:]

    async def parse(self, response, page: TitlePage):
        yield await page.to_item()

process = CrawlerProcess({
    "ADDONS": {"scrapy_poet.Addon": 300},
    "FEEDS": {sys.argv[1]: {"format": "jsonlines"}},
    "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False,
})
process.crawl(News)
process.start()
"""


def crawl(program: Path, *arguments: str) -> str:
    command = [sys.executable, "-W", "ignore", str(program), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran.stdout


def read_items(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_item_pipeline(tmp_path: Path) -> None:
    pytest.importorskip("scrapy")
    site = LocalSite(40)
    with serve_site(site) as base:
        printed = crawl(EXAMPLE, base, str(tmp_path / "items.jsonl"))
    items = read_items(tmp_path / "items.jsonl")
    assert len(items) >= 10
    assert {item["title"] for item in items} <= {article.title for article in site.list_articles()}
    assert all(item["status"] == "ok" and item["text"] and item["url"].startswith(base) for item in items)
    assert not any("html" in item for item in items)
    assert printed == f"{len(items)} articles\n"


def test_page_object(tmp_path: Path) -> None:
    pytest.importorskip("scrapy_poet")
    site = LocalSite(20)
    articles = [article for article in site.list_articles() if not article.is_forbidden][:3]
    with serve_site(site) as base:
        program = tmp_path / "poet_crawl.py"
        program.write_text(POET_CRAWL)
        crawl(program, str(tmp_path / "items.jsonl"), *(base + article.path for article in articles))
        expected = {base + article.path: article.title for article in articles}
    items = read_items(tmp_path / "items.jsonl")
    assert {item["url"]: item["title"] for item in items} == expected
    assert {item["method"] for item in items} == {"twcem"}


def test_items_of_other_kinds(tmp_path: Path) -> None:
    """Items without a page pass; a class of items without the field is one clear line."""
    pytest.importorskip("scrapy")
    import asyncio
    from dataclasses import dataclass

    from scrapy.utils.test import get_crawler

    from broadsheet.errors import UnknownMethod
    from broadsheet.integrations.scrapy import ArticlePipeline

    @dataclass
    class Link:
        url: str

    pipeline = ArticlePipeline.from_crawler(get_crawler())
    assert asyncio.run(pipeline.process_item(Link("https://x.example"))) == Link("https://x.example")
    with pytest.raises(UnknownMethod):
        ArticlePipeline.from_crawler(get_crawler(settings_dict={"BROADSHEET_METHOD": "twecm"}))
