"""Both clients against a real service, and against servers that fail in scripted ways."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from tests.server.running import HARBOUR, TITLE, Running, run_service
from tests.web.conftest import QuietHandler, QuietServer

import broadsheet
from broadsheet.client import AsyncClient, Client
from broadsheet.client.calls import ClientSettings
from broadsheet.errors import FieldNotRequested, ServiceError, UsageError

Call = Callable[[str, Any], Any]
SITE = broadsheet.Site.learn([HARBOUR])


def call_plain(address: str, use: Callable[[Client], Any], **settings: Any) -> Any:
    with Client(address, **settings) as client:
        return use(client)


def call_async(address: str, use: Callable[[AsyncClient], Any], **settings: Any) -> Any:
    async def run() -> Any:
        async with AsyncClient(address, **settings) as client:
            result = use(client)
            return [article async for article in result] if hasattr(result, "__aiter__") else await result

    return asyncio.run(run())


both = pytest.mark.parametrize("call", [call_plain, call_async])


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with run_service(token="secret") as running:
        yield running


@both
@pytest.mark.parametrize("page", [HARBOUR, HARBOUR.decode()])
def test_article_is_that_of_extract(service: Running, call: Any, page: str | bytes) -> None:
    url = "https://courier.example/1"
    article = call(service.address, lambda client: client.extract(page, url, max_seconds=15), token="secret")
    local = broadsheet.extract(page, url)
    assert isinstance(article, broadsheet.Article)
    assert article.title == TITLE
    assert article.markdown == local.markdown
    assert article.to_dict() == {
        **local.to_dict(),
        "html_hash": article.to_dict()["html_hash"],
        "id": article.to_dict()["id"],
    }


@both
def test_options(service: Running, call: Any) -> None:
    page = "<title>Other, thing</title><p>Ad, first.</p><p>The cats did win.</p>"
    home = "<a href='https://x.example/a'>Cats win, the cup</a>".encode("utf-16")
    article = call(
        service.address,
        lambda client: client.extract(page, "https://x.example/a", "twcem", home=home),
        token="secret",
    )
    assert (article.method, article.title) == ("twcem", "Cats win, the cup")


@both
@pytest.mark.parametrize("fields", [("text", "markdown"), ("body",), ("images", "comments", "date"), ("provenance",)])
def test_fields(service: Running, call: Any, fields: tuple[str, ...]) -> None:
    article = call(service.address, lambda client: client.extract(HARBOUR, fields=fields), token="secret")
    local = broadsheet.extract(HARBOUR, fields=fields)
    assert article.to_dict() == local.to_dict()
    assert [getattr(article, name) for name in fields] == [getattr(local, name) for name in fields]
    assert (article.status, article.method) == (local.status, local.method)
    with pytest.raises(FieldNotRequested):
        article.title  # noqa: B018


@both
def test_fields_of_many_and_of_failures(service: Running, call: Any) -> None:
    def use(client: Any) -> Any:
        articles = client.extract_many([HARBOUR, b"%PDF-1.7"], fields=("title",))
        return articles if hasattr(articles, "__aiter__") else list(articles)

    first, failed = list(call(service.address, use, token="secret"))
    assert (first.title, failed.title, failed.status.value) == (TITLE, None, "failed")
    assert "PDF" in failed.status_reason
    failed = call(service.address, lambda client: client.extract(b"%PDF-1.7", fields=["text"]), token="secret")
    assert (failed.text, failed.to_dict()) == ("", {"text": ""})


@both
@pytest.mark.parametrize("charset", ["windows-1251", "no such set; é"])
def test_charset(service: Running, call: Any, charset: str) -> None:
    page = "<title>Паром</title><p>Паром вернулся в гавань.</p>".encode("windows-1251")
    article = call(service.address, lambda client: client.extract(page, charset=charset), token="secret")
    assert article.text == broadsheet.extract(page, charset=charset).text


@both
def test_many(service: Running, call: Any) -> None:
    items = [(f"https://x.example/{number}", f"<p>page {number}</p>") for number in range(40)]
    pages = [*items, HARBOUR, "<p>text</p>", Path("page.html"), b"%PDF-1.7"]
    with pytest.warns(UserWarning, match="extract_many takes pages, not paths"):
        articles = list(call(service.address, lambda client: list_articles(client, pages), token="secret"))
    assert [article.text for article in articles[:40]] == [f"page {number}" for number in range(40)]
    assert [article.url for article in articles[:40]] == [url for url, _ in items]
    assert [article.status.value for article in articles[40:]] == ["ok", "empty", "failed", "failed"]
    assert articles[40].title == TITLE


def list_articles(client: Any, pages: list[Any]) -> Any:
    articles = client.extract_many(pages)
    return articles if hasattr(articles, "__aiter__") else list(articles)


@both
@pytest.mark.parametrize("page", ["", b""])
def test_empty_page_is_an_article(service: Running, call: Any, page: str | bytes) -> None:
    article = call(service.address, lambda client: client.extract(page), token="secret")
    assert article.status == broadsheet.extract(page).status == broadsheet.Status.EMPTY


@both
def test_token_beyond_ascii(call: Any) -> None:
    with run_service(token="sécret") as running:
        assert call(running.address, lambda client: client.extract("<p>x</p>"), token="sécret\n").text == "x"


@both
def test_failed_page_is_an_article(service: Running, call: Any) -> None:
    article = call(service.address, lambda client: client.extract(b"%PDF-1.7"), token="secret")
    assert (article.status, article.sources["status"]) == (broadsheet.Status.FAILED, "the page is a PDF, not HTML")


@both
@pytest.mark.parametrize(
    ("use", "token", "code", "line"),
    [
        (lambda client: client.extract("<p>x</p>"), "wrong", 401, "the service answered 401: a token is needed"),
        (
            lambda client: client.extract("<p>x</p>", method="nope"),
            "secret",
            422,
            "the service answered 422: unknown method",
        ),
        (
            lambda client: client.extract_url("http://127.0.0.1/"),
            "secret",
            403,
            "the service answered 403: cannot fetch",
        ),
    ],
)
def test_refusals_are_errors(service: Running, call: Any, use: Any, token: str, code: int, line: str) -> None:
    with pytest.raises(ServiceError) as caught:
        call(service.address, use, token=token)
    assert caught.value.code == code
    assert str(caught.value).startswith(line)


class Flaky(QuietHandler):
    """Answers what the list says: a status code, or None to close the connection."""

    answers: list[int | None]
    times: list[float]

    def do_POST(self) -> None:  # noqa: N802 - the name is given
        self.rfile.read(int(self.headers["Content-Length"]))
        self.times.append(time.monotonic())
        code = self.answers.pop(0)
        if code is None:
            self.close_connection = True
            return
        record = broadsheet.Article(title="Good").to_dict()
        body = json.dumps(record if code == 200 else {"error": "not now"}).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Retry-After", "1" if code == 429 else "0")
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def flaky() -> Iterator[tuple[str, type[Flaky]]]:
    handler = type("Script", (Flaky,), {"answers": [], "times": []})
    with QuietServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", handler
        server.shutdown()


@both
def test_temporary_failures_are_retried(flaky: tuple[str, type[Flaky]], call: Any) -> None:
    address, script = flaky
    script.answers = [503, None, 429, 200]
    assert call(address, lambda client: client.extract("<p>x</p>")).title == "Good"
    assert script.answers == []
    assert script.times[3] - script.times[2] >= 1  # Retry-After


@both
@pytest.mark.parametrize(
    ("answers", "line"),
    [
        ([503, 503, 503], "the service answered 503: not now"),
        ([None, None, None], "cannot reach http://127.0.0.1:"),
        ([422], "the service answered 422: not now"),
        ([502], "the service answered 502: not now"),
    ],
)
def test_retries_end(flaky: tuple[str, type[Flaky]], call: Any, answers: list[int | None], line: str) -> None:
    address, script = flaky
    script.answers = list(answers)
    with pytest.raises(ServiceError, match=line):
        call(address, lambda client: client.extract("<p>x</p>"), max_retries=2)
    assert script.answers == []


@both
def test_no_service(call: Any) -> None:
    with pytest.raises(
        ServiceError, match=r"cannot reach http://127.0.0.1:1 \(.*\); check the address, or start: broadsheet serve"
    ):
        call("http://127.0.0.1:1", lambda client: client.extract("<p>x</p>"), max_retries=0)


@pytest.mark.parametrize(
    ("use", "error", "line"),
    [
        (lambda: Client("127.0.0.1:8000"), UsageError, "is not the address of a service: only http and https"),
        (lambda: Client(None), TypeError, "the address and the token of a service must be str"),  # type: ignore[arg-type]
        (lambda: Client(token="a\nb"), UsageError, "the token has a line break"),
        (lambda: Client(max_retries=-1), UsageError, "max_retries must be at least 0"),
        (lambda: Client().extract(Path("x")), TypeError, "html must be str or bytes, not PosixPath"),  # type: ignore[arg-type]
        (lambda: Client().extract("", colour=1), TypeError, "unknown option 'colour'; a service knows: charset, "),  # type: ignore[call-arg]
        (lambda: Client().extract("", method=object()), TypeError, "method must be a name, not object"),  # type: ignore[arg-type]
        (lambda: Client().extract("", url=5), TypeError, "url must be str or None, not int"),  # type: ignore[arg-type]
        (lambda: Client().extract("", images="no"), TypeError, "images must be bool, not 'no'"),  # type: ignore[arg-type]
        (lambda: Client().extract("", max_seconds="2"), TypeError, "max_seconds must be int or float"),  # type: ignore[arg-type]
        (lambda: Client().extract("", site=SITE), TypeError, "site must be str, the name of a site"),  # type: ignore[arg-type]
        (lambda: Client().extract("", fields=("titel",)), UsageError, "unknown field 'titel'.*did you mean 'title'"),
        (lambda: Client().extract("", fields="title"), UsageError, "fields must be a tuple of names, not a string"),
        (lambda: Client().extract("", fields=("blocks",)), UsageError, "a service does not send 'blocks'"),
        (lambda: list(Client().extract_many("<p>")), UsageError, "extract_many takes an iterable of pages"),
    ],
)
def test_wrong_calls(use: Callable[[], object], error: type[Exception], line: str) -> None:
    with pytest.raises(error, match=line):
        use()


def test_token_is_not_shown() -> None:
    assert "secret" not in repr(ClientSettings("http://127.0.0.1:8000", "secret"))
    assert repr(Client("http://127.0.0.1:8000", token="secret")) == "Client('http://127.0.0.1:8000')"
