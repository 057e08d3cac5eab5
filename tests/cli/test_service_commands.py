"""`broadsheet serve` as a whole: start, logs, stop with requests in progress, errors of one line."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from broadsheet.cli.app import run
from broadsheet.server.settings import LOOPBACK_HOSTS, ServerSettings

HARBOUR = (Path(__file__).parents[2] / "examples" / "pages" / "harbour.html").read_bytes()


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    """A service with settings from the environment and from options."""
    command = [sys.executable, "-m", "broadsheet", "serve", "--port", "0", "--workers", "1"]
    environment = {
        **os.environ,
        "BROADSHEET_MAX_BODY_BYTES": "100000",
        "BROADSHEET_CORS_ORIGIN": "https://a.example https://b.example",
    }
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as started:
        yield started
        started.kill()


def read_log(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stderr is not None
    line: dict[str, Any] = json.loads(process.stderr.readline())
    return line


def wait_until_closed(port: int) -> None:
    """Wait until no new connections are accepted."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=300).close()
        except OSError:
            return
        time.sleep(0.05)
    raise AssertionError("the port is still open")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_requests_in_progress_are_finished(process: subprocess.Popen[str], number: signal.Signals) -> None:
    ready = read_log(process)
    assert (ready["message"], ready["workers"]) == ("ready", 1)
    port = int(ready["address"].rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=300) as connection:
        head = b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(HARBOUR)
        connection.sendall(head + HARBOUR[:1000])
        answer = httpx.get(f"{ready['address']}/v1/sites", headers={"Origin": "https://b.example"}, timeout=300)
        assert answer.headers["Access-Control-Allow-Origin"] == "https://b.example"
        assert httpx.post(f"{ready['address']}/v1/extract", content=b"x" * 100_001, timeout=300).status_code == 413
        process.send_signal(number)
        wait_until_closed(port)
        connection.sendall(HARBOUR[1000:])
        received = connection.recv(1_000_000)
    assert received.startswith(b"HTTP/1.1 200 OK")
    assert process.wait(300) == 0
    assert process.stderr is not None
    lines = [json.loads(line) for line in process.stderr]  # every line of the log is JSON
    assert lines[-1]["message"] == "stopped"
    request = next(line for line in lines if line.get("path") == "/v1/extract" and line["code"] == 200)
    assert request["status"] == "ok"
    assert {"time", "level", "request", "client", "bytes_in", "ms", "wait_ms", "work_ms"} <= set(request)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--method", "fuson"], "unknown method 'fuson'; known: "),
        (["--host", "192.0.2.1"], "cannot listen on 192.0.2.1:8000: Cannot assign requested address; choose another"),
        (["--sites", "nowhere"], "nowhere is not a folder; pass the folder of saved sites"),
        (["--workers", "0"], "invalid value for '--workers'"),
        (["--body-seconds", "0"], "body_seconds must be greater than 0, not 0"),
        (["--log-level", "loud"], "unknown log level 'loud'; known: debug, info, warning, error"),
    ],
)
def test_wrong_settings_are_one_line(arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"broadsheet: {line}")


def test_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert run(["serve", "--port", str(port)]) == 2
    expected = (
        f"broadsheet: cannot listen on 127.0.0.1:{port}: Address already in use; choose another --port or --host\n"
    )
    assert capsys.readouterr().err == expected


def test_missing_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert run(["serve"]) == 1
    assert capsys.readouterr().err == "broadsheet: uvicorn is not installed; run: pip install 'broadsheet[server]'\n"


@pytest.mark.parametrize("arguments", [[], ["--no-desk"]])
def test_a_service_without_a_desk_imports_nothing_of_it(arguments: list[str]) -> None:
    code = (
        "import sys; from unittest.mock import patch; from broadsheet.cli.app import run; import broadsheet.server.run\n"
        "with patch('broadsheet.server.run.run_server') as serve: run(['serve', *sys.argv[1:]])\n"
        "assert serve.called\n"
        "parts = {name.split('.')[1] for name in sys.modules if name.startswith('broadsheet.')}\n"
        "assert not parts & {'desk', 'evaluation', 'corpora', 'project', 'training'}, parts"
    )
    subprocess.run([sys.executable, "-c", code, *arguments], check=True)


@pytest.mark.parametrize(
    ("arguments", "has_token"), [(["desk", "--no-open"], True), (["serve", "--desk"], False)], ids=["desk", "serve"]
)
def test_the_desk_has_a_secret_for_each_start(
    arguments: list[str], has_token: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secrets = []

    def run_server(settings: ServerSettings, *, on_ready: Callable[[str], None], **_: object) -> None:
        on_ready("http://127.0.0.1:8000")
        secret = settings.desk_secret
        assert secret is not None
        assert settings.token == (secret if has_token else None)
        assert settings.accepted_hosts == LOOPBACK_HOSTS
        assert f"http://127.0.0.1:8000/?token={secret} " in capsys.readouterr().out
        secrets.append(secret)

    monkeypatch.setattr("broadsheet.server.run.run_server", run_server)
    assert [run(arguments), run(arguments)] == [0, 0]
    assert len(set(secrets)) == 2
    assert min(map(len, secrets)) >= 32


def test_project_needs_the_desk(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--project", "p"]) == 2
    assert capsys.readouterr().err == "broadsheet: --project is for the desk; add --desk\n"
