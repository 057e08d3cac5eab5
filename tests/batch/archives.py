"""Archives and methods for tests of batches."""

from __future__ import annotations

import gzip
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import pyarrow.dataset as ds
import pyarrow.parquet as pq

from broadsheet.batch import BatchOptions
from broadsheet.blocks import Blocks, Labels, Role
from broadsheet.options import ExtractOptions
from broadsheet.page import Page

NUMBERS = range(24)  # pages of the fixture `warcs`


def make_page(number: int) -> bytes:
    """Return an article of its own."""
    paragraphs = "".join(
        f"<p>The ferry number {number} to Quay Island was late again on day {day}, said the harbour master, because the "
        f"tide of {number * 7 + day} inches was too low for the boat, and passengers waited on the pier.</p>"
        for day in range(4)
    )
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>Ferry {number} late</title></head><body>"
        f"<nav><a href=/>Home</a></nav><h1>Ferry {number} late</h1>{paragraphs}</body></html>"
    ).encode()


def name_address(number: int) -> str:
    """Return the address of a page; one host in three."""
    return f"https://{('www.north', 'south', 'news.east')[number % 3]}.example/story/{number}"


def make_record(number: int) -> bytes:
    """Return the gzip member of a page."""
    return pack_record(make_page(number), name_address(number))


def pack_record(html: bytes, address: str, status: str = "200 OK") -> bytes:
    """Return a response record as a gzip member."""
    http = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(html)}\r\n\r\n".encode() + html
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
        f"WARC-Date: 2024-03-16T08:30:00Z\r\nWARC-Target-URI: {address}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + b"\r\n\r\n", mtime=0)


def write_warc(path: Path, numbers: Sequence[int]) -> Path:
    """Write pages to a WARC file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(make_record, numbers)))
    return path


def read_rows(folder: Path) -> list[dict[str, object]]:
    """Return the rows of all parts, sorted by id. As a dataset, the folder has the same rows, and each id once."""
    rows = [row for path in sorted(folder.glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    if (folder / "_manifest").exists():
        assert ds.dataset(folder).count_rows() == len(rows) == len({row["id"] for row in rows})
    return sorted(rows, key=lambda row: str(row["id"]))


def list_addresses(folder: Path) -> list[str]:
    """Return the addresses of all rows with a page, sorted."""
    return sorted(str(row["url"]) for row in read_rows(folder) if row["url"])


class Body:
    """Calls every block article text."""

    name = "body"

    def label(self, page: Page, blocks: Blocks) -> Labels:
        return Labels([Role.BODY] * len(blocks), [0.9] * len(blocks))


def end_with_parent() -> None:
    """Wait until the process that started this one is gone, and end this one."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.01)
    os._exit(1)


class OnPage(Body):
    """Does something harmful on the pages whose address ends so, at most once for each file of a folder."""

    name = "harmful"

    def __init__(self, harm: str, ending: str, once: Path | None = None) -> None:
        self.harm = harm
        self.ending = ending
        self.once = once

    def label(self, page: Page, blocks: Blocks) -> Labels:
        if (page.url or "").endswith(self.ending) and self._is_due():
            if self.harm == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            elif self.harm == "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            elif self.harm == "raise":
                raise RuntimeError("no such tide")
            elif self.harm == "sleep":
                time.sleep(0.2)
            elif self.harm == "wait":
                time.sleep(8)
            elif self.harm == "hold" and self.once is not None:
                self.once.write_text(str(os.getpid()))
                end_with_parent()
        return super().label(page, blocks)

    def _is_due(self) -> bool:
        if self.once is None:
            return True
        try:
            self.once.touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


FAST = BatchOptions(extract=ExtractOptions(method=Body()))
ALL = sorted(map(name_address, NUMBERS))
