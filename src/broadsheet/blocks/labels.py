"""Labels: the result of a method. All methods return this type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from broadsheet.blocks.blocks import Blocks
from broadsheet.blocks.roles import Role
from broadsheet.errors import BrokenMethod
from broadsheet.kernel.scores import are_probabilities
from broadsheet.page import tags


@dataclass(frozen=True, slots=True)
class Reason:
    """A group of features that raised or lowered the score of a block."""

    feature: str  # name of the group, such as "links"
    effect: float  # on the log-odds of the score: 0.7 doubles the odds, -0.7 halves them


@dataclass(frozen=True, slots=True)
class Labels:
    """A role and a score for every block, in the order of the blocks. The other values are optional."""

    roles: Sequence[Role]
    scores: Sequence[float]  # 0..1: probability that the block is article text
    title: str | None = None
    dates: Sequence[str] = ()  # texts that may contain the date, the likeliest first
    confidence: float | None = None  # 0..1: expected F1 of the text
    is_article: bool | None = None  # False: the page is not an article (a home page, a forum, ...)
    reasons: Sequence[tuple[Reason, ...]] = ()  # for each block, the largest effect first; () unless asked for

    def check(self, blocks: Blocks, method: str) -> Labels:
        """Return the labels. Raises BrokenMethod unless every block has a role and a score between 0 and 1."""
        if not len(self.roles) == len(self.scores) == len(blocks):
            raise BrokenMethod(
                f"method {method!r} returned {len(self.roles)} roles and {len(self.scores)} scores "
                f"for {len(blocks)} blocks"
            )
        if not are_probabilities(self.scores):
            raise BrokenMethod(f"method {method!r} returned a score that is not between 0 and 1")
        if self.confidence is not None and not 0 <= self.confidence <= 1:
            raise BrokenMethod(f"method {method!r} returned a confidence that is not between 0 and 1")
        return self


# The first context flag that a block has decides its role.
_ROLE_OF_CONTEXT = (
    (tags.CAPTION, Role.CAPTION),
    (tags.HEADING, Role.HEADING),
    (tags.QUOTE, Role.QUOTE),
    (tags.LIST, Role.LIST),
    (tags.CELL, Role.TABLE),
)


def list_roles(blocks: Blocks, content: Iterable[int], others: Mapping[int, Role] = MappingProxyType({})) -> list[Role]:
    """Return the role of every block: of article text by its context, of some other blocks as given, or boilerplate."""
    roles = [Role.BOILERPLATE] * len(blocks)
    for block, role in others.items():
        roles[block] = role
    for block in content:
        roles[block] = role_of_content(blocks, block)
    return roles


def role_of_content(blocks: Blocks, block: int) -> Role:
    """Return the role of a block that is article text, by its context."""
    context = blocks.context[block]
    for flag, role in _ROLE_OF_CONTEXT:
        if context & flag:
            return role
    return Role.BODY
