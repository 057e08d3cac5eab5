from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from broadsheet.atomic import replace_file, replace_folder, sweep_drafts, write_atomically


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


# What killed processes leave, modes, links


@pytest.fixture(autouse=True)
def forget_swept_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test is a new process, as far as drafts are concerned."""
    monkeypatch.setattr("broadsheet.atomic._swept_folders", set())


KILLED = """
import os, signal, sys
from pathlib import Path
from broadsheet.atomic import replace_file, replace_folder, write_atomically
path = Path(sys.argv[1])
with {call} as draft:
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="drafts are locked on POSIX systems")
@pytest.mark.parametrize("call", ["write_atomically(path)", "replace_file(path)", "replace_folder(path)"])
def test_the_next_run_removes_what_a_killed_one_left(call: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    killed = subprocess.run([sys.executable, "-c", KILLED.format(call=call), path], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(".file-*.part"))) == 1
    other = tmp_path / "other"
    write_text(other)
    assert list(tmp_path.iterdir()) == [other]


def test_a_draft_in_use_and_files_of_others_stay(tmp_path: Path) -> None:
    names = [".file-0123.part", ".part", "file-01234567.part", ".file-0123456g.part"]
    for name in names:
        (tmp_path / name).touch()
    link = tmp_path / ".link-01234567.part"
    link.symlink_to(tmp_path / names[0])
    with replace_file(tmp_path / "first") as draft, replace_folder(tmp_path / "folder") as folder:
        sweep_drafts(tmp_path)
        left = {path.name for path in tmp_path.iterdir()}
        assert {draft.name, folder.name, link.name, *names} <= left
        draft.write_text("x")
    assert (tmp_path / "first").read_text() == "x"


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX systems")
@pytest.mark.parametrize("write", WRITERS)
def test_a_draft_is_not_more_open_than_its_target(write: Writer, tmp_path: Path) -> None:
    path = tmp_path / "file"
    write(path)
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask
    path.chmod(0o600)
    with replace_file(path) as draft:
        assert draft.stat().st_mode & 0o777 == 0o600
    with write_atomically(tmp_path / "secret", is_private=True) as file:
        assert os.fstat(file.fileno()).st_mode & 0o777 == 0o600
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("is_dangling", [True, False])
def test_a_link_is_replaced_where_pages_choose_names(is_dangling: bool, tmp_path: Path) -> None:
    victim, link = tmp_path / "victim", tmp_path / "link"
    if not is_dangling:
        victim.write_text("old")
    link.symlink_to(victim)
    with write_atomically(link, follows_links=False) as file:
        file.write("new")
    assert not link.is_symlink()
    assert link.read_text() == "new"
    assert victim.exists() is not is_dangling
    assert is_dangling or victim.read_text() == "old"
