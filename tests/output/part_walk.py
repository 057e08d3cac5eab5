"""Walk over the parts of a body."""

from __future__ import annotations

from collections.abc import Iterator

from broadsheet.article import Definitions, Listing, Part, Quote


def walk_parts(parts: tuple[Part, ...]) -> Iterator[Part]:
    """Yield parts and the parts inside them, in order."""
    for part in parts:
        yield part
        match part:
            case Quote(parts=inner):
                yield from walk_parts(inner)
            case Listing(items=items):
                for item in items:
                    yield from walk_parts(item)
            case Definitions(items=definitions):
                for definition in definitions:
                    for details in definition.details:
                        yield from walk_parts(details)
