"""Labels: what a method says of every block. The seam where all methods meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from broadsheet.blocks.blocks import Blocks
from broadsheet.errors import BrokenMethod
from broadsheet.page import tags


class Role(StrEnum):
    """What a block is to the reader."""

    __hash__ = str.__hash__  # Enum's own is written in Python, and roles are looked up for every block

    TITLE = "title"
    SUBTITLE = "subtitle"  # standfirst: the lines between the headline and the text
    BYLINE = "byline"
    DATE = "date"
    BODY = "body"
    HEADING = "heading"
    LIST = "list"
    QUOTE = "quote"
    TABLE = "table"
    CAPTION = "caption"
    COMMENT = "comment"
    BOILERPLATE = "boilerplate"


# The roles that make up the text of the article.
CONTENT_ROLES = frozenset((Role.SUBTITLE, Role.BODY, Role.HEADING, Role.LIST, Role.QUOTE, Role.TABLE))


@dataclass(frozen=True, slots=True)
class Labels:
    """A role and a score for every block, in the order of the blocks."""

    roles: Sequence[Role]
    scores: Sequence[float]  # 0..1: how much the method believes that the block is article text
    title: str | None = None  # the headline, where the method finds one itself
    dates: Sequence[str] = ()  # texts that may say the date, where the method finds some; the likeliest first
    confidence: float | None = None  # expected F1 of the text, 0..1, where the method knows how sure it is
    is_article: bool | None = None  # whether the page is an article at all, where the method can tell

    def check(self, blocks: Blocks, method: str) -> Labels:
        """Give the labels back if there is a role and a score from 0 to 1 for every block; else raise BrokenMethod."""
        if not len(self.roles) == len(self.scores) == len(blocks):
            raise BrokenMethod(
                f"method {method!r} gave {len(self.roles)} roles and {len(self.scores)} scores for {len(blocks)} blocks"
            )
        if not all(0 <= score <= 1 for score in self.scores):
            raise BrokenMethod(f"method {method!r} gave a score that is not from 0 to 1")
        if self.confidence is not None and not 0 <= self.confidence <= 1:
            raise BrokenMethod(f"method {method!r} gave a confidence that is not from 0 to 1")
        return self


def role_of_content(blocks: Blocks, block: int) -> Role:
    """Name the role of a block that is known to be article text, by what it stands in."""
    meaning = blocks.context[block]
    if meaning & tags.CAPTION:
        return Role.CAPTION
    if meaning & tags.HEADING:
        return Role.HEADING
    if meaning & tags.QUOTE:
        return Role.QUOTE
    if meaning & tags.LIST:
        return Role.LIST
    if meaning & tags.CELL:
        return Role.TABLE
    return Role.BODY
