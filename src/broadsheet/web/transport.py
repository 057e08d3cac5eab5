"""The transport of httpx: connections go only to addresses that the guard has checked.

httpx's own transport takes no network backend, httpcore's connection pool does. Proxies are used only if the guard says
so: those of the environment (http_proxy, https_proxy, no_proxy; on Windows and macOS also of the system's settings),
read as urllib does.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Iterable
from importlib.util import find_spec
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from broadsheet.web.guard import DEFAULT_GUARD, AddressGuard

_Options = Iterable[httpcore.SOCKET_OPTION]


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections. The name is looked up once, and the connection goes to an address that was checked.

    A guard of None allows all addresses: the connection goes to a proxy that the user chose.
    """

    def __init__(self, guard: AddressGuard | None) -> None:
        self._guard = guard
        self._sockets = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: _Options | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of the host that answers; each gets an equal share of the time left."""
        ends = None if timeout is None else time.monotonic() + timeout
        ips = await resolve_host(host, port)
        if self._guard is not None:
            self._guard.check_ips(host, ips)
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for count_left, ip in zip(range(len(ips), 0, -1), ips, strict=True):
            seconds = None if ends is None else max(ends - time.monotonic(), 0) / count_left
            try:
                return _Stream(await self._sockets.connect_tcp(ip, port, seconds, local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def sleep(self, seconds: float) -> None:
        """Wait between attempts to connect."""
        await asyncio.sleep(seconds)


class _Stream(httpcore.AsyncNetworkStream):
    """A connection that is closed if its TLS handshake is cancelled; httpcore would leave it open."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        try:
            return await self._stream.start_tls(ssl_context, server_hostname, timeout)
        except BaseException:
            await self._stream.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class GuardedTransport(httpx.AsyncBaseTransport):
    """Sends requests. The caller limits the time, the guard the addresses.

    HTTP/2 is used if the package h2 is installed and the server offers it.
    """

    def __init__(self, guard: AddressGuard = DEFAULT_GUARD) -> None:
        self._guard = guard
        self._pools: dict[tuple[str, str | None], httpcore.AsyncConnectionPool] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the body of the response is streamed."""
        url = request.url
        response = await self._choose_pool(url).handle_async_request(
            httpcore.Request(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.content or None,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            response.status, headers=response.headers, stream=_Body(response), extensions=response.extensions
        )

    async def aclose(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            await pool.aclose()

    def _choose_pool(self, url: httpx.URL) -> httpcore.AsyncConnectionPool:
        key = (url.scheme, find_proxy(url) if self._guard.use_proxy else None)
        if key not in self._pools:
            self._pools[key] = self._open_pool(*key)
        return self._pools[key]

    def _open_pool(self, scheme: str, proxy: str | None) -> httpcore.AsyncConnectionPool:
        return httpcore.AsyncConnectionPool(
            # The certificates of the system, not those of certifi: companies install their own there.
            ssl_context=ssl.create_default_context() if scheme == "https" else None,
            proxy=parse_proxy(proxy) if proxy else None,
            http2=has_http2(),
            network_backend=GuardedBackend(None if proxy else self._guard),
        )


def has_http2() -> bool:
    """Return whether the package that speaks HTTP/2 is installed (extra "fetch")."""
    return find_spec("h2") is not None


def find_proxy(url: httpx.URL) -> str | None:
    """Return the proxy that the environment sets for an address."""
    proxy = getproxies().get(url.scheme)
    return None if not proxy or proxy_bypass(url.netloc.decode("ascii")) else proxy


def parse_proxy(address: str) -> httpcore.Proxy:
    """Return the proxy at an address; the scheme may be left out."""
    proxy = httpx.Proxy(address if "://" in address else f"http://{address}")
    return httpcore.Proxy(str(proxy.url), auth=proxy.raw_auth)


async def resolve_host(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host, in the system's order of preference.

    The lookup has no timeout, so it runs in a thread. A late one is abandoned; its thread ends when the resolver of
    the system gives up. Threads of asyncio's own executor would delay the end of the program until then.
    """
    loop = asyncio.get_running_loop()
    lookup: asyncio.Future[list[Any]] = loop.create_future()

    def finish(entries: list[Any] | None, error: Exception | None) -> None:
        if lookup.done():  # cancelled
            return
        if error is not None:
            lookup.set_exception(error)
        else:
            lookup.set_result(entries or [])

    def run() -> None:
        entries, failure = None, None
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except Exception as error:  # raised in the event loop
            failure = error
        with contextlib.suppress(RuntimeError):  # the event loop is closed
            loop.call_soon_threadsafe(finish, entries, failure)

    threading.Thread(target=run, name="broadsheet-lookup", daemon=True).start()
    try:
        return list(dict.fromkeys(str(entry[4][0]) for entry in await lookup))
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(str(error)) from error


class _Body(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._response.aiter_stream():
            yield piece

    async def aclose(self) -> None:
        await self._response.aclose()
