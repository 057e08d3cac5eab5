"""Inputs that are not HTML pages but contain an article or are mistaken for one: e-mail, feeds, JSON, XML.

An e-mail, and a feed whose entries have their full text, are written as a page with a title, authors and a date. The
other kinds are named, so that they are never read as text.
"""

from __future__ import annotations

import html as html_module
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadsheet.page.decode import decode_page
from broadsheet.page.limits import DEFAULT_LIMITS
from broadsheet.text import compile_later

if TYPE_CHECKING:
    from email.message import MIMEPart
    from xml.etree.ElementTree import Element

_PREFIX_CHARS = 2_000
_MAX_ENTRIES = 200
_MIN_FULL_TEXT_CHARS = 400  # of an entry of a feed; summaries are shorter
_BOM_AND_SPACE = "\ufeff \t\r\n\f"
_HEADER = compile_later(r"(?:From [^\n]*\n)?(?:[A-Za-z][A-Za-z0-9-]{1,60}:[ \t][^\n]*\n(?:[ \t][^\n]*\n)*)+")
_MAIL_HEADERS = compile_later(
    r"^(?:received|return-path|message-id|mime-version|from|to|subject|date|delivered-to|content-type):",
    re.IGNORECASE | re.MULTILINE,
)
_MIN_MAIL_HEADERS = 3
_XML_START = compile_later(r"<\?xml\b[^>]*\?>|<!--.*?-->|<!DOCTYPE\b[^>\[]*(?:\[[^\]]*\]\s*)?>|\s+", re.DOTALL)
_XML_ROOT = compile_later(r"<([A-Za-z_][\w.:-]*)")
_XML_KINDS = {
    "urlset": "a sitemap",
    "sitemapindex": "a sitemap",
    "opml": "an OPML list of feeds",
    "svg": "an SVG image",
}
_FEED_ROOTS = frozenset(("rss", "feed", "rdf:rdf"))
_TAG = compile_later(r"<[^<>]*>")
_SAVED_PAGE = "saved by"  # in the sender of MHTML files


@dataclass(frozen=True, slots=True)
class OtherMarkup:
    """An input that is not HTML: what it is, and a page with its article, if it has one."""

    name: str  # "an e-mail", "JSON"
    page: str = ""


def read_other_markup(given: str | bytes) -> OtherMarkup | None:
    """Read an input that is not HTML; None if it may be HTML. Most pages are recognized by their first character."""
    given = given[: DEFAULT_LIMITS.max_bytes]
    prefix = given[:_PREFIX_CHARS] if isinstance(given, str) else given[:_PREFIX_CHARS].decode("latin-1")
    start = prefix.removeprefix("ï»¿").lstrip(_BOM_AND_SPACE)
    if start.startswith(("{\\rtf", "%!PS")):
        return OtherMarkup("an RTF document" if start.startswith("{") else "a PostScript document")
    if start.startswith(("{", "[")):
        return OtherMarkup("JSON") if _is_json(given) else None
    if start.startswith("<"):
        return _read_xml(given, start)
    return _read_mail(given) if _is_mail(start) else None


def _is_json(given: str | bytes) -> bool:
    try:
        return isinstance(json.loads(given), dict | list)
    except (ValueError, RecursionError):
        return False


# XML.


def _read_xml(given: str | bytes, start: str) -> OtherMarkup | None:
    at = 0
    while match := _XML_START.match(start, at):
        at = match.end()
    root = _XML_ROOT.match(start, at)
    name = root[1].lower() if root else ""
    if name in _FEED_ROOTS:
        return OtherMarkup("a feed", _write_feed(given))
    if name in _XML_KINDS:
        return OtherMarkup(_XML_KINDS[name])
    is_xml = start.startswith("<?xml") and name and name.rpartition(":")[2] != "html" and "<html" not in start.lower()
    return OtherMarkup(f"XML ({name})") if is_xml else None


def _write_feed(given: str | bytes) -> str:
    """Write the entries of a feed that have their full text as a page; "" if none has."""
    from xml.etree import ElementTree  # imported here: pages are seldom feeds

    text = given if isinstance(given, str) else decode_page(given).text
    text = text[max(text.find("<"), 0) :]
    if "<!ENTITY" in text:  # entities can expand without end
        return ""
    try:
        root = ElementTree.fromstring(re.sub(r"^<\?xml[^>]*\?>", "", text))
    except (ElementTree.ParseError, ValueError, RecursionError):
        return ""
    for element in root.iter():  # without name spaces, so that XHTML inside is written as HTML
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    entries = [entry for element in _list_entries(root) if (entry := _read_entry(element))]
    if len(entries) == 1:
        return _write_page(entries[0].title, entries[0].author, entries[0].date, entries[0].html)
    title = _find_text(root, "title") or _find_text(root.find("channel"), "title")
    parts = (f"<article><h2>{html_module.escape(entry.title)}</h2>{entry.html}</article>" for entry in entries)
    return _write_page(title, "", "", "".join(parts)) if entries else ""


