"""Feeds and sitemaps that are not well-formed: what parsers would leave out is written so that they read it."""

from __future__ import annotations

import html
import re

_CDATA_START, _CDATA_END = b"<![CDATA[", b"]]>"
# A reference that XML does not define: "&" alone, or a name of HTML such as &nbsp;
_UNDEFINED = re.compile(rb"&(?!#\d{1,7};|#[xX][\da-fA-F]{1,6};|(?:amp|lt|gt|quot|apos);)(\w{2,31};)?")
_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^>]*\[", re.IGNORECASE)
_EMPTY_DATE = re.compile(rb"<pubDate>[^<]{0,40}-0001[^<]{0,40}</pubDate>")
_HEAD_BYTES = 4_000
_ENTRY_START = re.compile(rb"<(?:item|entry)[\s>]")
_ENTRY_ENDS = (b"</item>", b"</entry>")
_TWO_BYTES = b"\x1b$"  # of ISO-2022-JP: after it, the byte of "&" may be half of a character


def repair_references(body: bytes) -> bytes:
    """Escape ampersands that are no references, and replace names of characters that only HTML defines."""
    if b"&" not in body or _TWO_BYTES in body:
        return body
    if _DOCTYPE.search(body[:_HEAD_BYTES]):  # the file may define names itself
        return body
    first, *rest = body.split(_CDATA_START)
    pieces = [_UNDEFINED.sub(_write_reference, first)]
    for piece in rest:
        text, end, after = piece.partition(_CDATA_END)
        pieces.append(text + end + _UNDEFINED.sub(_write_reference, after))
    return _CDATA_START.join(pieces)


def drop_empty_dates(body: bytes) -> bytes:
    """Drop dates of the year -1: WordPress writes them where an article has none, and parsers read another year."""
    return _EMPTY_DATE.sub(b"<pubDate></pubDate>", body)


def drop_cut_entry(body: bytes) -> bytes:
    """Return a feed up to the end of its last complete entry; its address may be cut as well."""
    end = max(body.rfind(mark) + len(mark) if mark in body else 0 for mark in _ENTRY_ENDS)
    if not end and (start := _ENTRY_START.search(body)):
        end = start.start()
    return body[:end] if end else body


def _write_reference(match: re.Match[bytes]) -> bytes:
    name = match[1]
    if not name:
        return b"&amp;"
    text = f"&{name.decode('ascii', 'replace')}"
    character = html.unescape(text)
    # Escaped again: &AMP; and &LT; are names of HTML only.
    return b"&amp;" + name if character == text else html.escape(character).encode("ascii", "xmlcharrefreplace")
