"""Equal and nearly equal texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.batch.archives import Body

from broadsheet.batch import BatchOptions, find_sources, process_file
from broadsheet.batch.duplicates import find_duplicates, list_shingles
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
    counts = find_duplicates(out, out / "duplicates.parquet")
    assert (counts.texts, counts.clusters, counts.rows, counts.same) == (5, 1, 2, 1)
    rows = pq.read_table(out / "duplicates.parquet").to_pylist()
    assert rows[0]["id"] == rows[0]["cluster"] == rows[1]["cluster"]
    assert [row["similarity"] for row in rows] == [1.0, 1.0]


@pytest.mark.parametrize(("similarity", "rows"), [(0.8, 3), (1.0, 2)])
def test_nearly_equal_texts(tmp_path: Path, similarity: float, rows: int) -> None:
    pytest.importorskip("rensa")
    out = run(tmp_path, with_minhash=True)
    counts = find_duplicates(out, out / "duplicates.parquet", min_similarity=similarity)
    assert (counts.texts, counts.clusters, counts.rows, counts.same) == (5, 1, rows, 1)
    assert counts.has_signatures


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
