"""Random requests for a running service and desk: python -m tests.fuzz.service --seconds 60 --seed 0

Bodies and parameters are made from the service's own OpenAPI document; the routes of the desk, from its table of routes.
Every third request is changed byte by byte, and sent as it is. No answer may be 500 or come late; an answer other than
200 is one line of JSON; the service goes on.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import quote

from tests.fuzz.mutate import make_text, mutate_bytes, mutate_json
from tests.server.running import Running, run_service

from broadsheet.desk.app import add_desk

MAX_SECONDS = 60.0  # for one answer, on a busy machine
_PAGE = b"<title>A ferry returns</title><h1>A ferry returns</h1><p>The council voted to keep the ferry."
_HEADERS = (
    *(
        "Content-Type: application/json",
        "Content-Type: text/html; charset=x",
        "Content-Encoding: gzip",
        "Accept: text/html",
    ),
    *("Origin: null", "Sec-Fetch-Site: cross-site", "Range: bytes=0-", "Expect: 100-continue", "Upgrade: websocket"),
    *("X-Request-Id: a\x0bb", "Authorization: Bearer \xff", "Content-Length: 5", "Transfer-Encoding: chunked", "TE: x"),
)
_METHODS = ("GET", "POST", "POST", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE", "x")


class Operation:
    """A method and path of the document, with the names of its parameters and an example of its body."""

    def __init__(self, method: str, path: str, facts: dict[str, Any]) -> None:
        self.method = method.upper()
        self.path = path
        self.parameters = [row["name"] for row in facts.get("parameters", ()) if row["in"] == "query"]
        content = facts.get("requestBody", {}).get("content", {})
        self.bodies = [(name, _encode(row.get("example", {"x": "y"}))) for name, row in content.items()]


def _encode(example: Any) -> bytes:
    return example.encode() if isinstance(example, str) else json.dumps(example).encode()


def list_operations(server: Running) -> list[Operation]:
    """Return all operations: of the service and of the desk."""
    document = server.http.get("/openapi.json").json()
    return [Operation(method, path, facts) for path, row in document["paths"].items() for method, facts in row.items()]


def make_request(operations: list[Operation], random: Random) -> tuple[bytes, bool]:
    """Return a request as bytes, and whether it is whole."""
    operation = random.choice(operations)
    method = operation.method if random.random() < 0.8 else random.choice(_METHODS)
    path = operation.path.replace("{", "").replace("}", "")
    names = random.sample(operation.parameters, min(len(operation.parameters), random.randrange(3)))
    query = "&".join(f"{name}={quote(make_text(random)[:50], errors='replace')}" for name in names)
    kind, body = random.choice(operation.bodies or [("text/html", _PAGE)])
    if random.random() < 0.7:
        body = mutate_json(body, random) if kind != "text/html" else mutate_bytes(body, random)
    headers = [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    extra = random.sample(_HEADERS, random.choice((0, 0, 1, 2)))
    headers += extra
    head = f"{method} {path}{'?' if query else ''}{query} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    request = (head + "".join(f"{line}\r\n" for line in headers) + "\r\n").encode("latin-1", "replace") + body
    return (mutate_bytes(request, random), False) if random.random() < 0.3 else (request, not extra)


def send(server: Running, request: bytes, *, is_whole: bool) -> bytes:
    """Send bytes, and no more; return the answer. After a part of a request, the connection is closed on this side."""
    with socket.create_connection(server.host_and_port, timeout=MAX_SECONDS) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(request)
            if not is_whole:
                connection.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ConnectionError):
            while piece := connection.recv(65_536):
                answer += piece
    return answer


def check(request: bytes, answer: bytes) -> str:
    """Return what is wrong with an answer; "" if nothing is."""
    head, _, body = answer.partition(b"\r\n\r\n")
    code = head[9:12]
    if not answer or code in (b"200", b"100", b"304"):
        return ""  # the connection of a wrong request may be closed without an answer
    if code[:1] != b"4" and code not in (b"503", b"504"):
        return f"answered {head[:100]!r}"
    if b"application/json" in head and not request.startswith(b"HEAD"):
        length = re.search(rb"\r\ncontent-length: (\d+)", head, re.IGNORECASE)
        body = body[: int(length[1])] if length else body  # what follows answers the rest, read as another request
        with contextlib.suppress(ValueError):
            if "\n" not in json.loads(body)["error"]:
                return ""
        return f"the error is not one line of JSON: {body[:200]!r}"
    return ""


def run(server: Running, seed: int, count: int) -> Iterator[tuple[str, str]]:
    """Send requests; yield the code of each answer, and what is wrong."""
    operations = list_operations(server)
    for number in range(count):
        request, is_whole = make_request(operations, Random(seed * 1_000_000 + number))
        try:
            answer = send(server, request, is_whole=is_whole)
        except TimeoutError:
            yield "late", f"no answer in {MAX_SECONDS:.0f} s to {request[:200]!r}"
            continue
        fault = check(request, answer) if answer or not is_whole else "was not answered"
        yield (
            answer[9:12].decode("latin-1") or "closed",
            f"request {number} ({request[:200]!r}) {fault}" if fault else "",
        )


def main() -> int:
    """Run for some seconds; return 1 if an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    codes: Counter[str] = Counter()
    failures = 0
    with run_service(add_routes=add_desk, max_body_bytes=200_000, body_seconds=2.0, fetchers=0) as server:
        for code, fault in run(server, options.seed, sys.maxsize):
            codes[code] += 1
            if fault:
                failures += 1
                print(fault, flush=True)
            if time.monotonic() > end:
                break
        assert server.http.get("/health").status_code == 200
    print(f"{codes.total()} requests, seed {options.seed}: {dict(codes)}; {failures} failures")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
