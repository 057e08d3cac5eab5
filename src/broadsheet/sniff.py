"""What is plainly no page: files that are named or served as HTML and are something else."""

from __future__ import annotations

# The first bytes of what people mistake for a page most often.
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
    b"PAR1": "a Parquet file",
    b"\x7fELF": "a program",
}
_UTF16_STARTS = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
_HEAD = 1024


def name_foreign(data: bytes) -> str | None:
    """Name what the bytes are if they are plainly no page: "a PDF", "a PNG image", "binary data"."""
    for signature, name in _SIGNATURES.items():
        if data.startswith(signature):
            return name
    head = data[:_HEAD]
    # UTF-16 has zero bytes in every other place; other text has none.
    if not head.startswith(_UTF16_STARTS) and head.count(0) > len(head) // 16 and not _alternates(head):
        return "binary data"
    return None


def looks_like_html(data: bytes) -> bool:
    """Tell whether bytes of an unknown kind begin like a page."""
    head = data[:_HEAD].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\f").lower()
    return head.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<!--", b"<?xml")) or b"<html" in head


def _alternates(head: bytes) -> bool:
    even, odd = head[0::2].count(0), head[1::2].count(0)
    return min(even, odd) * 4 < max(even, odd)
