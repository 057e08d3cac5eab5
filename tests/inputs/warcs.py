"""WARC files for tests: every encoding, and every kind of damage."""

from __future__ import annotations

import gzip
import zlib

import brotli

DATE = "2024-03-16T08:30:00Z"


def make_page(number: int) -> bytes:
    """Return an article of its own."""
    paragraphs = "".join(
        f"<p>The ferry number {number} to Quay Island was late again on day {day}, said the harbour master, because the "
        f"tide of {number * 7 + day} inches was too low for the boat, and passengers waited on the pier in the rain.</p>"
        for day in range(4)
    )
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>Ferry {number} late</title></head><body>"
        f"<nav><a href=/>Home</a></nav><h1>Ferry {number} late</h1>{paragraphs}<p>Café ☕</p></body></html>"
    ).encode()


def make_response(
    url: str,
    body: bytes,
    headers: str = "",
    *,
    content_type: str = "text/html",
    status: str = "200 OK",
    length: int = 0,
) -> bytes:
    """Return the record of an HTTP response. A length that is given is a wrong one."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{headers}"
    if "Transfer-Encoding" not in headers and "Content-Length" not in headers:
        head += f"Content-Length: {len(body)}\r\n"
    return make_record("response", url, head.encode() + b"\r\n" + body, length=length)


def make_record(
    kind: str, url: str, content: bytes, *, content_type: str = "application/http; msgtype=response", length: int = 0
) -> bytes:
    """Return a WARC record."""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
        f"WARC-Date: {DATE}\r\nWARC-Target-URI: {url}\r\nContent-Type: {content_type}\r\n"
        f"Content-Length: {length or len(content)}\r\n\r\n"
    )
    return head.encode() + content + b"\r\n\r\n"


def end_lines_in_lf(record: bytes, *, warc_header: bool = True) -> bytes:
    """Return the record of an HTTP response with header lines that end in LF alone; those of WARC too, or not."""
    head, http_head, body = record.removesuffix(b"\r\n\r\n").split(b"\r\n\r\n", 2)
    content = http_head.replace(b"\r\n", b"\n") + b"\n\n" + body
    lines = [*head.split(b"\r\n")[:-1], b"Content-Length: %d" % len(content)]
    line_end = b"\n" if warc_header else b"\r\n"
    return line_end.join([*lines, b"", content, b"", b""])


def make_chunks(data: bytes, size: int = 100) -> bytes:
    """Return a body in chunks."""
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def encode_page(number: int, html: bytes) -> tuple[bytes, str]:
    """Return a page in one of the encodings of servers and crawlers, with its HTTP headers."""
    chunked, packed = "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n"
    raw_deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    cases = (
        (html, ""),
        (gzip.compress(html), packed),
        (make_chunks(html), chunked),
        (make_chunks(gzip.compress(html)), chunked + packed),
        (brotli.compress(html, quality=1), "Content-Encoding: br\r\n"),
        (make_chunks(brotli.compress(html, quality=1)), chunked + "Content-Encoding: br\r\n"),
        (zlib.compress(html), "Content-Encoding: deflate\r\n"),
        (raw_deflate.compress(html) + raw_deflate.flush(), "Content-Encoding: deflate\r\n"),
        (html, packed),  # decoded by the crawler
        (html, chunked),  # the same
        (html, "Content-Encoding: identity\r\n"),
        (gzip.compress(html[:50]) + gzip.compress(html[50:]), packed),  # two members
    )
    return cases[number % len(cases)]
