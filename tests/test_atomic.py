from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from broadsheet.atomic import replace_file, replace_folder, write_atomically


def write_text(path: Path, error: BaseException | None = None) -> None:
    with write_atomically(path) as file:
        file.write("new")
        if error:
            raise error


def write_bytes(path: Path, error: BaseException | None = None) -> None:
    with write_atomically(path, "wb") as file:
        file.write(b"new")
        if error:
            raise error


def write_by_path(path: Path, error: BaseException | None = None) -> None:
    with replace_file(path) as draft:
        draft.write_text("new", "utf-8")
        if error:
            raise error


WRITERS = [write_text, write_bytes, write_by_path]
Writer = Callable[..., None]


@pytest.mark.parametrize("write", WRITERS)
def test_file_is_created_and_replaced(write: Writer, tmp_path: Path) -> None:
    path = tmp_path / "file"
    write(path)
    assert path.read_text("utf-8") == "new"
    path.write_text("old content", "utf-8")
    path.chmod(0o640)
    write(path)
    assert path.read_text("utf-8") == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError(), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("write", WRITERS)
def test_failed_write_keeps_the_old_file(write: Writer, error: BaseException, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old", "utf-8")
    with pytest.raises(type(error)):
        write(path, error)
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_link_keeps_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_text(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text("utf-8") == "new"


def test_errors_of_the_encoding(tmp_path: Path) -> None:
    with write_atomically(tmp_path / "file", errors="replace") as file:
        file.write("a\ud800\nb")
    assert (tmp_path / "file").read_bytes() == b"a?\nb"


def test_long_names(tmp_path: Path) -> None:
    path = tmp_path / ("港" * 80)
    write_text(path)
    assert path.read_text("utf-8") == "new"


def fill(folder: Path, error: BaseException | None = None) -> None:
    with replace_folder(folder) as draft:
        (draft / "inner").mkdir()
        (draft / "inner" / "file").write_text("new", "utf-8")
        if error:
            raise error


def test_folder_is_created_and_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "parent" / "folder"
    fill(folder)
    (folder / "left over").write_text("old", "utf-8")
    fill(folder)
    assert sorted(path.name for path in folder.rglob("*")) == ["file", "inner"]
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize("error", [ValueError(), KeyboardInterrupt()], ids=repr)
def test_failed_write_keeps_the_old_folder(error: BaseException, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "old").write_text("old", "utf-8")
    with pytest.raises(type(error)):
        fill(tmp_path / "folder", error)
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "old"]


def test_folder_that_cannot_be_renamed_is_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "old").write_text("old", "utf-8")
    rename = Path.rename

    def fail_on_drafts(path: Path, target: Path) -> Path:
        if any(path.rglob("inner")):
            raise OSError("disk error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail_on_drafts)
    with pytest.raises(OSError, match="disk error"):
        fill(tmp_path / "folder")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "old"]
