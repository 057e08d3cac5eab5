"""/v1/extract-url: the address guard, robots.txt, failures of other servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from tests.server.running import HARBOUR, TITLE, Running, run_service
from tests.web.conftest import QuietHandler, QuietServer

from broadsheet.options import ExtractOptions
from broadsheet.page import Limits
from broadsheet.web import AddressGuard

ROBOTS = b"User-agent: *\nDisallow: /private/\n"


class News(QuietHandler):
    """A site with pages, redirects and a robots.txt."""

    def do_GET(self) -> None:  # noqa: N802 - the name is given
        match self.path:
            case "/robots.txt":
                self.answer(200, ROBOTS)
            case "/story" | "/private/story":
                self.answer(200, HARBOUR)
            case "/moved":
                self.answer(302, b"", ("Location", "/private/story"))
            case "/inside":
                self.answer(302, b"", ("Location", "http://169.254.169.254/latest/"))
            case "/large":
                self.answer(200, b"x" * 2_000_000)
            case "/slow":
                self.rfile.read()  # until the client closes the connection
            case "/pdf":
                self.answer(200, b"%PDF-1.7")
            case _:
                self.answer(404, b"")

    def answer(self, code: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class NoRobots(News):
    """Answers 404 for robots.txt."""

    def do_GET(self) -> None:  # noqa: N802 - the name is given
        self.answer(404, b"") if self.path == "/robots.txt" else super().do_GET()


class BrokenRobots(News):
    """Answers 500 for robots.txt."""

    def do_GET(self) -> None:  # noqa: N802 - the name is given
        self.answer(500, b"") if self.path == "/robots.txt" else super().do_GET()


Serve = Callable[[type[BaseHTTPRequestHandler]], str]


@pytest.fixture(scope="module")
def serve() -> Iterator[Serve]:
    import threading

    servers = []

    def start(handler: type[BaseHTTPRequestHandler]) -> str:
        server = QuietServer(("127.0.0.1", 0), handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def fetching() -> Iterator[Running]:
    """A service that may fetch from this machine."""
    with run_service(guard=AddressGuard(allow_private=True), max_body_bytes=1_000_000) as running:
        yield running


@pytest.mark.parametrize(
    ("path", "code", "line"),
    [
        ("/story", 200, ""),
        ("/private/story", 403, "robots.txt of the site does not allow it; save the page in a browser and send it"),
        ("/moved", 403, "it redirects to an address that is not fetched: robots.txt of the site does not allow it"),
        ("/gone", 502, "the server answered 404 Not Found; check the address"),
        ("/large", 413, "the page is larger than 1,000,000 bytes; save it and pass the file"),
        ("/pdf", 502, "is a PDF, not an HTML page"),
    ],
)
def test_pages_of_a_site(fetching: Running, serve: Serve, path: str, code: int, line: str) -> None:
    address = serve(News)
    answer = fetching.post("/v1/extract-url", json={"url": address + path})
    assert answer.status_code == code
    if code == 200:
        assert answer.json()["title"] == TITLE
    else:
        assert f"cannot fetch {address}{path}: {line}" in answer.json()["error"]


def test_slow_site(serve: Serve) -> None:
    address = serve(News)
    options = ExtractOptions(limits=Limits(max_seconds=1.0))
    with run_service(guard=AddressGuard(allow_private=True), respects_robots=False, options=options) as running:
        answer = running.post("/v1/extract-url", json={"url": f"{address}/slow"})
    assert answer.status_code == 504
    line = f"cannot fetch {address}/slow: no complete response within 1 seconds; try again later"
    assert line in answer.json()["error"]


def test_site_without_robots(fetching: Running, serve: Serve) -> None:
    assert fetching.post("/v1/extract-url", json={"url": f"{serve(NoRobots)}/private/story"}).status_code == 200


def test_site_whose_robots_fail(fetching: Running, serve: Serve) -> None:
    answer = fetching.post("/v1/extract-url", json={"url": f"{serve(BrokenRobots)}/story"})
    assert answer.status_code == 403
    assert "robots.txt cannot be read, so the site is not fetched; try again later" in answer.json()["error"]


def test_host_that_is_not_reached(fetching: Running) -> None:
    answer = fetching.post("/v1/extract-url", json={"url": "http://127.0.0.1:1/story"})
    assert answer.status_code == 502
    assert "the server refused the connection" in answer.json()["error"]


def test_robots_can_be_ignored(serve: Serve) -> None:
    with run_service(guard=AddressGuard(allow_private=True), respects_robots=False) as running:
        assert running.post("/v1/extract-url", json={"url": f"{serve(News)}/private/story"}).status_code == 200


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/health",
        "http://localhost/",
        "http://[::1]/",
        "http://2130706433/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://[64:ff9b::7f00:1]/",
    ],
)
def test_private_addresses_are_refused(server: Running, url: str) -> None:
    answer = server.post("/v1/extract-url", json={"url": url})
    assert answer.status_code == 403
    assert "is a private or reserved address" in answer.json()["error"]


def test_redirect_into_the_network_is_refused(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The site itself counts as public here; the address that it redirects to does not."""
    monkeypatch.setattr("broadsheet.web.guard.is_public", lambda ip: ip == "127.0.0.1")
    address = serve(News)
    with run_service(fetch_ports=(int(address.rpartition(":")[2]),)) as running:
        answer = running.post("/v1/extract-url", json={"url": f"{address}/inside"})
    assert answer.status_code == 403
    assert "redirects to an address that is not fetched: 169.254.169.254 is a private" in answer.json()["error"]


def test_fetching_can_be_switched_off() -> None:
    with run_service(fetchers=0) as running:
        answer = running.post("/v1/extract-url", json={"url": "https://x.example/"})
        assert (answer.status_code, answer.json()["error"]) == (403, "this service does not fetch addresses")
