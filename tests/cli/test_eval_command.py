"""`broadsheet eval`, called as from a shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from broadsheet.cli.app import run

PAGE = (
    "<title>Harbour opens - Courier</title><h1>Harbour opens</h1><p>The harbour of Westport opened again on Monday after two "
    "years.</p><p>Ships from four countries were waiting outside, said the harbour master of the town.</p><footer>Imprint</footer>"
)
TEXT = (
    "The harbour of Westport opened again on Monday after two years.\nShips from four countries were waiting outside, said "
    "the harbour master of the town."
)


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BROADSHEET_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps({"id": f"a/{at}", "html": PAGE, "text": TEXT}) + "\n" for at in range(2)))
    return path


def test_table_report_and_cache(pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "eval",
        str(pages),
        "--methods",
        "twcem",
        "--peers",
        "turbohtml",
        "--report",
        str(tmp_path / "out"),
        "-j",
        "1",
    ]
    assert run(arguments) == 0
    output = capsys.readouterr()
    assert "twcem" in output.out
    assert "Shingle F1" in output.out
    assert "wrote" in output.err
    assert (tmp_path / "out" / "report.html").read_text("utf-8").startswith("<!doctype html>")
    assert json.loads((tmp_path / "out" / "report.json").read_text())["pages"] == 2
    assert (tmp_path / "cache" / "eval" / "answers.sqlite").exists()


def test_json(pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", str(pages), "--json", "--limit", "1", "--no-cache"]) == 0
    assert json.loads(capsys.readouterr().out)["pages"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["eval"], "no labelled pages were given"),
        (["eval", "nowhere.jsonl"], "no such file or folder"),
        (["eval", "PAGES", "--methods", "nope"], "unknown method 'nope'; known: "),
        (["eval", "PAGES", "--peers", "nope"], "unknown peer 'nope'"),
        (["eval", "PAGES", "--peers", "trafilatur"], "did you mean 'trafilatura'?"),
    ],
)
def test_wrong_arguments_give_one_line(
    arguments: list[str], message: str, pages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([str(pages) if argument == "PAGES" else argument for argument in arguments]) == 2
    assert message in capsys.readouterr().err


def test_an_empty_file(tmp_path: Path, pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    assert run(["eval", str(tmp_path / "empty.jsonl")]) == 2
    assert "these files contain no pages" in capsys.readouterr().err


def test_a_report_folder_that_is_a_file(pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").write_text("x")
    assert run(["eval", str(pages), "--report", str(tmp_path / "taken"), "--no-cache"]) == 2
    assert "--report must be a folder" in capsys.readouterr().err


def test_a_cache_folder_that_cannot_be_used(pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").write_text("x")
    assert run(["eval", str(pages), "--cache", str(tmp_path / "taken" / "cache")]) == 0
    assert "continuing without (--cache DIR names another folder)" in capsys.readouterr().err


def test_pages_without_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bare.jsonl").write_text('{"id": "1", "html": "<p>one, two</p>"}\n')
    assert run(["eval", str(tmp_path / "bare.jsonl"), "--no-cache"]) == 0
    assert "no page has labels" in capsys.readouterr().err


def test_a_file_that_is_named_twice_counts_once(pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", str(pages), str(pages), "--methods", "twcem", "-j", "1"]) == 0
    assert "2 pages: pages (2)" in capsys.readouterr().out


def test_skipped_pages_are_named(tmp_path: Path, pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in (("html/a.html", PAGE), ("html/b.html", PAGE), ("txt/a.txt", TEXT)):
        (tmp_path / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / name).write_text(content, "utf-8")
    assert run(["eval", str(tmp_path / "mine"), "--methods", "twcem", "-j", "1"]) == 0
    output = capsys.readouterr()
    assert "skipped pages without labels (1): b" in output.err
    assert "1 page: mine (1)" in output.out
