"""The groups of features that raised or lowered the score of each block.

A group's effect is the change of the log-odds of the score when the group is replaced, on all blocks of the page, by
its mean in training; words, names and tags are replaced by unknown ones. One run of the network gives the effects of a
group on all blocks, so a page costs one run per group.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Reason, Role
from broadsheet.methods.fusion.containers import LEVELS
from broadsheet.methods.fusion.features import COLUMN_ROWS
from broadsheet.methods.fusion.network import BODY, OUTPUT_ROLES, BlockInput, BlockNetwork

Array = NDArray[np.float32]

MIN_EFFECT = 0.1  # in log-odds: a tenth more or less of the odds
MAX_REASONS = 5  # of a block, the largest effects


def _list_around(*names: str) -> tuple[str, ...]:
    return tuple(f"around{level}_{name}" for name in names for level in range(LEVELS))


FEATURE_GROUPS: dict[str, tuple[str, ...]] = {
    "length": ("chars", "words", "word_chars", "lines"),
    "links": ("links",),
    "punctuation": (
        *("comma_share", "end_share", "colon_share", "quote_share", "mark_share", "commas", "ends"),
        *("ends_sentence", "ends_colon", "ends_lower", "ends_cut"),
    ),
    "kinds of characters": ("upper_share", "digit_share", "unspaced_share", "bar_share", "other_share"),
    "first character": ("starts_upper", "starts_lower", "starts_digit", "starts_bar", "starts_quote"),
    "depth": ("depth",),
    "repeated text": ("repeats",),
    "links in containers": _list_around("links"),
    "prose in containers": _list_around("prose", "long", "long_share"),
    "size of containers": _list_around("chars", "share", "blocks", "at"),
    "blocks of the same position": (
        *("place_blocks", "place_share", "place_links", "place_prose", "place_long_share", "place_chars"),
    ),
    "order in the page": ("at", "before", "left", "chars_at", "long_at"),
    "size of the page": ("page_blocks", "page_chars"),
    "distance to the headline": (
        *("has_headline", "from_headline", "is_headline", "after_headline"),
        *("levels_to_headline", "share_with_headline", "headlines_since"),
    ),
    "stated article text": ("has_body", "in_body"),
    "stated description": ("in_description", "description_share"),
    "stated title": ("title_share",),
    "stated authors": ("author_share",),
    "elements around the block": tuple(
        f"in_{context}"
        for context in "heading list quote table cell caption code nav header footer aside form main hidden".split()
    ),
    "article elements": ("in_article", "in_headline_article", "in_other_article", "articles"),
    "bold or italic": ("bold", "italic"),
}
WORDS, NAMES, TAGS = "first words", "class names and ids", "tags"  # inputs that are not features
GROUP_NAMES = (*FEATURE_GROUPS, WORDS, NAMES, TAGS)


def explain_blocks(
    network: BlockNetwork, block_input: BlockInput, roles: Sequence[Role]
) -> tuple[tuple[Reason, ...], ...]:
    """Return the reasons for each block's role, the largest effect first.

    They are the reasons for the score of article text; of blocks with another role that the network predicts, for the
    score of that role.
    """
    columns = np.array([OUTPUT_ROLES.index(role) if role in OUTPUT_ROLES else BODY for role in roles], np.intp)
    log_odds = _run(network, block_input, columns)
    effects = np.stack([log_odds - _run(network, occluded, columns) for occluded in _occlude(network, block_input)])
    order = np.argsort(-np.abs(effects), axis=0, kind="stable")[:MAX_REASONS]  # (reasons, n)
    return tuple(_list_reasons(effects[:, block], order[:, block].tolist()) for block in range(len(roles)))


def _list_reasons(effects: Array, order: list[int]) -> tuple[Reason, ...]:
    return tuple(
        Reason(GROUP_NAMES[group], round(float(effects[group]), 2))
        for group in order
        if abs(effects[group]) >= MIN_EFFECT
    )


def _run(network: BlockNetwork, block_input: BlockInput, columns: NDArray[np.intp]) -> Array:
    """Return the log-odds of one score of each block: (n,)."""
    scores = network.run(block_input)[np.arange(len(columns)), columns].astype(np.float64)
    scores = np.clip(scores, 1e-9, 1 - 1e-9)
    return np.asarray(np.log(scores / (1 - scores)), np.float32)


def _occlude(network: BlockNetwork, block_input: BlockInput) -> list[BlockInput]:
    """Return the input without each of the groups, in the order of `GROUP_NAMES`."""
    occluded = []
    for names in FEATURE_GROUPS.values():
        rows = [COLUMN_ROWS[name] for name in names]
        features = block_input.features.copy()
        features[rows] = network.mean_features[rows, None]
        occluded.append(block_input._replace(features=features))
    return [
        *occluded,
        block_input._replace(words=np.zeros_like(block_input.words)),
        block_input._replace(name_hashes=np.zeros_like(block_input.name_hashes)),
        block_input._replace(tags=np.zeros_like(block_input.tags)),
    ]
