"""`broadsheet project`: the whole loop on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.project.site_pages import is_appeal, make_page

from broadsheet.cli.app import run
from broadsheet.project.runs import Trainer

APPEAL = "/html[1]/body[1]/div[2]/div[1]/div[2]/p[1]"


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Generated pages in a folder; the folder around it is the current one."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(13):
        link = f'<head><link rel=canonical href="https://valley.example/{number}">'
        (folder / f"{number:02}.html").write_text(make_page(number).replace("<head>", link), "utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


def run_lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert run(["project", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_add_label_and_export(pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_lines(capsys, "add", "p", "pages/00.html", "pages/01.html") == ["2 pages added to p"]
    assert run_lines(capsys, "add", "p", "pages/00.html") == ["0 pages added to p, 1 already in it"]
    assert run_lines(capsys, "list", "p")[-1] == "2 pages to correct"
    shown = run_lines(capsys, "show", "p", "00.html")
    assert shown[:3] == ["title: Bridge of Carrow to be repaired", "date: 2024-03-01T00:00:00", "authors: Ruth Okafor"]
    assert any(line.startswith("body") and APPEAL in line for line in shown)
    labelled = run_lines(
        capsys, "label", "p", "00.html", "--role", f"{APPEAL}=boilerplate", "--field", "authors=Ruth; Tomas", "--accept"
    )
    assert labelled == ["labels of valley.example change 1 block of 1 other page: pages/01.html"]
    assert run_lines(capsys, "list", "p", "--done")[-1] == "1 page done"
    assert run_lines(capsys, "export", "p", "-o", "labels.jsonl") == ["1 labelled page in labels.jsonl"]
    record = json.loads(Path("labels.jsonl").read_text("utf-8"))
    assert record["authors"] == ["Ruth", "Tomas"]
    assert not any(map(is_appeal, record["text"].splitlines()))
    run_lines(capsys, "label", "p", "00.html", "--undo")
    assert run_lines(capsys, "list", "p", "--done") == ["0 pages done"]
    assert run_lines(capsys, "health", "p") == ["valley.example: 2 pages, confidence 0.95"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list", "nowhere"], "nowhere is not a project; create it with: broadsheet project add nowhere PAGE..."),
        (["show", "p", "99.html"], "no page matches '99.html'; broadsheet project list shows all pages"),
        (["label", "p", "00.html", "--role", "x"], "'x' has no '='; write NAME=VALUE"),
        (["label", "p", "00.html", "--role", "/p=headline"], "unknown role 'headline'; known: body, title, byline"),
        (["label", "p", "00.html", "--role", "/p=body"], "the page has no block '/p'"),
        (["label", "p", "00.html", "--field", "date=soon"], "'soon' is not a date; write YYYY-MM-DD"),
        (["label", "p", "00.html", "--type", "forum"], "unknown page type 'forum'; known: article, other"),
        (["label", "p", "00.html", "--undo", "--who", "x"], "x has changed nothing on this page"),
        (["retrain", "p"], "retraining needs 10 articles that are done; the project has 0"),
        (["use", "p", "7"], "there is no run 7; broadsheet project runs lists them"),
        (["use", "p", "best"], "'best' is neither the number of a run nor 'shipped'"),
        (["discard", "p", "7"], "there is no run 7"),
    ],
)
def test_errors_are_one_line(
    pages: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    run(["project", "add", "p", "pages/00.html"])
    capsys.readouterr()
    assert run(["project", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1


def test_a_page_that_cannot_be_read_is_reported(pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["project", "add", "p", "pages/00.html", "pages/missing.html"]) == 1
    printed = capsys.readouterr()
    assert "missing.html" in printed.err
    assert printed.out == "1 page added to p\n"


@pytest.mark.thorough
def test_the_loop_without_torch(
    pages: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # A package without content: importing torch fails in the process that trains, as if it were not installed.
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "sitecustomize.py").write_text(
        "import importlib.util as util\nfind = util.find_spec\n"
        "util.find_spec = lambda name, package=None: None if name == 'torch' else find(name, package)\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'hidden'}:{Path(__file__).parents[2] / 'src'}")
    run(["project", "add", "p", "pages"])
    for number in range(13):
        run(["project", "label", "p", f"{number:02}.html", "--role", f"{APPEAL}=boilerplate", "--accept"])
    capsys.readouterr()
    assert run(["project", "retrain", "p"]) == 0
    printed = capsys.readouterr()
    assert "only the output layer for article text" in " ".join(printed.err.split())
    assert "Word F1" in printed.out
    assert "broadsheet project use p 1" in printed.out
    assert run_lines(capsys, "use", "p", "1") == [
        "run 1 is in use; elsewhere: broadsheet extract PAGE --weights p/weights"
    ]
    assert run(["extract", "pages/00.html", "--weights", "p/weights"]) == 0
    assert "The council of Carrow" in capsys.readouterr().out
    assert run_lines(capsys, "runs", "p")[0].startswith("run 1: done, in use")
    assert run_lines(capsys, "use", "p", "shipped") == ["the shipped weights are in use"]
    assert run_lines(capsys, "discard", "p", "1") == ["the weights of run 1 were deleted"]


@pytest.mark.thorough
def test_a_failed_run_shows_its_reason(
    pages: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(["project", "add", "p", "pages"])
    for number in range(13):
        run(["project", "label", "p", f"{number:02}.html", "--accept"])
    monkeypatch.setattr(Trainer, "_find_start", lambda *_: "no-such-weights")
    capsys.readouterr()
    assert run(["project", "retrain", "p"]) == 1
    assert "the retraining failed" in capsys.readouterr().err
    assert run_lines(capsys, "runs", "p")[0].startswith("run 1: failed")
