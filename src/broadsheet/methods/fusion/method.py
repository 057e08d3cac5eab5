"""Fusion: what the five methods taught, put together in one small network; the default.

Every block of the page is measured once (the shape of its text, its links, what the containers around it hold, how they
are named, how it stands to the headline), and a small network reads the blocks in their order and in their containers.
It was trained on pages of all kinds, years and languages, with the convention of each dataset known. Two forests then
say whether the page is an article, and how good the text is likely to be. What was tried: docs/methods/fusion.md.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels, Role, role_of_content, tags
from broadsheet.errors import UsageError
from broadsheet.methods.fusion.features import NAMES
from broadsheet.methods.fusion.inputs import read_input
from broadsheet.methods.fusion.lists import join_items
from broadsheet.methods.fusion.network import BlockNetwork
from broadsheet.methods.fusion.threshold import find_limit
from broadsheet.methods.fusion.verdict import (
    HEAD_NAMES,
    OUTCOME_NAMES,
    Judge,
    count_characters_of,
    measure_head,
    measure_outcome,
)
from broadsheet.models import load_weights
from broadsheet.page import Page

MODEL = "fusion"
MEASURES = (*NAMES, *HEAD_NAMES, *OUTCOME_NAMES)  # what weights are for
# What the network tells of a block besides whether it is text. One that is likelier one of these is no text.
OTHERS = (Role.COMMENT, Role.TITLE, Role.BYLINE, Role.DATE)
_DATE, _COMMENT = OTHERS.index(Role.DATE), OTHERS.index(Role.COMMENT)
_SURE_COMMENT = 0.6  # best of 0.4 to 0.8 on dev
_DIGIT = re.compile(r"\d")
_MIN_ROLE = 0.4  # how probable a role besides text must be; by-lines are the rarest, and their labels the sparsest
_MIN_REPEATED = 60  # characters of a paragraph that nobody writes twice
_MIN_ARTICLE = 100  # characters
_MIN_HIDDEN = 15  # of one that stands there once more, hidden


class Fusion:
    """A small network over all that tells text from the rest; says how sure it is. The default."""

    name: ClassVar[str] = MODEL

    def __init__(self, weights: Path | None = None, *, threshold: float | None = None) -> None:
        """Take the shipped weights or those of a folder; `threshold` is the same limit for all pages."""
        self.network, self.judge = _load(weights)
        self.threshold = threshold

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Measure the blocks, run the network, name the roles, and judge the page."""
        page.deadline.check()
        if not len(blocks):
            return Labels([], [])
        measured = read_input(page, blocks)
        page.deadline.check()
        found = self.network.run(measured)
        chars = count_characters_of(measured.values)
        found[:, 0] = join_items(page, blocks, measured.place, found[:, 0], chars)
        limit = find_limit(found[:, 0], chars) if self.threshold is None else self.threshold
        roles = _name_roles(blocks, found, limit)
        text = [block for block, role in enumerate(roles) if role in CONTENT_ROLES]
        kept = _leave_last_headings(roles, _leave_repeated(blocks, text))
        for block in set(text).difference(kept):
            roles[block] = Role.BOILERPLATE
        outcome = measure_outcome(measured.values, found, limit)
        verdict = self.judge.judge(np.concatenate((measure_head(page), outcome)))
        # Pages of a few words were not there to learn from.
        is_long = min(sum(len(blocks.text[block]) for block in kept) / _MIN_ARTICLE, 1.0)
        return Labels(
            roles, found[:, 0].tolist(), confidence=verdict.confidence * is_long, is_article=verdict.is_article
        )


def _name_roles(blocks: Blocks, found: NDArray[np.float32], limit: float) -> list[Role]:
    others = found[:, 1:].copy()
    for block in np.flatnonzero(others[:, _DATE] > _MIN_ROLE).tolist():
        if not _DIGIT.search(blocks.text[block]):  # a date has a digit, in any script
            others[block, _DATE] = 0
    best = others.argmax(1)
    height = others[np.arange(len(others)), best]
    is_other = (height > _MIN_ROLE) & (height > found[:, 0])
    # Comments were marked on few pages only: what may be text must be a comment for sure.
    is_text = (found[:, 0] > limit) & ~(is_other & ((best != _COMMENT) | (height > _SURE_COMMENT)))
    roles = [Role.BOILERPLATE] * len(blocks)
    for block in np.flatnonzero(is_other).tolist():
        roles[block] = OTHERS[best[block]]
    for block in np.flatnonzero(is_text).tolist():
        roles[block] = role_of_content(blocks, block)
    return roles


def _leave_repeated(blocks: Blocks, text: list[int]) -> list[int]:
    """Take a paragraph once: sites repeat it for phones, for printing, or as a teaser; a hidden copy may be short."""
    kept: list[int] = []
    seen: set[str] = set()
    for block in text:
        own = blocks.text[block]
        if own in seen and (len(own) >= _MIN_REPEATED or (len(own) >= _MIN_HIDDEN and blocks.has(block, tags.HIDDEN))):
            continue
        kept.append(block)
        seen.add(own)
    return kept


def _leave_last_headings(roles: list[Role], text: list[int]) -> list[int]:
    """Let the text not end with headings, if there is more: what they head is no text ("Related stories")."""
    after = len(text)
    while after and roles[text[after - 1]] is Role.HEADING:
        after -= 1
    return text[:after] if after else text


@cache
def _load(folder: Path | None) -> tuple[BlockNetwork, Judge]:
    weights = load_weights(MODEL, folder)
    if tuple(weights.config.get("measures", ())) != MEASURES:
        raise UsageError(f"{weights.folder} was trained for other measures; train it anew: broadsheet train {MODEL}")
    return BlockNetwork(weights.arrays, weights.config["network"]), Judge(weights.arrays, weights.config)
