"""The matrix X of the paper, which the network itself never builds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.gcn.features import TAG_COLUMNS, NodeFeatures
from broadsheet.models.words import WordVectors

Floats = NDArray[np.float32]


def assemble_features(features: NodeFeatures, words: WordVectors, tags: Mapping[str, Floats]) -> Floats:
    """Return the matrix X of the paper: (nodes, 215), or wider with our columns."""
    unknown_tag = np.zeros(TAG_COLUMNS, np.float32)
    texts = np.zeros((len(features), words.columns), np.float32)
    texts[features.text_rows] = words.sif(features.texts)
    parts = [np.array([tags.get(tag, unknown_tag) for tag in features.tags]), texts]
    if features.name_rows is not None:
        names = np.zeros((len(features), words.columns), np.float32)
        names[features.name_rows] = words.sif(features.names)[features.name_index]
        parts.append(names)
    return np.hstack([*parts, features.numbers])
