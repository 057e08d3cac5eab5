"""The report of a collection."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from broadsheet.article import Article
from broadsheet.cli.app import run
from broadsheet.errors import InputError, UsageError
from broadsheet.review import read_records, summarize, write_html

RECORD = Article(title="Title", url="https://www.a.example/1").to_dict()


def make_record(number: int, **values: Any) -> dict[str, Any]:
    return {**RECORD, "title": f"Story {number}", "confidence": number / 10, "text": "One.\nTwo.", **values}


RECORDS = [
    make_record(9, authors=["Ann Li"], date="2024-01-01T00:00:00", language="en"),
    make_record(2),
    make_record(5, host="b.example", title="<script>alert(1)</script>", url="javascript:alert(1)"),
    make_record(0, status="failed", status_reason="ValueError: <b>", text="", host="c.example"),
]


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_summary(tmp_path: Path) -> None:
    collection = summarize("a", read_records(write(tmp_path / "a.jsonl.gz", RECORDS)), max_pages=2)
    assert collection.pages == 4
    assert collection.statuses == {"ok": 3, "failed": 1}
    assert [record.confidence for record in collection.doubtful] == [0.2, 0.5]
    assert [record.reason for record in collection.failed] == ["ValueError: <b>"]
    assert list(collection.hosts) == ["c.example", "b.example", "a.example"]
    assert collection.missing == {"title": 0, "date": 2, "authors": 2, "language": 2}
    assert collection.mean_confidence == pytest.approx((0.9 + 0.2 + 0.5) / 3)
    assert sum(collection.histogram) == 3


def test_html_is_safe(tmp_path: Path) -> None:
    html = write_html(summarize("<i>", read_records(write(tmp_path / "a.jsonl", RECORDS)), max_pages=9))
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert 'href="javascript' not in html
    assert "ValueError: &lt;b&gt;" in html
    assert not re.search(r"<(?:img|link|iframe)|src=", html)
    assert "<b>3</b> of 4 pages are articles (<b>75%</b>)" in html


def test_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra tables)")
    import broadsheet

    broadsheet.write_articles(map(Article.from_dict, RECORDS), tmp_path / "a.parquet")
    assert [record.confidence for record in read_records(tmp_path / "a.parquet")] == [0.9, 0.2, 0.5, 0.0]


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "a.jsonl", RECORDS)
    assert run(["report", str(path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/a.html\n"
    assert "Story 2" in (tmp_path / "a.html").read_text("utf-8")
    assert run(["report", str(path), "-o", str(path)]) == 2
    assert run(["report", str(tmp_path / "missing.jsonl")]) == 1
    assert "missing.jsonl: No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("a.jsonl", "{", InputError),
        ("a.jsonl", "[1]", InputError),
        ("a.jsonl", '{"a": 1}', InputError),
        ("a.csv", "", UsageError),
    ],
)
def test_wrong_files(name: str, content: str, error: type[Exception], tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(error, match=name):
        list(read_records(tmp_path / name))


def test_empty_file(tmp_path: Path) -> None:
    assert "The file has no records." in write_html(
        summarize("a", read_records(write(tmp_path / "a.jsonl", [])), max_pages=1)
    )
