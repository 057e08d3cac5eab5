"""What all trainers share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from broadsheet.cli.app import run
from broadsheet.errors import MissingExtra, UsageError
from broadsheet.extras import import_extra
from broadsheet.training.card import Card
from broadsheet.training.pages import find_sets, label_page, read_records
from broadsheet.training.trainers import TRAINERS, load_trainer

HTML = "<html><body><div>Home News Sport</div><p>The ferry is back after eleven long years.</p></body></html>"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [
        {"id": f"toy/{number}", "html": HTML, "text": "The ferry is back after eleven long years."}
        for number in range(3)
    ]
    (tmp_path / "toy.train.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return tmp_path


def test_pages_are_read_and_aligned(data: Path) -> None:
    records = list(read_records(find_sets(data, "train"), limit=2))
    assert [record.id for record in records] == ["toy/0", "toy/1"]
    labelled = label_page(records[0])
    assert labelled is not None
    assert labelled.in_text == [False, True]


def test_no_pages(data: Path) -> None:
    with pytest.raises(UsageError, match=r"no dev pages in .*<dataset>\.dev"):
        find_sets(data, "dev")


def test_only_some_sets(data: Path) -> None:
    with pytest.raises(UsageError, match="no train pages"):
        find_sets(data, "train", only=frozenset(("other",)))


def test_card() -> None:
    card = Card("toy", "A toy.", "broadsheet train toy", 7, {"wcxb": 2, "mine": 1}, {"word F1, dev": "0.9"}).write()
    assert "`broadsheet train toy` (seed 7)" in card
    assert "| wcxb | 2 | CC-BY-4.0 |" in card
    assert "| mine | 1 | yours |" in card
    assert "| word F1, dev | 0.9 |" in card


def test_unknown_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", "toy"]) == 2
    assert f"no model 'toy' to train; known: {', '.join(TRAINERS)}" in capsys.readouterr().err


@pytest.mark.parametrize("name", TRAINERS)
def test_trainers_load(name: str) -> None:
    """Without torch and the like: they are imported when training begins."""
    assert callable(load_trainer(name))


def test_missing_extra() -> None:
    with pytest.raises(
        MissingExtra, match=r"nowhere_to_be_found is not installed; run: pip install 'broadsheet\[train\]'"
    ):
        import_extra("nowhere_to_be_found.part", "train")
