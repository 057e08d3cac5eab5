"""Attacks on the process that answers requests: bodies, slow clients, other web sites, wrong tokens."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from tests.server.running import HARBOUR, Running, receive_all, run_service, send_raw, wait_until

from broadsheet.server.access import Gate, GatePlace, RateLimit
from broadsheet.server.app import make_app
from broadsheet.server.body import Pace
from broadsheet.server.refusal import Refusal
from broadsheet.server.request_log import JsonFormatter
from broadsheet.server.requests import PageRequest, has_few_tokens, parse_request
from broadsheet.server.run import make_config
from broadsheet.server.service import Service
from broadsheet.server.settings import ServerSettings
from broadsheet.web.body import GzipDecoder

EVIL = "https://evil.example"
ITEMS = b"[" + b"1," * 400_000 + b"1]"


def list_bodies() -> Iterator[tuple[str, bytes]]:
    """Bodies of JSON that cost much more than their bytes if every fault is collected."""
    yield "wrong items", b'{"html": "", "options": {"include": ' + ITEMS + b"}}"
    yield "items at the top", ITEMS
    yield "unknown names", b"{" + b",".join(b'"a%d": 1' % number for number in range(60_000)) + b"}"
    yield "deep", b'{"html": ' + b"[" * 900_000
    yield "escaped quotes without end", b'{"html": "' + b'\\"' * 450_000
    yield "backslash at the end", b'{"html": "' + b"x" * 900_000 + b"\\"
    yield "many columns", b'{"html": "x", "options": {"fields": [' + b'"text",' * 100_000 + b'"text"]}}'
    yield "a number of many digits", b'{"html": ' + b"1" * 900_000 + b"}"


BODIES = dict(list_bodies())


@pytest.mark.parametrize("name", BODIES)
def test_wrong_json_is_refused_at_the_first_fault(name: str) -> None:
    started = time.thread_time()
    with pytest.raises(Refusal) as refused:
        parse_request(PageRequest, BODIES[name])
    assert refused.value.code == 422
    assert len(refused.value.line) < 300
    assert time.thread_time() - started < 0.3


def test_tokens_of_a_page_are_few() -> None:
    page = json.dumps({"html": '<p class="a">"[{,:' * 50_000 + "\\", "url": "https://x.example/"}).encode()
    assert has_few_tokens(page, 20)
    assert not has_few_tokens(b"[" * 21, 20)


@pytest.mark.parametrize("path", ["/v1/extract", "/v1/many"])
def test_the_event_loop_does_not_look_into_bodies(server: Running, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither unpacking nor parsing happens in this process."""

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("called in the process of the event loop")

    monkeypatch.setattr("broadsheet.server.requests.parse_request", fail)
    monkeypatch.setattr("broadsheet.server.body.unpack_body", fail)
    answer = server.post(path, content=b'{"html": "<p>fine</p>"}', headers={"Content-Type": "application/json"})
    assert answer.json()["text"] == "fine"
    if path == "/v1/extract":
        packed = server.post(path, content=gzip.compress(HARBOUR), headers={"Content-Encoding": "gzip"})
        assert packed.json()["title"]


