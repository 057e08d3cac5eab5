"""/v1/extract and the addresses without a body: answers, status codes, one clear line for each error."""

from __future__ import annotations

import base64
import gzip
import json
import re
import socket
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from tests.server.running import HARBOUR, TITLE, Running, receive_all, run_service, send_raw, wait_until

import broadsheet
from broadsheet.output import FORMATS


def page_json(**values: Any) -> dict[str, Any]:
    return {"json": {"html": "<p>text</p>", **values}}


@pytest.mark.parametrize(
    "request_values",
    [
        {"content": HARBOUR, "headers": {"Content-Type": "text/html"}},
        {"content": HARBOUR},
        {"content": HARBOUR, "headers": {"Content-Type": "application/x-www-form-urlencoded"}},  # curl --data-binary
        {"content": gzip.compress(HARBOUR), "headers": {"Content-Type": "text/html", "Content-Encoding": "gzip"}},
        {"content": zlib.compress(HARBOUR), "headers": {"Content-Encoding": "deflate"}},
        {"json": {"html": HARBOUR.decode()}},
        {"content": json.dumps({"html_base64": base64.b64encode(HARBOUR).decode()})},  # JSON without its type
        {
            "content": b'\xef\xbb\xbf{ "html_base64": "%s"}' % base64.b64encode(HARBOUR),
            "headers": {"Content-Type": "application/x-www-form-urlencoded"},
        },  # curl --data
        {"json": {"html_base64": base64.b64encode(HARBOUR).decode(), "options": {"method": "fusion"}}},
    ],
)
def test_record_is_that_of_extract(server: Running, request_values: dict[str, Any]) -> None:
    answer = server.post("/v1/extract", **request_values)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Server-Timing"].startswith("wait;dur=")
    page = HARBOUR.decode() if "html" in request_values.get("json", {}) else HARBOUR
    assert answer.json() == broadsheet.extract(page).to_dict()


def test_options_in_the_query(server: Running) -> None:
    url = "https://courier.example/1"
    answer = server.post("/v1/extract", params={"url": url, "method": "twcem"}, content=HARBOUR)
    assert (answer.json()["url"], answer.json()["method"]) == (url, "twcem")


def test_columns_in_the_query(server: Running) -> None:
    answer = server.post("/v1/extract?include=markdown,body&include=html", content=HARBOUR)
    assert {"markdown", "body", "html"} <= set(answer.json())


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("fields=title,text", ["title", "text"]),
        ("fields=title&fields=host", ["title", "host"]),
        ("fields=title&include=markdown", ["title", "markdown"]),
    ],
)
def test_fields_in_the_query(server: Running, query: str, names: list[str]) -> None:
    answer = server.post(f"/v1/extract?{query}", content=HARBOUR)
    assert answer.json() == broadsheet.extract(HARBOUR).to_dict(fields=names)


def test_fields_in_json(server: Running) -> None:
    answer = server.post("/v1/extract", json={"html": HARBOUR.decode(), "options": {"fields": ["text"]}})
    assert answer.json() == {"text": broadsheet.extract(HARBOUR).text}


@pytest.mark.parametrize(
    ("path", "code"), [("/health", 200), ("/ready", 200), ("/v1/methods", 200), ("/v1/extract", 405)]
)
def test_head(server: Running, path: str, code: int) -> None:
    answer = server.http.head(path)
    assert (answer.status_code, answer.content) == (code, b"")
    assert server.http.get("/health").status_code == 200  # on the same connection


def test_home_page_in_json(server: Running) -> None:
    request = {
        "html": "<title>Other, thing</title><p>Ad, first.</p><p>The cats did win.</p>",
        "url": "https://x.example/a",
        "options": {"method": "twcem", "home": "<a href='https://x.example/a'>Cats win, the cup</a>"},
    }
    assert server.post("/v1/extract", json=request).json()["title"] == "Cats win, the cup"


def test_charset_of_the_header(server: Running) -> None:
    page = "<title>Łódź</title><p>Zażółć gęślą jaźń</p>".encode("iso-8859-2")
    answer = server.post("/v1/extract", content=page, headers={"Content-Type": "text/html; charset=iso-8859-2"})
    assert answer.json()["title"] == "Łódź"


