"""Values of an article that are made on first use, and articles of which only some fields were requested.

An empty slot of an article is filled from its source when it is first read: from the page, or from the requested
values. Making a value changes nothing else and the slot is filled last, so two threads may make the same value: they
get equal ones.

An article that keeps its page is several times as large as one that does not. So only the newest articles of a process
keep theirs, at most `MAX_PENDING` of `MAX_PENDING_BYTES`: an older one that is still in use is completed when another
page is extracted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeVar
from weakref import ref

from broadsheet.errors import FieldNotRequested

MAX_PENDING = 64  # articles that keep their page
MAX_PENDING_BYTES = 128_000_000  # of these pages, estimated; 64 ordinary ones have 70 MB
ALWAYS_THERE = ("url", "status", "confidence", "method")  # whatever fields were requested
_FIELD_OF_SLOT = {"page_blocks": "blocks", "labels": "blocks"}

T = TypeVar("T", bound="LazyValues")


class ValueSource(Protocol):
    """Makes the values of an article."""

    @property
    def reason(self) -> str | None:
        """Why the page or its capture is faulty, if it is."""
        ...

    def make(self, name: str) -> Any:
        """Make a value. Raises FieldNotRequested, or LimitReached if it takes longer than the limit of the page."""
        ...

    def is_exhausted(self, name: str) -> bool:
        """Tell whether no slot of the article is empty, after this one was filled."""
        ...


class RequestedValues(NamedTuple):
    """The values of an article of which only some fields were requested."""

    fields: tuple[str, ...]  # as the caller named them
    values: Mapping[str, Any]  # by attribute of the article
    reason: str | None = None

    def make(self, name: str) -> Any:
        """Return a requested value. Raises FieldNotRequested."""
        if name in self.values:
            return self.values[name]
        raise FieldNotRequested(_FIELD_OF_SLOT.get(name, name), self.fields)

    def is_exhausted(self, _name: str) -> bool:
        """Return False: the other fields stay unknown."""
        return False


class UnmadeValues(NamedTuple):
    """The values of an article that could not be made when its page was dropped."""

    error: Exception
    reason: str | None = None

    def make(self, _name: str) -> Any:
        """Raise the error."""
        raise self.error

    def is_exhausted(self, _name: str) -> bool:
        """Return False: the other values stay unknown."""
        return False


class LazyValues:
    """Base of `Article`: fills its empty slots on first use."""

    __slots__ = ("__weakref__", "_source", "_text")

    _source: ValueSource | None  # None: all slots are filled
    _text: str | None  # once it has been read
    sources: Mapping[str, str]

    def __new__(cls, *_arguments: object, **_values: object) -> Self:
        """Return an object without a source; `__init__` fills its slots."""
        made = super().__new__(cls)
        made._fill(_source=None, _text=None)
        return made

    if not TYPE_CHECKING:  # with __getattr__, a type checker would accept any name

        def __getattr__(self, name: str) -> object:  # only called for empty slots and for errors
            source = self._source if name in self.__slots__ else None
            if source is None:  # raises the error again, unless another thread has filled the slot
                return object.__getattribute__(self, name)
            value = source.make(name)
            self._fill(**{name: value})
            if source.is_exhausted(name):
                self._fill(_source=None)
            return value

    def _fill(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)  # articles are frozen


def make_lazy(kind: type[T], source: ValueSource, **values: object) -> T:
    """Return an object with these values; the others are made by the source on first use."""
    made = kind.__new__(kind)
    made._fill(_source=source, **values)
    return made


def get_requested(article: LazyValues) -> RequestedValues | None:
    """Return the requested values; None for a whole article."""
    return article._source if isinstance(article._source, RequestedValues) else None


def find_reason(article: LazyValues) -> str | None:
    """Return why the page or its capture is faulty, if it is."""
    source = article._source
    return source.reason if source else article.sources.get("status")


def complete(article: T) -> T:
    """Make all values and drop the page. Raises LimitReached."""
    if get_requested(article) is None:
        for name in article.__slots__ if article._source else ():
            getattr(article, name)
    return article


_pending: deque[tuple[ref[LazyValues], int]] = deque()  # articles and bytes of their pages, the oldest first


def limit_pending(article: LazyValues, size: int) -> None:
    """Count an article that keeps a page of this size in bytes. If there are too many, complete the oldest."""
    _pending.append((ref(article), size))
    while len(_pending) > MAX_PENDING or sum(size for _, size in tuple(_pending)) > MAX_PENDING_BYTES:
        try:
            oldest, _ = _pending.popleft()
        except IndexError:  # another thread was faster
            return
        _drop_page(oldest())


def _drop_page(article: LazyValues | None) -> None:
    if article is None:  # no longer in use
        return
    try:
        complete(article)
    except Exception as error:  # not of the page that is extracted: raised where a value of this article is read
        article._fill(_source=UnmadeValues(error, find_reason(article)))
