"""File types by content: recognize files that are named or served as HTML and are something else."""

from __future__ import annotations

# The first bytes of the file types that are most often mistaken for a page.
_SIGNATURES = {
    b"%PDF-": "a PDF",
    b"\x89PNG\r\n": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"WARC/": "a WARC file",
    b"filedesc://": "an ARC file",  # of web archives before WARC
    b"PAR1": "a Parquet file",
    b"\x7fELF": "a program",
}
_HTML_STARTS = (b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<meta", b"<!--", b"<?xml")
_UTF16_STARTS = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
_BOMS_AND_SPACE = b"\xef\xbb\xbf\xff\xfe \t\r\n\f"
_PREFIX_BYTES = 1024
# Text outside UTF-16 has almost no control characters, but white space and the escape character of ISO-2022-JP.
_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\f\r\v\x1b"))
_MAX_CONTROL_SHARE = 1 / 16  # of the prefix


def detect_file_type(data: bytes) -> str | None:
    """Return the type of a file that is clearly not HTML ("a PDF", "binary data"), else None."""
    for signature, name in _SIGNATURES.items():
        if data.startswith(signature):
            return name
    prefix = data[:_PREFIX_BYTES]
    if prefix.startswith(_UTF16_STARTS) or _is_utf16(prefix):
        return None
    controls = len(prefix) - len(prefix.translate(None, _CONTROL_BYTES))
    is_binary = controls > _MAX_CONTROL_SHARE * len(prefix) and not is_html(data)  # parsers ignore NUL bytes
    return "binary data" if is_binary else None


def is_html(data: bytes) -> bool:
    """Return whether data of unknown type starts like an HTML page."""
    prefix = data[:_PREFIX_BYTES].replace(b"\0", b"").lstrip(_BOMS_AND_SPACE).lower()
    return prefix.startswith(_HTML_STARTS) or b"<html" in prefix


def _is_utf16(prefix: bytes) -> bool:
    """Return whether most NUL bytes are at even, or at odd, offsets: UTF-16 text in a Latin script."""
    even, odd = prefix[0::2].count(0), prefix[1::2].count(0)
    return min(even, odd) * 4 < max(even, odd)