@pytest.mark.parametrize(
    ("path", "request_values", "code", "line"),
    [
        ("/v1/extract", {"content": b""}, 422, "the body is empty; send a page"),
        ("/v1/extract", {"content": b"{", "headers": {"Content-Type": "application/json"}}, 422, "the body is not valid JSON (EOF while parsing an object at line 1 column 1)"),
        ("/v1/extract", {"json": []}, 422, "the body: Input should be an object"),
        ("/v1/extract", {"json": {}}, 422, "pass either html or html_base64"),
        ("/v1/extract", {"json": {"url": "https://x.example"}}, 422, "pass either html or html_base64; /v1/extract-url fetches addresses"),
        ("/v1/extract", page_json(html=3), 422, "html: Input should be a valid string, not 3"),
        ("/v1/extract", page_json(html_base64="YQ=="), 422, "pass either html or html_base64"),
        ("/v1/extract", {"json": {"html_base64": "a"}}, 422, "html_base64 is not valid base64 ("),
        ("/v1/extract", page_json(color="red"), 422, "unknown name 'color'; see /openapi.json"),
        ("/v1/extract", page_json(options={"methd": "fusion"}), 422, "unknown name 'options.methd'; see /openapi.json"),
        ("/v1/extract", page_json(options={"method": "fuson"}), 422, "unknown method 'fuson'; known: fusion, "),
        ("/v1/extract", page_json(options={"render": True}), 422, "this service does not render pages; start it with --render"),
        ("/v1/extract", page_json(options={"site": "../x"}), 422, "unknown site '../x'; this service has none"),
        ("/v1/extract", page_json(options={"include": ["markdwn"]}), 422, "unknown column 'markdwn'"),
        ("/v1/extract", page_json(options={"fields": ["titel"]}), 422, "unknown field 'titel'; known: url, title, "),
        ("/v1/extract", page_json(options={"fields": []}), 422, "no fields were named; known: url, title, "),
        ("/v1/extract", page_json(options={"max_seconds": -1}), 422, "options.max_seconds: Input should be greater than 0, not -1"),
        ("/v1/extract?color=red", {"content": HARBOUR}, 422, "unknown name 'color'; see /openapi.json"),
        ("/v1/extract", {"content": b"%PDF-1.7\n%\xe2\xe3"}, 422, "the page is a PDF, not HTML"),
        ("/v1/extract", {"content": b"x" * 100, "headers": {"Content-Encoding": "gzip"}}, 422, "the body is not valid gzip, which its Content-Encoding states"),
        ("/v1/extract", {"content": gzip.compress(HARBOUR)[:500], "headers": {"Content-Encoding": "gzip"}}, 422, "the compressed body is incomplete"),
        ("/v1/extract", {"content": b"x", "headers": {"Content-Encoding": "zstd"}}, 415, "unsupported Content-Encoding: zstd; send gzip, deflate"),
        ("/v1/extract", {"files": {"page": HARBOUR}}, 415, "unsupported Content-Type: multipart/form-data; send text/html or application/json"),
        ("/v1/extract", {"content": b"x" * 1_000_001}, 413, "the body is larger than 1,000,000 bytes (--max-body-bytes of broadsheet serve)"),
        ("/v1/extract", {"content": gzip.compress(b"x" * 50_000_000), "headers": {"Content-Encoding": "gzip"}}, 413, "the body is larger than 1,000,000 bytes"),
        ("/v1/extract-url", {"json": {}}, 422, "url: Field required"),
        ("/v1/extract-url", {"json": {"url": "ftp://x.example/"}}, 422, "'ftp://x.example/': only http and https addresses can be fetched"),
        ("/v1/extract-url", {"content": b"x", "headers": {"Content-Type": "text/html"}}, 415, "unsupported Content-Type: text/html; send application/json"),
        ("/v1/many", {"content": b"\n\n"}, 422, "the body has no lines"),
        ("/v1/many", {"content": b"x", "headers": {"Content-Type": "image/png"}}, 415, "unsupported Content-Type: image/png; send application/x-ndjson"),
        ("/v1/extrakt", {"content": b"x"}, 404, "no such address: /v1/extrakt; see /openapi.json"),
        ("/v1/extract/", {"content": b"x"}, 404, "no such address: /v1/extract/; see /openapi.json"),
        ("/health", {"content": b"x"}, 405, "use GET for this address"),
        ("/v1/extract", page_json(method="twcem"), 422, 'unknown name \'method\'; write it inside "options": {"method": ...}'),
        ("/v1/extract?method=twcem", page_json(), 422, "'method' in the address has no effect; write it into the JSON, under \"options\""),
        ("/v1/extract?url=x", page_json(), 422, "'url' in the address has no effect; write it into the JSON"),
        ("/v1/many?method=twcem", {"content": b"{}"}, 422, "'method' in the address has no effect"),
        ("/v1/extract-url?render=1", {"json": {"url": "https://x.example"}}, 422, "'render' in the address has no effect"),
        ("/v1/extract?method=twcem&method=gcn", {"content": HARBOUR}, 422, "the address has 'method' more than once"),
        ("/v1/extract?url=" + "x" * 8001, {"content": HARBOUR}, 422, "url: String should have at most 8000 characters"),
    ],
)  # fmt: skip
def test_errors_have_a_code_and_one_line(
    server: Running, path: str, request_values: dict[str, Any], code: int, line: str
) -> None:
    answer = server.post(path, **request_values)
    assert (answer.status_code, answer.json()["error"][: len(line)]) == (code, line)
    assert "\n" not in answer.json()["error"]


