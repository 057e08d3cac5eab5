"""Attackers of a service, each from an address of its own: python -m benchmarks.service_attackers PORT SECONDS

They send what once blocked the service: JSON with a million wrong values, thousands of gzip members, large uploads on
many connections, streams that drip, requests of other web sites, two lengths, wrong tokens, idle connections. Prints
a line when it starts, and at the end how often each status was answered. `python -m benchmarks.service_load --attack`
runs it beside good clients.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Awaitable

LARGE = 7_900_000
_ITEMS = b'{"html": "", "options": {"include": [' + b"1," * (LARGE // 2) + b"1]}}"
_UNCLOSED = b'{"html": "' + b'\\"' * (LARGE // 2)
_DEEP = b'{"html": ' + b"[" * LARGE
_MEMBERS = gzip.compress(b"") * (LARGE // 20)
_BOMB = gzip.compress(bytes(200_000_000), 9)
_UPLOAD = b"<p>" + b"x" * LARGE
_JSON = "Content-Type: application/json\r\n"
_GZIP = "Content-Encoding: gzip\r\n"
_EVIL = "Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: empty\r\n"


def make_request(path: str, headers: str, body: bytes) -> bytes:
    """Return a whole request."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


REQUESTS = {
    "a million wrong values": make_request("/v1/extract", _JSON, _ITEMS),
    "string without end": make_request("/v1/extract", _JSON, _UNCLOSED),
    "deep JSON": make_request("/v1/extract", _JSON, _DEEP),
    "gzip members": make_request("/v1/extract", _GZIP, _MEMBERS),
    "gzip bomb": make_request("/v1/extract", _GZIP, _BOMB),
    "large upload": make_request("/v1/extract", "", _UPLOAD),
    "another web site": make_request("/v1/extract", _EVIL, b"<p>x"),
    "two lengths": make_request("/v1/extract", "Transfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
    "address of the machine": make_request("/v1/extract-url", _JSON, b'{"url": "http://127.0.0.1:22/"}'),
    "wrong token": make_request("/v1/extract", "Authorization: Bearer x\r\n", b""),
}
_CONNECTIONS = 8  # of each request above
_DRIPS = 65
_IDLE = 50


async def repeat(name: str, port: int, address: str, end: float, codes: Counter[str]) -> None:
    """Send a request again and again, without regard to Retry-After."""
    while time.monotonic() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            writer.write(REQUESTS[name])
            async with asyncio.timeout(end - time.monotonic() + 1):
                line = await reader.readline()
            codes[f"{name}: {line[9:12].decode() or 'closed'}"] += 1
            writer.close()
        except (OSError, TimeoutError):
            codes[f"{name}: no answer"] += 1
        await asyncio.sleep(0.05)


async def drip(port: int, address: str, end: float, codes: Counter[str]) -> None:
    """Hold a place of /v1/many with one byte per second."""
    while time.monotonic() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            writer.write(b"POST /v1/many HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
            while time.monotonic() < end and not reader.at_eof():
                writer.write(b"1\r\n{\r\n")
                await writer.drain()
                line = await _read_line(reader, 1.0)
                if line is not None:
                    codes[f"drip: {line[9:12].decode() or 'closed'}"] += 1
                    break
            writer.close()
        except OSError:
            codes["drip: no answer"] += 1
        await asyncio.sleep(0.2)


async def _read_line(reader: asyncio.StreamReader, seconds: float) -> bytes | None:
    try:
        async with asyncio.timeout(seconds):
            return await reader.readline()
    except TimeoutError:
        return None


async def stay(port: int, address: str, end: float) -> None:
    """Open a connection and send half a request line."""
    _, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    writer.write(b"POST /v1/ext")
    await asyncio.sleep(end - time.monotonic())
    writer.close()


async def attack(port: int, seconds: float) -> Counter[str]:
    """Run all attackers; return how often each answered what."""
    end = time.monotonic() + seconds
    codes: Counter[str] = Counter()
    attackers: list[Awaitable[None]] = []
    for number, name in enumerate(REQUESTS, 1):
        address = f"127.0.2.{number}"
        attackers += [repeat(name, port, address, end, codes) for _ in range(_CONNECTIONS)]
    attackers += [drip(port, "127.0.3.1", end, codes) for _ in range(_DRIPS)]
    attackers += [stay(port, "127.0.3.2", end) for _ in range(_IDLE)]
    await asyncio.gather(*attackers, return_exceptions=True)
    return codes


if __name__ == "__main__":
    print("started", flush=True)
    print(json.dumps(asyncio.run(attack(int(sys.argv[1]), float(sys.argv[2])))))
