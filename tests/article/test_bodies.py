"""Small pages in every format. To write the expected texts again: `python tests/article/test_bodies.py`."""

from __future__ import annotations

import json
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

import pytest

import broadsheet
from broadsheet.article import Article, Code, Extraction, assemble
from broadsheet.blocks import Labels, Role, role_of_content, segment
from broadsheet.fields import Fields
from broadsheet.methods import load_method
from broadsheet.options import DEFAULT_OPTIONS
from broadsheet.output.tei_body import render_sections
from broadsheet.page import read_page

CASES_FILE = Path(__file__).parent / "bodies.json"
URL = "https://example.org/news/"
HEADLINE = "<title>News of the valley</title><h1 class=off>News of the valley</h1>"


class Case(NamedTuple):
    name: str
    page: str  # below the headline
    text: str
    markdown: str
    html: str
    tei: str


def make_article(html: str) -> Article:
    """Return the article of a page. All blocks are text of the article, but those of the class "off"."""
    page = read_page(f"{HEADLINE}{html}", url=URL)
    blocks = segment(page)
    off_rows = {row for top in page.nodes.select(".off") for row in range(top, page.nodes.end[top])}
    roles = [
        Role.BOILERPLATE if blocks.first[block] in off_rows else role_of_content(blocks, block)
        for block in range(len(blocks))
    ]
    labels = Labels(roles, [float(role is not Role.BOILERPLATE) for role in roles])
    return assemble(
        page, blocks, labels, Fields(page, blocks, labels), Extraction(load_method("twcem"), DEFAULT_OPTIONS)
    )


def write_outputs(html: str) -> tuple[str, ...]:
    article = make_article(html)
    return article.text, article.markdown, article.html, render_sections(article.body)


def read_cases() -> list[Case]:
    rows = json.loads(CASES_FILE.read_text("utf-8"))
    return [Case(**{name: "\n".join(lines) for name, lines in row.items()}) for row in rows]


CASES = read_cases()


def test_a_caption_that_begins_with_the_photographer() -> None:
    caption = "Photo by Ann Li shows the harbour at dawn"
    article = make_article(f"<p>One.</p><figure><img src=/a.jpg><figcaption>{caption}</figcaption></figure><p>Two.</p>")
    assert caption in article.markdown


def test_an_image_is_chosen_before_the_article_read_aloud() -> None:
    article = make_article(
        "<figure><audio src=/a.mp3></audio></figure><img src=/b.jpg alt=Hills><p>One.</p><p>Two.</p>"
    )
    assert article.markdown.startswith("![Hills](https://example.org/b.jpg)\n\nOne.")


def test_the_article_read_aloud_is_not_a_figure() -> None:
    article = make_article("<p>One.</p><audio src=/a.mp3 title='News of the valley'></audio><p>Two.</p>")
    assert article.markdown == "One.\n\nTwo."


def test_output_of_a_program_is_kept() -> None:
    """Only numbers in a table are numbers of the lines beside them."""
    article = make_article("<p>The program counts.</p><pre>1\n2\n3</pre><p>It ends.</p>")
    assert article.text == "The program counts.\n1\n2\n3\nIt ends."


def test_a_post_is_completed_with_text_only() -> None:
    post = "<p class=off>Rain</p><p class=off>\u200d</p><p class=off>&lt;script src='x.js'>&lt;/script></p>- Ann"
    article = make_article(f"<p>One.</p><blockquote class=twitter-tweet>{post}</blockquote><p>Two.</p>")
    assert article.text == "One.\nRain\n- Ann\nTwo."


def test_lists_that_count_down_in_one_another_take_little_time() -> None:
    inner = "".join(f"<li><p>Item {number}" for number in range(1500))
    started = time.process_time()
    article = make_article("<ol reversed><li><p>Outer" * 9 + f"<ol reversed>{inner}</ol>")
    assert article.text.count("Item") == 1500
    assert time.process_time() - started < 3


def test_a_start_without_items_of_its_own() -> None:
    assert make_article("<ol start=5><div><li>Five.</li></div></ol>").text == "5. Five."


@pytest.mark.parametrize(
    ("names", "language"),
    [
        ("hljs python", "python"),
        ("hljs language-js", "js"),
        ("hljs has-numbering", ""),
        ("hljs undefined", ""),
        ("hljs wrap lang-js", "js"),
    ],
)
def test_language_of_code(names: str, language: str) -> None:
    (_, code) = make_article(f"<p>One.</p><pre><code class='{names}'>x = 1</code></pre>").body
    assert isinstance(code, Code)
    assert code.language == language


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_body(case: Case) -> None:
    text, markdown, html, tei = write_outputs(case.page)
    assert text == case.text
    assert markdown == case.markdown
    assert html == case.html
    assert tei == case.tei
    ET.fromstring(f"<div>{tei}</div>")


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 40


IMAGE_PAGE = (
    "<title>News of the valley</title><article><h1>News of the valley</h1>"
    + "<p>The council of the valley met on Monday, and it decided to build a new bridge over the river.</p>" * 1
    + "<figure><img src=/a.jpg><figcaption>The old bridge.</figcaption></figure>"
    + "<p>Work on the bridge will begin in spring, said the mayor, and it will take two years at least.</p></article>"
)


@pytest.mark.parametrize(("images", "count"), [(True, 1), (False, 0)])
def test_option_images(images: bool, count: int) -> None:
    article = broadsheet.extract(IMAGE_PAGE, url=URL, images=images)
    assert article.markdown.count("![The old bridge.](https://example.org/a.jpg)") == count
    assert article.html.count("<figure>") == article.to_tei().count("<graphic") == count
    assert [image.url for image in article.images] == ["https://example.org/a.jpg"]


def test_the_text_does_not_depend_on_images() -> None:
    page = "<h2>First look</h2><img src=/a.jpg><h2>Second</h2>".join(IMAGE_PAGE.split("<figure>")[:1] * 2)
    assert broadsheet.extract(page, images=True).text == broadsheet.extract(page, images=False).text


def write_cases() -> None:
    rows = []
    for case in CASES:
        names = ("name", "page", "text", "markdown", "html", "tei")
        values = (case.name, case.page, *write_outputs(case.page))
        rows.append({name: value.split("\n") for name, value in zip(names, values, strict=True)})
    CASES_FILE.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    write_cases()
