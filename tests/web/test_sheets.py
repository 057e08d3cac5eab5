"""Fetching the style sheets of a page from a server on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from tests.web.local import fetch_sheets

from broadsheet import extract_many
from broadsheet.article import Article
from broadsheet.capture import Capture
from broadsheet.cli.app import run
from broadsheet.many import Item
from broadsheet.page import Limits
from broadsheet.web.fetch import decode_sheet

Serve = Callable[[Callable[[BaseHTTPRequestHandler], None]], str]

SHEETS = {
    "/a.css": ("text/css; charset=utf-8", b"@import 'more/b.css';p{color:red}"),
    "/more/b.css": ("text/css", b"@import '../a.css';b{color:red}"),
    "/strange-charset.css": ("text/css; charset=undefined", b"i{color:red}"),
    "/page.css": ("text/html", b"<p>not a sheet"),
}


@pytest.fixture
def host(serve: Serve) -> str:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        if handler.path == "/slow.css":
            handler.rfile.read()  # until the client closes the connection
            return
        content_type, body = SHEETS.get(handler.path.partition("?")[0], ("", b""))
        handler.send_response(200 if content_type else 404)
        handler.send_header("Content-Type", content_type or "text/plain")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return serve(answer)


def make_links(*names: str) -> str:
    return "".join(f"<link rel=stylesheet href={name}>" for name in names)


def test_linked_and_imported_sheets(host: str) -> None:
    html = make_links("a.css", "/page.css", "/missing.css", "/strange-charset.css") + "<link rel=icon href=/i.css>"
    sheets = fetch_sheets(html, f"{host}/page")
    assert list(sheets) == [f"{host}/a.css", f"{host}/strange-charset.css", f"{host}/more/b.css"]
    assert sheets[f"{host}/more/b.css"] == "@import '../a.css';b{color:red}"


def test_time_limit_holds_for_all_sheets_together(host: str) -> None:
    started = time.monotonic()
    html = make_links("a.css", "slow.css", "more/b.css")
    sheets = fetch_sheets(html, f"{host}/page", limits=Limits(max_seconds=5))  # enough for a.css on a busy machine
    assert list(sheets) == [f"{host}/a.css"]
    assert time.monotonic() - started < 100


def test_number_of_sheets_is_limited(host: str) -> None:
    html = make_links(*(f"more/b.css?{number}" for number in range(40)))
    assert len(fetch_sheets(html, f"{host}/page")) == 30


def test_command_line_fetches_sheets_on_request(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        f"<link rel=stylesheet href=a.css><h1>Ferry late</h1><p>{'The ferry was late, said the town. ' * 20}"
    )
    items_given: list[Item] = []

    def record_items(items: Iterable[Item]) -> Iterator[Item]:
        for item in items:
            items_given.append(item)
            yield item

    def extract_recorded(items: Iterable[Item], **options: Any) -> Iterator[Article]:
        return extract_many(record_items(items), **options)

    monkeypatch.setattr("broadsheet.cli.extraction.extract_many", extract_recorded)
    arguments = ["extract", str(page), "--url", f"{host}/page", "--method", "visual", "--allow-private"]
    assert run(arguments) == 0
    assert run([*arguments, "--sheets"]) == 0
    assert isinstance(items_given[0], Capture)
    assert isinstance(items_given[1], tuple)
    assert set(items_given[1][1]) == {f"{host}/a.css", f"{host}/more/b.css"}  # type: ignore[arg-type]
    assert capsys.readouterr().out.count("Ferry late\n\nThe ferry was late") == 2


@pytest.mark.parametrize(
    "html", ["", "<p>x", "<link rel=stylesheet>", "<link rel=stylesheet href='file:///etc/hosts'>"]
)
def test_page_without_sheets(html: str) -> None:
    assert fetch_sheets(html, None) == {}


@pytest.mark.parametrize(
    ("css", "charset", "expected"),
    [
        ("ü".encode(), None, "ü"),
        ("\ufeffü".encode(), None, "ü"),
        ("ü".encode("latin-1"), "iso-8859-1", "ü"),
        (b"\xff", None, "\ufffd"),
        *(("ü".encode(), charset, "ü") for charset in ("no-such", "undefined", "idna", "hex", "a\0b", "")),
    ],
)
def test_decode_sheet(css: bytes, charset: str | None, expected: str) -> None:
    assert decode_sheet(css, charset) == expected


@pytest.mark.parametrize("charset", ["punycode", "idna", "undefined", "zlib", "\0", "", None])
def test_charsets_that_are_not_of_the_web(charset: str | None) -> None:
    assert decode_sheet("\ufeffp { color: r\u00e9d }".encode() * 2_000, charset).startswith("p { color: r\u00e9d }")


def test_a_page_that_is_too_slow_has_no_sheets() -> None:
    assert fetch_sheets("<link rel=stylesheet href=a.css>" * 100, None, limits=Limits(max_seconds=1e-9)) == {}
