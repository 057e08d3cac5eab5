"""`broadsheet convert`: records of articles in, any format out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import broadsheet
from broadsheet.cli.app import run

PAGES = Path(__file__).parents[2] / "examples" / "pages"
HARBOUR = PAGES / "harbour.html"
FORMULA = "=1+2; or how a title becomes a formula"


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of three records: an article with images, one with a dangerous title, and a page that is not one."""
    monkeypatch.chdir(tmp_path)
    harbour = broadsheet.extract(HARBOUR.read_bytes(), url="https://news.example/harbour").to_dict()
    valley = broadsheet.extract((PAGES / "valley" / "bridge.html").read_bytes()).to_dict()
    empty = broadsheet.extract("<p>").to_dict()
    lines = [json.dumps(record) for record in (harbour, {**valley, "title": FORMULA, "confidence": 0.5}, empty)]
    path = tmp_path / "articles.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("name", ["articles.parquet", "articles.json", "articles.csv"])
def test_there_and_back(records: Path, name: str) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra tables)")
    assert run(["convert", str(records), "-o", name]) == 0
    assert run(["convert", name, "-o", "back.jsonl"]) == 0
    before, after = read_lines(records), read_lines(Path("back.jsonl"))
    if name.endswith("csv"):  # a cell holds the addresses of images only
        for record in (*before, *after):
            record["images"] = [image["url"] for image in record["images"]]
    assert after == before


def test_filters_and_columns(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--status", "ok", "--min-confidence", "0.6", "--fields", "url,title", "--with", "markdown"]
    assert run(["convert", str(records), "-o", "good.jsonl", *arguments]) == 0
    assert capsys.readouterr().err == "good.jsonl: 1 article, 2 records left out\n"
    (record,) = read_lines(Path("good.jsonl"))
    assert list(record) == ["url", "title", "markdown"]
    assert record["url"] == "https://news.example/harbour"


def test_columns_are_those_of_the_records(records: Path) -> None:
    assert run(["convert", str(records), "-o", "some.csv", "--fields", "title,status,text"]) == 0
    assert run(["convert", "some.csv", "-o", "some.jsonl"]) == 0
    assert {tuple(record) for record in read_lines(Path("some.jsonl"))} == {("title", "text", "status")}


def test_one_file_per_article(records: Path) -> None:
    assert run(["convert", str(records), "--format", "md", "--status", "ok", "-o", "out/"]) == 0
    names = sorted(path.name for path in Path("out").iterdir())
    assert names == ["news.example-harbour.md", "valleypost.example-council-bridge.md"]


def test_chunks_are_lines_of_json(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", str(records), "--format", "chunks", "--status", "ok"]) == 0
    chunks = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    text = read_lines(records)[0]["text"]
    of_harbour = [chunk for chunk in chunks if chunk["source"] == "https://news.example/harbour"]
    assert of_harbour
    assert all(text[chunk["start"] : chunk["end"]] == chunk["text"] for chunk in of_harbour)


def write_text(name: str, text: str) -> Callable[[], str]:
    def write() -> str:
        Path(name).write_text(text)
        return name

    return write


@pytest.mark.parametrize(
    ("make_file", "options", "message"),
    [
        (lambda: "missing.jsonl", ["-o", "a.csv"], "missing.jsonl: No such file"),
        (lambda: "articles.jsonl", ["-o", "articles.jsonl"], "is one of the pages"),
        (lambda: "articles.jsonl", ["-f", "html"], "write them to a folder: -o DIR/"),
        (lambda: "articles.jsonl", ["-f", "cvs"], "did you mean 'csv'"),
        (lambda: "articles.jsonl", ["-o", "a.doc"], "unknown ending"),
        (lambda: "articles.jsonl", ["-o", "a.csv", "--with", "blocks"], "blocks cannot be converted"),
        (lambda: "articles.jsonl", ["-o", "a.csv", "--status", "fine"], "unknown status 'fine'"),
        (write_text("a.txt", "text"), ["-o", "a.csv"], "is not JSON Lines, JSON, CSV or Parquet"),
        (write_text("b.csv", "name,colour\nann,red\n"), ["-o", "a.jsonl"], "does not contain records of articles"),
        (write_text("c.csv", 'title,status\n"cut,ok\n'), ["-o", "a.jsonl"], "does not contain records of articles"),
        (write_text("d.json", "[1, 2"), ["-o", "a.csv"], "does not contain records of articles"),
        (write_text("e.csv", "status,confidence\nok,high\n"), ["-o", "a.csv"], "does not contain records of articles"),
    ],
)
def test_errors_are_one_line_and_leave_no_file(
    records: Path,
    capsys: pytest.CaptureFixture[str],
    make_file: Callable[[], str],
    options: list[str],
    message: str,
) -> None:
    before = records.read_text()
    assert run(["convert", make_file(), *options]) in (1, 2)
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not Path("a.csv").exists()
    assert records.read_text() == before
