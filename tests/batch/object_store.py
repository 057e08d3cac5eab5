"""An S3 server of a few lines, for tests: objects in memory, and faults on demand."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

PAGE_KEYS = 1_000  # of a listing


class ObjectStore:
    """The objects of all buckets, by "bucket/key"; the requests that came; and what goes wrong."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.requests: list[tuple[str, str]] = []  # method and path
        self.bytes_read = 0
        self.fail: Callable[[str, str], int] = lambda method, path: 0  # the status of a fault
        self.cut = 0  # of this many GETs, the body breaks off
        self._uploads: dict[str, dict[int, bytes]] = {}
        self._lock = threading.Lock()

    def fail_for(self, seconds: float, *methods: str, status: int = 503) -> None:
        """Answer requests with a fault for some time from the first of these methods on."""
        until: list[float] = []

        def fail(method: str, path: str) -> int:
            if method not in methods:
                return 0
            until.append(time.monotonic() + seconds)
            return status if time.monotonic() < until[0] else 0

        self.fail = fail

    def put(self, name: str, data: bytes, *, only_new: bool) -> bool:
        with self._lock:
            if only_new and name in self.objects:
                return False
            self.objects[name] = data
            return True

    def start_upload(self, name: str) -> str:
        self._uploads[name] = {}
        return name

    def put_piece(self, upload: str, number: int, data: bytes) -> None:
        self._uploads[upload][number] = data

    def end_upload(self, name: str) -> None:
        pieces = self._uploads.pop(name)
        self.put(name, b"".join(pieces[number] for number in sorted(pieces)), only_new=False)

    def list(self, bucket: str, prefix: str, delimiter: str, after: str) -> tuple[list[str], list[str], str]:
        """Return keys, common prefixes, and where the next listing begins."""
        start = f"{bucket}/{prefix}"
        names = sorted(name.partition("/")[2] for name in list(self.objects) if name.startswith(start))
        keys: dict[str, None] = {}
        folders: dict[str, None] = {}
        for name in names:
            if name <= after:
                continue
            if len(keys) + len(folders) >= PAGE_KEYS:
                return list(keys), list(folders), max([*keys, *(f"{folder}\uffff" for folder in folders)])
            head, mark, _ = name[len(prefix) :].partition(delimiter) if delimiter else (name, "", "")
            (folders if mark else keys)[f"{prefix}{head}{mark}" if mark else name] = None
        return list(keys), list(folders), ""


def tag(data: bytes) -> str:
    return f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"'


def make_handler(store: ObjectStore) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - one method for each verb
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            parts = urlsplit(self.path)
            name, query = unquote(parts.path).strip("/"), parse_qs(parts.query, keep_blank_values=True)
            store.requests.append((self.command, self.path))
            if status := store.fail(self.command, self.path):
                return self.answer(status, b"<Error><Code>SlowDown</Code></Error>")
            getattr(self, f"on_{self.command.lower()}")(name, query, body)
            return None

        do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = handle_any  # noqa: N815

        def on_put(self, name: str, query: dict[str, list[str]], body: bytes) -> None:
            if "partNumber" in query:
                store.put_piece(name, int(query["partNumber"][0]), body)
            elif not store.put(name, body, only_new=self.headers.get("If-None-Match") == "*"):
                return self.answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
            return self.answer(200, headers={"ETag": tag(body)})

        def on_post(self, name: str, query: dict[str, list[str]], body: bytes) -> None:
            if "uploads" in query:
                upload = store.start_upload(name)
                xml = f"<InitiateMultipartUploadResult><UploadId>{escape(upload)}</UploadId></InitiateMultipartUploadResult>"
                return self.answer(200, xml.encode())
            if "delete" in query:
                keys = [unescape(key.decode()) for key in re.findall(rb"<Key>([^<]*)</Key>", body)]
                for key in keys:
                    store.objects.pop(f"{name}/{key}", None)
                deleted = "".join(f"<Deleted><Key>{escape(key)}</Key></Deleted>" for key in keys)
                return self.answer(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())
            store.end_upload(name)
            return self.answer(
                200, b"<CompleteMultipartUploadResult><ETag>&quot;x&quot;</ETag></CompleteMultipartUploadResult>"
            )

        def on_delete(self, name: str, query: dict[str, list[str]], body: bytes) -> None:
            store.objects.pop(name, None)
            self.answer(204)

        def on_head(self, name: str, query: dict[str, list[str]], body: bytes) -> None:
            self.on_get(name, query, body)

        def on_get(self, name: str, query: dict[str, list[str]], body: bytes) -> None:
            if "list-type" in query:
                return self.answer(200, self.list_keys(name, {key: values[0] for key, values in query.items()}))
            data = store.objects.get(name)
            if data is None:
                return self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            headers = {"ETag": tag(data), "Last-Modified": "Sat, 16 Mar 2024 08:30:00 GMT"}
            status = 200
            if place := self.headers.get("Range"):
                first, _, last = place.removeprefix("bytes=").partition("-")
                start, end = int(first), min(int(last) if last else len(data) - 1, len(data) - 1)
                headers["Content-Range"] = f"bytes {start}-{end}/{len(data)}"
                data, status = data[start : end + 1], 206
            store.bytes_read += len(data) if self.command == "GET" else 0
            return self.answer(status, data, headers)

        def list_keys(self, bucket: str, query: dict[str, str]) -> bytes:
            after = query.get("continuation-token", query.get("start-after", ""))
            keys, folders, token = store.list(bucket, query.get("prefix", ""), query.get("delimiter", ""), after)
            items = "".join(
                f"<Contents><Key>{escape(key)}</Key><LastModified>2024-03-16T08:30:00.000Z</LastModified>"
                f"<ETag>{escape(tag(store.objects[f'{bucket}/{key}']))}</ETag>"
                f"<Size>{len(store.objects[f'{bucket}/{key}'])}</Size></Contents>"
                for key in keys
            )
            items += "".join(f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>" for name in folders)
            more = f"<NextContinuationToken>{escape(token)}</NextContinuationToken>" if token else ""
            return (
                f"<ListBucketResult><Name>{bucket}</Name><KeyCount>{len(keys)}</KeyCount>"
                f"<IsTruncated>{str(bool(token)).lower()}</IsTruncated>{more}{items}</ListBucketResult>"
            ).encode()

        def answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for key, value in (headers or {}).items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                if self.command == "GET" and store.cut and len(body) > 1_000:
                    store.cut -= 1
                    self.wfile.write(body[: len(body) // 2])
                    self.close_connection = True
                    self.connection.close()
                    return
                self.wfile.write(body)

    return Handler


class Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        pass


@contextmanager
def serve_objects() -> Iterator[tuple[ObjectStore, dict[str, str]]]:
    """Run a server. Yield its objects, and the settings of clients as environment variables."""
    store = ObjectStore()
    server = Server(("127.0.0.1", 0), make_handler(store))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    settings = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_address[1]}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    try:
        yield store, settings
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
