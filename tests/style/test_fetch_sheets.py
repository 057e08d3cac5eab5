"""Fetch the linked style sheets of a page from a local server."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from broadsheet import extract_many
from broadsheet.article import Article
from broadsheet.cli.app import run
from broadsheet.fetch import fetch_sheets
from broadsheet.many import Item
from broadsheet.methods import Method

ANSWERS = {
    "/a.css": ("text/css; charset=utf-8", b"@import 'more/b.css';p{color:red}"),
    "/more/b.css": ("text/css", b"@import '../a.css';b{color:red}"),
    "/not.css": ("text/html", b"<p>not CSS"),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, body = ANSWERS.get(self.path, ("", b""))
        self.send_response(200 if kind else 404)
        self.send_header("Content-Type", kind or "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parameter of the base class
        pass


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_linked_and_imported_sheets(host: str) -> None:
    html = "<link rel=stylesheet href=a.css><link rel=stylesheet href=/not.css><link rel=stylesheet href=/gone.css><link rel=icon href=/i.css>"
    sheets = fetch_sheets(html, f"{host}/page")
    assert list(sheets) == [f"{host}/a.css", f"{host}/more/b.css"]
    assert sheets[f"{host}/more/b.css"] == "@import '../a.css';b{color:red}"


def test_command_line_fetches_sheets_on_request(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        f"<link rel=stylesheet href=a.css><h1>Ferry late</h1><p>{'The ferry was late, said the town. ' * 20}"
    )
    passed_items: list[Item] = []

    def spy(items: Iterable[Item], **options: Any) -> Iterator[Article]:
        return extract_many((passed_items.append(item) or item for item in items), **options)  # type: ignore[func-returns-value]

    monkeypatch.setattr("broadsheet.cli.extraction.extract_many", spy)
    arguments = ["extract", str(page), "--url", f"{host}/page", "--method", "visual"]
    assert run(arguments) == 0
    assert run([*arguments, "--sheets"]) == 0
    assert [len(item) for item in passed_items] == [2, 3]
    assert set(passed_items[1][2]) == {f"{host}/a.css", f"{host}/more/b.css"}  # type: ignore[arg-type,misc]
    assert capsys.readouterr().out.count("Ferry late\n\nThe ferry was late") == 2


def test_sheets_are_passed_to_workers(keep_red: Method) -> None:
    text = "The ferry was late, said the harbour master of the town."
    page = f"<link rel=stylesheet href=a.css><p>{text}</p>"
    items: list[Item] = [("http://a.example/", page, {"http://a.example/a.css": "p{color:red}"}), page]
    for workers in (1, 2):
        assert [article.text for article in extract_many(items, workers=workers, method=keep_red)] == [text, ""]


@pytest.mark.parametrize(
    "html", ["", "<p>x", "<link rel=stylesheet>", "<link rel=stylesheet href='file:///etc/hosts'>"]
)
def test_nothing_to_fetch(html: str) -> None:
    assert fetch_sheets(html, None) == {}
