"""Articles of small pages for tests: all blocks are text of the article, but those in an element of the class "off"."""

from __future__ import annotations

from broadsheet.article import Article, assemble
from broadsheet.blocks import Labels, Role, role_of_content, segment
from broadsheet.fields import read_fields
from broadsheet.page import read_page

URL = "https://example.org/news/"
HEADLINE = "<title>News of the valley</title><h1 class=off>News of the valley</h1>"


def make_article(html: str) -> Article:
    page = read_page(f"{HEADLINE}{html}", url=URL)
    blocks = segment(page)
    off_rows = {row for top in page.nodes.select(".off") for row in range(top, page.nodes.end[top])}
    roles = [
        Role.BOILERPLATE if blocks.first[block] in off_rows else role_of_content(blocks, block)
        for block in range(len(blocks))
    ]
    scores = [float(role is not Role.BOILERPLATE) for role in roles]
    labels = Labels(roles, scores)
    return assemble(page, blocks, labels, read_fields(page, blocks, labels), method="test")
