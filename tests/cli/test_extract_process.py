"""`broadsheet extract` as a process: permissions, pipes, signals, locale, terminal."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = "pages/ferry.html"
BROADSHEET = [sys.executable, "-c", "from broadsheet.cli import main; main()"]


def call(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*BROADSHEET, *arguments], capture_output=True, text=True, timeout=300, **options)  # type: ignore[call-overload,no-any-return]


def call_as_user(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run as a user for whom permissions count: root without the capabilities to ignore them."""
    if os.geteuid() != 0:
        return call(*arguments)
    if shutil.which("setpriv") is None:
        pytest.skip("permissions do not count for root, and setpriv is not installed")
    less = "-dac_override,-dac_read_search"
    command = ["setpriv", f"--bounding-set={less}", f"--inh-caps={less}", *BROADSHEET, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.fixture
def locked(folder: Path) -> Iterator[None]:
    """The folder pages/old cannot be read, and the file out.txt not written."""
    Path("out.txt").write_text("before")
    Path("out.txt").chmod(0o444)
    Path("pages/old").chmod(0)
    yield
    Path("pages/old").chmod(0o755)


@pytest.mark.parametrize(
    ("arguments", "unread", "count"),
    [
        (["pages"], "pages/old", 2),
        (["pages/old"], "pages/old", 0),
        (["pages/old/*.gz"], "pages/old", 0),
        ([PAGE, "pages/old/ferry.html.gz", PAGE], "pages/old/ferry.html.gz", 2),
        (["pages/old/ferry.html.gz"], "pages/old/ferry.html.gz", 0),
    ],
)
@pytest.mark.usefixtures("locked")
def test_what_may_not_be_read_is_told_and_the_rest_goes_on(arguments: list[str], unread: str, count: int) -> None:
    done = call_as_user("extract", *arguments, "-j", "1", "-f", "jsonl")
    assert done.stderr == f"broadsheet: cannot read {unread}: permission denied\n"
    assert (done.returncode, done.stdout.count("\n")) == (1, count)


@pytest.mark.parametrize(
    ("output", "blamed"),
    [
        ("out.txt", "out.txt"),
        (".", "out.txt"),
        ("pages/old/new.json", "pages/old/new.json"),
        ("pages/old/", "pages/old/out.txt"),
        ("pages/old/new/", "to the folder pages/old/new"),
    ],
)
@pytest.mark.usefixtures("locked")
def test_what_may_not_be_written(output: str, blamed: str) -> None:
    Path("out.html").write_text(Path(PAGE).read_text())
    done = call_as_user("extract", "out.html", "-o", output)
    assert done.stderr.startswith(f"broadsheet: cannot write {blamed}: permission denied; change the permissions")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert Path("out.txt").read_text() == "before"


@pytest.mark.parametrize(("arguments", "given"), [(["-"], True), ([], True), (["-"], False), ([], False)])
def test_stdin(arguments: list[str], given: bool, folder: Path) -> None:
    done = call("extract", *arguments, "-f", "md", input=Path(PAGE).read_text() if given else "")
    assert done.returncode == (0 if given else 1)
    assert done.stdout.startswith("# Ferry late again\n" if given else "")
    assert done.stderr == (
        "" if given else "broadsheet: stdin is empty; name a file or an address, or pipe a page in\n"
    )


def test_output_is_utf8_in_any_locale(folder: Path) -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*BROADSHEET, "extract", PAGE], capture_output=True, timeout=300, env=environment)
    assert "café" in done.stdout.decode()


@pytest.mark.parametrize("pages", [[PAGE], ["many"]])
def test_reader_that_leaves_is_no_error(pages: list[str], folder: Path) -> None:
    Path("many").mkdir()
    for number in range(100):
        Path(f"many/{number}.html").write_text(Path(PAGE).read_text())
    with subprocess.Popen([*BROADSHEET, "extract", *pages, "-f", "jsonl"], stdout=-1, stderr=-1) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(300) == 141


@pytest.mark.parametrize(("name", "module"), [("csv", "csv"), ("xlsx", "xlsxwriter"), ("parquet", "pyarrow")])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no /dev/full")
def test_table_on_a_full_disk(name: str, module: str, folder: Path) -> None:
    pytest.importorskip(module, reason=f"{module} is not installed")
    with Path("/dev/full").open("w") as output:
        command = [*BROADSHEET, "extract", PAGE, "-f", name]
        done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, timeout=300)
    reason = "broadsheet: cannot write to stdout: no space left on device; make room, or write elsewhere\n"
    assert (done.returncode, done.stderr) == (1, reason)


@contextlib.contextmanager
def open_writer(pipe: Path) -> Iterator[None]:
    """Wait until another process opens a named pipe to read, and keep the other end open."""
    until = time.monotonic() + 300
    while True:
        try:
            end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            break
        except OSError as error:
            if error.errno != errno.ENXIO:  # no process reads it
                raise
            assert time.monotonic() < until
            time.sleep(0.02)
    try:
        yield
    finally:
        os.close(end)


def accept_interrupts() -> None:
    """Undo what shells do: they make background processes ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("number", "code", "complaint"),
    [(signal.SIGINT, 130, "broadsheet: interrupted\n"), (signal.SIGTERM, 143, "")],
)
def test_interrupt_leaves_nothing_behind(number: int, code: int, complaint: str, folder: Path) -> None:
    os.mkfifo("slow.html")
    command = [*BROADSHEET, "extract", "pages", "slow.html", "-o", "out.jsonl", "-j", "2"]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True, preexec_fn=accept_interrupts) as process:
        try:
            with open_writer(Path("slow.html")):  # the command waits for what it writes
                assert list(folder.glob(".out.jsonl-*"))
                process.send_signal(number)
                output = process.communicate(timeout=300)
            assert output == ("", complaint)
            assert process.returncode == code
        finally:
            process.kill()  # otherwise a failed test waits without end
    assert sorted(path.name for path in folder.iterdir()) == ["pages", "slow.html"]


def run_on_terminal(command: list[str], **environment: str) -> str:
    """Run a command on a terminal, and return its output."""
    import pty

    shown = b""
    main, terminal = pty.openpty()
    with subprocess.Popen(
        [*BROADSHEET, *command],
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
    ) as process:
        os.close(terminal)
        try:
            while piece := os.read(main, 65_536):
                shown += piece
        except OSError:  # on Linux: the other end is closed
            pass
        process.wait(300)
    os.close(main)
    return shown.decode()


def test_terminal_shows_colours_unless_told_not_to(folder: Path) -> None:
    coloured = run_on_terminal(["extract", PAGE, "--explain"])
    plain = run_on_terminal(["extract", PAGE, "--explain"], NO_COLOR="1")
    assert "\x1b[90m" in coloured
    assert "\x1b" not in plain
    assert max(map(len, plain.splitlines())) <= 100


def test_terminal_shows_progress_and_a_summary(folder: Path) -> None:
    shown = run_on_terminal(["extract", "pages", "missing.html", "-o", "out.jsonl", "-j", "1"])
    assert "/4" in shown
    assert re.search(r"4 pages in [\d.]+ s: 2 ok, 1 empty, 1 not read\s*$", shown)
    assert run_on_terminal(["extract", "pages", "-o", "out.jsonl", "-j", "1", "--quiet"]) == ""


def test_csv_on_stdout(folder: Path) -> None:
    done = call("extract", "pages", "-f", "csv", "--fields", "title,status", "-j", "1")
    assert done.stdout.splitlines() == ["title,status", ",empty", "Ferry late again,ok", "Ferry late again,ok"]
    assert done.returncode == 0
