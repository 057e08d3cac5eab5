"""Tables of articles, read back with the programs that people open them with."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import broadsheet
from broadsheet.article import Article, Paragraph, Provenance, Run, Status
from broadsheet.errors import MissingExtra, UsageError
from broadsheet.fields import Image
from broadsheet.output.record import COLUMNS, RECORD

FULL = Article(
    url="https://www.example.org/a",
    title="Zwölf “Fragen”, 50 %",
    authors=("Ann Li", "Bo Eck"),
    date=datetime(2024, 5, 1, 23, 30, 15, 123456, tzinfo=timezone(timedelta(hours=-5))),
    date_modified=datetime(2024, 5, 2),
    images=(Image("https://example.org/a.jpg", "A view"), Image("https://example.org/b.jpg")),
    body=(Paragraph((Run("One, “two”;"),)), Paragraph((Run("three\nfour 日本"),))),
    confidence=0.25,
    method="fusion",
    sources={"title": "json-ld"},
    confidences={"title": 0.5},
    provenance=Provenance("crawl.warc.gz", 946, datetime(2024, 5, 3, 8, tzinfo=UTC), 200, "0" * 64, "0123", "0.1.0"),
)
FORMULA = Article(
    title="=HYPERLINK(1)",
    description="https://example.org",
    body=(Paragraph((Run("- Monday"),)), Paragraph((Run("x" * 40_000),))),
    date=datetime(2024, 1, 1, tzinfo=UTC),
    confidence=1.0,
)
FAILED = Article(status=Status.FAILED, sources={"status": "ValueError: no"})
ARTICLES = [FULL, FORMULA, FAILED]
NAMES = [column.name for column in RECORD]
ENDINGS = ["csv", "xlsx", "parquet", "jsonl"]


def write(path: Path, **options: list[str]) -> Path:
    if path.suffix in (".xlsx", ".parquet"):
        package = {".xlsx": "xlsxwriter", ".parquet": "pyarrow"}[path.suffix]
        pytest.importorskip(package, reason=f"{package} is not installed (extra tables)")
    assert broadsheet.write_articles(iter(ARTICLES), path, **options) == 3
    return path


def test_csv_cells(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        full, formula, failed = csv.DictReader(file)
    assert list(full) == NAMES
    assert path.read_bytes().startswith(b"\xef\xbb\xbfurl,title,")
    assert full["title"] == "Zwölf “Fragen”, 50 %"
    assert full["authors"] == "Ann Li; Bo Eck"
    assert full["text"] == "One, “two”;\nthree\nfour 日本"
    assert full["images"] == "https://example.org/a.jpg https://example.org/b.jpg"
    assert json.loads(full["sources"]) == {"title": "json-ld"}
    assert (full["date"], full["date_text"]) == ("2024-05-01T23:30:15", "2024-05-01T23:30:15.123456-05:00")
    assert (full["host"], full["source_offset"], full["fetched_at"]) == ("example.org", "946", "2024-05-03T08:00:00Z")
    assert formula["title"] == "'=HYPERLINK(1)"
    assert formula["text"].startswith("'- Monday\nxxx")
    assert (failed["status"], failed["status_reason"], failed["date"]) == ("failed", "ValueError: no", "")


@pytest.mark.parametrize("ending", ENDINGS)
def test_pandas_reads_it_with_its_default_settings(ending: str, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    path = write(tmp_path / f"a.{ending}")
    if ending == "xlsx":
        pytest.importorskip("openpyxl", reason="openpyxl is not installed")
        table = pandas.read_excel(path)
    elif ending == "jsonl":
        table = pandas.read_json(path, lines=True)
    else:
        table = getattr(pandas, f"read_{ending}")(path)
    assert list(table.columns) == NAMES
    assert len(table) == 3
    dates = pandas.to_datetime(table["date"])
    assert [str(date) for date in dates] == ["2024-05-01 23:30:15", "2024-01-01 00:00:00", "NaT"]
    times = pandas.to_datetime(table["fetched_at"])
    assert times[0].replace(tzinfo=None) == datetime(2024, 5, 3, 8)
    assert list(table["confidence"]) == [0.25, 1.0, 0.0]
    assert table["title"][0] == FULL.title
    assert table["text"][0] == FULL.text


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_duckdb_reads_it(ending: str, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    path = write(tmp_path / f"a.{ending}")
    rows = duckdb.sql(
        f"SELECT title, year(date), confidence FROM '{path}' WHERE status = 'ok' ORDER BY date"
    ).fetchall()
    title = "'=HYPERLINK(1)" if ending == "csv" else "=HYPERLINK(1)"
    assert rows == [(title, 2024, 1.0), (FULL.title, 2024, 0.25)]
    if ending == "parquet":
        (row,) = duckdb.sql(f"SELECT authors[2], images[1].caption, sources['title'] FROM '{path}' LIMIT 1").fetchall()
        assert row == ("Bo Eck", "A view", "json-ld")


def test_dates_that_excel_does_not_have(tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed (extra tables)")
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    dates = [datetime(1650, 1, 1), datetime(1900, 2, 28), datetime(2024, 3, 16)]
    broadsheet.write_articles([Article(date=date) for date in dates], tmp_path / "a.xlsx", fields=["date"])
    (_, *cells) = openpyxl.load_workbook(tmp_path / "a.xlsx").active["A"]
    assert [cell.value for cell in cells] == ["1650-01-01T00:00:00", "1900-02-28T00:00:00", dates[2]]


def test_excel_cells(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.load_workbook(write(tmp_path / "a.xlsx"))
    rows = list(book["articles"].iter_rows(min_row=2))
    cells = {name: rows[1][number] for number, name in enumerate(NAMES)}
    assert (cells["title"].value, cells["title"].data_type) == ("=HYPERLINK(1)", "s")  # a text, not a formula
    assert cells["description"].hyperlink is None
    assert cells["text"].value.startswith("- Monday\nxxx")
    assert len(cells["text"].value) == 32_767
    assert cells["text"].value.endswith(" […]")
    assert cells["date"].value == datetime(2024, 1, 1)
    assert book["articles"].conditional_formatting
    summary = [tuple(cell.value for cell in row[:2]) for row in book["summary"].iter_rows()]
    assert ("ok", 2) in summary
    assert ("failed", 1) in summary
    assert [row for row in summary if row[1] == 1] == [("failed", 1), ("0.2 to 0.3", 1), ("0.9 to 1.0", 1)]
    assert len(book["summary"]._charts) == 1


def test_arrow_types() -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra tables)")
    table = broadsheet.to_arrow(ARTICLES, include=["blocks", "body"])
    assert table.num_rows == 3
    assert table.schema.names == [*NAMES, "blocks", "body"]
    types = {field.name: field.type for field in table.schema}
    assert types["authors"] == pa.list_(pa.string())
    assert types["date"] == pa.timestamp("us")
    assert types["fetched_at"] == pa.timestamp("us", "UTC")
    assert types["sources"] == pa.map_(pa.string(), pa.string())
    assert table.schema.metadata == {b"broadsheet.schema_version": b"2"}
    assert broadsheet.to_arrow([], fields=["title"]).num_rows == 0


@pytest.mark.parametrize("include", [[], ["body"]])
def test_arrow_rows_become_articles_again(include: list[str]) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra tables)")
    rows = broadsheet.to_arrow(ARTICLES, include=include).to_pylist()
    for row, article in zip(rows, ARTICLES, strict=True):
        again = Article.from_dict({**row, "body": json.loads(row["body"])} if include else row)
        assert again.to_dict() == article.to_dict()


def test_parquet_is_written_in_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra tables)")
    monkeypatch.setattr("broadsheet.output.tables.arrow._MAX_ROWS", 2)
    assert pq.ParquetFile(write(tmp_path / "a.parquet")).num_row_groups == 2


@pytest.mark.parametrize("ending", ENDINGS)
def test_columns_can_be_chosen(ending: str, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    path = write(tmp_path / f"a.{ending}", fields=["title", "date"], include=["markdown", "html"])
    reader = {"xlsx": "excel", "jsonl": "json"}.get(ending, ending)
    table = getattr(pandas, f"read_{reader}")(path, **({"lines": True} if ending == "jsonl" else {}))
    assert list(table.columns) == ["title", "date", "markdown", "html"]
    assert table["html"][0] == "<p>One, “two”;</p>\n<p>three<br>four 日本</p>"


def fail_after_one() -> Iterator[Article]:
    yield FULL
    raise KeyboardInterrupt


@pytest.mark.parametrize("ending", ENDINGS)
def test_table_is_written_completely_or_not_at_all(ending: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"a.{ending}")
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        broadsheet.write_articles(fail_after_one(), path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", ENDINGS)
def test_empty_table_has_its_columns(ending: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"a.{ending}")
    assert broadsheet.write_articles([], path) == 0
    assert (path.stat().st_size == 0) is (ending == "jsonl")


@pytest.mark.parametrize("name", ["a.xls", "a", "a.jsonl.gz"])
def test_unknown_ending(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"unknown ending of .*; known: \.csv, \.xlsx, \.parquet, \.jsonl, \.ndjson"):
        broadsheet.write_articles([], tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_excel_has_a_last_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed (extra tables)")
    monkeypatch.setattr("broadsheet.output.tables.xlsx._MAX_ROWS", 2)
    with pytest.raises(UsageError, match=r"an Excel sheet holds 2 rows; write \.csv or \.parquet"):
        broadsheet.write_articles(ARTICLES, tmp_path / "a.xlsx")


@pytest.mark.parametrize(("ending", "package"), [("xlsx", "xlsxwriter"), ("parquet", "pyarrow")])
def test_missing_package_is_named(ending: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ModuleNotFoundError(name=package)

    monkeypatch.setattr("broadsheet.extras.import_module", fail)
    with pytest.raises(MissingExtra, match=rf"{package} is not installed; run: pip install 'broadsheet\[tables\]'"):
        broadsheet.write_articles(ARTICLES, tmp_path / f"a.{ending}")


@pytest.mark.parametrize("ending", ENDINGS)
def test_broken_characters_can_be_written(ending: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"a.{ending}")
    article = replace(FULL, title="x\ud800\x00y\x0b", url="https://\ud800", sources={"title": "\ud800"})
    assert broadsheet.write_articles([article], path, include=list(COLUMNS)) == 1
