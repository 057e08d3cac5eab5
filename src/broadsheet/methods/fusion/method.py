"""Fusion: one small network over the features of the five published methods. The default method.

Features of every block are computed once: text, links, containers and their names, order, headline, metadata. A small
network reads the blocks in order and in their containers. It was trained on pages of many kinds, years and languages,
with the labelling convention of each dataset as an input. Two forests then predict whether the page is an article, and
the F1 of the extracted text. Experiments: docs/methods/fusion.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels, Reason, Role, list_roles
from broadsheet.errors import UsageError
from broadsheet.kernel.scores import RoleLimits, choose_roles
from broadsheet.kernel.selection import find_members
from broadsheet.methods.fusion.config import FusionConfig
from broadsheet.methods.fusion.corrections import (
    OTHER_PAGE_CORRECTIONS,
    ROLE_CORRECTIONS,
    SCORE_CORRECTIONS,
    CorrectRoles,
    find_threshold,
)
from broadsheet.methods.fusion.exactness import ExactnessModel, measure_margins, read_exactness
from broadsheet.methods.fusion.features import FEATURE_NAMES, read_chars
from broadsheet.methods.fusion.network import BODY, COMMENT, DATE, OUTPUT_ROLES, BlockNetwork, read_input, read_network
from broadsheet.methods.fusion.page_features import (
    EXPECTED_F1,
    HEAD_NAMES,
    OUTCOME_NAMES,
    PageForests,
    compute_head_features,
    compute_outcome_features,
    read_forests,
)
from broadsheet.models.arrays import read_buffer, round_single
from broadsheet.models.config import check_config, read_setting
from broadsheet.models.weights import hash_weights, load_weights
from broadsheet.page import Page

Scores = NDArray[np.float32]  # (n, roles)

MODEL = "fusion"
ALL_FEATURES = (*FEATURE_NAMES, *HEAD_NAMES, *OUTCOME_NAMES)  # stored with the weights, and compared at load


class Fusion:
    """A small network over block features; gives a confidence. The default."""

    name: ClassVar[str] = MODEL
    labels_static_blocks: ClassVar[bool] = True  # of a learned site; see `methods/apply.py`

    def __init__(self, config: FusionConfig | None = None, *, weights: str | Path | None = None) -> None:
        """Use the shipped settings and weights, or others; `weights` is a folder of `broadsheet train fusion`."""
        self.config = check_config(config, FusionConfig) or FusionConfig()
        self._models = _load_models(Path(weights) if isinstance(weights, str) else weights)
        self.weights_hash = hash_weights(MODEL, weights)

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Compute features, run the network, assign roles, and predict page type and confidence."""
        page.deadline.check()
        if not len(blocks):
            return Labels([], [])
        config = self.config
        block_input = read_input(page, blocks)
        page.deadline.check()
        chars = read_chars(block_input.features)
        min_doubt = config.min_doubt if config.second_opinion else math.inf
        scores = self._models.network.run(block_input, chars, min_doubt)
        body_scores = scores[:, BODY]
        for correct in SCORE_CORRECTIONS:
            corrected = correct(page, blocks, block_input, body_scores, config)
            if corrected is not body_scores:
                body_scores[:] = corrected
        threshold = find_threshold(body_scores, chars, config)
        roles = _assign_roles(blocks, scores, threshold, config)
        _correct_roles(ROLE_CORRECTIONS, blocks, roles, body_scores, config)
        outcome = compute_outcome_features(block_input.features, scores, threshold, chars)
        page_features = np.concatenate((compute_head_features(page), outcome))
        prediction = self._models.forests.predict(page_features, config.article_threshold)
        if not prediction.is_article and outcome[EXPECTED_F1] < config.max_main_f1:
            _correct_roles(OTHER_PAGE_CORRECTIONS, blocks, roles, body_scores, config)
        content = find_members(roles, CONTENT_ROLES)
        length_factor = min(sum([len(blocks.text[block]) for block in content]) / config.min_article_chars, 1.0)
        return Labels(
            roles,
            body_scores.tolist(),
            confidence=prediction.confidence * length_factor,
            threshold=threshold,
            is_article=prediction.is_article,
            page_type=prediction.page_type,
        )

    def predict_exactness(self, labels: Labels) -> float | None:
        """Return the probability that the text is right to the word; None if the weights do not say."""
        model = self._models.exactness
        if model is None or labels.threshold is None:
            return None
        return float(model.predict(measure_margins(labels.scores, labels.threshold)))

    def explain(self, page: Page, blocks: Blocks, labels: Labels) -> tuple[tuple[Reason, ...], ...]:
        """Return the reasons for the role of each block. It takes about 25 runs of the network."""
        from broadsheet.methods.fusion.explain import explain_blocks  # imported here: few callers ask for reasons

        return explain_blocks(self._models.network, read_input(page, blocks), labels.roles) if len(blocks) else ()


def _assign_roles(blocks: Blocks, scores: Scores, threshold: float, config: FusionConfig) -> list[Role]:
    limits = RoleLimits(
        content=round_single(threshold),
        role=round_single(config.min_role_score),
        comment=round_single(config.min_comment_score),
        comment_column=COMMENT,
        date_column=DATE,
    )
    others: dict[int, int] = {}  # block -> column of its role
    content = choose_roles(read_buffer(scores.reshape(-1)), scores.shape[1], blocks.text, limits, others)
    return list_roles(blocks, content, {block: OUTPUT_ROLES[column] for block, column in others.items()})


def _correct_roles(
    corrections: Iterable[CorrectRoles], blocks: Blocks, roles: list[Role], scores: Scores, config: FusionConfig
) -> None:
    for find_changes in corrections:
        for block, role in find_changes(blocks, roles, scores, config).items():
            roles[block] = role


class _Models(NamedTuple):
    network: BlockNetwork
    forests: PageForests
    exactness: ExactnessModel | None


@cache
def _load_models(folder: Path | None) -> _Models:
    weights = load_weights(MODEL, folder)
    if read_setting(weights, "measures", kind=tuple[str, ...]) != ALL_FEATURES:
        raise UsageError(f"{weights.folder} was trained with other features; {weights.advice}")
    page_features = len(HEAD_NAMES) + len(OUTCOME_NAMES)
    return _Models(
        read_network(weights, len(FEATURE_NAMES)), read_forests(weights, page_features), read_exactness(weights)
    )
