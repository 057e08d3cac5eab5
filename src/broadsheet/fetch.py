"""Fetch one page over HTTP, within bounds of time and size.

For a page or a handful. A crawler has needs (robots.txt, politeness, retries, caching) that belong to a crawler; feed
what it brings to `extract_many`.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import IO, Any, TypeVar
from urllib import request
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit, urlunsplit

import broadsheet
from broadsheet.errors import FetchError, LimitReached
from broadsheet.page import DEFAULT_LIMITS, Deadline, Limits, read_page
from broadsheet.sniff import looks_like_html, name_foreign

T = TypeVar("T")

_HEADERS = {
    "User-Agent": f"Broadsheet/{broadsheet.__version__} (news article extraction)",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1",
    "Accept-Encoding": "gzip, deflate",
    "Accept-Language": "*",
}
_PAGE_TYPES = frozenset(("text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain"))
_UNSAID_TYPES = frozenset(("", "application/octet-stream", "binary/octet-stream", "application/unknown"))
_PIECE = 65_536
_MOST_SHEETS = 30  # of one page
_SAFE = "%/:=&?~#+!$,;'@()*[]"  # what an address may hold as it is; the rest is percent-encoded


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as the server sent it; `url` is where redirects led."""

    url: str
    html: bytes
    charset: str | None  # what the Content-Type header said


def is_address(text: str) -> bool:
    """Tell whether a text is the address of a page on the web."""
    return text[:8].lower().startswith(("http://", "https://"))


def find_fault(address: str) -> str | None:
    """Tell why an address cannot be that of a page on the web; None if it can."""
    if not is_address(address):
        return "only http and https addresses can be fetched; write https://..."
    try:
        parts = urlsplit(address.strip())
        _ = parts.port  # raises for what is no number
    except ValueError:
        return "this is no valid address"
    return None if parts.hostname else "there is no host in the address; write https://host/path"


def fetch_page(address: str, *, limits: Limits = DEFAULT_LIMITS) -> Fetched:
    """Fetch a page. Raises FetchError, in one line that says why, within the limits' seconds and bytes."""
    fetching = _Fetching(address, limits, Deadline.after(limits.max_seconds))
    return _run_bounded(fetching.run, limits.max_seconds, on_timeout=fetching.give_up)


def fetch_sheets(html: str | bytes, url: str | None, *, limits: Limits = DEFAULT_LIMITS) -> dict[str, str]:
    """Fetch the style sheets that a page links to, and what those import: address -> CSS.

    One that cannot be had is left out: a page is still a page without it. All together take no longer than a page may.
    """
    from broadsheet.style.css import list_imported_urls, list_linked_urls  # here: most never need it

    deadline = Deadline.after(limits.max_seconds)
    wanted = list_linked_urls(read_page(html, url=url, limits=limits))
    sheets: dict[str, str] = {}
    tried: set[str] = set()
    while wanted and len(tried) < _MOST_SHEETS:
        address = wanted.pop(0)
        seconds = deadline.ends - time.monotonic()
        if address in tried or find_fault(address) or seconds <= 0:
            continue
        tried.add(address)
        fetching = _Fetching(address, replace(limits, max_seconds=seconds), deadline, is_sheet=True)
        with contextlib.suppress(FetchError):
            fetched = _run_bounded(fetching.run, seconds, on_timeout=fetching.give_up)
            sheets[address] = decode_sheet(fetched.html, fetched.charset)
            wanted += list_imported_urls(sheets[address], fetched.url)
    return sheets


def decode_sheet(css: bytes, charset: str | None) -> str:
    """Decode a style sheet: by its header, else as UTF-8."""
    try:
        return css.decode(charset or "utf-8-sig", "replace")
    except LookupError:
        return css.decode("utf-8-sig", "replace")


