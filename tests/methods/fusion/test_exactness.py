"""Exactness: margins of scores, the logistic regression and its training; doubts of an article."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import broadsheet
from broadsheet.errors import UsageError
from broadsheet.methods.fusion.exactness import KEY, MARGIN_NAMES, ExactnessModel, measure_margins, read_exactness
from broadsheet.methods.fusion.train_forests import (
    calibrate_exactness,
    measure_auc,
    measure_calibration,
    train_exactness,
)
from broadsheet.models import load_weights

PAGE = Path("examples/pages/harbour.html")


def test_margins() -> None:
    margins = dict(zip(MARGIN_NAMES, measure_margins([0.9, 0.1, 0.6, 0.0], 0.5).tolist(), strict=True))
    assert margins["decisions"] == pytest.approx(np.log(0.9 * 0.9 * 0.6 * 0.999))
    assert margins["smallest_margin"] == pytest.approx(0.1)
    assert margins["third_margin"] == pytest.approx(0.4)
    assert margins["unsure_blocks"] == pytest.approx(np.log(2))
    assert margins["blocks"] == pytest.approx(np.log(5))
    assert margins["text_blocks"] == pytest.approx(np.log(3))


def make_pages(count: int, sharpness: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw pages whose scores are calibrated: margins, and whether every block is right."""
    random = np.random.default_rng(seed)
    margins, is_exact = [], []
    for _ in range(count):
        scores = random.beta(1 / sharpness, 1 / sharpness, random.integers(3, 60))
        margins.append(measure_margins(scores, 0.5))
        is_exact.append(bool(((random.random(len(scores)) < scores) == (scores > 0.5)).all()))
    return np.array(margins), np.array(is_exact)


def test_training_finds_the_probability() -> None:
    model = train_exactness(*make_pages(3000, 60.0, 0))
    margins, is_exact = make_pages(2000, 60.0, 1)
    expected = model.predict(margins)
    assert measure_auc(expected, is_exact) > 0.7
    assert measure_calibration(expected, is_exact.astype(float)) < 0.05


def test_calibration_moves_to_other_networks() -> None:
    model = train_exactness(*make_pages(3000, 20.0, 0))
    margins, is_exact = make_pages(3000, 20.0, 2)
    flipped = is_exact | (np.random.default_rng(3).random(len(is_exact)) < 0.3)  # these are exact more often
    calibrated = calibrate_exactness(model, margins, flipped)
    assert abs(model.predict(margins).mean() - flipped.mean()) > 0.1
    assert calibrated.predict(margins).mean() == pytest.approx(flipped.mean(), abs=0.01)


def test_auc() -> None:
    assert measure_auc(np.array([0.9, 0.8, 0.1]), np.array([True, True, False])) == 1.0
    assert measure_auc(np.array([0.5, 0.5]), np.array([True, False])) == 0.5


def test_stored_with_the_weights() -> None:
    weights = load_weights("fusion")
    model = ExactnessModel((0.0,) * 6, (1.0,) * 6, (1.0,) * 6, 0.5)
    config = json.loads(json.dumps({**weights.config, KEY: model.config()}))
    assert read_exactness(replace(weights, config=config)) == model
    assert read_exactness(replace(weights, config={})) is None
    config[KEY]["mean"] = [0.0]
    with pytest.raises(UsageError, match=r"exactness\.mean"):
        read_exactness(replace(weights, config=config))


def test_texts_and_methods_without_exactness() -> None:
    assert broadsheet.extract(b"<p></p>").exactness is None
    assert broadsheet.extract(PAGE.read_bytes(), method="twcem").exactness is None


def test_article() -> None:
    article = broadsheet.extract(PAGE.read_bytes())
    assert article.exactness is not None
    assert 0 < article.exactness < 1


def test_doubts_are_the_least_certain_blocks() -> None:
    article = broadsheet.extract(PAGE.read_bytes(), method="visual")
    assert 0 < len(article.doubts) <= 5
    for doubt in article.doubts:
        block = article.blocks[doubt.block]
        assert (doubt.text, doubt.score) == (block.text, block.score)
        assert 0.2 < doubt.score < 0.8
        assert doubt.is_kept == (doubt.text in article.text)
