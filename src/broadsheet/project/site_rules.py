"""Rules of a site: corrections of some pages, applied to the blocks in the same place on the other pages.

The labelled pages of a template are counted by block keys, the most specific first:

1. the text of the block: a notice that is on several pages;
2. its place, its first words and whether it is a link: "Read also: ..." between paragraphs;
3. its place, and whether it is a link;
4. its place: tags, classes and ids of its containers.

A block of another page gets its role from the first key that blocks of these pages have. It is changed only if people
have corrected the method there, and all blocks with this key have the same role. Everywhere else the method is right,
or the place does not decide. On a page that is not done yet, blocks without a label count with the role that the method
suggests: one corrected paragraph must not change all paragraphs of the site.

Keys and roles are numbers in arrays: a correction is applied to 1,000 pages in some milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from broadsheet.blocks.roles import LabelRole
from broadsheet.project.analysis import PageBlock
from broadsheet.text import fold_words

ROLES = tuple(LabelRole)
NO_LABEL = -1
_UNSURE = ROLES.index(LabelRole.UNSURE)
_ROLE_NUMBERS = {role: number for number, role in enumerate(ROLES)}
_LEAD_WORDS = 2
_MIN_LINK_SHARE = 0.8
_KEYS_PER_BLOCK = 4
BlockKey = tuple[str, ...]


class KeyNumbers:
    """Numbers of block keys: the same key has the same number on all pages."""

    def __init__(self) -> None:
        self._numbers: dict[BlockKey, int] = {}

    def number_blocks(self, blocks: Iterable[PageBlock]) -> np.ndarray:
        """Return the keys of blocks, the most specific first: [blocks, 4]."""
        numbers = self._numbers
        keys = [numbers.setdefault(key, len(numbers)) for block in blocks for key in _list_keys(block)]
        return np.array(keys, np.int64).reshape(-1, _KEYS_PER_BLOCK)


@dataclass(frozen=True, slots=True)
class LabelledBlocks:
    """The blocks of a page as arrays. Roles are numbers in `ROLES`."""

    keys: np.ndarray  # [blocks, 4]
    suggested: np.ndarray  # [blocks]: roles that the method suggests
    labels: np.ndarray  # [blocks]: roles that people gave, or NO_LABEL
    has_labels: bool  # whether there is any label


def number_roles(roles: Iterable[LabelRole | None]) -> np.ndarray:
    """Return the numbers of roles; NO_LABEL for None."""
    return np.array([NO_LABEL if role is None else _ROLE_NUMBERS[role] for role in roles], np.int64)


def label_blocks(blocks: Sequence[PageBlock], keys: np.ndarray, labels: Mapping[str, LabelRole]) -> LabelledBlocks:
    """Return the blocks of a page with their keys and the labels of some of them, by path."""
    suggested = number_roles(block.role for block in blocks)
    numbers = number_roles(labels.get(block.path) for block in blocks)
    return LabelledBlocks(keys, suggested, numbers, bool((numbers != NO_LABEL).any()))


def find_roles(pages: Sequence[LabelledBlocks], evidence: Sequence[LabelledBlocks]) -> list[np.ndarray]:
    """Return the roles of the blocks of pages by the labels of other pages with the same template.

    A page may be among the evidence, too; its own labels do not count for it.
    """
    labelled = [page for page in evidence if page.has_labels]
    if not labelled:
        return [page.suggested for page in pages]
    others = [page for page in pages if not page.has_labels]
    keys, suggested = _join(others)
    counts = _count_evidence(labelled, min_size=1 + int(keys.max(initial=0)))
    roles = iter(_split(counts.find_roles(keys, suggested), others))
    return [_find_roles_of_labelled(page, counts) if page.has_labels else next(roles) for page in pages]


@dataclass(frozen=True, slots=True)
class _Evidence:
    roles: np.ndarray  # [keys, roles]: blocks of the labelled pages
    corrected: np.ndarray  # [keys]: those among them whose role the method had not suggested

    def find_roles(self, keys: np.ndarray, suggested: np.ndarray) -> np.ndarray:
        """Return the role of each block: that of its first key with evidence, if it is clear, or else the method's."""
        totals = self.roles.sum(axis=1)
        decides = (self.roles.max(axis=1, initial=0) == totals) & (self.corrected > 0)
        has_evidence = totals[keys] > 0
        first_keys = keys[np.arange(len(keys)), has_evidence.argmax(axis=1)]
        is_changed = has_evidence.any(axis=1) & decides[first_keys]
        return np.where(is_changed, self.roles.argmax(axis=1)[first_keys], suggested)


def _count_evidence(pages: Sequence[LabelledBlocks], min_size: int) -> _Evidence:
    """Count the blocks of labelled pages by key and by role; for at least `min_size` keys."""
    keys, suggested = _join(pages)
    size = max(min_size, 1 + int(keys.max(initial=0)))
    labels = np.concatenate([page.labels for page in pages])
    roles = np.where(labels == NO_LABEL, suggested, labels)
    is_sure = roles != _UNSURE
    is_corrected = is_sure & (roles != suggested)
    pairs = keys[is_sure] * len(ROLES) + roles[is_sure, None]
    counts = np.bincount(pairs.ravel(), minlength=size * len(ROLES)).reshape(size, len(ROLES))
    return _Evidence(counts, np.bincount(keys[is_corrected].ravel(), minlength=size))


def _find_roles_of_labelled(page: LabelledBlocks, evidence: _Evidence) -> np.ndarray:
    """Return the roles of a page that is part of the evidence: without its own part."""
    keys, numbers = np.unique(page.keys, return_inverse=True)
    numbers = numbers.reshape(page.keys.shape)
    part = _count_evidence([replace(page, keys=numbers)], len(keys))
    rest = _Evidence(evidence.roles[keys] - part.roles, evidence.corrected[keys] - part.corrected)
    return rest.find_roles(numbers, page.suggested)


def _join(pages: Sequence[LabelledBlocks]) -> tuple[np.ndarray, np.ndarray]:
    """Return keys and suggested roles of all blocks."""
    if not pages:
        return np.empty((0, _KEYS_PER_BLOCK), np.int64), np.empty(0, np.int64)
    return np.concatenate([page.keys for page in pages]), np.concatenate([page.suggested for page in pages])


def _split(roles: np.ndarray, pages: Sequence[LabelledBlocks]) -> list[np.ndarray]:
    ends = np.cumsum([len(page.keys) for page in pages])
    return np.split(roles, ends[:-1]) if pages else []


def _list_keys(block: PageBlock) -> Iterator[BlockKey]:
    """Yield the keys of a block, the most specific first."""
    words = fold_words(block.text)
    kind = "link" if block.link_share >= _MIN_LINK_SHARE else "text"
    yield ("text", words)
    yield ("lead", block.place, kind, " ".join(words.split()[:_LEAD_WORDS]))
    yield ("kind", block.place, kind)
    yield ("place", block.place)
