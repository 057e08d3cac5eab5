"""Record batches of pages to record batches of articles."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import broadsheet
from broadsheet.arrow import extract_batches, extract_table, make_output_schema
from broadsheet.errors import UsageError

PAGE = "<title>Ferry {0}</title><h1>Ferry {0}</h1>" + "<p>The ferry to Quay Island was late again, he said.</p>" * 4
TABLE = pa.table(
    {
        "html": [PAGE.format(number) for number in range(4)] + [None],
        "url": [f"https://x.example/{number}" for number in range(5)],
        "key": range(5),
    }
)


def test_rows_are_those_of_extract() -> None:
    batches = list(extract_batches(TABLE.to_batches(max_chunksize=2), keep=["key"]))
    assert [batch.num_rows for batch in batches] == [2, 2, 1]
    table = pa.Table.from_batches(batches)
    assert table.schema == make_output_schema(keep=[TABLE.schema.field("key")])
    rows = table.to_pylist()
    assert [row["key"] for row in rows] == list(range(5))
    article = broadsheet.extract(PAGE.format(1), url="https://x.example/1")
    assert (rows[1]["title"], rows[1]["text"], rows[1]["url"]) == (article.title, article.text, article.url)
    assert (rows[4]["status"], rows[4]["status_reason"]) == ("failed", "the row has no page")


def test_bytes_fields_and_options() -> None:
    table = pa.table({"body": [PAGE.format(1).encode()]})
    row = extract_table(table, html="body", fields=["title"], include=["markdown"], method="twcem").to_pylist()[0]
    assert list(row) == ["title", "markdown"]
    assert row["title"] == "Ferry 1"


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()])
def test_types_of_columns(kind: pa.DataType) -> None:
    pages = pa.array([PAGE.format(1), PAGE.format(2), None]).cast(kind)
    addresses = pa.array(["https://x.example/1", "", None]).cast(kind)
    table = pa.table({"html": pages, "url": addresses})
    rows = extract_table(table, fields=["title", "url"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        ("Ferry 1", "https://x.example/1"), ("Ferry 2", None), (None, None),
    ]  # fmt: skip
    (batch,) = extract_batches(table.to_batches()[0], fields=["title"])
    assert batch.to_pylist()[0] == {"title": "Ferry 1"}
    assert [batch.num_rows for batch in extract_batches(table)] == [3]


def test_no_rows() -> None:
    assert extract_table(TABLE.slice(0, 0), keep=["key"]).schema == make_output_schema(keep=[TABLE.schema.field("key")])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"html": "page"}, "the batch has no column 'page'; its columns: html, url, key"),
        ({"url": "link"}, "the batch has no column 'link'; its columns: html, url, key"),
        ({"keep": ["id2"]}, "the batch has no column 'id2'"),
        ({"keep": ["url"]}, "the column 'url' is in the record too; rename it"),
        ({"fields": ["titel"]}, "did you mean 'title'"),
    ],
)
def test_wrong_columns(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(extract_batches(TABLE.to_batches(), **arguments))


def test_pages_in_a_column_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="the batch has no column 'url'; its columns: html, key"):
        list(extract_batches(TABLE.drop_columns("url"), html="url"))


def test_duckdb_reads_the_result() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")

    articles = extract_table(TABLE)
    counts = duckdb.sql("SELECT status, count(*) FROM articles GROUP BY status ORDER BY status").fetchall()
    assert counts[0] == ("failed", 1)
    assert sum(count for _, count in counts) == len(articles)
