"""Own weights: found by the model that their configuration names, and used by every command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import broadsheet
from broadsheet.cli.app import run
from broadsheet.errors import UsageError, WeightsError
from broadsheet.evaluation.contenders import find_contenders
from broadsheet.methods.twcem import Twcem
from broadsheet.models.weights import CONFIG, find_newest, find_own_weights, load_weights, save_weights

PAGE = Path(__file__).parents[2] / "examples" / "pages" / "harbour.html"


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A folder of own weights of a method and of the title ranker."""
    for name, model in (("mine", "semtext-cleaneval"), ("title", "title")):
        shutil.copytree(find_newest(model), tmp_path / "weights" / name)
    return tmp_path / "weights"


def test_models_are_read_from_the_folders(weights: Path) -> None:
    own = find_own_weights([weights])
    assert own.method == "semtext"
    assert own.title == weights / "title"
    assert find_own_weights([weights / "title"]).method is None


@pytest.mark.parametrize(
    ("model", "method", "baseline"),
    [
        ("visual-published", "visual-published", "visual-published"),
        ("semtext", "semtext-published", "semtext"),  # no weights of semtext-published are shipped
        ("gcn", None, "gcn"),
    ],
)
def test_weights_choose_the_method_that_they_were_trained_for(
    model: str, method: str | None, baseline: str, tmp_path: Path
) -> None:
    """Forests of visual-published were used by, and compared with, `visual`."""
    folder = tmp_path / "mine"
    shutil.copytree(find_newest(model), folder)
    config = json.loads((folder / CONFIG).read_text("utf-8"))
    (folder / CONFIG).write_text(json.dumps({**config, "method": method}), "utf-8")
    assert broadsheet.extract(PAGE.read_bytes(), weights=folder).method == (method or model)
    shipped, own = find_contenders((), (), [folder]).contenders
    assert (shipped.name, own.method) == (baseline, method or model)


def write_config(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / CONFIG).write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: [path / "absent"], "no folder of weights"),
        (lambda path: [path], "is not a folder of weights: it has no config.json"),
        (lambda path: [write_config(path / "a", "{")], "cannot read .*config.json"),
        (lambda path: [write_config(path / "a", "[]")], "list in place of dict"),
        (lambda path: [find_newest("words")], "weights of 'words' .* cannot be replaced"),
        (lambda path: [find_newest("gcn"), find_newest("visual")], "weights of several methods: gcn, visual"),
        (lambda path: [find_newest("gcn"), find_newest("gcn")], "are both weights of 'gcn'"),
    ],
)
def test_folders_that_cannot_be_used(make: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=message):
        find_own_weights(make(tmp_path))


def test_extraction_uses_them(weights: Path) -> None:
    html = PAGE.read_bytes()
    shipped, own = broadsheet.extract(html, method="semtext"), broadsheet.extract(html, weights=weights)
    assert own.method == "semtext"
    assert own.labels is not None
    assert shipped.labels is not None
    assert own.labels.scores != shipped.labels.scores
    (several,) = broadsheet.extract_many([html], workers=1, weights=str(weights))
    assert several.text == own.text


def test_title_weights_are_used(tmp_path: Path) -> None:
    """A ranker with the signs of its output reversed chooses the worst candidate."""
    shipped = load_weights("title")
    arrays = {**shipped.arrays, "outer": -np.asarray(shipped.arrays["outer"])}
    config = {key: value for key, value in shipped.config.items() if key != "model"}
    save_weights(tmp_path / "title", "title", arrays, config, "")
    html = "<title>Ferry returns to the harbour - Courier</title><h2>Ferry returns to the harbour</h2><h2>Menu and more</h2><p>Text.</p>"
    assert broadsheet.extract(html).title == "Ferry returns to the harbour"
    assert broadsheet.extract(html, weights=tmp_path / "title").title != "Ferry returns to the harbour"


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"method": "gcn"}, UsageError, "these are weights of 'semtext', not of 'gcn'; choose method 'semtext'"),
        ({"method": Twcem()}, UsageError, "method is an object; pass its weights to it: Twcem"),
        ({"weights": 3}, TypeError, "weights must be a folder"),
        ({"weights": "absent"}, WeightsError, "no folder of weights: .*absent"),
    ],
)
def test_wrong_calls(changes: dict[str, Any], error: type[Exception], message: str, weights: Path) -> None:
    with pytest.raises(error, match=message):
        broadsheet.extract("<p>Text.</p>", **{"weights": weights, **changes})


def test_command_line(weights: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["extract", str(PAGE), "--weights", str(weights), "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == "semtext"
    assert run(["extract", str(PAGE), "--weights", str(weights / "absent")]) == 2
    assert "no folder of weights" in capsys.readouterr().err


def test_list_of_models(weights: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(weights.parent)
    assert run(["models"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["fusion", "shipped"] in [row[:2] for row in rows]
    assert ["semtext", "weights/mine"] in [row[:2] for row in rows]
    assert run(["models", "weights/mine", "visual"]) == 0
    cards = capsys.readouterr().out
    assert "# Weights of `semtext`" in cards
    assert "# Weights of `visual`" in cards
    assert run(["models", "semtext-published"]) == 2
    assert "train them: broadsheet train semtext-published" in capsys.readouterr().err
    assert run(["models", "fusio"]) == 2
    assert "unknown model 'fusio'" in (line := capsys.readouterr().err)
    assert "did you mean 'fusion'?" in line
    assert run(["models", "weights/absent"]) == 2
    assert "no folder of weights: weights/absent" in capsys.readouterr().err


def test_evaluation_compares_them_with_the_shipped_ones(
    weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {"html": PAGE.read_text("utf-8"), "text": "The passenger ferry sails again."}
    (tmp_path / "pages.jsonl").write_text(json.dumps(record), "utf-8")
    arguments = ["eval", str(tmp_path / "pages.jsonl"), "--no-cache", "-j", "1", "--json"]
    assert run([*arguments, "--weights", str(weights)]) == 0
    names = [method["name"] for method in json.loads(capsys.readouterr().out)["methods"]]
    assert sorted(names) == ["semtext", f"semtext@{weights}"]
    assert run([*arguments, "-m", "twcem", "--weights", str(weights / "title")]) == 0
    names = [method["name"] for method in json.loads(capsys.readouterr().out)["methods"]]
    assert sorted(names) == [f"fusion@{weights / 'title'}", "twcem"]
