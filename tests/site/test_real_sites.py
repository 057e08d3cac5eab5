"""Labelled pages of real sites, each extracted with the template learned from its neighbours."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import mean

import pytest

import broadsheet
from broadsheet.corpora import Record, read_corpus
from broadsheet.corpora.align import drop_headline, find_headlines
from broadsheet.evaluation.measures import score_words
from broadsheet.page import read_page
from broadsheet.text import split_words

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA.exists(), reason="needs the labelled pages in ../shared/data"),
]


# Just below the values of benchmarks/site_mode.py; the paper reports a recall of 0.96.
@pytest.mark.parametrize(
    ("name", "method", "recall", "f1"),
    [
        ("big5-13.bench", "stadynot", 0.98, 0.94),
        ("cleanportaleval.bench", "stadynot", 0.94, 0.93),
        ("big5-13.bench", "twcem", 0.94, 0.90),
        ("cleanportaleval.bench", "twcem", 0.91, 0.89),
    ],
)
def test_scores_with_neighbours(name: str, method: str, recall: float, f1: float) -> None:
    sites: dict[str, list[Record]] = defaultdict(list)
    for record in read_corpus(DATA / f"{name}.jsonl.xz"):
        sites[record.site or ""].append(record)
    scores = []
    for records in sites.values():
        site = broadsheet.Site.learn([(record.url, record.html) for record in records])
        for record in records:
            headlines = find_headlines(read_page(record.html), record.title)
            text = drop_headline(site.extract(record.html, record.url, method).text, headlines)
            gold = drop_headline(record.text or "", headlines)
            scores.append(score_words(split_words(text), split_words(gold)))
    assert mean(score.recall for score in scores) >= recall
    assert mean(score.f1 for score in scores) >= f1