@dataclass(slots=True)
class _Fetching:
    """One fetch under way: its connections are kept, so that they can be cut when the time is over."""

    address: str
    limits: Limits
    deadline: Deadline
    sockets: list[socket.socket] = field(default_factory=list)
    is_sheet: bool = False

    def run(self) -> Fetched:
        try:
            asked = request.Request(_encode_address(self.address), headers=_HEADERS)
            with self._make_opener().open(asked, timeout=self.limits.max_seconds) as response:
                if self.is_sheet:
                    _check_sheet_type(response.headers)
                    return Fetched(
                        response.url,
                        self._read_body(response, response.headers),
                        response.headers.get_content_charset(),
                    )
                _check_type(response.headers)
                html = self._read_body(response, response.headers)
                _check_content(response.headers, html)
                return Fetched(response.url, html, response.headers.get_content_charset())
        except Exception as error:  # the border to the network: all that urllib and its parts raise, in one line
            if isinstance(error, HTTPError):
                error.close()
            raise FetchError(f"cannot fetch {self.address}: {self._explain(error)}") from error

    def give_up(self) -> FetchError:
        for connection in self.sockets:
            try:
                connection.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for it
            except OSError:
                continue  # closed already
        return FetchError(f"cannot fetch {self.address}: {self._late()}")

    def _make_opener(self) -> request.OpenerDirector:
        """Build an opener that knows http and https only: no files, no ftp, no data addresses."""
        opener = request.OpenerDirector()
        for handler in (
            request.ProxyHandler(),
            _HttpHandler(self.sockets),
            _HttpsHandler(self.sockets),
            request.HTTPDefaultErrorHandler(),
            _Redirects(),
            request.HTTPErrorProcessor(),
            request.UnknownHandler(),
        ):
            opener.add_handler(handler)
        return opener

    def _read_body(self, response: Any, headers: Message) -> bytes:
        """Read and unpack piece by piece: what is too long, or unpacks to too much, is dropped before all is here."""
        unpack = _choose_unpacker(headers.get("Content-Encoding", ""))
        body = bytearray()
        while piece := response.read1(_PIECE):
            self.deadline.check()
            body += unpack(piece, self.limits.max_bytes + 1 - len(body))
            if len(body) > self.limits.max_bytes:
                raise FetchError(f"the page is larger than {self.limits.max_bytes:,} bytes; save it and pass the file")
        if response.length:
            raise ConnectionResetError  # less came than was announced
        return bytes(body)

    def _explain(self, error: BaseException) -> str:
        if isinstance(error, URLError) and not isinstance(error, HTTPError):
            error = error.reason if isinstance(error.reason, Exception) else FetchError(error.reason)
        if isinstance(error, TimeoutError | LimitReached):
            return self._late()
        for kind, explain in _EXPLANATIONS:
            if isinstance(error, kind):
                return " ".join(explain(error).split())
        return " ".join(str(error).split()) or type(error).__name__

    def _late(self) -> str:
        return f"no whole answer within {self.limits.max_seconds:g} seconds; try again later"


# The first that fits explains an error.
_EXPLANATIONS: tuple[tuple[type[BaseException], Callable[[Any], str]], ...] = (
    (FetchError, str),
    (HTTPError, lambda error: _explain_answer(error)),
    (ssl.SSLCertVerificationError, lambda error: f"its TLS certificate is not valid ({error.verify_message})"),
    (ssl.SSLError, lambda error: f"TLS failed ({error.reason or error}); check the address"),
    (socket.gaierror, lambda _: "no such host, or no network; check the address and the connection"),
    (ConnectionRefusedError, lambda _: "the server refused the connection; check the address and the port"),
    (ConnectionError, lambda _: "the server closed the connection; try again later"),
    (OSError, lambda error: f"{error.strerror or error}; check the connection"),
    (UnicodeError, lambda _: "this is no valid address"),
    (HTTPException, lambda error: f"the server's answer makes no sense ({type(error).__name__})"),
    (zlib.error, lambda _: "the server's answer is not packed as it says"),
)


