"""Downloads over HTTP within limits of time and size: redirects, retries, decoding."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

import httpx

from broadsheet.errors import FetchError
from broadsheet.page import Deadline, Limits
from broadsheet.version import __version__
from broadsheet.web.address import hide_passwords
from broadsheet.web.body import BodyReader
from broadsheet.web.content_encoding import list_encodings
from broadsheet.web.content_type import ContentType, parse_content_type
from broadsheet.web.explain import explain_error
from broadsheet.web.guard import DEFAULT_GUARD, AddressGuard
from broadsheet.web.retry import choose_delay
from broadsheet.web.status import StatusError
from broadsheet.web.transport import DeadlineTransport

CheckType = Callable[[ContentType], None]

HEADERS = {
    "User-Agent": f"Broadsheet/{__version__} (news article extraction)",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1",
    "Accept-Language": "*",
}
MAX_REDIRECTS = 10
_MAX_RETRIES = 2


@dataclass(frozen=True, slots=True)
class Download:
    """A decoded response; `url` is the address after redirects."""

    url: str
    body: bytes
    content_type: ContentType


class WebClient:
    """Downloads files. The limits' seconds count from its creation and hold for all downloads together."""

    def __init__(self, limits: Limits, guard: AddressGuard = DEFAULT_GUARD, *, max_retries: int = _MAX_RETRIES) -> None:
        self._limits = limits
        self._guard = guard
        self._max_bytes = limits.max_bytes
        self._max_retries = max_retries
        self._deadline = Deadline.after(limits.max_seconds)
        self._http = httpx.Client(
            transport=DeadlineTransport(self._deadline, guard),
            headers={**HEADERS, "Accept-Encoding": list_encodings()},
            timeout=None,  # the transport has the deadline
            trust_env=False,  # the transport chooses the proxy
        )

    def __enter__(self) -> WebClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._http.close()

    def download(self, address: str, check_type: CheckType, *, max_bytes: int | None = None) -> Download:
        """Download a file. Raises FetchError with the reason in one line.

        `check_type` raises FetchError for a type that is not wanted, before the body is read. `max_bytes` replaces
        the limit on the size.
        """
        self._max_bytes = self._limits.max_bytes if max_bytes is None else max_bytes
        try:
            self._guard.check_address(address)
            url = httpx.URL(address.strip()).copy_with(fragment=None)
            return self._download_with_retries(url, check_type)
        except Exception as error:  # the border to the network: several packages with error types of their own
            reason = explain_error(error, self._limits.max_seconds)
            raise FetchError(f"cannot fetch {hide_passwords(address)}: {hide_passwords(reason)}") from error

    def _download_with_retries(self, url: httpx.URL, check_type: CheckType) -> Download:
        for retry in range(self._max_retries):
            try:
                return self._follow_redirects(url, check_type)
            except Exception as error:
                delay = choose_delay(error, retry)
                if delay is None or time.monotonic() + delay >= self._deadline.ends:
                    raise
            time.sleep(delay)
        return self._follow_redirects(url, check_type)

    def _follow_redirects(self, url: httpx.URL, check_type: CheckType) -> Download:
        """Send the request and those that redirects ask for. The body of a redirect is not read: it may be endless."""
        request = self._http.build_request("GET", url)
        for _ in range(MAX_REDIRECTS + 1):
            with contextlib.closing(self._http.send(request, stream=True)) as response:
                if response.next_request is None:
                    return self._read_response(response, check_type)
                request = response.next_request
            self._check_redirect(str(request.url))
        raise FetchError(
            f"more than {MAX_REDIRECTS} redirects, perhaps in a circle; "
            "check the address, or save the page in a browser and pass the file"
        )

    def _check_redirect(self, address: str) -> None:
        try:
            self._guard.check_address(address)
        except FetchError as error:
            raise FetchError(f"it redirects to an address that is not fetched: {error}") from error

    def _read_response(self, response: httpx.Response, check_type: CheckType) -> Download:
        if not response.is_success:
            raise StatusError(response.status_code, response.headers.get("Retry-After", ""))
        content_types = response.headers.get_list("Content-Type")
        content_type = parse_content_type(content_types[0] if content_types else None)
        check_type(content_type)
        return Download(str(response.url), self._read_body(response), content_type)

    def _read_body(self, response: httpx.Response) -> bytes:
        reader = BodyReader(response.headers.get("Content-Encoding", ""), self._max_bytes)
        for piece in response.iter_raw():
            self._deadline.check()
            reader.add(piece)
        return reader.finish()
