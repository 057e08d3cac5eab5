"""The pages that are open in Inspect and Compare: in memory, from files that were dropped on the desk, and samples.

They are kept in memory up to a number of bytes, and not in a project: visitors of a public service share a project, and
must not see the pages of each other. The id of a page is a hash of it.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path, PurePosixPath

from broadsheet.capture import Capture
from broadsheet.errors import BroadsheetError, InputError
from broadsheet.inputs import Kind, ReadOptions, read_captures
from broadsheet.inputs.kinds import detect_content
from broadsheet.output.safe import clean_text
from broadsheet.page import Limits
from broadsheet.page.file_type import detect_file_type
from broadsheet.web.body import parse_content_type

MAX_STORE_BYTES = 256_000_000  # the pages used longest ago are dropped
MAX_COLLECTIONS = 50
_ID_CHARS = 16
MAX_PAGES = 2_000  # of one file
# Tables and lists of addresses may name other files of this machine; those are not opened for a browser.
_ARCHIVES = (Kind.WARC, Kind.WACZ, Kind.MHTML, Kind.ZIP, Kind.TAR)
_UNSAFE_CHARS = re.compile(r"[^\w.-]")  # in the name of a file


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page, as it was opened."""

    id: str
    name: str  # file name, address, or the beginning of the text
    packed_html: bytes  # zlib: a thousand pages must fit into the memory
    url: str | None = None
    charset: str | None = None  # that the HTTP header states
    sheets: Mapping[str, str] = field(default_factory=dict)  # address -> CSS, if they were fetched
    gold: str | None = None  # the text that should be extracted

    @property
    def html(self) -> bytes:
        """The bytes of the page."""
        return zlib.decompress(self.packed_html)

    @property
    def size(self) -> int:
        """Bytes that the page takes, roughly."""
        return len(self.packed_html) + sum(map(len, self.sheets.values())) + len(self.gold or "") + 1000


@dataclass(frozen=True, slots=True)
class PageSet:
    """Several pages that were opened together."""

    id: str
    name: str
    pages: tuple[str, ...]  # ids


class PageStore:
    """Pages and collections by id. All calls are made from the event loop."""

    def __init__(self, max_bytes: int = MAX_STORE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._pages: OrderedDict[str, StoredPage] = OrderedDict()
        self._collections: OrderedDict[str, PageSet] = OrderedDict()
        self._bytes = 0

    def add(self, page: StoredPage) -> StoredPage:
        """Store a page. If it is there already, keep the gold text that is known."""
        previous = self._remove(page.id)
        if previous and page.gold is None:
            page = replace(page, gold=previous.gold)
        self._pages[page.id] = page
        self._bytes += page.size
        while self._bytes > self._max_bytes and len(self._pages) > 1:
            self._remove(next(iter(self._pages)))
        return page

    def get(self, page_id: str) -> StoredPage | None:
        """Return a page; it counts as used."""
        page = self._pages.get(page_id)
        if page:
            self._pages.move_to_end(page_id)
        return page

    def add_collection(self, name: str, pages: tuple[str, ...]) -> PageSet:
        """Store a collection."""
        collection = PageSet(_hash("collection", *pages), name, pages)
        self._collections[collection.id] = collection
        self._collections.move_to_end(collection.id)
        if len(self._collections) > MAX_COLLECTIONS:
            self._collections.popitem(last=False)
        return collection

    def get_collection(self, collection_id: str) -> PageSet | None:
        """Return a collection."""
        return self._collections.get(collection_id)

    def _remove(self, page_id: str) -> StoredPage | None:
        page = self._pages.pop(page_id, None)
        if page:
            self._bytes -= page.size
        return page


def make_page(html: bytes, *, name: str = "", url: str | None = None, charset: str | None = None) -> StoredPage:
    """Return a page with its id. Name and address may come from a file, and must fit into answers."""
    url = clean_text(url) if url else url
    name = clean_text(name) or url or "pasted page"
    return StoredPage(_hash(html, url or ""), name, zlib.compress(html, level=1), url, charset)


def _hash(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part)
        digest.update(b"\0")
    return digest.hexdigest()[:_ID_CHARS]


# Files that were dropped


def read_upload(name: str, content: bytes, limits: Limits) -> list[StoredPage]:
    """Return the pages of a file. Raises InputError if it has none."""
    kind = detect_content(content[:65_536], name)
    if kind is Kind.JSON_LINES:
        pages = list(islice(_read_lines(name, content), MAX_PAGES))
    elif kind in _ARCHIVES:
        pages = _take_pages(name, _read_archive(name, content, kind, limits))
    elif kind is Kind.PAGE:
        if file_type := detect_file_type(content):
            raise InputError(f"{name} is {file_type}, not an HTML page")
        pages = [make_page(content, name=name)]
    else:
        raise InputError(f"{name} is {kind}; drop pages, archives of pages, or JSON Lines with html and text")
    if not pages:
        raise InputError(f"{name} contains no pages")
    return pages


def _take_pages(name: str, pages: Iterator[StoredPage]) -> list[StoredPage]:
    """Return the first pages. Raises InputError if they take more memory than the desk has for pages."""
    taken, size = [], 0
    for page in islice(pages, MAX_PAGES):
        size += page.size
        if size > MAX_STORE_BYTES:
            raise InputError(f"the pages of {name} have more than {MAX_STORE_BYTES:,} bytes; drop fewer pages")
        taken.append(page)
    return taken


def _read_lines(name: str, content: bytes) -> Iterator[StoredPage]:
    """Yield the pages of JSON Lines: `html`, and optionally `text` (what is expected), `url` and `id`."""
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}, line {number}: not valid JSON ({error})") from error
        if not isinstance(values, dict) or not isinstance(values.get("html"), str):
            raise InputError(f'{name}, line {number}: not an object with "html"')
        url, text = values.get("url"), values.get("text")
        if not isinstance(url, str | None):
            raise InputError(f'{name}, line {number}: "url" is not a string')
        page_name = str(values.get("id") or url or f"{name}, line {number}")
        html = values["html"].encode("utf-8", "surrogatepass")
        page = make_page(html, name=page_name, url=url, charset="utf-8")
        yield replace(page, gold=text if isinstance(text, str) else None)


