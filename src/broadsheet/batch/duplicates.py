"""Clusters of rows with equal or nearly equal texts, and the latest capture of each address, over a whole table.

    parts -> spill files (signatures, ids, times; keys of bands in partitions) -> pairs per partition -> clusters

Rows that share a band of their signatures are candidates; they are joined if enough numbers of the signatures agree.
The keys of all bands are spread over partitions on disk, and one partition is in memory at a time. Beside it, memory
holds 8 bytes for each row. On disk, a row takes 32 keys of 16 bytes, and 168 bytes more.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

import numpy as np

from broadsheet.article import Article
from broadsheet.atomic import replace_file
from broadsheet.batch.folder import DUPLICATES
from broadsheet.batch.manifest import Part, read_entries
from broadsheet.batch.store import Output, open_output
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.output.record import BINARY, Column
from broadsheet.text import split_words

MIN_SIMILARITY = 0.8  # estimated Jaccard similarity of shingles
_BANDS = 32  # of 4 numbers each: finds 99.9 % of the pairs with a similarity of 0.7
_PARTITION_KEYS = 3_000_000  # in memory at a time: about 150 MB with their order
_BATCH_ROWS = 16_384
_BATCH_PAIRS = 100_000  # whose signatures are compared at a time
_COLUMNS = ("id", "text_hash", "minhash", "url", "fetched_at")


@dataclass(frozen=True, slots=True)
class DuplicateCounts:
    """What was found."""

    texts: int  # rows with a text
    clusters: int
    rows: int  # in clusters
    same: int  # of them, rows whose text is that of the first row of the cluster
    has_signatures: bool  # otherwise only equal texts were found
    superseded: int = 0  # rows with a later capture of the same address


def find_duplicates(
    folder: str | Path, target: str | Path, *, min_similarity: float = MIN_SIMILARITY, spill: str | Path | None = None
) -> DuplicateCounts:
    """Write a table with a row for each row that has a duplicate or a later capture.

    Its columns: id, cluster (id of the first row), similarity to that row, is_same (equal texts), is_latest (no later
    capture of the address), keep (the one row of the cluster that is a latest capture, or the row has no duplicates).

    Args:
        folder: The output of a batch.
        target: Parquet file.
        min_similarity: Share of common shingles, estimated.
        spill: Folder for temporary files, by default that of the system.

    """
    if not 0 < min_similarity <= 1:
        raise UsageError(f"the similarity must be above 0 and at most 1, not {min_similarity:g}")
    output = open_output(str(folder))
    parts = sorted(read_entries(output), key=lambda part: part.file)
    if not parts:
        raise UsageError(f"there are no parts in {output.name}; name the output folder of broadsheet batch")
    with tempfile.TemporaryDirectory(prefix="broadsheet-duplicates-", dir=spill) as temporary:
        with _Spill(Path(temporary), sum(part.rows for part in parts)) as rows:
            for part in parts:
                for batch in _read_batches(output, part):
                    rows.add(batch)
        roots = _find_clusters(rows, min_similarity)
        is_latest = _find_latest(rows)
        return _write_table(rows, roots, is_latest, Path(target))


def _read_batches(output: Output, part: Part) -> Iterator[Any]:
    parquet = import_extra("pyarrow.parquet", "tables")
    with output.open_part(part.file) as opened, parquet.ParquetFile(opened) as file:
        columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
        if "text_hash" in columns:
            yield from file.iter_batches(_BATCH_ROWS, columns=columns)


_KEY = np.dtype([("key", "<u8"), ("row", "<u8")])
_ROW = np.dtype([("id", "S16"), ("text", "<u8", 2), ("time", "<i8")])  # 40 bytes


class _Spill:
    """The rows with a text, on disk: ids, hashes and times; signatures; keys in partitions."""

    def __init__(self, folder: Path, max_rows: int) -> None:
        self._folder = folder
        self.partitions = max(-(-max_rows * (_BANDS + 1) // _PARTITION_KEYS), 1)
        self.address_partitions = max(-(-max_rows // _PARTITION_KEYS), 1)
        self.count = 0
        self.has_signatures = True
        self._files: dict[str, IO[bytes]] = {}

    def __enter__(self) -> _Spill:
        self._open("rows"), self._open("signatures")
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def add(self, batch: Any) -> None:
        """Add the rows of a record batch that have a text."""
        batch = batch.filter(batch.column("text_hash").is_valid())
        count = batch.num_rows
        if not count:
            return
        names = batch.schema.names
        numbers = np.arange(self.count, self.count + count, dtype="<u8")
        rows = np.zeros(count, _ROW)
        rows["id"] = [bytes.fromhex(text) for text in batch.column("id").to_pylist()]
        rows["text"] = _read_hashes(batch.column("text_hash"))
        if "fetched_at" in names:
            rows["time"] = batch.column("fetched_at").cast("int64").fill_null(0).to_numpy()
        self._open("rows").write(rows.tobytes())
        keys = [_mix(rows["text"][:, 0], _BANDS)]
        signatures = _read_signatures(batch.column("minhash")) if "minhash" in names and self.has_signatures else None
        self.has_signatures = signatures is not None
        if signatures is not None:
            self._open("signatures").write(signatures.astype(np.uint8).tobytes())
            pairs = signatures.view("<u8").reshape(count, _BANDS, 2)
            keys += [_mix(pairs[:, band, 0] ^ _mix(pairs[:, band, 1], 1), band) for band in range(_BANDS)]
        self._write_keys("keys", self.partitions, np.concatenate(keys), np.tile(numbers, len(keys)))
        if "url" in names:
            has_url = batch.column("url").is_valid().to_numpy(zero_copy_only=False)
            addresses = [hash_text(url) for url in batch.column("url").to_pylist() if url is not None]
            self._write_keys("addresses", self.address_partitions, np.array(addresses, "<u8"), numbers[has_url])
        self.count += count

    def read_partition(self, name: str, number: int) -> np.ndarray:
        """Return the keys of a partition, with their rows, sorted by key and then by row."""
        path = self._folder / f"{name}-{number}"
        keys = np.fromfile(path, _KEY) if path.exists() else np.zeros(0, _KEY)
        return keys[np.argsort(keys["key"], kind="stable")]

    def read_rows(self) -> np.ndarray:
        """Return ids, hashes and times, mapped from the disk."""
        return np.memmap(self._folder / "rows", _ROW, "r") if self.count else np.zeros(0, _ROW)

    def measure(self, one: np.ndarray, two: np.ndarray) -> np.ndarray:
        """Return the similarities of pairs of rows: the share of equal numbers, of which one byte is stored."""
        result = np.empty(len(one))
        for start in range(0, len(one), _BATCH_PAIRS):
            # Mapped anew for each batch, so that the pages that were read do not stay in memory.
            signatures = np.memmap(self._folder / "signatures", np.uint8, "r").reshape(-1, PERMUTATIONS)
            place = slice(start, start + _BATCH_PAIRS)
            result[place] = np.mean(signatures[one[place]] == signatures[two[place]], axis=1)
        return np.maximum(0.0, (result - 1 / 256) / (1 - 1 / 256))  # a byte is equal by chance in one of 256

    def _write_keys(self, name: str, partitions: int, keys: np.ndarray, rows: np.ndarray) -> None:
        numbers = (keys >> np.uint64(32)) % np.uint64(partitions)
        order = np.argsort(numbers, kind="stable")
        records = np.empty(len(keys), _KEY)
        records["key"], records["row"] = keys[order], rows[order]
        ends = np.searchsorted(numbers[order], np.arange(partitions + 1, dtype=np.uint64))
        for number in np.flatnonzero(np.diff(ends)).tolist():
            self._open(f"{name}-{number}").write(records[ends[number] : ends[number + 1]].tobytes())

    def _open(self, name: str) -> IO[bytes]:
        if name not in self._files:
            if len(self._files) >= _MAX_OPEN_FILES:
                for file in self._files.values():
                    file.close()
                self._files.clear()
            self._files[name] = (self._folder / name).open("ab")
        return self._files[name]


_MAX_OPEN_FILES = 500


def _read_hashes(column: Any) -> np.ndarray:
    """Return hexadecimal hashes of 128 bits as pairs of numbers."""
    data = bytes.fromhex("".join(column.to_pylist()))
    return np.frombuffer(data, "<u8").reshape(-1, 2)


def _read_signatures(column: Any) -> np.ndarray | None:
    """Return rows × permutations; None if a row has no signature."""
    values = column.to_pylist()
    if any(value is None or len(value) != 4 * PERMUTATIONS for value in values):
        return None
    return np.frombuffer(b"".join(values), "<u4").reshape(-1, PERMUTATIONS)


def hash_text(text: str) -> int:
    """Return a hash of 64 bits, the same in every process."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _mix(values: np.ndarray, salt: int) -> np.ndarray:
    """Spread numbers over 64 bits (the finalizer of splitmix64)."""
    with np.errstate(over="ignore"):
        mixed = values + np.uint64((0x9E3779B97F4A7C15 * (salt + 1)) & (2**64 - 1))
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        result: np.ndarray = mixed ^ (mixed >> np.uint64(31))
    return result


