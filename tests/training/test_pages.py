"""One reader of labelled pages: which pages a model learns from, and their labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from broadsheet.cli.app import run
from broadsheet.corpora import Record
from broadsheet.errors import UsageError
from broadsheet.fields.train_title import PAGES as TITLE_PAGES
from broadsheet.methods.fusion.train_data import PAGES as FUSION_PAGES
from broadsheet.methods.gcn.train_data import load_graphs
from broadsheet.methods.visual.train_data import PAGES as VISUAL_PAGES
from broadsheet.methods.visual.train_data import load_samples
from broadsheet.page import Limits
from broadsheet.training import pages as pages_module
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import (
    GOLD_TEXT,
    PageFilter,
    find_datasets,
    has_gold_text,
    label_page,
    read_pages,
    states_day,
)

TEXT = "The ferry is back after eleven long years."
HTML = f"<html><body><div>Home News Sport</div><p>{TEXT}</p></body></html>"

ROWS: list[dict[str, Any]] = [
    {"id": "gold", "text": TEXT, "title": "Ferry", "gold_recall": 1.0},
    {"id": "no labels"},
    {"id": "low recall", "text": TEXT, "gold_recall": 0.75},
    {"id": "silver", "text": TEXT, "title": "Ferry", "label_quality": "silver"},
    {"id": "forum", "text": TEXT, "title": "Ferry", "page_type": "forum"},
    {"id": "title only", "title": "Ferry", "page_type": "article"},
    {"id": "date only", "date": "2021-03-14"},
    {"id": "no blocks", "text": TEXT, "title": "Ferry", "html": "<html><title>Ferry</title></html>"},
]
IDS = [row["id"] for row in ROWS]


@pytest.fixture
def options(tmp_path: Path) -> TrainingOptions:
    lines = (json.dumps({"html": HTML, **row}) for row in ROWS)
    (tmp_path / "toy.train.jsonl").write_text("\n".join(lines), "utf-8")
    (tmp_path / "other.train.jsonl").write_text(json.dumps({"id": "other", "html": HTML, "text": TEXT}), "utf-8")
    (tmp_path / "other.dev.jsonl").write_text(json.dumps({"id": "dev", "html": HTML, "text": TEXT}), "utf-8")
    return TrainingOptions(tmp_path, tmp_path / "weights", tmp_path / "work")


def test_a_record_that_another_one_replaces_is_skipped(options: TrainingOptions) -> None:
    record = {"id": "better", "html": HTML, "text": TEXT, "origin": "gold"}
    (options.data / "better.train.jsonl").write_text(json.dumps(record), "utf-8")
    ids = [labelled.record.id for labelled in read_pages(find_datasets(options.data, "train"), PageFilter(), options)]
    assert "better" in ids
    assert "gold" not in ids
    assert "silver" in ids
    graphs = load_graphs(options, "train", ("body",))
    assert [part.ids for part in graphs] == [["better"], ["other"], ["silver", "forum"]]
    assert len(load_samples(options, "train")["toy"]) == 5


def test_a_page_that_is_called_no_article_keeps_the_text_of_its_old_record(options: TrainingOptions) -> None:
    rows = [
        {"id": "with text", "html": HTML, "origin": "gold", "page_type": "other"},
        {"id": "of a forum", "html": HTML, "origin": "forum", "page_type": "other"},
        {"id": "without text", "html": HTML, "origin": "title only", "page_type": "other"},
    ]
    (options.data / "better.train.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    pages = read_pages(find_datasets(options.data, "train"), PageFilter(), options)
    types = {labelled.record.id: (labelled.record.page_type, labelled.record.text) for labelled in pages}
    assert types["gold"] == ("other", TEXT)
    assert types["forum"] == ("forum", TEXT)
    assert types["without text"] == ("other", None)
    assert types.keys().isdisjoint({"with text", "of a forum", "title only"})


FILTERS = [
    ("all", PageFilter(min_blocks=0), IDS),
    ("fusion", FUSION_PAGES, [name for name in IDS if name != "no blocks"]),
    ("gcn and semtext", GOLD_TEXT, ["gold", "silver", "forum"]),
    ("visual", VISUAL_PAGES, ["gold", "low recall", "silver", "forum", "title only", "date only"]),
    ("title", TITLE_PAGES, ["gold", "title only", "no blocks"]),
    ("few blocks", PageFilter(max_blocks=1), []),
]


@pytest.mark.parametrize(("accepted", "ids"), [case[1:] for case in FILTERS], ids=[case[0] for case in FILTERS])
def test_pages_that_a_model_learns_from(accepted: PageFilter, ids: list[str], options: TrainingOptions) -> None:
    datasets = find_datasets(options.data, "train", frozenset(("toy",)))
    assert [labelled.record.id for labelled in read_pages(datasets, accepted, options)] == ids


def test_order_and_limit(options: TrainingOptions) -> None:
    limited = TrainingOptions(options.data, options.output, options.work, limit=2)
    pages = read_pages(find_datasets(options.data, "train"), PageFilter(), limited)
    assert [labelled.record.id for labelled in pages] == ["other", "gold", "no labels"]


def test_page_over_the_limits_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages_module, "NO_TIME_LIMIT", Limits(max_bytes=len(HTML)))
    assert label_page(Record(id="a", html=HTML * 1000)).page.is_cut


def test_gold_text_is_aligned() -> None:
    labelled = label_page(Record(id="a", html=HTML, text=TEXT))
    assert labelled is not None
    assert labelled.in_text == [False, True]
    without = label_page(Record(id="a", html=HTML))
    assert without is not None
    assert without.in_text == [False, False]


@pytest.mark.parametrize(
    ("text", "recall", "expected"),
    [(TEXT, None, True), (TEXT, 0.8, True), (TEXT, 0.79, False), (TEXT, 0.0, False), (None, None, False)],
)
def test_gold_text(text: str | None, recall: float | None, expected: bool) -> None:
    assert has_gold_text(Record(id="a", html="", text=text, gold_recall=recall)) is expected


def test_missing_dataset(options: TrainingOptions) -> None:
    with pytest.raises(UsageError, match="no train pages of absent, missing in"):
        find_datasets(options.data, "train", frozenset(("missing", "absent")))


def test_default_is_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["train", "title"]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "does not have a supported layout of labelled pages" in error
    assert "name labelled pages with --data" in error


@pytest.mark.parametrize(
    ("text", "expected"),
    [("14 March 2021", True), ("Published on 2021-03-14, 10:00", True), ("15 March 2021", False), ("News", False)],
)
def test_stated_day(text: str, expected: bool) -> None:
    assert states_day(text, "2021-03-14") is expected


def test_ambiguous_day() -> None:
    assert states_day("3/4/2021", "2021-04-03")
    assert states_day("3/4/2021", "2021-03-04")
