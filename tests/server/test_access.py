"""Token, rate limit, accepted hosts, CORS."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from tests.server.running import HARBOUR, Running, run_service

from broadsheet.errors import UsageError
from broadsheet.server.access import Gate, RateLimit
from broadsheet.server.refusal import Refusal
from broadsheet.server.settings import LOOPBACK_HOSTS, ServerSettings


def test_token() -> None:
    with run_service(token="sécret\n", cors_origins=("https://app.example",)) as running:
        for header in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": b"Basic s\xc3\xa9cret"}):
            answer = running.post("/v1/extract", content=HARBOUR, headers=header)
            assert answer.status_code == 401
            assert answer.headers["WWW-Authenticate"] == "Bearer"
            assert answer.json() == {"error": "a token is needed; send Authorization: Bearer TOKEN"}
        assert running.http.get("/metrics").status_code == 401
        assert running.http.get("/openapi.json").status_code == 401
        assert running.http.get("/health").status_code == running.http.get("/ready").status_code == 200
        for host in ("x/health?", "x/desk/static/?"):  # the open paths are those of the request line
            assert running.post("/v1/extract", content=HARBOUR, headers={"Host": host}).status_code in (400, 401)
        token = {"Authorization": "Bearer sécret".encode()}
        assert running.post("/v1/extract", content=HARBOUR, headers=token).status_code == 200
        check_cors(running)


def check_cors(running: Running) -> None:
    asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    answer = running.http.options("/v1/extract", headers=asked)  # browsers ask without a token
    assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example"
    refused = running.http.options("/v1/extract", headers={**asked, "Origin": "https://other.example"})
    assert "Access-Control-Allow-Origin" not in refused.headers
    # A page must be able to read why it was refused.
    answer = running.post("/v1/extract", content=b"x", headers={"Origin": "https://app.example"})
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (401, "https://app.example")


def test_no_cors_by_default(server: Running) -> None:
    answer = server.http.get("/health", headers={"Origin": "https://app.example"})
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_rate_limit() -> None:
    with run_service(max_rate=1.0) as running:
        answers = [running.http.get("/v1/sites") for _ in range(5)]
        assert [answer.status_code for answer in answers[:2]] == [200, 200]
        refused = answers[-1]
        assert refused.status_code == 429
        assert refused.headers["Retry-After"] in ("1", "2")
        assert refused.json()["error"] == "too many requests from this address; try again later"
        assert running.http.get("/health").status_code == 200


def test_rate_limit_forgets_old_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.server.access._MAX_CLIENTS", 10)
    limit = RateLimit(1.0)
    assert [limit.take("a"), limit.take("a")] == [0, 0]
    assert 0 < limit.take("a") <= 1
    for number in range(10):
        assert limit.take(str(number)) == 0
    assert limit.take("a") == 0


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("127.0.0.1:8000", 200),
        ("localhost", 200),
        ("[::1]:80", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example:80", 403),
    ],
)
def test_names_of_other_hosts_are_refused(server: Running, host: str, code: int) -> None:
    """A web page whose name was made to resolve to this machine cannot use the service (DNS rebinding)."""
    answer = server.http.get("/v1/sites", headers={"Host": host})
    assert answer.status_code == code


@pytest.mark.parametrize(
    ("settings", "hosts"),
    [
        ({}, LOOPBACK_HOSTS),
        ({"host": "0.0.0.0"}, ()),
        ({"token": "x"}, ()),
        ({"hosts": ("api.example",)}, ("api.example",)),
    ],
)
def test_accepted_hosts(settings: dict[str, object], hosts: tuple[str, ...]) -> None:
    assert ServerSettings(**settings).accepted_hosts == hosts  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"workers": 0}, "workers must be at least 1, not 0"),
        ({"max_waiting": -1}, "max_waiting must be at least 0, not -1"),
        ({"body_seconds": 0}, "body_seconds must be greater than 0, not 0"),
        ({"max_rate": float("nan")}, "max_rate must be greater than 0, not nan"),
        ({"token": " "}, "the token is empty; pass a longer one, or none"),
    ],
)
def test_wrong_settings(settings: dict[str, object], line: str) -> None:
    with pytest.raises(UsageError, match=line):
        ServerSettings(**settings)  # type: ignore[arg-type]


def test_refused_clients_are_spread() -> None:
    """Clients that all came back at once would be refused again."""
    gate = Gate(max_inside=4, lanes=2)
    for _ in range(100):
        gate.record_seconds(1.0)
    gate.inside = 4
    waits = []
    for _ in range(20):
        with pytest.raises(Refusal) as refusal:
            gate.check("a")
        waits.append(int((refusal.value.headers or {})["Retry-After"]))
    assert waits == sorted(waits)
    assert waits[0] < 3
    assert 9 < waits[-1] < 13  # the others are two in a second
    for _ in range(20):
        gate.record_seconds(1.0)
    assert gate.estimate_wait() == waits[0]
