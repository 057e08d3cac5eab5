"""The constructor that both clients share."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

import httpx

from broadsheet.client.settings import ClientSettings

Http = TypeVar("Http", httpx.Client, httpx.AsyncClient)


class BaseClient(Generic[Http]):
    """A client with its settings and its connections."""

    _http_class: ClassVar[type[httpx.Client | httpx.AsyncClient]]

    def __init__(
        self,
        address: str = "http://127.0.0.1:8000",
        *,
        token: str | None = None,
        max_seconds: float = 120.0,
        max_retries: int = 5,
        parallel: int = 2,
    ) -> None:
        """Prepare a client; nothing is sent yet.

        Args:
            address: Address of the service.
            token: Token that the service asks for.
            max_seconds: Time limit of one attempt.
            max_retries: Further attempts after a temporary failure.
            parallel: Requests of `extract_many` at a time.

        """
        self._settings = ClientSettings(address, token, max_seconds, max_retries, parallel)
        self._http: Http = self._http_class(**self._settings.make_http_options())  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._settings.address!r})"
