"""Run the service with uvicorn until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import signal
import socket
import sys

import uvicorn

from broadsheet.errors import UsageError
from broadsheet.server.app import make_app
from broadsheet.server.request_log import JsonFormatter
from broadsheet.server.service import Service
from broadsheet.server.settings import LOOPBACK_HOSTS, ServerSettings

LOGGER = logging.getLogger("broadsheet.server")
_MAX_HEADER_BYTES = 65_536


def run_server(settings: ServerSettings, *, log_level: str = "info") -> None:
    """Serve until SIGTERM or SIGINT; requests in progress are finished.

    Raises UsageError if the port is taken or the method does not load, WorkerStartError if no worker can be started.
    """
    settings.options.load_method()
    _set_up_logs(log_level)
    with contextlib.closing(_open_socket(settings)) as listener:
        asyncio.run(_serve(settings, listener))


async def _serve(settings: ServerSettings, listener: socket.socket) -> None:
    service = Service(settings)
    config = uvicorn.Config(
        make_app(service),
        lifespan="off",  # the workers are started here, so that an error is one line and not a traceback
        log_config=None,
        access_log=False,  # our own log has one line for each request
        server_header=False,
        timeout_graceful_shutdown=math.ceil(settings.shutdown_seconds),
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
    )
    try:
        await service.start()
        # uvicorn raises a signal again after it has stopped as it was told to.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        await _Server(config, settings).serve(sockets=[listener])
    finally:
        await service.close()
    LOGGER.info("stopped")


class _Server(uvicorn.Server):
    """Logs when it listens."""

    def __init__(self, config: uvicorn.Config, settings: ServerSettings) -> None:
        super().__init__(config)
        self._settings = settings

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        host, port = (sockets or [])[0].getsockname()[:2]
        address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        LOGGER.info("ready", extra={"address": address, "workers": self._settings.workers})
        if self._settings.token is None and self._settings.host not in LOOPBACK_HOSTS:
            LOGGER.warning("no token is set: everybody who reaches this address can use the service")


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


def _set_up_logs(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    for name in ("broadsheet", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
    logging.getLogger("broadsheet").setLevel(level.upper())
    logging.getLogger("uvicorn").setLevel("WARNING")  # its own lines repeat ours
