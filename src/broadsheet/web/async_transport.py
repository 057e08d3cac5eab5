"""The transport of asynchronous requests: connections go only to addresses that the guard has checked."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Iterable

import httpcore
import httpx

from broadsheet.web.guard import DEFAULT_GUARD, AddressGuard
from broadsheet.web.transport import find_proxy, has_http2, parse_proxy

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
        """Connect to the first address of the host that answers."""
        ips = await _resolve_host(host, port)
        if self._guard is not None:
            self._guard.check_ips(host, ips)
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for ip in ips:
            try:
                return await self._sockets.connect_tcp(ip, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def sleep(self, seconds: float) -> None:
        """Wait between attempts to connect."""
        await asyncio.sleep(seconds)


class GuardedTransport(httpx.AsyncBaseTransport):
    """Sends requests without a body. The caller limits the time, the guard the addresses."""

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
            ssl_context=ssl.create_default_context() if scheme == "https" else None,
            proxy=parse_proxy(proxy) if proxy else None,
            http2=has_http2(),
            network_backend=GuardedBackend(None if proxy else self._guard),
        )


async def _resolve_host(host: str, port: int) -> list[str]:
    try:
        entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(str(error)) from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


class _Body(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._response.aiter_stream():
            yield piece

    async def aclose(self) -> None:
        await self._response.aclose()
