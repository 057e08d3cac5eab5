"""All methods on all awkward pages: each returns an Article with a status, in time, and the same one each time."""

from __future__ import annotations

import json
import threading
import time

import pytest

import broadsheet
from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels, Role
from broadsheet.output import FORMATS
from broadsheet.page import Page

PROSE = "The council met on Tuesday, and after a long debate it voted to keep the ferry. "
STORY = f"<html><head><title>Ferry stays</title></head><body><h1>Ferry stays</h1><p>{PROSE * 3}</p><p>{PROSE}</p></body></html>"

AWKWARD: dict[str, str | bytes] = {
    "empty bytes": b"",
    "empty str": "",
    "white space": b" \n\t  ",
    "no body": b"<html><head><title>x</title></head></html>",
    "200,000 nested tags": b"<div>" * 200_000 + PROSE.encode(),
    "50 MB of one tag": b"<p>" * (50 * 2**20 // 3),
    "NUL bytes": b"\0" * 1000 + STORY.encode().replace(b" ", b"\0 "),
    "wrong charset": STORY.replace("ferry", "fährüßen").encode("cp1252").replace(b"<head>", b'<head><meta charset="utf-16">'),
    "unknown charset": STORY.replace("<head>", '<head><meta charset="x-nonsense">').encode(),
    "binary": bytes(range(256)) * 4000,
    "half a page": STORY.encode()[: len(STORY) // 2],
    "half a tag": b"<html><body><p>text</p><div class='x",
    "half a UTF-8 character": "<p>Ümläut, ja.".encode()[:4],
    "one text node": PROSE.encode() * 50,
    "frameset": b"<html><frameset cols='20%,80%'><frame src=a.html><frame src=b.html></frameset></html>",
    "only scripts": b"<html><body>" + b"<script>var a = '<p>x</p>';</script>" * 500,
    "lone surrogate": "<p>\ud800 and then, some.</p>",
    "lone surrogate by reference": b"<p>&#xD800; and then, some.</p>",
    "broken JSON-LD": b'<script type="application/ld+json">{"@graph": [{"headline": ]</script><p>x, y.</p>',
    "odd JSON-LD": b'<script type="application/ld+json">[[[null, 3, {"@type": 5, "author": {"name": [1]}}]]]</script>',
    "deep JSON-LD": b'<script type="application/ld+json">' + b"[" * 100_000 + b"</script><p>x, y.</p>",
    "50,000 attributes": b"<p " + b" ".join(b"a%d=1" % n for n in range(50_000)) + b">x, y.</p>",
    "100,000 links": b"<a href=/x>a, b</a>" * 100_000,
    "one endless word": b"<p>" + b"a" * 2_000_000 + b".",
    "100,000 br": b"<div>" + b"a.<br><br>" * 100_000,
    "unclosed inline tags": b"<b><i><a href=x>" * 2000 + b"x, y.",
    "unclosed formatting before 90,000 paragraphs": b"<p>" + b"".join(b"<b id=%d>" % n for n in range(40_000)) + b"</p>" + b"<p>x, y.</p>" * 90_000,
    "stray end tags, then formatting": b"</font>" * 83_000 + b"".join(b"<p><font a%d=1>x" % n for n in range(83_000)),
    "nested tables": b"<table><tr><td>" * 1000 + b"x, y.",
    "nested lists": b"<ul><li>a, b." * 2000,
    "a list of 40,000": b"<title>a, b</title><ul>" + b"<li>a, b, c.</li>" * 40_000,
    "10,000 quotes": b"<title>a, b</title>" + b"<p>a, b.</p><blockquote>b, a.</blockquote>" * 10_000,
    "a row of 20,000 cells": b"<title>a, b</title><table><tr><th>x" + b"<td>a, b." * 20_000,
    "a paragraph of 100,000 spans": b"<title>a, b</title><p>" + b"<span>a, b.</span><b>c</b> " * 50_000,
    "nested titles": b"<div class=title>" * 480 + b"word, " * 500_000,
    "headings around columns": b"<h1><div>" * 250 + b"word, " * 120_000,
    "10,000 headlines": b"<title>Title, here</title>" + b"<p>Title, here!</p>" * 10_000,
    "formatting around breaks": b"<title>a, b</title><div>" + b"<b>" * 480 + b"a, b.<br><br>" * 5000,
    "20,000 authors": b"<p itemprop='" + b"author " * 20_000 + b"'>a, b.",
    "a date out of range": b"<meta name=date content='1 Jan 2021 10:00:00 +99999999999999999'><p>a, b.",
    "XML": b"<?xml version='1.0' encoding='utf-8'?><rss><channel><title>x</title></channel></rss>",
    "odd address in base": b"<base href='http://['><p><a href='x'>a</a> link, here.</p>",
}  # fmt: skip

_LARGE_CHARS = 100_000


def _list_cases() -> list[object]:
    """Return every page with every method. Large pages are in `make test-long`."""
    return [
        pytest.param(name, method, marks=[pytest.mark.long] if len(html) > _LARGE_CHARS else [])
        for name, html in AWKWARD.items()
        for method in broadsheet.methods()
    ]


@pytest.mark.parametrize(("name", "method"), _list_cases())
def test_awkward_pages(name: str, method: str) -> None:
    started = time.process_time()
    article = broadsheet.extract(AWKWARD[name], url="https://x.example/a", method=method)
    seconds = time.process_time() - started
    assert seconds < 10  # usually below two; machines may be shared
    assert (article.status is broadsheet.Status.OK) <= bool(article.text)
    assert 0 <= article.confidence <= 1
    assert len(article.blocks) == len(article.page_blocks or ())
    # Every output can be encoded as UTF-8. All formats of long texts take time, so only those of the default method.
    is_default = method == broadsheet.methods()[0]
    names = FORMATS if len(article.text) < (1_000_000 if is_default else 10_000) else ["jsonl"]
    for format_name in names:
        FORMATS[format_name].write(article).encode()


@pytest.mark.parametrize("method", broadsheet.methods())
def test_a_plain_story(method: str) -> None:
    article = broadsheet.extract(STORY, method=method)
    assert article.status is broadsheet.Status.OK
    assert article.title == "Ferry stays"
    assert article.text.startswith("The council met")
    assert "Ferry stays" not in article.text
    assert article.method == method


@pytest.mark.parametrize("method", broadsheet.methods())
def test_menu_and_imprint_are_not_text(method: str) -> None:
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("Home", "News", "Sport", "Weather", "Contact"))
    body = "".join(f"<p>{PROSE} {number} {PROSE}</p>" for number in ("Once.", "Twice.", "Again.", "At last."))
    html = (
        f"<title>Ferry stays</title><body><ul class=menu>{menu}</ul><div><article><h1>Ferry stays</h1>{body}</article>"
        "</div><footer><p>Copyright 2021</p></footer>"
    )
    text = broadsheet.extract(html, method=method).text
    assert text.count(PROSE.strip()) == 8
    assert not [word for word in ("Home", "Sport", "Contact", "Copyright") if word in text]


@pytest.mark.parametrize("method", broadsheet.methods())
def test_every_block_has_a_label(method: str) -> None:
    article = broadsheet.extract(STORY, method=method)
    assert article.blocks
    for block in article.blocks:
        assert 0 <= block.score <= 1
        assert block.path.startswith("html/")
        assert len(block.nodes) > 0
    content = " ".join(block.text for block in article.blocks if block.role in CONTENT_ROLES)
    assert content.split() == article.text.split()


@pytest.mark.parametrize("method", broadsheet.methods())
def test_extraction_is_deterministic(method: str) -> None:
    first = broadsheet.extract(STORY, method=method)
    broadsheet.extract(AWKWARD["one text node"], method=method)
    again = broadsheet.extract(STORY.encode(), method=method)
    assert first.to_json() == again.to_json()


@pytest.mark.parametrize("method", broadsheet.methods())
def test_time_limit_in_a_thread(method: str) -> None:
    articles: list[broadsheet.Article] = []
    limits = broadsheet.Limits(max_seconds=0)

    def work() -> None:
        articles.append(broadsheet.extract("<p>x</p>" * 10_000, method=method, limits=limits))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [article.status for article in articles] == ["timeout"]


def test_time_limit_of_a_slow_method() -> None:
    class Slow:
        """Takes longer than the limit."""

        name = "slow"

        def label(self, page: Page, blocks: Blocks) -> Labels:
            time.sleep(0.3)
            return Labels([Role.BODY] * len(blocks), [1.0] * len(blocks))

    article = broadsheet.extract(STORY, method=Slow(), limits=broadsheet.Limits(max_seconds=0.2))
    assert article.status is broadsheet.Status.TIMEOUT


@pytest.mark.parametrize("method", broadsheet.methods())
@pytest.mark.parametrize(
    "limits", [broadsheet.Limits(max_bytes=400), broadsheet.Limits(max_nodes=20)], ids=["bytes", "nodes"]
)
def test_pages_larger_than_the_limits(method: str, limits: broadsheet.Limits) -> None:
    article = broadsheet.extract(STORY * 20, method=method, limits=limits)
    assert article.status is broadsheet.Status.TOO_LARGE
    assert "The council met" in article.text  # the part within the limits is extracted


HOSTILE_PAGE = """<title>Nasty, page</title><body onload="alert(1)"><h1>Nasty, page</h1>
<script>alert(1)</script><p onclick="alert(1)" style="background:url(javascript:alert(1))">A nasty, <a href="javascript:alert(1)"
onmouseover="alert(1)">bad link</a>, <a href=" JaVa&#10;ScRiPt:alert(1)">worse link</a>, <a href="data:text/html,alert(1)">data</a>
and <a href="vbscript:x">more</a>. &lt;script&gt;alert(1)&lt;/script&gt;</p><p>The nasty, page has an <img src=x onerror=alert(1)> image,
<svg onload=alert(1)><script>alert(1)</script></svg> a <iframe src="javascript:alert(1)"></iframe> frame. <math><mi xlink:href="data:x">x</mi></math></p>
<p>And <a href="https://x.example/?a=&quot;&gt;&lt;script&gt;" onclick=x>a good, link</a>, on this nasty page.</p>"""


@pytest.mark.parametrize("method", broadsheet.methods())
def test_html_is_safe_to_embed(method: str) -> None:
    html = broadsheet.extract(HOSTILE_PAGE, url="https://x.example/", method=method).html.lower()
    assert "nasty" in html
    for bad in (
        "<script",
        "javascript:",
        "data:",
        "vbscript:",
        "onclick",
        "onload",
        "onerror",
        "onmouseover",
        "style=",
        "<svg",
        "<iframe",
    ):
        assert bad not in html, bad


def test_to_dict_is_json() -> None:
    article = broadsheet.extract(STORY)
    assert json.loads(article.to_json()) == article.to_dict()
