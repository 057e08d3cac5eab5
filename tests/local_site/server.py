"""Serve the local site in a thread."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.local_site.site import Answer, LocalSite, make_validator

_MAX_ENDLESS_SECONDS = 60.0


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """Do not report clients that closed the connection."""


def _make_handler(site: LocalSite) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            headers = self.headers
            site.wait_for_turn()
            answer = site.answer(self.path, headers.get("User-Agent", ""), headers.get("If-None-Match", ""))
            time.sleep(answer.seconds)
            _send(self, answer)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            site.received.append((self.path, body))
            _send(self, Answer(b"ok", "text/plain"))

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is given
            pass

    return Handler


def _send(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
    handler.send_response(answer.status)
    for name, value in answer.headers.items():
        handler.send_header(name, value)
    if answer.status == 304:
        handler.end_headers()
        return
    handler.send_header("Content-Type", answer.media_type)
    if answer.status == 200 and not answer.is_endless:
        handler.send_header("ETag", make_validator(answer.body))
    if not answer.is_endless:
        handler.send_header("Content-Length", str(len(answer.body)))
    handler.end_headers()
    _send_body(handler, answer)


def _send_body(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
    if answer.is_endless:
        handler.close_connection = True
        end = time.monotonic() + _MAX_ENDLESS_SECONDS
        while time.monotonic() < end:
            handler.wfile.write(b"<p>live</p>")
            time.sleep(0.05)
    elif answer.is_cut:
        handler.close_connection = True
        handler.wfile.write(answer.body[: len(answer.body) // 2])
    else:
        handler.wfile.write(answer.body)


@contextlib.contextmanager
def serve_site(site: LocalSite, port: int = 0) -> Iterator[str]:
    """Serve a site while the block runs; give its address, http://127.0.0.1:PORT."""
    with _Server(("127.0.0.1", port), _make_handler(site)) as server:
        site.base = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield site.base
        finally:
            server.shutdown()
            thread.join()
