"""The report of a collection."""

from __future__ import annotations

import gzip
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from broadsheet.article import Article
from broadsheet.cli.app import run
from broadsheet.errors import InputError, UsageError
from broadsheet.report import read_records, render_report, summarize
from broadsheet.report.records import read_articles
from broadsheet.site.health import HealthTotals, find_change

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


@pytest.mark.parametrize("changes", [{"date": "yesterday"}, {"fetched_at": 5}, {"alerts": 5}])
def test_records_with_damaged_times_and_alerts(changes: dict[str, Any], tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [make_record(1, **{"date": "2024-01-01", **changes})])
    with pytest.raises(InputError, match="cannot read"):
        list(read_articles(file, since=datetime(2020, 1, 1, tzinfo=UTC), alert="ferry"))


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
    html = render_report(summarize("<i>", read_records(write(tmp_path / "a.jsonl", RECORDS)), max_pages=9))
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert 'href="javascript' not in html
    assert "ValueError: &lt;b&gt;" in html
    assert not re.search(r"<(?:img|link|iframe)|src=", html)
    assert "<b>3</b> of 4 pages are articles (<b>75%</b>)" in html


def test_blocks_of_the_page_are_beside_the_text(tmp_path: Path) -> None:
    roles = {"Menu.": "boilerplate", "One.": "body", "<b>Ad</b>": "boilerplate", "Two.": "body"}
    blocks = [{"text": text, "role": role} for text, role in roles.items()]
    html = render_report(
        summarize("a", read_records(write(tmp_path / "a.jsonl", [make_record(2, blocks=blocks)])), max_pages=9)
    )
    lines = re.findall(r'<p class="line (\w+)">(?:<em>(\w+)</em>)?(.*?)</p>', html)
    assert lines == [
        ("left_out", "boilerplate", "Menu."),
        ("right", "", "One."),
        ("left_out", "boilerplate", "&lt;b&gt;Ad&lt;/b&gt;"),
        ("right", "", "Two."),
    ]


def test_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra tables)")
    import broadsheet

    broadsheet.write_articles(map(Article.from_dict, RECORDS), tmp_path / "a.parquet")
    assert [record.confidence for record in read_records(tmp_path / "a.parquet")] == [0.9, 0.2, 0.5, 0.0]


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "a.jsonl", RECORDS)
    assert run(["report", str(path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/a-report.html\n"
    assert "Story 2" in (tmp_path / "a-report.html").read_text("utf-8")
    assert run(["report", str(path), "-o", str(path)]) == 2
    assert run(["report", str(tmp_path / "missing.jsonl")]) == 1
    assert "missing.jsonl: No such file" in capsys.readouterr().err
    assert run(["report", str(tmp_path / "missing")]) == 1
    assert "missing: no such file; check the name" in capsys.readouterr().err


def test_report_keeps_the_page(tmp_path: Path) -> None:
    (tmp_path / "story.html").write_text("the page")
    assert run(["report", str(write(tmp_path / "story.jsonl", RECORDS))]) == 0
    assert (tmp_path / "story.html").read_text() == "the page"


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("a.jsonl", "{", InputError),
        ("a.jsonl", "[1]", InputError),
        ("a.jsonl", '{"a": 1}', InputError),
        ("a.csv", "", InputError),
        ("a.txt", "", UsageError),
    ],
)
def test_wrong_files(name: str, content: str, error: type[Exception], tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(error, match=name):
        list(read_records(tmp_path / name))


def test_blocks_that_do_not_fit(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [make_record(2, blocks=[{"role": "body"}])])
    with pytest.raises(InputError, match="does not contain records"):
        list(read_records(path))


def test_empty_file(tmp_path: Path) -> None:
    assert "The file has no records." in render_report(
        summarize("a", read_records(write(tmp_path / "a.jsonl", [])), max_pages=1)
    )


def make_months(*healths: float, pages: int = 10) -> dict[str, HealthTotals]:
    """Make months whose pages all have the same confidence, and all fields."""
    return {
        f"2024-{month:02}": HealthTotals(pages, pages, confidence=(3 * health - 2) * pages)
        for month, health in enumerate(healths, 1)
    }


@pytest.mark.parametrize(
    ("healths", "pages", "month", "change"),
    [
        ((0.9, 0.9, 0.9, 0.7, 0.7), 10, "2024-04", -0.2),
        ((0.7, 0.9, 0.9), 10, "2024-02", 0.2),
        ((0.9, 0.88, 0.9, 0.88), 10, None, 0),  # a small change
        ((0.9, 0.9, 0.7), 5, None, 0),  # five pages only after the change
        ((0.9, 0.9, 0.9, 0.7), 5, "2024-03", -0.1),  # the only month with ten pages after it
        ((0.9,), 10, None, 0),
        ((), 10, None, 0),
    ],
)
def test_drift(healths: tuple[float, ...], pages: int, month: str | None, change: float) -> None:
    drift = find_change(make_months(*healths, pages=pages))
    if month is None:
        assert drift is None
    else:
        assert drift is not None
        assert drift.month == month
        assert drift.change == pytest.approx(change)


def test_drift_of_a_site_is_in_the_report(tmp_path: Path) -> None:
    good = [make_record(9, fetched_at=f"2024-0{month}-11T00:00:00Z") for month in (1, 2, 3) for _ in range(8)]
    bad = [make_record(1, date="2024-04-01T00:00:00", status="empty") for _ in range(12)]
    unknown = [make_record(9) for _ in range(3)]
    collection = summarize("a", read_records(write(tmp_path / "a.jsonl", good + bad + unknown)), max_pages=1)
    (host,) = collection.hosts.values()
    assert list(host.months) == ["2024-01", "2024-02", "2024-03", "2024-04"]
    assert host.drift is not None
    assert host.drift.month == "2024-04"
    assert host.drift.change < -0.4
    assert re.search(r'<span class="key extra">-0.\d\d</span> since 2024-04', render_report(collection))
