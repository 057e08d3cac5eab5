"""Every writer x every fault: the old file is kept, no part of a new one is left, and the exit code is right.

Each case runs the command in a fork of this process, where the fault is made.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import broadsheet
from broadsheet import atomic
from broadsheet.cli.app import run
from broadsheet.cli.explain import explain_article  # noqa: F401 - loaded before the forks
from broadsheet.output import FORMATS, TABLES
from broadsheet.output.tables import write_articles

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and signals")
pytest.importorskip("pyarrow", reason="the extra 'tables' is not installed")
pytest.importorskip("openpyxl", reason="the extra 'tables' is not installed")

PAGE = "<title>A ferry returns</title><h1>A ferry returns</h1>" + "<p>The council voted to keep the ferry.</p>" * 9
OLD = b"old content"
Command = tuple[str, ...]

# The arguments of each command; the last one is the output.
WRITERS: dict[str, Command] = {
    **{
        f"extract {name}": ("extract", "page.html", "-f", name, "-o", f"out{row.ending}")
        for name, row in FORMATS.items()
    },
    **{
        f"extract {name}": ("extract", "page.html", "-f", name, "-o", f"out{row.ending}")
        for name, row in TABLES.items()
    },
    **{
        f"convert {name}": ("convert", "in.jsonl", "-f", name, "-o", f"out{row.ending}") for name, row in TABLES.items()
    },
    "explain": ("extract", "page.html", "--explain", "-o", "out.html"),
    "publish EPUB": ("publish", "in.jsonl", "-o", "out.epub"),
    "publish HTML": ("publish", "in.jsonl", "-o", "out.html"),
    "report": ("report", "in.jsonl", "-o", "out.html"),
    "site learn": ("site", "learn", "page.html", "other.html", "-o", "out.json"),
}


def raise_at_flush(error: BaseException) -> None:
    def fail(path: Path) -> None:
        raise error

    atomic._flush = fail


def kill_at_flush(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_DFL) if number is not signal.SIGKILL else None

    def kill(path: Path) -> None:
        os.kill(os.getpid(), number)

    atomic._flush = kill


def limit_file_size() -> None:
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))


FAULTS: dict[str, tuple[Callable[[], None], int]] = {
    "disk full": (lambda: raise_at_flush(OSError(errno.ENOSPC, "No space left on device")), 1),
    "file-size limit": (limit_file_size, 1),
    "SIGINT": (lambda: raise_at_flush(KeyboardInterrupt()), 130),
    "SIGTERM": (lambda: kill_at_flush(signal.SIGTERM), -signal.SIGTERM),
    "SIGKILL": (lambda: kill_at_flush(signal.SIGKILL), -signal.SIGKILL),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("page.html", "other.html"):
        (tmp_path / name).write_text(PAGE)
    write_articles([broadsheet.extract(PAGE)], tmp_path / "in.jsonl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(atomic, "_swept_folders", set())
    return tmp_path


def start(command: Command, make_fault: Callable[[], None] = lambda: None) -> int:
    """Run a command in a fork; return its process."""
    process = os.fork()
    if process:
        return process
    code = 99
    try:
        sys.stdout = sys.stderr = Path(os.devnull).open("w")  # not the files of pytest  # noqa: SIM115
        make_fault()
        code = run([*command, "--overwrite"] if command[0] == "extract" else command)
    finally:
        os._exit(code)


def wait(process: int) -> int:
    """Return the exit code; negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", WRITERS)
def test_a_fault_keeps_the_old_file(name: str, fault: str, folder: Path) -> None:
    command, (make_fault, code) = WRITERS[name], FAULTS[fault]
    output = folder / command[-1]
    output.write_bytes(OLD)
    inputs = {path.name: path.read_bytes() for path in folder.iterdir() if path != output}
    assert wait(start(command, make_fault)) == code
    assert output.read_bytes() == OLD
    if code < 0:  # the next run removes what a killed one left
        assert wait(start(command)) == 0
        assert output.read_bytes() != OLD
    left = {path.name: path.read_bytes() for path in folder.iterdir() if path != output}
    assert left == inputs


@pytest.mark.parametrize("name", WRITERS)
def test_two_runs_at_once_write_one_file(name: str, folder: Path) -> None:
    command = WRITERS[name]
    before = {path.name for path in folder.iterdir()}
    processes = [start(command), start(command)]
    assert [wait(process) for process in processes] == [0, 0]
    assert {path.name for path in folder.iterdir()} == before | {command[-1]}
    assert (folder / command[-1]).stat().st_size > len(OLD)


@pytest.mark.parametrize("name", WRITERS)
def test_an_input_is_not_overwritten(name: str, folder: Path) -> None:
    """Also by another name of the same file."""
    command = WRITERS[name]
    source = folder / next(word for word in command if "." in word)
    old = source.read_bytes()
    link = folder / command[-1]
    link.symlink_to(source)
    assert wait(start(command)) in (1, 2)
    assert source.read_bytes() == old


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("name", WRITERS)
def test_a_read_only_folder(name: str, folder: Path) -> None:
    folder.chmod(0o500)
    try:
        assert wait(start(WRITERS[name])) == 1
    finally:
        folder.chmod(0o700)
    assert not (folder / WRITERS[name][-1]).exists()


@pytest.mark.parametrize("name", [name for name in WRITERS if name.startswith(("extract", "convert"))])
def test_a_closed_pipe_is_no_error(name: str, folder: Path) -> None:
    def close_pipe() -> None:
        reader, writer = os.pipe()
        os.close(reader)
        sys.stdout = os.fdopen(writer, "w")

    assert wait(start((*WRITERS[name][:-1], "-"), close_pipe)) in (0, 141)
