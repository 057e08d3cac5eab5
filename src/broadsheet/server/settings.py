"""ServerSettings: every setting of the service in one value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from broadsheet.errors import UsageError
from broadsheet.option_field import group, option
from broadsheet.options import ExtractOptions, make_options
from broadsheet.page import DEFAULT_LIMITS
from broadsheet.web import DEFAULT_GUARD, AddressGuard
from broadsheet.workers import count_cores

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


class RequestRules(NamedTuple):
    """What worker processes check requests by."""

    max_body_bytes: int
    allows_render: bool
    sites: Path | None


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Settings of a service. `options` holds the defaults and the limits of every extraction."""

    host: str = option("127.0.0.1", "Address to listen on; 0.0.0.0 for all.")
    port: int = option(8000, "Port to listen on; 0 for a free one.", least=0, most=65535)
    workers: int = option(count_cores, "Number of worker processes. Default: one per core.", least=1)
    max_waiting: int = option(64, "Requests that may wait; further ones get 503.", least=0)
    max_body_bytes: int = option(
        DEFAULT_LIMITS.max_bytes, "Maximum size of a request body.", least=1
    )  # of a line for /v1/many
    body_seconds: float = option(20.0, "Time limit for a request body to arrive.")  # /v1/many: between two pieces
    min_body_rate: float = option(
        1000.0, "Bytes per second that a body must arrive with, and that records must be read with.", least=0
    )
    stream_seconds: float = option(3600.0, "Time limit for a request to /v1/many.")
    answer_seconds: float = option(60.0, "Time limit for an answer, including waiting.")
    shutdown_seconds: float = option(30.0, "Time limit for requests in progress when the service is stopped.")
    token: str | None = option(
        None, "Token that clients must send. Prefer the environment variable: arguments are visible to other users."
    )
    max_rate: float | None = option(None, "Requests per second for each client address.")
    max_client_share: float = option(
        0.75, "Share of all places, between 0 and 1, that one client address may take.", least=0, most=1
    )
    trusted_proxies: tuple[str, ...] = option(
        (),
        "Address of a reverse proxy whose X-Forwarded-For and X-Forwarded-Proto are believed. Can be repeated. "
        "Default: none.",
        "--trusted-proxy",
    )
    cors_origins: tuple[str, ...] = option(
        (), "Web origin whose pages may use the service. Can be repeated.", "--cors-origin"
    )
    hosts: tuple[str, ...] = option(
        (),
        "Accepted name in the Host header. Can be repeated. Default: names of this machine if it listens on 127.0.0.1 "
        "without a token, else all.",
        "--accept-host",
    )
    guard: AddressGuard = group(DEFAULT_GUARD)
    fetchers: int = option(8, "Number of parallel downloads; 0 turns off fetching.", least=0)
    fetch_ports: tuple[int, ...] = option(
        (), "Port besides 80 and 443 that addresses to fetch may have. Can be repeated.", "--fetch-port"
    )
    respects_robots: bool = option(
        True,
        "Do not fetch pages that robots.txt disallows.",
        "--ignore-robots",
        turn_off="Fetch pages even if robots.txt disallows it.",
    )
    allows_render: bool = option(False, "Allow requests to render pages in Chromium.", "--render")
    sites: Path | None = option(None, "Folder of sites, saved by broadsheet site learn.")
    desk_secret: str | None = None  # made for each start: what the desk needs, if the operator set no token
    options: ExtractOptions = group(ExtractOptions, "method", "weights", "max_seconds", "max_memory", make=make_options)

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError."""
        for name, least in (("workers", 1), ("max_waiting", 0), ("max_body_bytes", 1), ("fetchers", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be at least {least}, not {getattr(self, name)}")
        if not 0 < self.max_client_share <= 1:
            raise UsageError(f"max_client_share must be greater than 0 and at most 1, not {self.max_client_share:g}")
        for name in ("body_seconds", "stream_seconds", "answer_seconds", "shutdown_seconds", "max_rate"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"{name} must be greater than 0, not {value:g}")
        if self.token is not None and not self.token.strip():
            raise UsageError("the token is empty; pass a longer one, or none")
        if self.sites is not None and not self.sites.is_dir():
            raise UsageError(f"{self.sites} is not a folder; pass the folder of saved sites")

    @property
    def rules(self) -> RequestRules:
        """What worker processes need of the settings."""
        return RequestRules(self.max_body_bytes, self.allows_render, self.sites)

    @property
    def accepted_hosts(self) -> tuple[str, ...]:
        """Accepted names in the Host header; empty if all are.

        A service on this machine without a token accepts only the names of this machine. Otherwise a web page whose
        own name resolves to 127.0.0.1 could use it from the browser (DNS rebinding).
        """
        if self.hosts or self.token is not None:
            return self.hosts
        return LOOPBACK_HOSTS if self.host in LOOPBACK_HOSTS else ()
