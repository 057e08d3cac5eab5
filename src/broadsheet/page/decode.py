"""Bytes to text: find the character set of a page.

The order is that of the HTML standard: byte-order mark, HTTP header, `<meta>`, detection. Three kinds of wrong labels
are common enough to check for: pages that declare UTF-8 but use another set, pages that declare a legacy set but are
valid UTF-8, and pages in Cyrillic, Chinese and other scripts that declare a Latin set, the default of many servers.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from broadsheet.page.parser import detect_encoding

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_PRESCAN_BYTES = 4096  # the standard reads 1024 bytes; real pages put scripts before their <meta>
_META = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([a-zA-Z0-9_:.-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"^\s{0,99}<\?xml[^>]{0,99}?encoding\s{0,9}=\s{0,9}[\"']([a-zA-Z0-9_:.-]{2,40})", re.IGNORECASE)
_HEADER = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([a-zA-Z0-9_:.-]{2,40})", re.IGNORECASE)

# Browsers decode these labels with a superset of the named character set (WHATWG Encoding Standard).
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
# Prefixes of Python's names for character sets. Its other codecs map bytes to bytes (zlib, hex) or encode names (idna).
_CHARSET_PREFIXES = (
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
_CONTROL_CHARS = bytes({*range(1, 32)} - {*b"\t\n\f\r\x1b"})  # without ESC, which ISO-2022-JP uses
_MAX_CONTROL_SHARE = 0.03
_LETTER_BYTES = bytes({*range(128, 256)} - {0xA0})  # beyond ASCII, without the no-break space, which pages indent with
_DETECTED_BYTES = 2_000_000  # beginning of a page that its character set is guessed from; detection is slow
# Sets of the Latin script, in which letters beyond ASCII are seldom adjacent; in other scripts, most letters are.
_LATIN_SETS = frozenset(("cp1252", "iso8859-15", "cp1250", "iso8859-2", "cp1254", "cp1257"))
_HIGH_RUN = re.compile(rb"[\x80-\x9f\xa1-\xff]{3,}")
_MAX_LATIN_RUN_SHARE = 0.5  # of bytes beyond ASCII in runs; Latin scripts have up to 0.25, others at least 0.85
_MIN_HIGH_BYTES = 30  # with fewer, the share is not reliable
_MIN_GOOD_PER_BAD = 10  # valid UTF-8 sequences per invalid one from which a page is UTF-8 in spite of its label
_MAX_BAD_SHARE = 0.02  # replacement characters per non-ASCII character; above it the label is wrong


class Decoded(NamedTuple):
    """The text of a page and the character set it was decoded with."""

    text: str
    encoding: str


def decode_page(data: bytes, *, charset: str | None = None) -> Decoded:
    """Decode a page. `charset` comes from the HTTP header: a label or the whole Content-Type header."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return Decoded(data[len(mark) :].decode(name, "replace"), name)
    if utf16 := _guess_utf16(data[:200]):
        return Decoded(data.decode(utf16, "replace"), utf16)
    if _is_binary(data[:_PRESCAN_BYTES]):
        return Decoded("", "binary")
    declared = find_codec(charset) or _find_declared(data) or _find_escapes(data)
    if declared != "iso2022_jp" or not data.isascii():  # ISO-2022-JP is ASCII, so it would pass as UTF-8
        utf8 = data.decode("utf-8", "replace")
        if _is_utf8(utf8, is_declared=declared in (None, "utf-8")):
            return Decoded(utf8, "utf-8")
    if declared is not None:
        text = data.decode(declared, "replace")
        if declared != "utf-8" and not _is_garbled(text) and not (declared in _LATIN_SETS and _is_other_script(data)):
            return Decoded(text, declared)
    # The declared label did not fit: hide it from the detector.
    guessed = detect_encoding(data[:_DETECTED_BYTES].replace(b"charset", b"unheard"))
    if declared in _LATIN_SETS and find_codec(guessed.removeprefix("whatwg-")) in _LATIN_SETS:
        guessed = declared  # the detector does not tell Latin sets apart reliably
    return Decoded(data.decode(guessed, "replace"), guessed.removeprefix("whatwg-"))


def _is_binary(head: bytes) -> bool:
    """Tell images and archives from text: a tenth of their bytes are control characters.

    NUL does not count, because some programs leave it in pages.
    """
    return len(head.translate(None, _CONTROL_CHARS)) < (1 - _MAX_CONTROL_SHARE) * len(head)


def _is_utf8(text: str, *, is_declared: bool) -> bool:
    """Tell whether bytes that were decoded as UTF-8, with replacement, are UTF-8.

    Other character sets give almost no valid sequences beyond ASCII. A page in UTF-8 may have a few bad bytes: an
    advertisement in another set, a character cut in the middle.
    """
    if "\ufffd" not in text:
        return True
    bad = text.count("\ufffd")
    good = _count_non_ascii(text) - bad
    return good > bad if is_declared else good > _MIN_GOOD_PER_BAD * bad


def _is_garbled(text: str) -> bool:
    return text.count("\ufffd") > _MAX_BAD_SHARE * _count_non_ascii(text)


def _is_other_script(data: bytes) -> bool:
    """Tell whether bytes that are declared as a Latin set are text of another script."""
    high = len(data) - len(data.translate(None, _LETTER_BYTES))
    in_runs = sum(map(len, _HIGH_RUN.findall(data)))
    return high >= _MIN_HIGH_BYTES and in_runs > _MAX_LATIN_RUN_SHARE * high


def _count_non_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def find_codec(label: str | None) -> str | None:
    """Return the codec that browsers use for a charset label, or for a Content-Type header that contains one."""
    if not label:
        return None
    if match := _HEADER.search(label):
        label = match[1]
    try:
        name = codecs.lookup(label.strip().strip("\"'")).name
    except (LookupError, ValueError):
        return None
    return _SUPERSETS.get(name, name) if name.startswith(_CHARSET_PREFIXES) and name != "utf-7" else None


def _find_declared(data: bytes) -> str | None:
    head = data[:_PRESCAN_BYTES]
    match = _META.search(head) or _XML.search(head)
    if match is None:
        return None
    codec = find_codec(match[1].decode("ascii"))
    # A <meta> that is readable as ASCII cannot be in UTF-16. The standard reads this label as UTF-8.
    return "utf-8" if codec and codec.startswith(("utf-16", "utf-32")) else codec


def _find_escapes(data: bytes) -> str | None:
    """Recognise ISO-2022-JP, which is ASCII with escape sequences."""
    return "iso2022_jp" if data.isascii() and (b"\x1b$B" in data or b"\x1b$@" in data) else None


def _guess_utf16(data: bytes) -> str | None:
    """Recognise UTF-16 without a byte-order mark by the zero bytes of its markup."""
    if data.startswith((b"<\0", b"\0<")):
        return "utf-16-le" if data[0] else "utf-16-be"
    even, odd = data[0::2].count(0), data[1::2].count(0)
    if max(even, odd) <= len(data) // 4 or min(even, odd) > max(even, odd) // 4:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"
