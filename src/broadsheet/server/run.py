"""Run the service with uvicorn until a signal stops it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from fastapi import FastAPI

from broadsheet.errors import UsageError
from broadsheet.server.app import make_app
from broadsheet.server.request_log import JsonFormatter
from broadsheet.server.service import Service
from broadsheet.server.settings import LOOPBACK_HOSTS, ServerSettings

LOGGER = logging.getLogger("broadsheet.server")
_MAX_HEADER_BYTES = 65_536
# Longer than the 60 seconds of common load balancers. The side that sends requests should close idle connections:
# a request on a connection that the service is closing is lost. It is also longer than most values of Retry-After.
_KEEP_ALIVE_SECONDS = 75


def run_server(
    settings: ServerSettings,
    *,
    log_level: str = "info",
    add_routes: Callable[[FastAPI], None] | None = None,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; requests in progress are finished.

    Raises UsageError if the port is taken or the method does not load, WorkerStartError if no worker can be started.

    Args:
        settings: All settings of the service.
        log_level: The least level of log lines on stderr.
        add_routes: Adds more routes to the application.
        on_ready: Called with the address as soon as it answers.

    """
    settings.options.check_method()
    with write_json_logs(log_level), contextlib.closing(_open_socket(settings)) as listener:
        service = Service(settings)
        asyncio.run(_serve(service, make_app(service, add_routes), listener, on_ready))


async def _serve(
    service: Service, app: FastAPI, listener: socket.socket, on_ready: Callable[[str], None] | None
) -> None:
    settings = service.settings
    # The workers are started here, so that an error is one line and not a traceback.
    config = make_config(app, settings, lifespan="off")
    try:
        await service.start()
        # uvicorn raises a signal again after it has stopped as it was told to.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        await _Server(config, settings, on_ready).serve(sockets=[listener])
    finally:
        await service.close()
    LOGGER.info("stopped")


def make_config(app: FastAPI, settings: ServerSettings, **changes: Any) -> uvicorn.Config:
    """Return the settings of uvicorn."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,  # our own log has one line for each request
        server_header=False,
        # Without a proxy, any client could state another address, and be counted as another one.
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=math.ceil(settings.shutdown_seconds),
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        **changes,
    )


class _Server(uvicorn.Server):
    """Tells when it listens."""

    def __init__(
        self, config: uvicorn.Config, settings: ServerSettings, on_ready: Callable[[str], None] | None
    ) -> None:
        super().__init__(config)
        self._settings = settings
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        host, port = (sockets or [])[0].getsockname()[:2]
        address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        LOGGER.info("ready", extra={"address": address, "workers": self._settings.workers})
        if self._settings.token is None and self._settings.host not in LOOPBACK_HOSTS:
            LOGGER.warning("no token is set: everybody who reaches this address can use the service")
        if self._on_ready:
            self._on_ready(address)


def _open_socket(settings: ServerSettings) -> socket.socket:
    """Bind the address before the workers are started, so that a port that is taken is reported at once."""
    listener = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"cannot listen on {settings.host}:{settings.port}: {reason}; choose another --port or --host"
        ) from error
    return listener


@contextlib.contextmanager
def write_json_logs(level: str) -> Iterator[None]:
    """Write logs to stderr as lines of JSON. Afterwards the loggers are as before: stderr may be closed then."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    # uvicorn: only warnings, because its other lines repeat ours.
    loggers = {logging.getLogger("broadsheet"): level.upper(), logging.getLogger("uvicorn"): "WARNING"}
    earlier = {logger: (logger.handlers, logger.propagate, logger.level) for logger in loggers}
    for logger, logger_level in loggers.items():
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logger_level)
    try:
        yield
    finally:
        for logger, (handlers, propagate, number) in earlier.items():
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(number)
