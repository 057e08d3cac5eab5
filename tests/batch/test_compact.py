"""Tables of large files."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.batch.archives import FAST, NUMBERS, make_page, pack_record, read_rows

from broadsheet.batch import BatchRequest, find_sources, run_batch
from broadsheet.batch.compact import compact_table
from broadsheet.batch.duplicates import find_duplicates
from broadsheet.errors import UsageError

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture
def out(warcs: Path, tmp_path: Path) -> Path:
    """A batch of three archives, and a fourth one with a copy of a page."""
    (warcs / "3.warc.gz").write_bytes(pack_record(make_page(0), "https://copy.example/"))
    run_batch(BatchRequest(find_sources([f"{warcs}/*.gz"]), str(tmp_path / "out"), FAST))
    return tmp_path / "out"


@pytest.mark.parametrize("partition_by", ["", "date", "year", "host", "language"])
def test_the_same_rows(out: Path, tmp_path: Path, partition_by: str) -> None:
    table = tmp_path / "table"
    for _ in range(2):  # the second time, the table is replaced
        counts = compact_table(out, table, partition_by=partition_by)
    assert counts.rows == len(NUMBERS) + 1
    files = sorted(table.rglob("*.parquet"))
    assert len(files) == counts.files == {"host": 4}.get(partition_by, 1)
    rows = [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]
    assert sorted(rows, key=lambda row: row["id"]) == read_rows(out)
    for file in files:
        hosts = pq.ParquetFile(file).read()["host"].to_pylist()
        assert hosts == sorted(hosts)
    assert pq.read_table(table).num_rows == counts.rows
    expected = {"date": "month=unknown", "year": "year=unknown", "language": "text_language=en"}
    assert files[0].parent.name == expected.get(partition_by, files[0].parent.name)


def test_small_files(out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.batch.compact._MAX_BUFFERED", 1)
    assert compact_table(out, tmp_path / "table").files == 4
    assert pq.read_table(tmp_path / "table").num_rows == len(NUMBERS) + 1


def test_without_duplicates(out: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="run broadsheet duplicates first"):
        compact_table(out, tmp_path / "table", is_deduplicated=True)
    find_duplicates(out, out / "_duplicates" / "duplicates.parquet")
    counts = compact_table(out, tmp_path / "table", is_deduplicated=True)
    assert (counts.rows, counts.left_out) == (len(NUMBERS), 1)
    with pytest.raises(UsageError, match="--partition-by takes date"):
        compact_table(out, tmp_path / "table", partition_by="weather")
