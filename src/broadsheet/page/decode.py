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
_SURE = 10  # good sequences for each bad one that make a page UTF-8 against its own label
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
    declared = _find_codec(charset) or _find_declared(data) or _find_escapes(data)
    if declared != "iso2022_jp" or not data.isascii():  # its bytes are ASCII, and so is nobody else's
        utf8 = data.decode("utf-8", "replace")
        if _is_utf8(utf8, is_declared=declared in (None, "utf-8")):
            return Decoded(utf8, "utf-8")
    if declared is not None:
        text = data.decode(declared, "replace")
        if declared != "utf-8" and not _is_garbled(text):
            return Decoded(text, declared)
    guessed = detect_encoding(data.replace(b"charset", b"unheard"))  # its label has been heard and did not fit
    return Decoded(data.decode(guessed, "replace"), guessed.removeprefix("whatwg-"))


def _is_binary(head: bytes) -> bool:
    """Tell pictures, archives and the like from text: a tenth of their bytes are control characters, in any encoding.

    NUL does not count: careless programs leave it in pages.
    """
    return len(head.translate(None, _CONTROLS)) < (1 - _MAX_CONTROL_SHARE) * len(head)


def _is_utf8(text: str, *, is_declared: bool) -> bool:
    """Tell whether bytes were rightly read as UTF-8, bad ones replaced.

    Other character sets give almost no valid sequences beyond ASCII. A page in UTF-8 may have a few bad bytes: an
    advert in another set, a cut in the middle of a character.
    """
    bad = text.count("\ufffd")
    if not bad:
        return True
    good = _count_beyond_ascii(text) - bad
    return good > bad if is_declared else good > _SURE * bad


def _is_garbled(text: str) -> bool:
    return text.count("\ufffd") > _MAX_BAD_SHARE * _count_beyond_ascii(text)


def _count_beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


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


def _find_escapes(data: bytes) -> str | None:
    """Recognise ISO-2022-JP, which is ASCII but for its escapes."""
    return "iso2022_jp" if data.isascii() and (b"\x1b$B" in data or b"\x1b$@" in data) else None


def _guess_utf16(data: bytes) -> str | None:
    """Recognise UTF-16 without a mark by the zero bytes of its markup."""
    if data.startswith((b"<\0", b"\0<")):
        return "utf-16-le" if data[0] else "utf-16-be"
    even, odd = data[0::2].count(0), data[1::2].count(0)
    if max(even, odd) <= len(data) // 4 or min(even, odd) > max(even, odd) // 4:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"
