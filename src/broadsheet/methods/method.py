"""The one interface of all methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # listing the methods should not load what they work on
    from broadsheet.blocks import Blocks, Labels
    from broadsheet.page import Page


class Method(Protocol):
    """One way of telling article text from the rest of a page.

    A method only says what each block is; it never builds text, dates or output. The first line of its class's
    docstring is what `broadsheet methods` shows.
    """

    @property
    def name(self) -> str:
        """What the method is called; a plain `name = "..."` in the class will do."""
        ...

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Give every block a role and a score."""
        ...