def _find_clusters(rows: _Spill, min_similarity: float) -> np.ndarray:
    """Return the first row of the cluster of each row."""
    roots = np.arange(rows.count, dtype=np.int64)
    texts = rows.read_rows()["text"]
    for number in range(rows.partitions):
        keys = rows.read_partition("keys", number)
        starts = np.flatnonzero(np.r_[True, keys["key"][1:] != keys["key"][:-1]]) if len(keys) else np.zeros(0, int)
        sizes = np.diff(np.r_[starts, len(keys)])
        first = np.repeat(keys["row"][starts], sizes).astype(np.int64)  # each row is compared with the first of its key
        other = keys["row"].astype(np.int64)
        del keys
        is_candidate = roots[first] != roots[other]  # the others are joined already
        first, other = first[is_candidate], other[is_candidate]
        is_equal = (texts[first] == texts[other]).all(axis=1)
        if rows.has_signatures:
            is_equal[~is_equal] = rows.measure(first[~is_equal], other[~is_equal]) >= min_similarity
        _join(roots, first[is_equal], other[is_equal])
    return roots


def _join(roots: np.ndarray, one: np.ndarray, two: np.ndarray) -> None:
    """Join the clusters of pairs. `roots` names the first row of every cluster, before and after."""
    while len(one):
        low, high = np.minimum(roots[one], roots[two]), np.maximum(roots[one], roots[two])
        is_open = low != high
        one, two, low, high = one[is_open], two[is_open], low[is_open], high[is_open]
        np.minimum.at(roots, high, low)
        while not np.array_equal(shorter := roots[roots], roots):
            roots[:] = shorter


