"""The cache of computed features."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from broadsheet.training.cache import Column, describe_data, load_or_compute, make_key
from broadsheet.training.pages import Dataset

COLUMNS: dict[str, Column] = {
    "numbers": np.arange(6, dtype=np.float16).reshape(3, 2),
    "empty": np.zeros((0, 4), np.int8),
    "names": np.array(["a", "longer"]),
    "words": ["Ferry", "line\nbreak", "lone surrogate \ud800", "港"],
}


@pytest.mark.parametrize("is_mapped", [False, True])
def test_columns_are_computed_once(is_mapped: bool, tmp_path: Path) -> None:
    calls = []

    def compute() -> dict[str, Column]:
        calls.append(1)
        return COLUMNS

    for _ in range(2):
        columns = load_or_compute(tmp_path / "entry", compute, is_mapped=is_mapped)
        assert list(columns) == sorted(COLUMNS)
        assert columns.pop("words") == COLUMNS["words"]
        for name, column in columns.items():
            assert column.dtype == np.asarray(COLUMNS[name]).dtype
            assert np.array_equal(column, COLUMNS[name])
            assert isinstance(column, np.memmap) is is_mapped
    assert len(calls) == 1


def test_failed_computation_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> dict[str, Column]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_or_compute(tmp_path / "entry", fail)
    assert list(tmp_path.iterdir()) == []


@dataclass(frozen=True)
class Settings:
    rate: float = 0.1
    names: frozenset[str] = frozenset(("one", "two", "three"))


def test_key_depends_on_every_value() -> None:
    settings = Settings()
    keys = [
        make_key(settings, 1, {"a": [1, 2]}),
        make_key(replace(settings, rate=0.2), 1, {"a": [1, 2]}),
        make_key(replace(settings, names=frozenset(("one",))), 1, {"a": [1, 2]}),
        make_key(settings, 1, {"a": [2, 1]}),
        make_key(settings, "1", {"a": [1, 2]}),
    ]
    assert len(set(keys)) == len(keys)
    assert make_key(Settings(), 1, {"a": [1, 2]}) == keys[0]


def test_key_is_the_same_in_every_process() -> None:
    """The order of a set of strings, and so its text, depends on the process."""
    code = "from broadsheet.training.cache import make_key; print(make_key(frozenset('abcdefgh')))"
    keys = {
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        for _ in range(3)
    }
    assert keys == {make_key(frozenset("abcdefgh")) + "\n"}


def test_changed_file_changes_the_description(tmp_path: Path) -> None:
    def describe() -> Any:
        return describe_data([Dataset("toy", tmp_path / "toy.jsonl")])

    (tmp_path / "toy.jsonl").write_text("one", "utf-8")
    before = describe()
    assert describe() == before
    (tmp_path / "toy.jsonl").write_text("another", "utf-8")
    assert describe() != before
