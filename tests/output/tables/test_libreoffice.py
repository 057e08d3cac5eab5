"""CSV and XLSX files, opened by LibreOffice."""

from __future__ import annotations

import csv
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

import broadsheet
from broadsheet.article import Article
from broadsheet.output.record import choose_columns

pytestmark = pytest.mark.long
FIELDS = ("title", "authors", "date", "confidence", "text")
AWKWARD_TEXT = 'One line, with a comma and a "quote".\nA second line; =1+1\nÜmläute, 日本語, עברית'
ARTICLES = [
    Article.from_dict(
        {
            "title": '=HYPERLINK("https://example.org")',
            "authors": ["Ann Li", "Bo Ek"],
            "date": "2024-03-16T08:30:00",
            "status": "ok",
            "confidence": 0.875,
            "text": AWKWARD_TEXT,
        }
    ),
    Article(title="007", date=datetime(2024, 3, 17, tzinfo=UTC), confidence=0.5),
]


def open_in_libreoffice(path: Path, folder: Path) -> list[list[str]]:
    """Let LibreOffice read a table and write it as CSV with all values as shown; return the rows."""
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("LibreOffice is not installed")
    # Separator comma, quote ", UTF-8, from line 1. The dialog of LibreOffice finds them out; without it, they are given.
    filters = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,1"
    subprocess.run(
        [
            *(program, "--headless", f"-env:UserInstallation={(folder / 'profile').as_uri()}"),
            *("--infilter=CSV:44,34,76,1", "--convert-to", filters, "--outdir", str(folder / "out"), str(path)),
        ],
        check=True,
        capture_output=True,
        timeout=600,
    )
    (written,) = (folder / "out").glob("*.csv")
    with written.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_the_columns_are_right(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"articles.{ending}"
    broadsheet.write_articles(ARTICLES, path, fields=FIELDS)
    head, first, second = open_in_libreoffice(path, tmp_path)
    assert tuple(head) == FIELDS
    row = dict(zip(head, first, strict=True))
    assert row["title"].lstrip("'") == '=HYPERLINK("https://example.org")'  # not a formula
    assert "Ann Li" in row["authors"]
    assert "Bo Ek" in row["authors"]
    assert "2024" in row["date"]
    assert float(row["confidence"]) == pytest.approx(0.875, abs=0.01)
    assert row["text"] == AWKWARD_TEXT
    assert len(second) == len(FIELDS)


def test_all_columns_of_a_record_arrive(tmp_path: Path) -> None:
    path = tmp_path / "articles.csv"
    broadsheet.write_articles(ARTICLES, path)
    head, *rows = open_in_libreoffice(path, tmp_path)
    assert head == [column.name for column in choose_columns(None, ())]
    assert len(rows) == 2
