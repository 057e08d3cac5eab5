"""An existing output file: what replaces it, and what `--resume` keeps of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import PDF, STORY

from broadsheet.cli.app import run

GOOD_PAGES = 4


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with some pages."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(GOOD_PAGES):
        (folder / f"story{number}.html").write_text(STORY.replace("Tuesday", f"the {number}th"))
    return folder


def break_pages(pages: Path, count: int) -> None:
    for number in range(count):
        (pages / f"story{number}.html").write_bytes(PDF)


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("name", ["news.jsonl", "news.csv", "news.json", "news.parquet"])
def test_worse_output_is_written_beside_the_old_one(
    name: str, pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["extract", "pages", "-o", name]) == 0
    before = (tmp_path / name).read_bytes()
    break_pages(pages, 1)
    assert run(["extract", "pages", "-o", name]) == 1
    assert (tmp_path / name).read_bytes() == before
    assert (tmp_path / name.replace("news.", "news.new.")).is_file()
    message = capsys.readouterr().err.splitlines()[-1]
    assert f"{name} is kept, because 1 of 4 pages failed: 3 articles, 4 before" in message


def test_output_that_is_not_worse_replaces_the_old_one(pages: Path, tmp_path: Path) -> None:
    break_pages(pages, 2)
    assert run(["extract", "pages", "-o", "news.jsonl"]) == 1
    (pages / "story0.html").write_text(STORY)
    assert run(["extract", "pages", "-o", "news.jsonl"]) == 1
    assert len(read_lines(tmp_path / "news.jsonl")) == 3
    assert not (tmp_path / "news.new.jsonl").exists()


def test_text_is_kept_if_most_pages_fail(pages: Path, tmp_path: Path) -> None:
    assert run(["extract", "pages", "-o", "news.md"]) == 0
    before = (tmp_path / "news.md").read_text()
    break_pages(pages, 3)
    assert run(["extract", "pages", "-o", "news.md"]) == 1
    assert (tmp_path / "news.md").read_text() == before
    break_pages(pages, 1)
    (pages / "story1.html").write_text(STORY)
    (pages / "story2.html").write_text(STORY)
    assert run(["extract", "pages", "-o", "news.md"]) == 1
    assert (tmp_path / "news.md").read_text() != before


def test_overwrite_replaces_a_better_output(pages: Path, tmp_path: Path) -> None:
    assert run(["extract", "pages", "-o", "news.jsonl"]) == 0
    break_pages(pages, 3)
    assert run(["extract", "pages", "-o", "news.jsonl", "--overwrite"]) == 1
    assert len(read_lines(tmp_path / "news.jsonl")) == 1


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "parquet"])
def test_resume_keeps_good_articles_and_extracts_the_others(ending: str, pages: Path, tmp_path: Path) -> None:
    break_pages(pages, 2)
    assert run(["extract", "pages", "-o", f"news.{ending}"]) == 1
    (pages / "story0.html").write_text(STORY)
    (pages / "story3.html").write_text(STORY.replace("Ferry", "Changed"))  # not read again
    (pages / "story4.html").write_text(STORY)
    assert run(["extract", "pages", "-o", f"news.{ending}", "--resume"]) == 1
    assert run(["convert", f"news.{ending}", "-o", "all.jsonl"]) == 0
    records = {line["source_file"]: line for line in read_lines(tmp_path / "all.jsonl")}
    assert list(records) == [f"pages/story{number}.html" for number in (2, 3, 0, 4)]
    assert records["pages/story3.html"]["title"] == "Ferry late again"


def test_failed_records_do_not_replace_good_ones(pages: Path, tmp_path: Path) -> None:
    assert run(["extract", "pages", "-o", "news.jsonl"]) == 0
    rows = [{"url": f"https://courier.example/{number}", "html": None} for number in range(GOOD_PAGES)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run(["extract", "rows.jsonl", "-o", "news.jsonl"]) == 1
    assert {line["status"] for line in read_lines(tmp_path / "news.jsonl")} == {"ok"}
    assert {line["status"] for line in read_lines(tmp_path / "news.new.jsonl")} == {"failed"}


def test_resume_without_an_earlier_file_extracts_all(pages: Path, tmp_path: Path) -> None:
    assert run(["extract", "pages", "-o", "news.jsonl", "--resume"]) == 0
    assert len(read_lines(tmp_path / "news.jsonl")) == GOOD_PAGES


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "news.md", "--resume"], "--resume continues a file of records"),
        (["--resume"], "--resume continues a file of records"),
        (["-o", "news.jsonl", "--resume", "--overwrite"], "leave one out"),
        (
            ["-o", "news.jsonl", "--resume", "--fields", "title,text"],
            "--resume needs the columns status and source_file",
        ),
        (["-o", "pages"], "is in the folder of the pages"),
        (["-f", "html", "-o", "pages/results/"], "is in the folder of the pages"),
    ],
)
def test_refused(arguments: list[str], message: str, pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["extract", "pages", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_results_that_are_not_pages_may_be_below_the_pages(pages: Path) -> None:
    assert run(["extract", "pages", "-f", "md", "-o", "pages/results/"]) == 0


def test_equal_errors_are_counted(pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(30):
        (pages / f"other{number}.html").write_bytes(PDF)
    assert run(["extract", "pages", "-o", "news.jsonl"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert lines[-1] == "broadsheet: 27 more pages with the same error as pages/other0.html"


def test_frames_of_saved_pages_are_not_pages(pages: Path, tmp_path: Path) -> None:
    for name in ("story1_files", "story2-Dateien", "other_files"):
        (pages / name).mkdir()
        (pages / name / "frame.html").write_text(STORY)
    assert run(["extract", "pages", "-o", "news.jsonl"]) == 0
    names = [line["source_file"] for line in read_lines(tmp_path / "news.jsonl")]
    assert [name for name in names if "frame" in name] == ["pages/other_files/frame.html"]
    assert len(names) == GOOD_PAGES + 1