@pytest.mark.parametrize("name", BODIES)
def test_hostile_json_takes_little_time_and_the_service_goes_on(server: Running, name: str) -> None:
    answer = server.post("/v1/extract", content=BODIES[name], headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert server.http.get("/health").status_code == 200


def test_gzip_members_are_limited() -> None:
    decoder = GzipDecoder()
    assert decoder.decode(gzip.compress(b"ab") * 900, 10_000) == b"ab" * 900
    with pytest.raises(Exception, match="does not match its Content-Encoding"):
        decoder.decode(gzip.compress(b"") * 200, 10_000)


def test_encoded_bytes_are_limited(server: Running) -> None:
    """Empty members unpack to nothing, so only the bytes that were sent can be counted."""
    body = gzip.compress(b"") * 60_000
    answer = server.post("/v1/extract", content=body, headers={"Content-Encoding": "gzip"})
    assert answer.status_code == 413
    answer = server.post("/v1/extract", content=body[:900_000], headers={"Content-Encoding": "gzip"})
    assert answer.status_code == 422


# Places


def test_every_route_needs_a_place() -> None:
    """Also a route that is added later: admission is not a matter of routes."""
    service = Service(ServerSettings(workers=1, max_waiting=0))
    reached: list[str] = []

    async def new() -> None:
        reached.append("new")

    def add_routes(app: Any) -> None:
        app.post("/desk/api/new")(new)

    app = make_app(service, add_routes)
    service.gate.inside = service.gate.max_inside
    codes = {path: asyncio.run(ask(app, path)) for _, path in list_routes(app)}
    assert "/desk/api/new" in codes
    free = {path for path, code in codes.items() if code != 503}
    assert free == {"/", "/health", "/ready", "/metrics"}  # 405: they are read
    assert not reached


async def ask(app: Any, path: str, method: str = "POST", **headers: str) -> int:
    """Call an application without a server; return the status of its answer."""
    codes: list[int] = []
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
        "scheme": "http", "http_version": "1.1", "root_path": "", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        "headers": [(b"host", b"127.0.0.1"), *((k.encode().lower(), v.encode()) for k, v in headers.items())],
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            codes.append(message["status"])

    await app(scope, receive, send)
    return codes[0]


def test_one_client_does_not_get_all_places() -> None:
    gate = Gate(8, 1, client_share=0.75)
    places = [GatePlace(gate, "a") for _ in range(6)]
    with pytest.raises(Refusal, match="too many requests of this address"):
        GatePlace(gate, "a")
    others = [GatePlace(gate, "b") for _ in range(2)]
    with pytest.raises(Refusal, match="is busy"):
        GatePlace(gate, "c")
    for place in (*places, *others):
        place.leave()
        place.leave()  # the response has begun, then ended
    assert (gate.inside, gate.held_bytes.total()) == (0, 0)
    GatePlace(gate, "a").leave()


def test_bytes_of_all_bodies_are_limited() -> None:
    gate = Gate(100, 1, client_share=0.75, max_held_bytes=1000)
    first, second = GatePlace(gate, "a"), GatePlace(gate, "b")
    first.hold(700)
    with pytest.raises(Refusal, match="too many large bodies"):
        first.hold(800)
    first.leave()
    second.hold(700)
    second.leave()
    assert gate.held_bytes.total() == 0


def test_large_bodies_of_many_clients_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.server.access._MAX_HELD_BYTES", 1)
    monkeypatch.setattr("broadsheet.server.access._MIN_HELD_BODIES", 2)
    head = b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n"
    with run_service(max_body_bytes=100_000) as running:
        connections = [socket.create_connection(running.host_and_port, timeout=300) for _ in range(4)]
        for connection in connections:
            connection.sendall(head + b"x" * 90_000)
        wait_until(lambda: running.service.gate.inside < 4)
        answers = []
        for connection in connections:
            connection.settimeout(0.2)
            answers.append(receive_all(connection))
            connection.close()
        refused = [answer for answer in answers if answer.startswith(b"HTTP/1.1 503 ")]
        assert refused
        assert running.post("/v1/extract", content=b"<p>fine</p>").status_code == 200


# Slow clients


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("size", "seconds", "is_slow"), [(1, 1.0, True), (5_000, 1.0, False), (1, 0.001, False)])
def test_pace(size: int, seconds: float, is_slow: bool) -> None:
    clock = Clock()
    pace = Pace(1000.0, clock)
    with pytest.raises(Refusal, match="slower than 1000 bytes") if is_slow else nullcontext():
        for _ in range(100):
            with pace.wait():
                clock.now += seconds
            pace.count(size)


