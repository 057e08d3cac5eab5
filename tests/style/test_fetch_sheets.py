"""Fetching the sheets that a page links to, from a server of our own on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from broadsheet.fetch import fetch_sheets

ANSWERS = {
    "/a.css": ("text/css; charset=utf-8", b"@import 'more/b.css';p{color:red}"),
    "/more/b.css": ("text/css", b"@import '../a.css';b{color:red}"),
    "/not.css": ("text/html", b"<p>no sheet"),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, body = ANSWERS.get(self.path, ("", b""))
        self.send_response(200 if kind else 404)
        self.send_header("Content-Type", kind or "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is given
        pass


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_sheets_and_what_they_import(host: str) -> None:
    html = "<link rel=stylesheet href=a.css><link rel=stylesheet href=/not.css><link rel=stylesheet href=/gone.css><link rel=icon href=/i.css>"
    sheets = fetch_sheets(html, f"{host}/page")
    assert list(sheets) == [f"{host}/a.css", f"{host}/more/b.css"]
    assert sheets[f"{host}/more/b.css"] == "@import '../a.css';b{color:red}"


@pytest.mark.parametrize(
    "html", ["", "<p>x", "<link rel=stylesheet>", "<link rel=stylesheet href='file:///etc/hosts'>"]
)
def test_nothing_to_fetch(html: str) -> None:
    assert fetch_sheets(html, None) == {}
