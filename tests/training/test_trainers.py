"""The table of trainers, and model cards."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from broadsheet.cli.app import run
from broadsheet.errors import MissingExtra
from broadsheet.extras import import_extra
from broadsheet.training.finish import Card
from broadsheet.training.options import TRAINERS, TrainingOptions, load_trainer


def test_card() -> None:
    card = Card("toy", "A toy.", {"wcxb": 2, "mine": 1}, {"word F1, dev": "0.9"}, ["Note"])
    lines = card.format(TrainingOptions(Path(), Path(), Path(), seed=7)).splitlines()
    assert lines[:5] == [
        "# Weights of `toy`",
        "",
        "A toy.",
        "",
        "- Trained by `broadsheet train toy --seed 7` (seed 7)",
    ]
    assert lines[lines.index("- Note") :] == [
        "- Note",
        "",
        "| measure | value |",
        "| --- | --- |",
        "| word F1, dev | 0.9 |",
        "",
        "| training data | pages | licence stated by the origin |",
        "| --- | --- | --- |",
        "| mine | 1 | your own data |",
        "| wcxb | 2 | CC-BY-4.0 |",
    ]


def test_unknown_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", "toy"]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert f"unknown model 'toy'; models that can be trained: {', '.join(TRAINERS)}" in error


@pytest.mark.parametrize("name", TRAINERS)
def test_trainer_loads_without_the_extra(name: str) -> None:
    """torch and scikit-learn are imported when training begins."""
    assert callable(load_trainer(name))


@pytest.mark.parametrize("model", ["gcn", "gcn-published", "visual", "visual-published", "words"])
def test_a_missing_package_is_found_before_pages_are_read(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for package in ("torch", "sklearn", "floret"):
        monkeypatch.setitem(sys.modules, package, None)
    labelled = Path(__file__).parents[2] / "examples" / "labelled"
    assert run(["train", model, "--data", str(labelled)]) == 1
    error = capsys.readouterr().err
    assert "is not installed; run: pip install 'broadsheet[train]'" in error
    assert "pages to learn from" not in error


def test_missing_extra() -> None:
    message = r"missing_package is not installed; run: pip install 'broadsheet\[train\]'"
    with pytest.raises(MissingExtra, match=message):
        import_extra("missing_package.part", "train")
