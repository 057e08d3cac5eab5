"""Clusters of rows with the same text, and of rows with nearly the same text, over all parts of a batch.

Signatures are compared in bands: rows that share a band are candidates, and are joined if their signatures agree on
enough numbers. Memory: about 600 bytes for each row with a text.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from broadsheet.article import Article
from broadsheet.atomic import replace_file
from broadsheet.batch.store import Output, open_output
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.output.record import BINARY, Column
from broadsheet.text import split_words

MIN_SIMILARITY = 0.8  # estimated Jaccard similarity of shingles
_BANDS = 32  # of 4 numbers each: finds 99.9 % of the pairs with a similarity of 0.7


@dataclass(frozen=True, slots=True)
class DuplicateCounts:
    """What was found."""

    texts: int  # rows with a text
    clusters: int
    rows: int  # in clusters
    same: int  # of them, rows whose text is that of the first row of the cluster
    has_signatures: bool  # otherwise only equal texts were found


@dataclass(frozen=True, slots=True)
class _Rows:
    ids: list[str]
    hashes: list[str]
    signatures: np.ndarray  # rows × permutations, or rows × 0


def find_duplicates(
    folder: str | Path, target: str | Path, *, min_similarity: float = MIN_SIMILARITY
) -> DuplicateCounts:
    """Write a Parquet file with a row for each row of a cluster: id, cluster (id of its first row), similarity."""
    if not 0 < min_similarity <= 1:
        raise UsageError(f"the similarity must be above 0 and at most 1, not {min_similarity:g}")
    rows = _read_rows(open_output(str(folder)))
    has_signatures = rows.signatures.shape[1] > 0
    parents = np.arange(len(rows.ids))
    _join_equal(rows.hashes, parents)
    if has_signatures:
        for band in range(_BANDS):
            _join_band(rows.signatures, band, parents, min_similarity)
    roots = np.array([_find_root(parents, row) for row in range(len(parents))], dtype=np.int64)
    sizes = np.bincount(roots, minlength=len(roots)) if len(roots) else roots
    members = [int(row) for row in np.flatnonzero(sizes[roots] > 1)] if len(roots) else []
    first = {int(roots[row]): row for row in reversed(members)}
    table = [_make_row(rows, row, first[int(roots[row])], has_signatures=has_signatures) for row in members]
    _write_table(table, Path(target))
    same = sum(row["is_same"] for row in table) - len(first)
    return DuplicateCounts(len(rows.ids), len(first), len(members), same, has_signatures)


def _read_rows(output: Output) -> _Rows:
    parquet = import_extra("pyarrow.parquet", "tables")
    ids: list[str] = []
    hashes: list[str] = []
    signatures: list[np.ndarray] = []
    parts = list(output.read_entries())
    if not parts:
        raise UsageError(f"there are no parts in {output.name}; name the output folder of broadsheet batch")
    for part in parts:
        with output.open_part(part) as opened, parquet.ParquetFile(opened) as file:
            columns = [name for name in ("id", "text_hash", "minhash") if name in file.schema_arrow.names]
            for batch in file.iter_batches(columns=columns):
                for row in _list_texts(batch):
                    ids.append(row["id"])
                    hashes.append(row["text_hash"])
                    signatures.append(np.frombuffer(row.get("minhash") or b"", dtype="<u4"))
    is_complete = all(len(signature) == PERMUTATIONS for signature in signatures)
    matrix = np.stack(signatures) if signatures and is_complete else np.zeros((len(ids), 0), dtype="<u4")
    return _Rows(ids, hashes, matrix)


def _list_texts(batch: Any) -> Iterator[dict[str, Any]]:
    return (row for row in batch.to_pylist() if row["text_hash"] is not None)


def _join_equal(hashes: list[str], parents: np.ndarray) -> None:
    first: dict[str, int] = {}
    for row, text_hash in enumerate(hashes):
        _join(parents, row, first.setdefault(text_hash, row))


def _join_band(signatures: np.ndarray, band: int, parents: np.ndarray, min_similarity: float) -> None:
    """Compare each row with the first one that has the same band."""
    width = PERMUTATIONS // _BANDS
    values = np.ascontiguousarray(signatures[:, band * width : (band + 1) * width])
    keys = values.view([("", values.dtype)] * width).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    candidates = np.flatnonzero(first[inverse] != np.arange(len(keys)))
    for row in candidates.tolist():
        other = int(first[inverse[row]])
        if _measure(signatures, row, other) >= min_similarity:
            _join(parents, row, other)


def _measure(signatures: np.ndarray, row: int, other: int) -> float:
    return float(np.mean(signatures[row] == signatures[other]))


def _join(parents: np.ndarray, row: int, other: int) -> None:
    one, two = _find_root(parents, row), _find_root(parents, other)
    parents[max(one, two)] = min(one, two)


def _find_root(parents: np.ndarray, row: int) -> int:
    while parents[row] != row:
        parents[row] = parents[parents[row]]  # shortens the path for the next search
        row = int(parents[row])
    return row


def _make_row(rows: _Rows, row: int, first: int, *, has_signatures: bool) -> dict[str, Any]:
    is_same = rows.hashes[row] == rows.hashes[first]
    similarity = _measure(rows.signatures, row, first) if has_signatures else float(is_same)
    return {
        "id": rows.ids[row],
        "cluster": rows.ids[first],
        "similarity": similarity,
        "is_same": is_same,
    }


def _write_table(rows: list[dict[str, Any]], target: Path) -> None:
    arrow, parquet = import_extra("pyarrow", "tables"), import_extra("pyarrow.parquet", "tables")
    text, number = arrow.string(), arrow.float64()
    schema = arrow.schema([("id", text), ("cluster", text), ("similarity", number), ("is_same", arrow.bool_())])
    with replace_file(target) as draft:
        parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), draft, compression="zstd")


PERMUTATIONS = 128
_SEED = 1
_SHINGLE_WORDS = 5


def make_signature(article: Article) -> bytes | None:
    """Return the signature of a text: 128 numbers of 32 bits, little-endian; None for an empty text."""
    shingles = list_shingles(article.text)
    if not shingles:
        return None
    hasher = import_extra("rensa", "dedup").RMinHash(PERMUTATIONS, _SEED)
    hasher.update(shingles)
    numbers = array("I", hasher.digest())
    return numbers.tobytes()


def list_shingles(text: str) -> list[str]:
    """Return the shingles of a text: runs of five words, in lower case, without punctuation."""
    words = split_words(text)
    if not words:
        return []
    return [" ".join(words[at : at + _SHINGLE_WORDS]) for at in range(max(len(words) - _SHINGLE_WORDS + 1, 1))]


MINHASH = Column("minhash", BINARY, "MinHash signature of the text: 128 numbers of 32 bits.", make_signature)
