"""Labels: the result of a method. All methods return this type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from broadsheet.blocks.blocks import Blocks
from broadsheet.blocks.roles import Role
from broadsheet.errors import BrokenMethod
from broadsheet.kernel.scores import are_probabilities
from broadsheet.page import tags

Span = tuple[int, int]  # start and end of a range of characters


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
    threshold: float | None = None  # score above which a block is article text, before corrections of roles
    is_article: bool | None = None  # False: the page is not an article (a home page, a forum, ...)
    page_type: str | None = None  # "forum", "product", ...: if the page may be no article, and the method can tell
    reasons: Sequence[tuple[Reason, ...]] = ()  # for each block, the largest effect first; () unless asked for
    # Of blocks that are kept in part: the character ranges of the block's text that are kept, in order.
    spans: Mapping[int, Sequence[Span]] = field(default_factory=dict)

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
        for block, spans in self.spans.items():
            if not 0 <= block < len(blocks) or not _are_ordered(spans, len(blocks.text[block])):
                raise BrokenMethod(f"method {method!r} returned spans that are not ranges of the text of block {block}")
        return self


def _are_ordered(spans: Sequence[Span], length: int) -> bool:
    bounds = [bound for span in spans for bound in span]
    return bool(spans) and bounds == sorted(bounds) and bounds[0] >= 0 and bounds[-1] <= length


def find_spans(text: str, is_kept: Sequence[int]) -> tuple[Span, ...]:
    """Return the kept ranges of a text, given a flag for each of its characters that is not white space.

    White space between kept characters is kept.
    """
    spans: list[Span] = []
    flags = iter(is_kept)
    is_open = False
    for position, char in enumerate(text):
        if char.isspace():
            continue
        is_open, was_open = bool(next(flags)), is_open
        if is_open:
            start = spans.pop()[0] if was_open else position
            spans.append((start, position + 1))
    return tuple(spans)


def cut_text(text: str, spans: Iterable[Span]) -> str:
    """Return the ranges of a text, with a space between them."""
    return " ".join(text[start:end] for start, end in spans)


# The first context flag that a block has decides its role.
_CONTENT_ROLES = (
    (tags.CAPTION, Role.CAPTION),
    (tags.HEADING, Role.HEADING),
    (tags.QUOTE, Role.QUOTE),
    (tags.LIST, Role.LIST),
    (tags.CELL, Role.TABLE),
)
_ROLE_MASK = sum(flag for flag, _ in _CONTENT_ROLES)
_ROLE_OF_CONTEXT = {
    context: next((role for flag, role in _CONTENT_ROLES if context & flag), Role.BODY)
    for context in range(_ROLE_MASK + 1)
    if context & _ROLE_MASK == context
}


def list_roles(blocks: Blocks, content: Iterable[int], others: Mapping[int, Role] = MappingProxyType({})) -> list[Role]:
    """Return the role of every block: of article text by its context, of some other blocks as given, or boilerplate."""
    roles, contexts = [Role.BOILERPLATE] * len(blocks), blocks.context
    for block, role in others.items():
        roles[block] = role
    for block in content:
        roles[block] = _ROLE_OF_CONTEXT[contexts[block] & _ROLE_MASK]
    return roles


def role_of_content(blocks: Blocks, block: int) -> Role:
    """Return the role of a block that is article text, by its context."""
    return _ROLE_OF_CONTEXT[blocks.context[block] & _ROLE_MASK]