def _read_archive(name: str, content: bytes, kind: Kind, limits: Limits) -> Iterator[StoredPage]:
    """Yield the pages of an archive. The readers need a file."""
    suffixes = PurePosixPath(name.replace("\\", "/")).suffixes[-2:]
    suffix = _UNSAFE_CHARS.sub("", "".join(suffixes))[-20:]
    with tempfile.TemporaryDirectory(prefix="broadsheet-") as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_bytes(content)
        try:
            for capture in read_captures(path, ReadOptions(limits=limits), kind=kind):
                if capture.html is not None:
                    yield _make_page(capture, (capture.source_file or name).replace(str(path), name))
        except BroadsheetError as error:
            raise InputError(str(error).replace(str(path), name)) from error


def _make_page(capture: Capture, name: str) -> StoredPage:
    name = capture.url or name
    if isinstance(capture.html, str):
        html = capture.html.encode("utf-8", "surrogatepass")
        return make_page(html, name=name, url=capture.url, charset="utf-8")
    charset = parse_content_type(capture.content_type).charset
    return make_page(capture.html or b"", name=name, url=capture.url, charset=charset)


# Samples


@dataclass(frozen=True, slots=True)
class Sample:
    """A page of the folder `samples/`."""

    file: str  # without its ending
    url: str
    description: str


SAMPLES = (
    Sample("harbour", "https://courier.example/news/harbour-ferry", "News report with sidebar, teasers and comments"),
    Sample("storm", "https://kuestenbote.example/live/sturm", "Live blog in German, with an advertisement in between"),
    Sample("recipe", "https://table.example/recipes/leek-tart", "Recipe with lists and a table"),
    Sample("review", "https://lantern.example/books/salt-roads", "Book review in old markup, without paragraphs"),
    Sample("front", "https://courier.example/", "Home page: not an article"),
)


@cache
def load_samples() -> dict[str, StoredPage]:
    """Return the sample pages by id. They are never dropped from memory."""
    return {page.id: page for page in map(_load, SAMPLES)}


def list_site_pages() -> list[tuple[bytes, str]]:
    """Return six pages of one site, with their names: for a first project."""
    folder = files("broadsheet.desk") / "samples" / "valley"
    return [(file.read_bytes(), file.name) for file in sorted(folder.iterdir(), key=lambda file: file.name)]


def _load(sample: Sample) -> StoredPage:
    folder = files("broadsheet.desk") / "samples"
    page = make_page((folder / f"{sample.file}.html").read_bytes(), name=f"{sample.file}.html", url=sample.url)
    gold = folder / f"{sample.file}.txt"
    return replace(page, gold=gold.read_text("utf-8").strip() if gold.is_file() else None)
