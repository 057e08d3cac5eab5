"""Rules of a site: corrections of one page, applied to the blocks in the same place on the other pages.

The labelled pages of a template are counted by block keys, the most specific first:

1. the text of the block: a notice that is on several pages;
2. its place, its first words and whether it is a link: "Read also: ..." between paragraphs;
3. its place, and whether it is a link;
4. its place: tags, classes and ids of its containers.

A block of another page gets its role from the first key that blocks of these pages have. It is changed only if people
have corrected the method there, and all blocks with this key have the same role. Everywhere else the method is right,
or the place does not decide. On a page that is not done yet, blocks without a label count with the role that the method
suggests: one corrected paragraph must not change all paragraphs of the site.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from broadsheet.project.analysis import PageBlock
from broadsheet.project.roles import LabelRole
from broadsheet.site.config import SiteConfig
from broadsheet.text import fold_words

MIN_ALIKE = SiteConfig.shipped().min_alike  # similarity of structure from which two pages have the same template
_LEAD_WORDS = 2
_MIN_LINK_SHARE = 0.8
BlockKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelledBlocks:
    """The blocks of a page and the roles that people gave to them, by path."""

    blocks: Sequence[PageBlock]
    roles: Mapping[str, LabelRole]


@dataclass(slots=True)
class _Evidence:
    roles: Counter[LabelRole] = field(default_factory=Counter)
    corrected: Counter[LabelRole] = field(default_factory=Counter)  # those that the method had not suggested


class SiteRules:
    """What the labels of some pages of a template say about its other pages."""

    def __init__(self, pages: Iterable[LabelledBlocks]) -> None:
        self._evidence: dict[BlockKey, _Evidence] = {}
        for page in pages:
            for block in page.blocks:
                role = page.roles.get(block.path, block.role)
                if role is not LabelRole.UNSURE:
                    self._count(block, role)

    def _count(self, block: PageBlock, role: LabelRole) -> None:
        for key in list_keys(block):
            evidence = self._evidence.setdefault(key, _Evidence())
            evidence.roles[role] += 1
            if role is not block.role:
                evidence.corrected[role] += 1

    @property
    def is_empty(self) -> bool:
        """Whether there are no corrections."""
        return not any(evidence.corrected for evidence in self._evidence.values())

    def find_role(self, block: PageBlock) -> LabelRole:
        """Return the role of a block on another page: that of its key, or else that of the method."""
        evidence = next(filter(None, map(self._evidence.get, list_keys(block))), None)
        if evidence is None:
            return block.role
        role, count = evidence.roles.most_common(1)[0]
        is_clear = count == evidence.roles.total()
        return role if is_clear and evidence.corrected[role] else block.role


def list_keys(block: PageBlock) -> Iterator[BlockKey]:
    """Yield the keys of a block, the most specific first."""
    words = fold_words(block.text)
    kind = "link" if block.link_share >= _MIN_LINK_SHARE else "text"
    yield ("text", words)
    yield ("lead", block.place, kind, " ".join(words.split()[:_LEAD_WORDS]))
    yield ("kind", block.place, kind)
    yield ("place", block.place)