def test_a_stream_that_drips_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.server.body._GRACE_SECONDS", 0.1)
    with run_service() as running, socket.create_connection(running.host_and_port, timeout=300) as connection:
        connection.sendall(b"POST /v1/many HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(20):
            connection.sendall(b"1\r\n{\r\n")
            time.sleep(0.05)
        assert receive_all(connection).startswith(b"HTTP/1.1 408 ")
        wait_until(lambda: running.service.gate.inside == 0)


def test_a_stream_has_a_time_limit() -> None:
    line = b'{"html": "<p>first</p>"}\n'
    with (
        run_service(stream_seconds=1.0) as running,
        socket.create_connection(running.host_and_port, timeout=300) as connection,
    ):
        connection.sendall(b"POST /v1/many HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
        received = b""
        while not received.endswith(b"0\r\n\r\n"):
            received += connection.recv(65536)
        assert b'"text": "first"' in received
        assert b"the request took longer than 1 seconds" in received
        wait_until(lambda: running.service.gate.inside == 0)


# Other web sites


def list_routes(app: Any) -> list[tuple[str, str]]:
    """Return the method and path of every route. Newer versions of FastAPI keep the routers that were included."""
    routes: list[tuple[str, str]] = []
    for route in app.routes:
        if (router := getattr(route, "original_router", None)) is not None:
            routes += list_routes(router)
        else:
            routes += [(method, route.path) for method in sorted(route.methods)]
    return routes


def make_desk_app(**settings: Any) -> Any:
    from broadsheet.desk.app import add_desk

    return make_app(Service(ServerSettings(workers=1, **settings)), add_desk)


CROSS_SITE = [
    {"Origin": EVIL},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", CROSS_SITE, ids=str)
def test_no_route_answers_scripts_of_other_sites(headers: dict[str, str]) -> None:
    app = make_desk_app()
    routes = list_routes(app)
    assert len(routes) > 30
    for method, path in routes:
        headers = {**headers, "Sec-Fetch-Dest": "empty"}
        assert asyncio.run(ask(app, path, method, **headers)) == 403, (method, path)


def test_documents_that_other_sites_may_open() -> None:
    app = make_desk_app()
    headers = {"Origin": EVIL, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
    allowed = {row for row in list_routes(app) if asyncio.run(ask(app, row[1], row[0], **headers)) != 403}
    assert {row for row in allowed if row[0] != "HEAD"} == {("GET", "/"), ("GET", "/desk/clip"), ("POST", "/desk/clip")}


def test_origins_that_the_operator_named() -> None:
    app = make_app(Service(ServerSettings(workers=1, cors_origins=("https://app.example",))))
    allowed = {"Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"}
    assert asyncio.run(ask(app, "/v1/methods", "GET", **allowed)) == 200
    assert asyncio.run(ask(app, "/v1/methods", "GET", Origin=EVIL)) == 403


# The secret of the desk


def test_the_desk_has_a_secret_and_the_service_none() -> None:
    app = make_desk_app(desk_secret="s3cret")
    secret = {"Authorization": "Bearer s3cret"}
    for path in ("/desk/api/samples", "/desk/api/project", "/desk/api/contenders"):
        assert asyncio.run(ask(app, path, "GET")) == 401
        assert asyncio.run(ask(app, path, "GET", Authorization="Bearer wrong")) == 401
    assert asyncio.run(ask(app, "/desk/api/samples", "GET", **secret)) == 200
    for path in ("/", "/desk/clip", "/desk/static/app.js", "/v1/methods"):
        assert asyncio.run(ask(app, path, "GET")) == 200


# Tokens, forwarding, framing, logs


def test_wrong_tokens_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.server.access._MAX_WRONG_TOKENS", 3)
    app = make_app(Service(ServerSettings(workers=1, token="right")))
    codes = [asyncio.run(ask(app, "/v1/methods", "GET", Authorization=f"Bearer {n}")) for n in range(5)]
    assert codes == [401, 401, 401, 429, 429]
    assert asyncio.run(ask(app, "/v1/methods", "GET", Authorization="Bearer right")) == 429
    assert asyncio.run(ask(app, "/v1/methods", "GET")) == 401  # no guess


def test_find_wait_takes_nothing() -> None:
    limit = RateLimit(1.0, 2)
    assert [limit.find_wait("a"), limit.take("a"), limit.take("a")] == [0, 0, 0]
    assert limit.find_wait("a") > 0


@pytest.mark.parametrize(
    ("trusted", "codes"), [((), [200, 200, 429, 429]), (("127.0.0.1",), [200, 200, 200, 200])], ids=["not", "trusted"]
)
def test_forwarding_headers_only_from_proxies_that_are_named(trusted: tuple[str, ...], codes: list[int]) -> None:
    with run_service(max_rate=1.0, trusted_proxies=trusted) as running:
        answers = [running.http.get("/v1/sites", headers={"X-Forwarded-For": f"10.0.0.{n}"}) for n in range(4)]
    assert [answer.status_code for answer in answers] == codes


def test_uvicorn_trusts_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    settings = ServerSettings(workers=1)
    config = make_config(make_app(Service(settings)), settings)
    assert (config.proxy_headers, config.forwarded_allow_ips) == (False, [])


def test_two_lengths_close_the_connection(server: Running) -> None:
    body = b"0\r\n\r\nGET /v1/methods HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    head = b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = send_raw(server, head % len(body) + body, seconds=30.0)  # ends because the connection is closed
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


def test_log_lines_have_no_controls() -> None:
    text = "a\x1b[2J\x85\x9b31m\u2028\u202e\ud800é"
    line = JsonFormatter().format(logging.makeLogRecord({"msg": text, "path": text}))
    assert line.isprintable()
    assert line.encode()
    assert json.loads(line)["path"] == text


# The front page, ports


def test_the_front_page_is_about_the_service(server: Running) -> None:
    answer = server.http.get("/")
    assert answer.status_code == 200
    assert "POST /v1/extract" in answer.text
    assert "script" not in answer.text
    assert server.http.get("/desk/static/app.js").status_code == 404


def test_ports_are_those_of_the_operator(server: Running) -> None:
    answer = server.post("/v1/extract-url", json={"url": "http://93.184.216.34:22/"})
    assert (answer.status_code, "port 22 is not allowed here" in answer.text) == (403, True)


# Random requests


def test_random_requests_are_answered_or_refused(caplog: pytest.LogCaptureFixture) -> None:
    """A few; `make fuzz` sends many. Routes come from the documents of service and desk."""
    from tests.fuzz import service

    from broadsheet.desk.app import add_desk

    with run_service(add_routes=add_desk, max_body_bytes=200_000, body_seconds=1.0, fetchers=0) as running:
        paths = {operation.path for operation in service.list_operations(running)}
        assert {"/v1/extract", "/v1/many", "/v1/extract-url"} <= paths
        assert [fault for _, fault in service.run(running, 1, 60) if fault] == []
        assert running.http.get("/health").status_code == 200
    assert "internal error" not in caplog.text
