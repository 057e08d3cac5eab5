"""The transport of httpx over connections that end at a deadline.

httpx's own transport takes no network backend, httpcore's connection pool does. Proxies are used only if the guard says
so: those of the environment (http_proxy, https_proxy, no_proxy; on Windows and macOS also of the system's settings),
read as urllib does.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from importlib.util import find_spec
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from broadsheet.page import Deadline
from broadsheet.web.connect import DeadlineBackend
from broadsheet.web.guard import DEFAULT_GUARD, AddressGuard


class DeadlineTransport(httpx.BaseTransport):
    """Sends requests until a deadline. HTTP/2 is used if the package h2 is installed and the server offers it."""

    def __init__(self, deadline: Deadline, guard: AddressGuard = DEFAULT_GUARD) -> None:
        self._deadline = deadline
        self._guard = guard
        self._pools: dict[tuple[str, str | None], httpcore.ConnectionPool] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request without a body; the body of the response is streamed."""
        url = request.url
        response = self._choose_pool(url).handle_request(
            httpcore.Request(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            response.status, headers=response.headers, stream=_Body(response), extensions=response.extensions
        )

    def close(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            pool.close()

    def _choose_pool(self, url: httpx.URL) -> httpcore.ConnectionPool:
        key = (url.scheme, find_proxy(url) if self._guard.use_proxy else None)
        if key not in self._pools:
            self._pools[key] = self._open_pool(*key)
        return self._pools[key]

    def _open_pool(self, scheme: str, proxy: str | None) -> httpcore.ConnectionPool:
        return httpcore.ConnectionPool(
            # The certificates of the system, not those of certifi: companies install their own there.
            ssl_context=ssl.create_default_context() if scheme == "https" else None,
            proxy=parse_proxy(proxy) if proxy else None,
            http2=has_http2(),
            network_backend=DeadlineBackend(self._deadline, None if proxy else self._guard),
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


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._response.iter_stream())

    def close(self) -> None:
        self._response.close()