def _find_latest(rows: _Spill) -> np.ndarray:
    """Return whether each row is the latest capture of its address; of equal times, the last row is."""
    is_latest = np.ones(rows.count, bool)
    times = rows.read_rows()["time"]
    for number in range(rows.address_partitions):
        keys = rows.read_partition("addresses", number)
        order = np.lexsort((keys["row"], times[keys["row"].astype(np.int64)], keys["key"]))
        keys = keys[order]
        is_last = np.r_[keys["key"][1:] != keys["key"][:-1], True] if len(keys) else np.zeros(0, bool)
        is_latest[keys["row"][~is_last].astype(np.int64)] = False
    return is_latest


def _write_table(rows: _Spill, roots: np.ndarray, is_latest: np.ndarray, target: Path) -> DuplicateCounts:
    """Write the rows of clusters and those with a later capture."""
    arrow, parquet = import_extra("pyarrow", "tables"), import_extra("pyarrow.parquet", "tables")
    sizes = np.bincount(roots, minlength=rows.count) if rows.count else roots
    in_cluster = sizes[roots] > 1
    listed = np.flatnonzero(in_cluster | ~is_latest)
    kept = np.full(rows.count, rows.count, dtype=np.int64)  # by root: the first row that is a latest capture
    latest = np.flatnonzero(is_latest)
    np.minimum.at(kept, roots[latest], latest)
    text, flag = arrow.string(), arrow.bool_()
    names = {
        "id": text,
        "cluster": text,
        "similarity": arrow.float64(),
        "is_same": flag,
        "is_latest": flag,
        "keep": flag,
    }
    same = 0
    data = rows.read_rows()
    if target.parent.name == DUPLICATES:
        target.parent.mkdir(exist_ok=True)
    with replace_file(target) as draft, parquet.ParquetWriter(draft, arrow.schema(names), compression="zstd") as writer:
        for start in range(0, len(listed), _BATCH_PAIRS):
            row = listed[start : start + _BATCH_PAIRS]
            root = roots[row]
            is_same = (data["text"][row] == data["text"][root]).all(axis=1)
            similarity = rows.measure(row, root) if rows.has_signatures else is_same.astype(float)
            similarity[is_same] = 1.0
            same += int(np.count_nonzero(is_same & (row != root)))
            values = (
                *(_show_ids(data["id"][row]), _show_ids(data["id"][root]), similarity, is_same),
                *(is_latest[row], kept[root] == row),
            )
            writer.write_table(arrow.table([arrow.array(value) for value in values], names=list(names)))
    clusters = int(np.count_nonzero(sizes > 1))
    return DuplicateCounts(
        rows.count, clusters, int(np.count_nonzero(in_cluster)), same, rows.has_signatures, int(np.sum(~is_latest))
    )


def _show_ids(ids: np.ndarray) -> list[str]:
    # NumPy cuts zero bytes off the end.
    return [value.ljust(16, b"\0").hex() for value in ids.tolist()]


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
