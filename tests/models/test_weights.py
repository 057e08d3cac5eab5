"""Weights folders: written completely, cached, and rejected with one clear line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from broadsheet.errors import UsageError
from broadsheet.models import load_weights, save_weights
from broadsheet.models.weights import ARRAYS, CONFIG, SHIPPED, check_arrays, refuse_weights

ARRAY = np.arange(6, dtype=np.float32).reshape(2, 3).T  # not contiguous


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_weights(tmp_path / "w" / "1", "toy", {"a": ARRAY}, {"words": ["é"], "layer": {"width": 3}}, "# Card\n")
    return tmp_path / "w" / "1"


def test_saved_weights_are_loaded_once(folder: Path) -> None:
    weights = load_weights("toy", folder)
    assert np.array_equal(weights.arrays["a"], ARRAY)
    assert weights.config["words"] == ["é"]
    assert load_weights("toy", folder) is weights
    assert load_weights("toy", str(folder)) is weights


def test_files_are_readable_by_everyone(folder: Path) -> None:
    assert {path.stat().st_mode & 0o044 for path in folder.iterdir()} == {0o044}


def test_loaded_arrays_are_read_only(folder: Path) -> None:
    with pytest.raises(ValueError, match="read-only"):
        load_weights("toy", folder).arrays["a"][0] = 1


def test_saving_replaces_a_folder_and_leaves_no_draft(folder: Path) -> None:
    save_weights(folder, "toy", {"b": ARRAY}, {}, "# Card\n")
    assert set(load_weights("toy", folder).arrays) == {"b"}
    assert [path.name for path in folder.parent.iterdir()] == ["1"]


def test_a_failed_save_keeps_the_old_folder(folder: Path) -> None:
    with pytest.raises(TypeError):
        save_weights(folder, "toy", {"b": ARRAY}, {"not JSON": object()}, "# Card\n")
    assert set(load_weights("toy", folder).arrays) == {"a"}
    assert [path.name for path in folder.parent.iterdir()] == ["1"]


# A tensor of a type that NumPy does not have.
BFLOAT16 = b'{"a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}'
UNREADABLE = [
    (ARRAYS, b"no tensors", "cannot read weights of toy"),
    (ARRAYS, len(BFLOAT16).to_bytes(8, "little") + BFLOAT16 + b"\0\0", "cannot read weights of toy"),
    (CONFIG, b"{", "cannot read weights of toy"),
    (CONFIG, b"\xff\xfe", "cannot read weights of toy"),
    (CONFIG, b"[1, 2]", "list in place of dict"),
    (CONFIG, b'{"model": "other"}', "contains weights of 'other', not of 'toy'"),
]


@pytest.mark.parametrize(("name", "content", "message"), UNREADABLE)
def test_unreadable_folders(folder: Path, name: str, content: bytes, message: str) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(UsageError, match=message) as error:
        load_weights("toy", folder)
    assert "broadsheet train toy" in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read weights of toy in .*nowhere"):
        load_weights("toy", tmp_path / "nowhere")


def test_a_folder_that_is_not_a_path() -> None:
    with pytest.raises(UsageError, match="weights must be a folder"):
        load_weights("toy", 5)  # type: ignore[arg-type]


def test_a_model_without_shipped_weights() -> None:
    with pytest.raises(UsageError, match="broadsheet train toy"):
        load_weights("toy")


def test_a_missing_array_or_setting_is_a_usage_error(folder: Path) -> None:
    weights = load_weights("toy", folder)
    with pytest.raises(UsageError, match=r"weights.safetensors has no 'b'; .*broadsheet train toy"):
        weights.arrays["b"]
    with pytest.raises(UsageError, match=r"config.json has no 'hidden'; .*broadsheet train toy"):
        weights.config["hidden"]
    with pytest.raises(UsageError, match=r"config.json has no 'height'"):
        weights.config["layer"]["height"]


SHAPES: list[tuple[dict[str, tuple[int | None, ...]], str, str]] = [
    ({"b": (3, 2)}, "f", "has no array 'b'"),
    ({"a": (2, 3)}, "f", r"'a' in .* is float32 of shape \(3, 2\), expected floats of shape 2 x 3"),
    ({"a": (None, 3)}, "f", "expected floats of shape any x 3"),
    ({"a": (3,)}, "f", "expected floats of shape 3"),
    ({"a": (3, 2)}, "iu", "is float32 .*, expected integers of shape 3 x 2"),
]


@pytest.mark.parametrize(("shapes", "kinds", "message"), SHAPES)
def test_arrays_that_do_not_fit(folder: Path, shapes: Any, kinds: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as error:
        check_arrays(load_weights("toy", folder), shapes, kinds=kinds)
    assert str(error.value).endswith("train new weights: broadsheet train toy")


def test_arrays_that_fit(folder: Path) -> None:
    check_arrays(load_weights("toy", folder), {"a": (3, None)})


def test_methods_without_weights_refuse_them() -> None:
    refuse_weights("toy", None)
    with pytest.raises(UsageError, match="method 'toy' has no weights; leave out weights='folder'"):
        refuse_weights("toy", Path("folder"))


COMMANDS = {"gcn2-published": "gcn-published --seed 0 --layers 2"}  # a setting of another model


@pytest.mark.parametrize("folder", sorted(SHIPPED.glob("*/*")), ids=lambda folder: folder.parent.name)
def test_shipped_weights_have_a_card(folder: Path) -> None:
    card = (folder / "README.md").read_text("utf-8")
    name = folder.parent.name
    assert f"broadsheet train {COMMANDS.get(name, name)}" in card
    assert "seed" in card


def test_the_wheel_stays_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()) < 23_000_000


def test_saving_never_deletes_other_files(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="contains other files, which would be deleted"):
        save_weights(tmp_path, "toy", {}, {}, "card")
    with pytest.raises(UsageError, match="is a file"):
        save_weights(tmp_path / "thesis.txt", "toy", {}, {}, "card")
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
