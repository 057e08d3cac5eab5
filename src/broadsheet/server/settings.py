"""ServerSettings: every setting of the service in one value."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from broadsheet.cores import count_cores
from broadsheet.errors import UsageError
from broadsheet.options import ExtractOptions
from broadsheet.web import DEFAULT_GUARD, AddressGuard

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Settings of a service. `options` holds the defaults and the limits of every extraction."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = field(default_factory=count_cores)  # processes that extract
    max_waiting: int = 64  # requests beside those in progress; further ones are answered with 503
    max_body_bytes: int = 8_000_000  # of a request; of a line for /v1/many
    body_seconds: float = 20.0  # for a request body to arrive; for /v1/many between two pieces of it
    answer_seconds: float = 60.0  # from the end of the body to the answer, waiting included
    shutdown_seconds: float = 30.0  # for requests in progress when the service is stopped
    token: str | None = None  # None: no authentication
    max_rate: float | None = None  # requests per second for each client address; None: no limit
    cors_origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()  # accepted Host headers; by default all, or those of this machine if bound to it
    guard: AddressGuard = DEFAULT_GUARD
    fetchers: int = 8  # downloads at a time; 0: addresses are not fetched
    respects_robots: bool = True
    allows_render: bool = False  # whether requests may ask for rendering in a browser
    sites: Path | None = None  # folder of saved sites
    options: ExtractOptions = field(default_factory=ExtractOptions)

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError."""
        for name, least in (("workers", 1), ("max_waiting", 0), ("max_body_bytes", 1), ("fetchers", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be at least {least}, not {getattr(self, name)}")
        for name in ("body_seconds", "answer_seconds", "shutdown_seconds", "max_rate"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"{name} must be greater than 0, not {value:g}")
        if self.token is not None and not self.token.strip():
            raise UsageError("the token is empty; pass a longer one, or none")
        if self.sites is not None and not self.sites.is_dir():
            raise UsageError(f"{self.sites} is not a folder; pass the folder of saved sites")

    @property
    def accepted_hosts(self) -> tuple[str, ...]:
        """Accepted names in the Host header; empty if all are.

        A service on this machine without a token accepts only the names of this machine. Otherwise a web page whose
        own name resolves to 127.0.0.1 could use it from the browser (DNS rebinding).
        """
        if self.hosts or self.token is not None:
            return self.hosts
        return LOOPBACK_HOSTS if self.host in LOOPBACK_HOSTS else ()
