"""Features of three pages, compared with golden files.

Weights depend on the name, order and value of every feature. If a change of features is intended, train new weights
and write the golden file again:

    PYTHONPATH=src python tests/methods/fusion/test_golden.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from broadsheet.blocks import Labels, Role, segment
from broadsheet.fields import title_ranker
from broadsheet.fields.table import start_evidence
from broadsheet.fields.title_candidates import list_candidates
from broadsheet.methods.fusion.features import FEATURE_NAMES, read_input
from broadsheet.methods.fusion.network import OUTPUT_ROLES
from broadsheet.methods.fusion.page_features import (
    HEAD_NAMES,
    OUTCOME_NAMES,
    compute_head_features,
    compute_outcome_features,
)
from broadsheet.page import read_page

FOLDER = Path(__file__).parent / "golden"
GOLDEN = FOLDER / "features.json"
ADDRESSES = {
    "article": "https://bay.example/2024/03/16/harbour-ferry-returns.html",
    "table_layout": "http://bay.example/news/view.asp?id=4711",
    "section": "https://bay.example/news/",
}
METHOD_TITLES = {"section": "All stories of the day"}
TOLERANCE = 1e-6
DIGITS = 7
MIN_BODY_CHARS = 30  # blocks of this length are article text here, so that the file does not depend on weights

Values = list[float] | float


def compute_page(name: str) -> dict[str, Any]:
    """Compute all features of a page: by kind, then by name."""
    page = read_page((FOLDER / f"{name}.html").read_bytes(), url=ADDRESSES[name])
    blocks = segment(page)
    block_features = read_input(page, blocks).features
    is_body = [len(text) >= MIN_BODY_CHARS for text in blocks.text]
    scores = np.tile(np.array((0.2, 0.05, 0.1, 0.15, 0.25, 0.3), np.float32), (len(blocks), 1))  # of OUTPUT_ROLES
    scores[is_body, 0] = 0.9
    scores[:, 0] -= np.arange(len(blocks), dtype=np.float32) / 200
    outcome = compute_outcome_features(block_features, scores, 0.5)
    roles = [Role.BODY if is_text else Role.BOILERPLATE for is_text in is_body]
    labels = Labels(roles, [0.0] * len(roles), METHOD_TITLES.get(name))
    evidence = start_evidence(page, blocks, labels)
    candidates = list_candidates(evidence)
    samples = title_ranker.compute_features(evidence, candidates)
    return {
        "blocks": list(blocks.text),
        "block features": name_values(FEATURE_NAMES, block_features.tolist()),
        "head features": name_values(HEAD_NAMES, compute_head_features(page).tolist()),
        "outcome features": name_values(OUTCOME_NAMES, outcome.tolist()),
        "title candidates": [candidate.text for candidate in candidates],
        "title features": name_values(title_ranker.FEATURE_NAMES, samples.T.tolist()),
    }


def name_values(names: Sequence[str], values: Sequence[Values]) -> dict[str, Values]:
    return dict(zip(names, values, strict=True))


def read_golden() -> Any:
    return json.loads(GOLDEN.read_text("utf-8"))


KINDS = ("block features", "head features", "outcome features", "title features")


def test_scores_fit_the_outputs_of_the_network() -> None:
    assert len(OUTPUT_ROLES) == 6


@pytest.mark.parametrize("page", ADDRESSES)
def test_features_are_those_of_the_golden_file(page: str) -> None:
    features, golden = compute_page(page), read_golden()[page]
    for texts in ("blocks", "title candidates"):
        assert features[texts] == golden[texts]
    for kind in KINDS:
        assert list(features[kind]) == list(golden[kind]), f"{page}: names or order of the {kind} have changed"
        changed = [
            name
            for name, values in features[kind].items()
            if values != pytest.approx(golden[kind][name], abs=TOLERANCE, rel=TOLERANCE)
        ]
        assert not changed, f"{page}: values of these {kind} have changed: {', '.join(changed)}"


@pytest.mark.parametrize("kind", ["block features", "title features"])
def test_the_pages_distinguish_features(kind: str) -> None:
    """A feature with the same values as another could be exchanged with it unnoticed."""
    golden = read_golden()
    names_by_values: dict[str, list[str]] = {}
    for name in golden["article"][kind]:
        names_by_values.setdefault(str([golden[page][kind][name] for page in golden]), []).append(name)
    same = sum(len(names) - 1 for names in names_by_values.values())
    assert same <= len(golden["article"][kind]) // 8, [names for names in names_by_values.values() if len(names) > 1]


def write_golden() -> None:
    """Write one line for each feature, so that a change is easy to read."""
    pages = []
    for page in ADDRESSES:
        kinds = [f"  {json.dumps(kind)}: {write_kind(values)}" for kind, values in compute_page(page).items()]
        pages.append(f" {json.dumps(page)}: {{\n" + ",\n".join(kinds) + "\n }")
    GOLDEN.write_text("{\n" + ",\n".join(pages) + "\n}\n", "utf-8")


def write_kind(values: dict[str, Values] | list[str]) -> str:
    if isinstance(values, list):
        return json.dumps(values, ensure_ascii=False)
    return "{\n" + ",\n".join(write_features(values)) + "\n  }"


def write_features(features: dict[str, Values]) -> Iterator[str]:
    for name, values in features.items():
        rounded = [round_value(value) for value in values] if isinstance(values, list) else round_value(values)
        yield f"   {json.dumps(name)}: {json.dumps(rounded)}"


def round_value(value: float) -> float:
    rounded = round(value, DIGITS)
    return int(rounded) if rounded.is_integer() else rounded


if __name__ == "__main__":
    write_golden()
