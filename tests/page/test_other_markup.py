"""E-mails, feeds and other markup. The inputs were written for these tests."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import broadsheet
from broadsheet.page.other_markup import read_other_markup

LINES = [
    "The council voted on Tuesday to open the new harbour to ferries in the first week of May, a year late.",
    "Fishermen had asked for more time, because the crane on the southern quay has not been tested in a storm.",
    "The mayor said that the budget is spent and that no further delay would be paid for by the town itself.",
    "Tickets cost four crowns for adults and two crowns for children; bicycles travel free until the autumn.",
]
MARKUP = "".join(f"<p>{line}</p>" for line in LINES)
HEADERS = (
    "From: Jane Doe <jane@example.org>\r\nTo: all@example.org\r\nSubject: The harbour opens to ferries\r\n"
    "Date: Sun, 14 Mar 2021 10:00:00 +0000\r\nMIME-Version: 1.0\r\n"
)
HTML_MAIL = (
    f"{HEADERS}Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nplain\r\n"
    f"--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{MARKUP}\r\n--b--\r\n"
)
PLAIN_MAIL = f"{HEADERS}Content-Type: text/plain; charset=utf-8\r\n\r\n" + "\r\n\r\n".join(LINES)
ITEM = (
    "<item><title>The harbour opens to ferries</title><dc:creator>Jane Doe</dc:creator>"
    f"<pubDate>Sun, 14 Mar 2021 10:00:00 GMT</pubDate><content:encoded><![CDATA[{MARKUP}]]></content:encoded></item>"
)
SPACES = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
RSS = f'<?xml version="1.0"?><rss version="2.0" {SPACES}><channel><title>Coast Courier</title>%s</channel></rss>'
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><title>Coast Courier</title><entry>'
    "<title>The harbour opens to ferries</title><author><name>Jane Doe</name></author>"
    f'<published>2021-03-14T10:00:00Z</published><content type="xhtml"><div>{MARKUP}</div></content></entry></feed>'
)


@pytest.mark.parametrize("given", [HTML_MAIL, PLAIN_MAIL, RSS % ITEM, ATOM, (RSS % ITEM).encode(), HTML_MAIL.encode()])
def test_articles_in_other_markup(given: str | bytes) -> None:
    article = broadsheet.extract(given)
    assert article.text.split("\n") == LINES
    assert article.title == "The harbour opens to ferries"
    assert article.authors == ("Jane Doe",)
    assert article.date == datetime(2021, 3, 14, 10, tzinfo=UTC)


def test_a_feed_of_several_entries_has_all_texts() -> None:
    markup = read_other_markup(RSS % (2 * ITEM))
    assert markup is not None
    assert markup.page.count(MARKUP) == 2


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ('{"title": "The harbour", "text": "opens"}', "JSON"),
        ("[1, 2]", "JSON"),
        (RSS % "<item><title>T</title><description>A summary.</description></item>", "a feed"),
        (RSS.replace("<rss", "<!DOCTYPE r [<!ENTITY a 'b'>]><rss") % ITEM, "a feed"),
        ("<feed xmlns='http://www.w3.org/2005/Atom'><entry>", "a feed"),
        ("<?xml version='1.0'?><urlset><url/></urlset>", "a sitemap"),
        ("<?xml version='1.0'?>\n<!-- x -->\n<book><p>The harbour</p></book>", "XML (book)"),
        ("<svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG image"),
        ("{\\rtf1 The harbour}", "an RTF document"),
        (f"{HEADERS}Content-Type: image/png\r\n\r\nx", "an e-mail"),
    ],
)
def test_other_markup_fails_with_its_name(given: str, name: str) -> None:
    article = broadsheet.extract(given)
    assert article.status == "failed"
    assert article.status_reason == f"the page is {name}, not HTML"
    assert article.text == ""


@pytest.mark.parametrize(
    "given",
    [
        "",
        MARKUP,
        "{not json}",
        "[The harbour] opens",
        "Note: the harbour opens.\n\nMore: tomorrow.",
        "<?xml version='1.0'?><!DOCTYPE html><html><body><p>The harbour</p></body></html>",
        "<!-- feed --><html></html>",
    ],
)
def test_pages_are_not_other_markup(given: str) -> None:
    assert read_other_markup(given) is None
    assert read_other_markup(given.encode()) is None
