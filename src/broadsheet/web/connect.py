"""Connections that end at a deadline.

httpx limits each read; a server that sends a byte now and then never exceeds that limit. Here every step on the
network (name lookup, connect, TLS handshake, read, write) gets the seconds that are left until the deadline, so the
whole fetch runs in the caller's thread and returns on time.
"""
# ruff: noqa: ARG002 - the signatures are those of httpcore; its timeouts are not used

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

import httpcore

from broadsheet.page import Deadline
from broadsheet.web.guard import AddressGuard


class DeadlineBackend(httpcore.NetworkBackend):
    """Opens connections. The name is looked up once, and the connection goes to an address that was checked.

    A guard of None allows all addresses: the connection goes to a proxy that the user chose.
    """

    def __init__(self, deadline: Deadline, guard: AddressGuard | None) -> None:
        self._deadline = deadline
        self._guard = guard
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of the host that answers; each gets an equal share of the time left."""
        ips = resolve_host(host, port, self._deadline)
        if self._guard is not None:
            self._guard.check_ips(host, ips)
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for count_left, ip in zip(range(len(ips), 0, -1), ips, strict=True):
            seconds = seconds_left(self._deadline, httpcore.ConnectTimeout) / count_left
            try:
                stream = self._sockets.connect_tcp(ip, port, seconds, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return DeadlineStream(stream, self._deadline)
        raise failure


class DeadlineStream(httpcore.NetworkStream):
    """A connection whose reads and writes end at the deadline. The timeouts of the caller are ignored."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read some bytes."""
        return self._stream.read(max_bytes, seconds_left(self._deadline, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all bytes."""
        self._stream.write(buffer, seconds_left(self._deadline, httpcore.WriteTimeout))

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Start TLS; the timeout of Python's handshake covers all its reads."""
        seconds = seconds_left(self._deadline, httpcore.ConnectTimeout)
        return DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, seconds), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """Return details of the connection."""
        return self._stream.get_extra_info(info)

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()


def resolve_host(host: str, port: int, deadline: Deadline) -> list[str]:
    """Return the IP addresses of a host, in the system's order of preference.

    The lookup has no timeout, so it runs in a thread. A late one is abandoned; its thread ends when the resolver of
    the system gives up.
    """
    lookup: Future[list[Any]] = Future()

    def run() -> None:
        try:
            lookup.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:  # raised in the caller's thread below
            lookup.set_exception(error)

    seconds = seconds_left(deadline, httpcore.ConnectTimeout)
    threading.Thread(target=run, name="broadsheet-lookup", daemon=True).start()
    try:
        return list(dict.fromkeys(entry[4][0] for entry in lookup.result(seconds)))
    except TimeoutError as error:
        raise httpcore.ConnectTimeout(f"looking up {host} takes too long") from error
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(str(error)) from error


def seconds_left(deadline: Deadline, timeout_error: type[httpcore.TimeoutException]) -> float:
    """Return the seconds until the deadline. Raises the given error when none are left."""
    seconds = deadline.ends - time.monotonic()
    if seconds <= 0:
        raise timeout_error("the deadline has passed")
    return min(seconds, threading.TIMEOUT_MAX)
