"""A small service with the standard library: POST a page to /extract, get its record.

python examples/service.py 8000
curl --data-binary @page.html http://127.0.0.1:8000/extract
"""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import broadsheet

LIMITS = broadsheet.Limits(max_bytes=4_000_000, max_seconds=5)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    def do_POST(self) -> None:
        """Extract the page in the body."""
        size = int(self.headers.get("Content-Length") or 0)
        address = urlsplit(self.path)
        if address.path != "/extract":
            self.send_error(404, "POST a page to /extract")
        elif not 0 < size <= LIMITS.max_bytes:
            self.send_error(413, f"send a page of at most {LIMITS.max_bytes} bytes")
        else:
            url = parse_qs(address.query).get("url", [None])[0]
            article = broadsheet.extract(self.rfile.read(size), url, limits=LIMITS)
            self.answer(article.to_json().encode("utf-8"))

    def answer(self, body: bytes) -> None:
        """Send JSON."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def make_server(port: int) -> ThreadingHTTPServer:
    """Make a server for this machine only; port 0 takes a free one."""
    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    make_server(int(sys.argv[1])).serve_forever()