def _explain_answer(error: HTTPError) -> str:
    if request.HTTPRedirectHandler.inf_msg in str(error.reason):
        return f"it redirects in circles, or too often ({error.code}); check the address, or save the page in a browser"
    if error.code < 400 and error.headers.get("Location"):
        return f"it redirects to what is not on the web ({error.code}); check the address"
    return f"the server answered {error.code} {error.reason}{_advise(error.code)}"


def _advise(code: int) -> str:
    if code in (401, 402, 403, 429, 451):
        return "; it does not serve programs, or not this one: save the page in a browser and pass the file"
    return "; try again later" if code >= 500 else "; check the address"


def _run_bounded(work: Callable[[], T], seconds: float, *, on_timeout: Callable[[], Exception]) -> T:
    """Run in a thread and wait for it no longer than allowed: looking up a name cannot be bounded otherwise."""
    results: list[T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as error:  # raised to the caller below
            errors.append(error)

    thread = threading.Thread(target=run, name="broadsheet-fetch", daemon=True)
    thread.start()
    thread.join(min(seconds, threading.TIMEOUT_MAX))
    if results:
        return results[0]
    raise errors[0] if errors else on_timeout()


def _encode_address(address: str) -> str:
    """Write an address as HTTP wants it: the host in IDNA, other characters percent-encoded."""
    if fault := find_fault(address):
        raise FetchError(fault)
    scheme, host, path, query, _ = urlsplit(address.strip())
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    return urlunsplit((scheme, host, quote(path, safe=_SAFE), quote(query, safe=_SAFE), ""))


def _check_type(headers: Message) -> None:
    kind = headers.get_content_type() if headers.get("Content-Type") else ""
    if kind not in _PAGE_TYPES and kind not in _UNSAID_TYPES:
        raise FetchError(f"this is no page but {kind}")


def _check_sheet_type(headers: Message) -> None:
    if (kind := headers.get_content_type()) not in ("text/css", "text/plain", "application/octet-stream"):
        raise FetchError(f"this is no style sheet but {kind}")


def _check_content(headers: Message, html: bytes) -> None:
    if foreign := name_foreign(html):
        raise FetchError(f"this is no page but {foreign}")
    kind = headers.get_content_type() if headers.get("Content-Type") else ""
    if kind in _UNSAID_TYPES and not looks_like_html(html):
        raise FetchError("this is no page: the server does not say what it is, and it does not begin like HTML")


def _choose_unpacker(encoding: str) -> Callable[[bytes, int], bytes]:
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return lambda piece, most: piece[:most]
    if encoding in ("gzip", "x-gzip"):
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress
    if encoding == "deflate":
        return _Deflate().unpack
    raise FetchError(f"the server packs its answer as {encoding!r}, unasked")


class _Deflate:
    """HTTP's "deflate" is zlib by the book and bare deflate on some servers: the first byte tells."""

    def __init__(self) -> None:
        self._unpacker: Any = None

    def unpack(self, piece: bytes, most: int) -> bytes:
        if self._unpacker is None:
            is_zlib = piece[0] & 0x0F == 8
            self._unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)
        unpacked: bytes = self._unpacker.decompress(piece, most)
        return unpacked


class _Redirects(request.HTTPRedirectHandler):
    """Follow redirects between pages of the web, and not too many."""

    max_redirections = 10
    max_repeats = 3

    def redirect_request(
        self, req: request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> request.Request | None:
        if not is_address(newurl):  # the standard library would go to ftp
            raise HTTPError(newurl, code, msg, headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _HttpHandler(request.HTTPHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def http_open(self, req: request.Request) -> Any:
        return self.do_open(_keep_sockets(HTTPConnection, self._sockets), req)


class _HttpsHandler(request.HTTPSHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        self._tls = ssl.create_default_context()
        super().__init__(context=self._tls)
        self._sockets = sockets

    def https_open(self, req: request.Request) -> Any:
        return self.do_open(_keep_sockets(HTTPSConnection, self._sockets), req, context=self._tls)


def _keep_sockets(kind: Any, sockets: list[socket.socket]) -> Any:
    class Connection(kind):  # type: ignore[misc]
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    return Connection
