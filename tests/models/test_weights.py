"""Folders of weights: written whole, read once, refused with a reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from broadsheet.errors import UsageError
from broadsheet.models import load_weights, save_weights
from broadsheet.models.weights import ARRAYS, CONFIG, SHIPPED

ARRAY = np.arange(6, dtype=np.float32).reshape(2, 3).T  # not contiguous


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_weights(tmp_path / "w" / "1", "toy", {"a": ARRAY}, {"words": ["é"]}, "# Card\n")
    return tmp_path / "w" / "1"


def test_what_is_saved_is_loaded(folder: Path) -> None:
    weights = load_weights("toy", folder)
    assert np.array_equal(weights.arrays["a"], ARRAY)
    assert weights.config["words"] == ["é"]
    assert load_weights("toy", folder) is weights


def test_everybody_may_read_them(folder: Path) -> None:
    assert {path.stat().st_mode & 0o044 for path in folder.iterdir()} == {0o044}


def test_nobody_changes_them(folder: Path) -> None:
    with pytest.raises(ValueError, match="read-only"):
        load_weights("toy", folder).arrays["a"][0] = 1


def test_saving_replaces_and_leaves_nothing_else(folder: Path) -> None:
    save_weights(folder, "toy", {"b": ARRAY}, {}, "# Card\n")
    assert set(load_weights("toy", folder).arrays) == {"b"}
    assert [path.name for path in folder.parent.iterdir()] == ["1"]


def test_a_failed_save_keeps_the_old_one(folder: Path) -> None:
    with pytest.raises(TypeError):
        save_weights(folder, "toy", {"b": ARRAY}, {"no json": object()}, "# Card\n")
    assert set(load_weights("toy", folder).arrays) == {"a"}
    assert [path.name for path in folder.parent.iterdir()] == ["1"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (ARRAYS, b"no tensors", "holds no weights of toy"),
        (CONFIG, b"{", "holds no weights of toy"),
        (CONFIG, b'{"model": "other"}', "weights of 'other', not of 'toy'"),
    ],
)
def test_broken_folders(folder: Path, name: str, content: bytes, message: str) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(UsageError, match=message):
        load_weights("toy", folder)


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere holds no weights"):
        load_weights("toy", tmp_path / "nowhere")


def test_no_weights_are_shipped() -> None:
    with pytest.raises(UsageError, match="broadsheet train toy"):
        load_weights("toy")


@pytest.mark.parametrize("folder", sorted(SHIPPED.glob("*/*")), ids=lambda folder: folder.parent.name)
def test_shipped_weights_have_a_card(folder: Path) -> None:
    card = (folder / "README.md").read_text("utf-8")
    assert f"broadsheet train {folder.parent.name}" in card
    assert "seed" in card


def test_the_wheel_stays_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()) < 23_000_000
