"""Entries of the manifest are checked when they are read: parts are removed by the names in them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from broadsheet.batch.folder import OutputFolder
from broadsheet.batch.manifest import Part, name_entry, read_entries, read_entry, write_entry

PART = Part(
    "a.warc.gz", "0a1b2c", "10-20", "abc", "a.warc.gz-0a1b2c.parquet", 4, 1, {"ok": 1}, {}, {}, "", 10, 0.5, 0.4
)


def test_entry_round_trip() -> None:
    assert read_entry(write_entry(PART)) == PART


@pytest.mark.parametrize(
    "values",
    [
        {"file": "../victim.txt"},
        {"file": "../victim.parquet"},
        {"file": "/etc/victim.parquet"},
        {"file": "..\\victim.parquet"},
        {"file": "_manifest/options.json"},
        {"file": ".parquet"},
        {"file": 7},
        {"key": "../0a"},
        {"key": ""},
        {"rows": "1"},
        {"rows": -1},
        {"statuses": ["ok"]},
        {"statuses": {"ok": "1"}},
        {"fault": None},
        {"version": 0},
    ],
    ids=str,
)
def test_entries_that_batch_does_not_write(values: dict[str, object]) -> None:
    assert read_entry(json.dumps({**asdict(PART), **values})) is None


@pytest.mark.parametrize("text", ["", "[]", "7", "null", "{}", "[" * 100_000, '{"version": 1}'])
def test_damaged_entries(text: str) -> None:
    assert read_entry(text) is None


def test_an_entry_under_the_key_of_another(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path)
    folder.create()
    (tmp_path / PART.file).write_bytes(b"1234")
    folder.write(name_entry(PART.key), write_entry(PART).encode())
    folder.write(name_entry("ffff"), write_entry(PART).encode())
    assert list(read_entries(folder)) == [PART]
