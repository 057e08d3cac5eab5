"""The pages that were opened in the desk, in memory, up to a number of bytes. The id of a page is a hash of it."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from broadsheet.output.safe import clean_text

MAX_STORE_BYTES = 256_000_000  # the pages used longest ago are dropped
MAX_COLLECTIONS = 50
_ID_CHARS = 16


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page, as it was opened."""

    id: str
    name: str  # file name, address, or the beginning of the text
    html: bytes
    url: str | None = None
    charset: str | None = None  # that the HTTP header states
    sheets: Mapping[str, str] = field(default_factory=dict)  # address -> CSS, if they were fetched
    gold: str | None = None  # the text that should be extracted

    @property
    def size(self) -> int:
        """Bytes that the page takes, roughly."""
        return len(self.html) + sum(map(len, self.sheets.values())) + len(self.gold or "") + 1000


@dataclass(frozen=True, slots=True)
class Collection:
    """Several pages that were opened together."""

    id: str
    name: str
    pages: tuple[str, ...]  # ids


class PageStore:
    """Pages and collections by id. All calls are made from the event loop."""

    def __init__(self, max_bytes: int = MAX_STORE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._pages: OrderedDict[str, StoredPage] = OrderedDict()
        self._collections: OrderedDict[str, Collection] = OrderedDict()
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

    def add_collection(self, name: str, pages: tuple[str, ...]) -> Collection:
        """Store a collection."""
        collection = Collection(_hash("collection", *pages), name, pages)
        self._collections[collection.id] = collection
        self._collections.move_to_end(collection.id)
        if len(self._collections) > MAX_COLLECTIONS:
            self._collections.popitem(last=False)
        return collection

    def get_collection(self, collection_id: str) -> Collection | None:
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
    return StoredPage(_hash(html, url or ""), clean_text(name) or url or "pasted page", html, url, charset)


def _hash(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part)
        digest.update(b"\0")
    return digest.hexdigest()[:_ID_CHARS]
