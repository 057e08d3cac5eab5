"""Equal and nearly equal texts."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.batch.archives import Body

from broadsheet.batch import BatchOptions, Part, find_sources, process_file
from broadsheet.batch.duplicates import PERMUTATIONS, find_duplicates, list_shingles
from broadsheet.batch.folder import OutputFolder
from broadsheet.batch.manifest import name_entry, write_entry
from broadsheet.errors import UsageError
from broadsheet.options import ExtractOptions

WORDS = [f"word{number}" for number in range(300)]
TEXTS = {
    "a": WORDS,
    "b": WORDS,  # the same
    "c": [*WORDS[:150], "another", *WORDS[151:]],  # one word differs
    "d": WORDS[::-1],
    "e": [*WORDS[:100], *(f"other{number}" for number in range(200))],  # a third of it
}


def run(tmp_path: Path, *, with_minhash: bool) -> Path:
    pages = tmp_path / "pages"
    pages.mkdir()
    for name, words in TEXTS.items():
        (pages / f"{name}.html").write_text(f"<p>{' '.join(words)}</p>")
    (pages / "f.html").write_text("<p></p>")
    options = BatchOptions(extract=ExtractOptions(method=Body()), with_minhash=with_minhash)
    (source,) = find_sources([str(pages)]).sources
    process_file(source, options, tmp_path / "out")
    return tmp_path / "out"


def test_equal_texts(tmp_path: Path) -> None:
    out = run(tmp_path, with_minhash=False)
    counts = find_duplicates(out, out / "_duplicates" / "duplicates.parquet")
    assert (counts.texts, counts.clusters, counts.rows, counts.same) == (5, 1, 2, 1)
    rows = pq.read_table(out / "_duplicates" / "duplicates.parquet").to_pylist()
    assert rows[0]["id"] == rows[0]["cluster"] == rows[1]["cluster"]
    assert [row["similarity"] for row in rows] == [1.0, 1.0]


@pytest.mark.parametrize(("similarity", "rows"), [(0.8, 3), (1.0, 2)])
def test_nearly_equal_texts(tmp_path: Path, similarity: float, rows: int) -> None:
    pytest.importorskip("rensa")
    out = run(tmp_path, with_minhash=True)
    counts = find_duplicates(out, out / "_duplicates" / "duplicates.parquet", min_similarity=similarity)
    assert (counts.texts, counts.clusters, counts.rows, counts.same) == (5, 1, rows, 1)
    assert counts.has_signatures


def test_captures_of_an_address(tmp_path: Path) -> None:
    """The latest capture of an address is kept, and one row of each cluster of texts that is a latest capture."""
    rows = [  # address, day, text; the first row of the cluster "x" is superseded
        ("http://a.example/1", 1, "x"),
        ("http://a.example/1", 3, "x"),
        ("http://a.example/1", 2, "y"),
        ("http://a.example/2", 1, "x"),
        ("http://a.example/3", 1, "z"),
    ]
    write_table(
        tmp_path,
        {
            "url": [url for url, _, _ in rows],
            "fetched_at": [datetime(2024, 3, day, tzinfo=UTC) for _, day, _ in rows],
            "text_hash": [hashlib.sha256(text.encode()).hexdigest()[:32] for _, _, text in rows],
        },
    )
    counts = find_duplicates(tmp_path, tmp_path / "_duplicates" / "a.parquet")
    assert (counts.texts, counts.clusters, counts.rows, counts.superseded) == (5, 1, 3, 2)
    table = {int(row["id"], 16): row for row in pq.read_table(tmp_path / "_duplicates" / "a.parquet").to_pylist()}
    assert {row: values["keep"] for row, values in table.items()} == {0: False, 1: True, 2: False, 3: False}
    assert {row: values["is_latest"] for row, values in table.items()} == {0: False, 1: True, 2: False, 3: True}
    assert pq.read_table(tmp_path).num_rows == 5  # the folder is still one table


def write_table(folder: Path, columns: dict[str, list[Any]]) -> None:
    """Write a part with its entry. The ids are numbers."""
    count = len(columns["url"])
    folder.mkdir(exist_ok=True)
    table = pa.table({"id": [f"{number:032x}" for number in range(count)], **columns})
    pq.write_table(table, folder / "a-0a.parquet")
    output = OutputFolder(folder)
    output.create()
    part = Part("a", "0a", "1-1", "abc", "a-0a.parquet", (folder / "a-0a.parquet").stat().st_size, count)
    output.write(name_entry("0a"), write_entry(part).encode())


def test_partitions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer does not depend on the number of partitions, and is that of a comparison of all pairs."""
    random = np.random.default_rng(5)
    signatures = random.integers(0, 2**32, (300, PERMUTATIONS), dtype=np.uint32)
    for row in range(100, 200):  # copies of earlier rows with some other numbers
        signatures[row] = signatures[row - 100]
        changed = random.random(PERMUTATIONS) < random.choice([0.02, 0.1, 0.5])
        signatures[row, changed] = random.integers(0, 2**32, changed.sum(), dtype=np.uint32)
    write_table(
        tmp_path,
        {
            "url": [f"http://a.example/{row}" for row in range(300)],
            "text_hash": [f"{row:032x}" for row in range(300)],
            "minhash": [row.tobytes() for row in signatures],
        },
    )
    expected: dict[str, str] = {}
    for row in range(100, 200):
        if np.mean(signatures[row] == signatures[row - 100]) >= 0.8:
            expected |= {f"{number:032x}": f"{row - 100:032x}" for number in (row - 100, row)}
    for limit in (3_000_000, 500, 50):
        monkeypatch.setattr("broadsheet.batch.duplicates._PARTITION_KEYS", limit)
        find_duplicates(tmp_path, tmp_path / "_duplicates" / "a.parquet")
        rows = pq.read_table(tmp_path / "_duplicates" / "a.parquet").to_pylist()
        assert {row["id"]: row["cluster"] for row in rows} == expected


def test_shingles() -> None:
    assert list_shingles("One two, three four five; six.") == ["one two three four five", "two three four five six"]
    assert list_shingles("One") == ["one"]
    assert list_shingles("") == []
    assert len(list_shingles("春は曙やうやう白くなりゆく")) == 9


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are no parts in"):
        find_duplicates(tmp_path, tmp_path / "x.parquet")
    with pytest.raises(UsageError, match="the similarity must be above 0"):
        find_duplicates(tmp_path, tmp_path / "x.parquet", min_similarity=0)


def test_minhash_changes_the_options() -> None:
    pytest.importorskip("rensa")
    options = BatchOptions(extract=ExtractOptions(method=Body()))
    assert options.describe() != replace(options, with_minhash=True).describe()