def test_a_failed_page_has_its_status(server: Running) -> None:
    assert server.post("/v1/extract", content=b"%PDF-1.7").json() == {
        "error": "the page is a PDF, not HTML",
        "status": "failed",
    }


def test_too_large_while_it_is_sent(server: Running) -> None:
    """The answer comes although the client goes on sending; nothing of the body is kept."""
    sent = 0

    def send_pieces() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 100_000
            yield b"x" * 100_000

    answer = server.post("/v1/extract", content=send_pieces())  # without a length
    assert (answer.status_code, sent) == (413, 10_000_000)
    assert server.http.get("/health").status_code == 200


def test_too_large_before_it_is_sent(server: Running) -> None:
    """With `Expect: 100-continue`, as curl sends it, no byte of a refused body crosses the network."""
    head = b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 100000000\r\n"
    answer = send_raw(server, head + b"Expect: 100-continue\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_slow_client(impatient: Running) -> None:
    head = b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n<p>"
    answer = send_raw(impatient, head)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"the body did not arrive within 1 seconds" in answer
    wait_until(lambda: impatient.service.gate.inside == 0)


@pytest.mark.parametrize(
    "data",
    [
        b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n<p>half",
        b"POST /v1/many HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"htm",
        b"POST /v1/extract HTTP/1.1\r\nHost",
        b"",
    ],
)  # fmt: skip
def test_half_a_request(server: Running, data: bytes) -> None:
    with socket.create_connection(server.host_and_port, timeout=300) as connection:
        connection.sendall(data)
    assert server.http.get("/health").json()["status"] == "ok"
    assert server.post("/v1/extract", content=HARBOUR).json()["title"] == TITLE


def test_many_names_in_the_address_take_little_time(server: Running) -> None:
    query = "&".join(f"{number:x}" for number in range(12_000))
    data = f"POST /v1/extract?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n\r\n<p>".encode()
    started = time.process_time()  # of the service too, which runs in a thread
    assert send_raw(server, data.replace(b"Host", b"Connection: close\r\nHost")).startswith(b"HTTP/1.1 422 ")
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "data", [b"\x16\x03\x01\x02\x00\x01\x00\xff", b"GET / HTTP/1.1\r\nHo st: x\r\n\r\n", b"hello\r\n\r\n"]
)
def test_not_http(server: Running, data: bytes) -> None:
    with socket.create_connection(server.host_and_port, timeout=300) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = receive_all(connection)
    assert answer[:12] in (b"", b"HTTP/1.1 400")
    assert server.http.get("/health").status_code == 200


def test_small_answers(server: Running) -> None:
    assert server.http.get("/health").json() == {"status": "ok", "version": broadsheet.__version__}
    assert server.http.get("/ready").json()["status"] == "ready"
    assert [method["name"] for method in server.http.get("/v1/methods").json()] == list(broadsheet.methods())
    assert server.http.get("/v1/sites").json() == []


def test_metrics(server: Running) -> None:
    server.post("/v1/extract", content=HARBOUR)
    text = server.http.get("/metrics").text
    assert 'broadsheet_requests_total{code="200",path="/v1/extract"}' in text
    assert 'broadsheet_articles_total{status="ok"}' in text
    assert "broadsheet_workers 1.0" in text
    assert "process_resident_memory_bytes" in text


def test_openapi_has_examples_and_the_record(server: Running) -> None:
    document = server.http.get("/openapi.json").json()
    assert set(document["paths"]) == {
        "/v1/extract", "/v1/extract-url", "/v1/many", "/v1/methods", "/v1/sites", "/health", "/ready", "/metrics",
    }  # fmt: skip
    schemas = document["components"]["schemas"]
    assert list(schemas["Record"]["properties"]) == list(broadsheet.Article().to_dict())
    post = document["paths"]["/v1/extract"]["post"]
    assert set(post["responses"]) == {"200", "401", "408", "413", "415", "422", "429", "503", "504"}
    for content in post["requestBody"]["content"].values():
        assert content["example"]
    example = post["requestBody"]["content"]["application/json"]["example"]
    assert server.post("/v1/extract", json=example).json()["title"] == "Ferry returns"
    references = set(json.dumps(document).split('"#/components/schemas/')[1:])
    assert {reference.partition('"')[0] for reference in references} <= set(schemas)


