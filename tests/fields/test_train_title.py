"""`broadsheet train title`, on pages written here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from broadsheet.fields import train_title as title
from broadsheet.fields.title_ranker import load_ranker
from broadsheet.fields.train_title import read_samples, train_title
from broadsheet.models.weights import ARRAYS, CARD
from broadsheet.training.options import TrainingOptions

PLACES = "Harbour Mill Bridge Market Station Garden Tower Meadow Castle Forest".split()


def write_page(number: int) -> dict[str, str]:
    headline = f"{PLACES[number % 10]} stays open for {number + 3} more years"
    text = f"The council met on Tuesday and kept the {PLACES[number % 10]} that half of the town depends on. " * 3
    html = f"<title>News of the day</title><h1>The Courier</h1><h2 class=headline>{headline}</h2><p>{text}</p><h3>More</h3>"
    return {"id": f"toy/{number}", "dataset": "toy", "html": html, "title": headline, "text": text}


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TrainingOptions:
    monkeypatch.setattr(title, "STEPS", 60)
    for split, numbers in (("train", range(20)), ("dev", range(20, 25))):
        lines = (json.dumps(write_page(number)) for number in numbers)
        (tmp_path / f"toy.{split}.jsonl").write_text("\n".join(lines), "utf-8")
    return TrainingOptions(tmp_path, tmp_path / "title", tmp_path / "work", report=lambda _: None)


def test_ranker_finds_the_headline(options: TrainingOptions) -> None:
    train_title(options)
    ranker = load_ranker(options.output)
    for sample in read_samples(options, "dev"):
        probabilities = ranker.predict(sample.features)
        assert sample.is_title[probabilities.index(max(probabilities))]
        assert max(probabilities) > 0.5
    assert "broadsheet train title --seed 0" in (options.output / CARD).read_text("utf-8")


def test_same_seed_gives_the_same_weights(options: TrainingOptions) -> None:
    train_title(options)
    first = (options.output / ARRAYS).read_bytes()
    train_title(options)
    assert (options.output / ARRAYS).read_bytes() == first


def test_silver_titles_and_other_page_types_are_skipped(options: TrainingOptions) -> None:
    rows = [{**write_page(1), "label_quality": "silver"}, {**write_page(2), "page_type": "forum"}, write_page(3)]
    (options.data / "toy.train.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    samples = list(read_samples(options, "train"))
    assert [sample.id for sample in samples] == ["toy/3"]
    assert np.flatnonzero(samples[0].is_title).size == 1
