"""The interface of all methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:  # listing the methods must not import blocks and page
    from broadsheet.blocks import Blocks, Labels, Reason
    from broadsheet.page import Page


class Method(Protocol):
    """A way to separate article text from the rest of a page.

    A method labels blocks; it does not build text, fields or output. `broadsheet methods` shows the first line of its
    class's docstring. A method with weights may have an attribute `weights_hash`, which is written to records.
    """

    @property
    def name(self) -> str:
        """Name of the method; a class attribute `name = "..."` is enough."""
        ...

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Return a role and a score for every block."""
        ...


@runtime_checkable
class ExplainingMethod(Method, Protocol):
    """A method that can also give the reasons for its labels."""

    def explain(self, page: Page, blocks: Blocks, labels: Labels) -> Sequence[tuple[Reason, ...]]:
        """Return the reasons for the label of every block, the largest effect first."""
        ...