@dataclass(frozen=True, slots=True)
class _Entry:
    title: str
    author: str
    date: str
    html: str


def _list_entries(root: Element) -> Iterator[Element]:
    elements = (element for element in root.iter() if _name(element) in ("item", "entry"))
    for _, element in zip(range(_MAX_ENTRIES), elements, strict=False):
        yield element


def _read_entry(element: Element) -> _Entry | None:
    texts = [text for name in ("encoded", "content", "description") if (text := _find_text(element, name))]
    html = max(texts, key=len, default="")
    if len(_TAG.sub("", html)) < _MIN_FULL_TEXT_CHARS:
        return None
    date = next(
        (text for name in ("pubDate", "published", "date", "updated") if (text := _find_text(element, name))), ""
    )
    author = _find_text(element, "creator") or _find_text(element, "author")
    return _Entry(_find_text(element, "title"), author, date, html if "<" in html else _write_lines(html))


def _find_text(element: Element | None, name: str) -> str:
    """Return the text of the first child of a name, in any name space; of an author, that of its name."""
    if element is None:
        return ""
    for child in element:
        if _name(child) == name.lower():
            if name == "author" and (text := _find_text(child, "name")):
                return text
            from xml.etree import ElementTree

            inner = "".join(ElementTree.tostring(part, "unicode") for part in child)  # XHTML content
            return ((child.text or "") + inner).strip()
    return ""


def _name(element: Element) -> str:
    return element.tag.lower() if isinstance(element.tag, str) else ""


# E-mail.


def _is_mail(start: str) -> bool:
    head = _HEADER.match(start.replace("\r\n", "\n"))
    return head is not None and len(set(map(str.lower, _MAIL_HEADERS.findall(head[0])))) >= _MIN_MAIL_HEADERS


def _read_mail(given: str | bytes) -> OtherMarkup:
    """Write an e-mail as a page; of a page saved as MHTML, its HTML."""
    from email import message_from_bytes, policy  # imported here: pages are seldom e-mails

    data = given.encode("utf-8", "surrogatepass") if isinstance(given, str) else given
    message = message_from_bytes(data.lstrip(), policy=policy.default)
    try:
        part = message.get_body(("html", "plain"))
        content = _read_content(part) if part else ""
        if not content:
            return OtherMarkup("an e-mail")
        if part and part.get_content_type() == "text/plain":
            content = _write_lines(content)
        sender, subject, date = (str(message.get(name, "")) for name in ("From", "Subject", "Date"))
        if _SAVED_PAGE in sender.lower():
            return OtherMarkup("an MHTML file", content)
    except (LookupError, ValueError, AttributeError, TypeError, IndexError):  # of broken messages
        return OtherMarkup("an e-mail")
    author = re.sub(r"\s*<[^<>]*>\s*$", "", sender).strip(' "')
    return OtherMarkup("an e-mail", _write_page(subject, "" if "@" in author else author, date, content))


def _read_content(part: MIMEPart) -> str:
    content = part.get_content()
    return content if isinstance(content, str) else ""


# Pages.


def _write_lines(text: str) -> str:
    """Write plain text as paragraphs, which blank lines separate."""
    paragraphs = re.split(r"\n\s*\n", text.replace("\r\n", "\n"))
    return "".join(f"<p>{html_module.escape(' '.join(lines.split()))}</p>" for lines in paragraphs if lines.strip())


def _write_page(title: str, author: str, date: str, content: str) -> str:
    """Write a page of an article."""
    properties = {"og:title": title, "author": author, "article:published_time": date}
    metas = "".join(
        f'<meta property="{name}" content="{html_module.escape(value)}">' for name, value in properties.items() if value
    )
    heading = html_module.escape(title)
    return (
        f"<!doctype html><html><head><title>{heading}</title>{metas}</head>"
        f"<body><main><article><h1>{heading}</h1>{content}</article></main></body></html>"
    )