def test_chunk_options(server: Running) -> None:
    answer = server.post("/v1/extract?format=chunks&max_tokens=60&overlap=20&with_markdown=true", content=HARBOUR)
    chunks = broadsheet.extract(HARBOUR).chunks(60, overlap=20, with_markdown=True)
    assert [json.loads(line) for line in answer.text.splitlines()] == [chunk.to_dict() for chunk in chunks]
    for query, message in (
        ("format=chunks&max_tokens=0", "max_tokens must be a whole number of at least 1, not 0"),
        ("overlap=20", "max_tokens, overlap and Markdown are options of chunks, not of json"),
    ):
        answer = server.post(f"/v1/extract?{query}", content=HARBOUR)
        assert (answer.status_code, answer.json()["error"]) == (422, message)


def test_docs_are_a_page_without_scripts(server: Running) -> None:
    answer = server.http.get("/docs")
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "<script" not in answer.text
    assert "http://" not in answer.text.replace("http://www.w3.org", "")
    for path in server.http.get("/openapi.json").json()["paths"]:
        assert f" {path}</h2>" in answer.text
    links = set(re.findall(r'href="#(\w+)"', answer.text))
    assert links == {"PageRequest", "UrlRequest", "Record"}
    assert links <= set(re.findall(r'<details id="(\w+)"', answer.text))
    assert "&lt;h1&gt;Ferry returns" in answer.text  # the example


def test_request_id_is_returned(server: Running) -> None:
    assert server.http.get("/health", headers={"X-Request-Id": "abc-1"}).headers["X-Request-Id"] == "abc-1"
    assert len(server.http.get("/health", headers={"X-Request-Id": "a b"}).headers["X-Request-Id"]) == 16


def test_saved_sites(tmp_path: Path) -> None:
    pages = [(f"https://courier.example/{number}", HARBOUR + b"<p>Text %d.</p>" % number) for number in range(3)]
    broadsheet.Site.learn(pages).save(tmp_path / "courier.json")
    (tmp_path / "damaged.json").write_text("{}")
    with run_service(sites=tmp_path) as running:
        courier, damaged = running.http.get("/v1/sites").json()
        assert courier == {"name": "courier", "pages": 3}
        assert damaged["name"] == "damaged"
        assert "damaged.json" in damaged["error"]
        answer = running.post("/v1/extract?site=courier", content=HARBOUR)
        expected = broadsheet.extract(HARBOUR, site=broadsheet.Site.load(tmp_path / "courier.json"))
        assert answer.json()["text"] == expected.text
        answer = running.post("/v1/extract?site=damaged", content=HARBOUR)
        assert (answer.status_code, answer.json()["status"]) == (422, "failed")
        answer = running.post("/v1/extract?site=curier", content=HARBOUR)
        assert answer.json()["error"] == "unknown site 'curier'; known: courier, damaged; did you mean 'courier'?"


@pytest.mark.parametrize(
    ("query", "accept", "media_type"),
    [
        ("", "*/*", "application/json"),
        ("", "text/markdown", "text/markdown; charset=utf-8"),
        ("", "text/markdown;q=0.5, application/json", "application/json"),
        ("", "application/json;q=0.1, text/plain", "text/plain; charset=utf-8"),
        ("", "text/markdown;q=0, image/png", "application/json"),
        ("", "text/markdown;q=much", "application/json"),
        ("?format=md", "*/*", "text/markdown; charset=utf-8"),
        ("?format=markdown", "text/html", "text/markdown; charset=utf-8"),
        ("?format=html", "*/*", "text/html; charset=utf-8"),
        ("?format=tei", "*/*", "application/tei+xml"),
        ("?format=chunks", "*/*", "application/x-ndjson"),
        ("?format=json", "text/html", "application/json"),
        ("?fields=title", "text/html", "application/json"),
    ],
)
def test_format_of_the_answer(server: Running, query: str, accept: str, media_type: str) -> None:
    answer = server.post(f"/v1/extract{query}", content=HARBOUR, headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, media_type)
    assert answer.headers["Article-Status"] == "ok"
    assert TITLE in answer.text


def test_markdown_is_that_of_the_library(server: Running) -> None:
    answer = server.post("/v1/extract", json={"html": HARBOUR.decode(), "options": {"format": "md"}})
    assert answer.text == FORMATS["md"].write(broadsheet.extract(HARBOUR.decode()))


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("format=mrkdown", "unknown format 'mrkdown'"),
        ("format=md&fields=title", "fields and include choose columns of json, not of md"),
    ],
)
def test_format_is_refused(server: Running, query: str, line: str) -> None:
    answer = server.post(f"/v1/extract?{query}", content=HARBOUR)
    assert answer.status_code == 422
    assert line in answer.json()["error"]


def test_page_that_fails_is_refused_in_any_format(server: Running) -> None:
    answer = server.post("/v1/extract?format=md", content=b"%PDF-1.7 nothing")
    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/json")


def test_lines_are_records(server: Running) -> None:
    answer = server.post("/v1/many", content=json.dumps({"html": "<p>text</p>", "options": {"format": "md"}}))
    assert "leave format out" in answer.json()["status_reason"]
