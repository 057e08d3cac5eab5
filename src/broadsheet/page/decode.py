"""Bytes to text: which character set a page is written in.

The order is the standard's: byte-order mark, HTTP header, `<meta>`, then detection. Two lies are common enough to
look for: a page that claims UTF-8 and is not, and a page that claims a legacy set though it is valid UTF-8.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from broadsheet.page.parser import detect_encoding

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_PRESCAN = 4096  # the standard reads 1024 bytes; real pages put scripts before their <meta>
_META = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([a-zA-Z0-9_:.-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"^\s{0,99}<\?xml[^>]{0,99}?encoding\s{0,9}=\s{0,9}[\"']([a-zA-Z0-9_:.-]{2,40})", re.IGNORECASE)
_HEADER = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([a-zA-Z0-9_:.-]{2,40})", re.IGNORECASE)

# What the labels mean in practice (WHATWG Encoding Standard): the superset that browsers use.
_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
}
_CHARSETS = (
    "ascii",
    "big5",
    "cp",
    "euc",
    "gb",
    "hz",
    "iso",
    "johab",
    "koi8",
    "kz",
    "mac",
    "ptcp",
    "shift",
    "tis",
    "utf",
)
_CONTROLS = bytes({*range(1, 32)} - {*b"\t\n\f\r\x1b"})  # ISO-2022-JP is written with escapes
_MAX_CONTROL_SHARE = 0.03
_MAX_BAD_SHARE = 0.02  # of the characters beyond ASCII; more replacement characters than this: the label lies


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page as text, and the character set it was read in."""

    text: str
    encoding: str


def decode_page(data: bytes, *, charset: str | None = None) -> Decoded:
    """Decode a page's bytes; `charset` is what the HTTP header said (a bare label or the whole header)."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return Decoded(data[len(mark) :].decode(name.removesuffix("-sig"), "replace"), name.removesuffix("-sig"))
    if wide := _guess_utf16(data[:200]):
        return Decoded(data.decode(wide, "replace"), wide)
    if _is_binary(data[:_PRESCAN]):
        return Decoded("", "binary")
    strict_utf8 = _decode_strictly(data)
    declared = _find_codec(charset) or _find_declared(data)
    if strict_utf8 is not None and (declared is None or not _needs_label(declared, strict_utf8, data)):
        return Decoded(strict_utf8, "utf-8")
    if declared is not None:
        text = _decode(data, declared)
        if not _is_garbled(text):
            return Decoded(text, declared)
    guessed = detect_encoding(data.replace(b"charset", b"unheard"))  # its label has been heard and did not fit
    return Decoded(_decode(data, guessed), guessed.removeprefix("whatwg-"))


def _is_binary(head: bytes) -> bool:
    """Tell pictures, archives and the like from text: a tenth of their bytes are control characters, in any encoding.

    NUL does not count: careless programs leave it in pages.
    """
    return len(head.translate(None, _CONTROLS)) < (1 - _MAX_CONTROL_SHARE) * len(head)


def _decode_strictly(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _needs_label(declared: str, text: str, data: bytes) -> bool:
    """Tell whether bytes that are valid UTF-8 must be read by their label all the same.

    Pure ASCII may be ISO-2022-JP (or UTF-7, which nobody should honour). Text with multi-byte sequences that happen to
    be valid UTF-8 is UTF-8, whatever the page says.
    """
    return declared == "iso2022_jp" and len(text) == len(data)


def _decode(data: bytes, codec: str) -> str:
    return data.decode(codec, "replace")


def _is_garbled(text: str) -> bool:
    bad = text.count("\ufffd")
    if not bad:
        return False
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return bad > _MAX_BAD_SHARE * beyond_ascii


def _find_codec(label: str | None) -> str | None:
    """Resolve a charset label, or a Content-Type header that has one, to the codec that browsers would use."""
    if not label:
        return None
    if found := _HEADER.search(label):
        label = found[1]
    try:
        name = codecs.lookup(label.strip().strip("\"'")).name
    except (LookupError, ValueError):
        return None
    # Python also knows byte-to-byte codecs (zlib, hex), name codecs (idna) and UTF-7: none is a page's charset.
    return _SUPERSETS.get(name, name) if name.startswith(_CHARSETS) and name != "utf-7" else None


def _find_declared(data: bytes) -> str | None:
    head = data[:_PRESCAN]
    found = _META.search(head) or _XML.search(head)
    if found is None:
        return None
    codec = _find_codec(found[1].decode("ascii"))
    # A <meta> that could be read as ASCII cannot be in UTF-16: the standard reads it as UTF-8.
    return "utf-8" if codec and codec.startswith(("utf-16", "utf-32")) else codec


def _guess_utf16(data: bytes) -> str | None:
    """Recognise UTF-16 without a mark by the zero bytes of its markup."""
    if data.startswith((b"<\0", b"\0<")):
        return "utf-16-le" if data[0] else "utf-16-be"
    even, odd = data[0::2].count(0), data[1::2].count(0)
    if max(even, odd) <= len(data) // 4 or min(even, odd) > max(even, odd) // 4:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"
