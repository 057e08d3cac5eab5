"""`extract_url`: a page is fetched and extracted, within the rules of its site."""

from __future__ import annotations

import asyncio
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.web.conftest import Serve

import broadsheet
from broadsheet.errors import FetchError

SAMPLE = (Path(__file__).parents[2] / "examples" / "pages" / "harbour.html").read_bytes()


class Site:
    """A site with one article, a redirect to it, and a robots.txt. Counts its requests."""

    def __init__(self) -> None:
        self.requests: list[str] = []

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.requests.append(request.path)
        bodies = {"/robots.txt": b"User-agent: *\nDisallow: /private/", "/story": SAMPLE, "/private/story": SAMPLE}
        body = bodies.get(request.path, b"")
        request.send_response(200 if body else 301 if request.path == "/old" else 404)
        if request.path == "/old":
            request.send_header("Location", "/story")
        request.send_header("Content-Type", "text/html; charset=utf-8")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def address(serve: Serve, site: Site) -> str:
    return serve(site.answer)


def test_article_has_the_address_after_redirects(address: str) -> None:
    article = broadsheet.extract_url(f"{address}/old", allow_private=True)
    assert article.title == "Harbour ferry returns after eleven years"
    assert article.provenance.source_file == f"{address}/old"
    assert article.provenance.http_status == 200
    assert article.provenance.fetched_at is not None
    assert article.text == broadsheet.extract(SAMPLE, url=f"{address}/story").text


def test_options_are_those_of_extract(address: str) -> None:
    article = broadsheet.extract_url(f"{address}/story", "twcem", allow_private=True, fields=("text",))
    assert article.method == "twcem"
    with pytest.raises(AttributeError):
        _ = article.title
    with pytest.raises(TypeError, match="did you mean 'limits'"):
        broadsheet.extract_url(f"{address}/story", limit=3)  # type: ignore[call-arg]


def test_robots_txt_is_respected_and_fetched_once(address: str, site: Site) -> None:
    for _ in range(2):
        broadsheet.extract_url(f"{address}/story", allow_private=True)
        with pytest.raises(FetchError, match=r"robots\.txt of the site does not allow it"):
            broadsheet.extract_url(f"{address}/private/story", allow_private=True)
    assert site.requests == ["/robots.txt", "/story", "/story"]
    assert broadsheet.extract_url(f"{address}/private/story", allow_private=True, respects_robots=False).title


def test_private_addresses_are_refused(address: str, site: Site) -> None:
    with pytest.raises(FetchError, match="private or reserved address"):
        broadsheet.extract_url(f"{address}/story")
    assert not site.requests


@pytest.mark.parametrize(
    ("path", "reason"), [("/missing", "404"), ("ftp://example.org", "only http and https"), ("", "only http")]
)
def test_a_failed_download_is_one_line(address: str, path: str, reason: str) -> None:
    with pytest.raises(FetchError, match=reason) as error:
        broadsheet.extract_url(f"{address}{path}" if path.startswith("/") else path, allow_private=True)
    assert "\n" not in str(error.value)


def test_async_does_the_same(address: str) -> None:
    async def extract_both() -> list[broadsheet.Article]:
        addresses = [f"{address}/story", f"{address}/old"]
        calls = [broadsheet.extract_url_async(each, allow_private=True) for each in addresses]
        return list(await asyncio.gather(*calls))

    plain = broadsheet.extract_url(f"{address}/story", allow_private=True)
    assert [article.text for article in asyncio.run(extract_both())] == [plain.text, plain.text]
