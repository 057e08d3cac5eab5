"""The finds so far: one per article, with the best title and date of all sources that list it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from broadsheet.discovery.address_shape import read_address_date
from broadsheet.discovery.addresses import clean_address, make_key
from broadsheet.discovery.find import Find, Origin

_RANKS = {origin: rank for rank, origin in enumerate(Origin)}


class Collection:
    """Finds by the key of their address."""

    def __init__(self) -> None:
        self._finds: dict[str, Find] = {}

    def add(self, find: Find) -> None:
        """Add a find, or complete the one with the same address."""
        find = replace(find, url=clean_address(find.url))
        key = make_key(find.url)
        earlier = self._finds.get(key)
        self._finds[key] = find if earlier is None else _merge(earlier, find)

    def __iter__(self) -> Iterator[Find]:
        return iter(self._finds.values())

    def __len__(self) -> int:
        return len(self._finds)

    def list_finds(self) -> list[Find]:
        """Return the finds, the newest first; a missing date is read from the address."""
        finds = [_add_date(find) for find in self._finds.values()]
        dated = sorted((find for find in finds if find.moment), key=lambda find: find.moment, reverse=True)  # type: ignore[arg-type,return-value]
        return [*dated, *(find for find in finds if find.moment is None)]


def _add_date(find: Find) -> Find:
    return find if find.date else replace(find, date=read_address_date(find.url))


def _merge(first: Find, second: Find) -> Find:
    """Take title and date from the more trusted origin that states them; of two links, the longer text."""
    better, worse = sorted((first, second), key=lambda find: _RANKS[find.origins[0]])
    if better.origins[0] is Origin.LINK and len(worse.title) > len(better.title):
        title = worse.title
    else:
        title = better.title or worse.title
    origins = sorted({*first.origins, *second.origins}, key=_RANKS.__getitem__)
    return Find(
        url=better.url,
        title=title,
        date=better.date or worse.date,
        origins=tuple(origins),
        score=max(first.score, second.score),
    )
