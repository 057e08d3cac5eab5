"""extract_many: order, bounds, and pages that raise, hang or kill their process. A plugin method does so on demand."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.workers.running import wait_for_end

from broadsheet.api import extract
from broadsheet.article import Article, Status
from broadsheet.errors import BroadsheetError, UnknownMethod, UsageError
from broadsheet.many import Item, extract_many
from broadsheet.methods import load_method
from broadsheet.page import Limits
from broadsheet.workers import process as worker_process
from broadsheet.workers import supervisor

PLUGIN = '''
import ctypes, os, pathlib, sys, time
from broadsheet.blocks import Labels, Role

class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no message")

def raise_error(error):
    raise error

def die_once(path):
    if not pathlib.Path(path).exists():
        pathlib.Path(path).touch()
        os._exit(3)

ORDERS = {
    "RAISE": lambda _: raise_error(ValueError("broken on purpose")),
    "RAISE-UNPRINTABLE": lambda _: raise_error(Unprintable()),
    "RAISE-INTERRUPT": lambda _: raise_error(KeyboardInterrupt()),
    "EXIT": lambda _: sys.exit(3),
    "DIE": lambda _: os._exit(3),
    "CRASH": lambda _: ctypes.string_at(0),
    "DIE-ONCE": die_once,
    "PRINT": lambda _: print("this must not disturb the protocol", flush=True),
    "WAIT": lambda seconds: time.sleep(float(seconds)),
    "ALLOCATE": lambda size: bytearray(int(size)),
}

class Scripted:
    """Follows the orders that a page's text gives."""

    name = "scripted"

    def label(self, page, blocks):
        for text in blocks.text:
            order, _, rest = text.partition(" ")
            if order in ORDERS:
                ORDERS[order](rest)
            if order == "UNPICKLABLE":
                return Labels([Role.BODY], [lambda: 1])
        return Labels([Role.BODY] * len(blocks), [1.0] * len(blocks))

class Unloadable(Scripted):
    """Loads in the caller's process only."""

    def __init__(self):
        if os.environ.get("BROADSHEET_TEST_CALLER") != str(os.getpid()):
            raise RuntimeError("not here")
'''
ONE, TWO, THREE = (f"The text of page number {number}." for number in (1, 2, 3))
ENTRY_POINTS = "[broadsheet.methods]\nscripted = scripted_plugin:Scripted\nunloadable = scripted_plugin:Unloadable\n"


@pytest.fixture(scope="module", autouse=True)
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Install a package that has methods."""
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "scripted_plugin.py").write_text(PLUGIN)
    (folder / "scripted-1.0.dist-info").mkdir()
    (folder / "scripted-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: scripted\nVersion: 1.0\n")
    (folder / "scripted-1.0.dist-info" / "entry_points.txt").write_text(ENTRY_POINTS)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    load_method.cache_clear()


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Collect the worker processes that are started."""
    processes: list[subprocess.Popen[bytes]] = []
    launch = worker_process._launch

    def launch_and_remember(python: Path | None) -> subprocess.Popen[bytes]:
        processes.append(launch(python))
        return processes[-1]

    monkeypatch.setattr(worker_process, "_launch", launch_and_remember)
    return processes


def make_page(text: str) -> str:
    return f"<html><body><p>{text}</p></body></html>"


def run(orders: Iterable[str], workers: int = 2, limits: Limits = Limits()) -> list[Article]:  # noqa: B008
    return list(extract_many(map(make_page, orders), workers=workers, method="scripted", limits=limits))


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_order_is_kept(workers: int) -> None:
    orders = ["WAIT 0.05" if number % 7 == 0 else f"page {number}" for number in range(50)]
    assert [article.text for article in run(orders, workers)] == orders


def test_articles_are_those_of_extract() -> None:
    pages: list[tuple[str | None, str | bytes]] = [
        ("https://a.example/1", "<title>Ferry late</title><h1>Ferry late</h1><p>The ferry was late again on Tuesday."),
        (None, "<p>Prices rose in \udcff March".encode("utf-8", "replace")),
        ("https://a.example/3", ""),
    ]
    expected = [extract(html, url=url) for url, html in pages]
    articles = list(extract_many(pages, workers=2, with_blocks=True))
    assert articles == expected
    assert [article.blocks for article in articles] == [article.blocks for article in expected]
    for workers in (1, 2):
        slim = list(extract_many(pages, workers=workers))
        assert slim == expected
        assert [article.blocks for article in slim] == [()] * 3
    assert articles[0].url == "https://a.example/1"


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("RAISE", "ValueError: broken on purpose"),
        ("RAISE-UNPRINTABLE", "Unprintable"),
        ("EXIT", "SystemExit: 3"),
    ],
)
def test_a_page_on_which_the_method_raises_fails_alone(order: str, reason: str, workers: int) -> None:
    articles = run([ONE, order, THREE], workers)
    assert [article.status for article in articles] == [Status.OK, Status.FAILED, Status.OK]
    assert articles[1].sources["status"] == reason
    assert articles[1].method == "scripted"


def test_an_interrupt_in_this_process_stops_the_work() -> None:
    articles = extract_many(map(make_page, [ONE, "RAISE-INTERRUPT", THREE]), workers=1, method="scripted")
    assert next(articles).text == ONE
    with pytest.raises(KeyboardInterrupt):
        next(articles)


@pytest.mark.parametrize("order", ["DIE", "CRASH"])
def test_a_page_that_kills_its_worker_fails_alone(order: str) -> None:
    orders = [order if number in (11, 12) else f"page {number}" for number in range(30)]
    articles = run(orders)
    failed = [at for at, article in enumerate(articles) if article.status is Status.FAILED]
    assert failed == [11, 12]
    assert [article.text for article in articles if article.text] == [text for text in orders if text != order]
    assert articles[11].sources["status"] == "the page ended the worker process"


def test_a_page_whose_worker_died_is_tried_again(tmp_path: Path) -> None:
    order = f"DIE-ONCE {tmp_path / 'died'}"
    assert [article.status for article in run([ONE, order, THREE])] == [Status.OK] * 3


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited on Linux only")
def test_a_page_that_needs_too_much_memory_fails_alone() -> None:
    orders = [ONE, "ALLOCATE 000000050000000", "ALLOCATE 000000500000000", THREE]
    articles = run(orders, limits=Limits(max_memory=300_000_000, max_seconds=600))
    assert [article.status for article in articles] == [Status.OK, Status.OK, Status.FAILED, Status.OK]
    reason = "out of memory: the page needs more than 300,000,000 bytes (max_memory)"
    assert articles[2].sources["status"] == reason
    assert {article.status for article in run(orders, limits=Limits(max_memory=None, max_seconds=600))} == {Status.OK}


def test_running_out_of_memory_in_this_process_fails_the_page() -> None:
    articles = run([ONE, f"ALLOCATE {sys.maxsize}", THREE], workers=1)
    assert [article.status for article in articles] == [Status.OK, Status.FAILED, Status.OK]
    assert articles[1].sources["status"] == "out of memory"


def test_a_page_that_hangs_times_out() -> None:
    articles = run([ONE, "WAIT 600", THREE], limits=Limits(max_seconds=1))
    assert [article.status for article in articles] == [Status.OK, Status.TIMEOUT, Status.OK]


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system has no SIGSTOP")
def test_a_stopped_worker_does_not_block_the_caller(launched: list[subprocess.Popen[bytes]]) -> None:
    """The stopped worker is killed at the deadline of its page, and a new one continues."""

    def read() -> Iterator[Item]:
        for number in itertools.count():
            if number == 30:
                launched[0].send_signal(signal.SIGSTOP)
            if number >= 60 and (len(launched) >= 3 or time.monotonic() > deadline):
                return
            yield make_page(f"page {number}")

    deadline = time.monotonic() + 300
    articles = list(extract_many(read(), workers=2, method="scripted", limits=Limits(max_seconds=1)))
    assert len(launched) >= 3
    assert len(articles) >= 60
    late = [number for number, article in enumerate(articles) if article.status is Status.TIMEOUT]
    assert len(late) <= 1
    on_time = [(number, article.text) for number, article in enumerate(articles) if number not in late]
    assert on_time == [(number, f"page {number}") for number in range(len(articles)) if number not in late]


@pytest.mark.parametrize("order", ["PRINT", "UNPICKLABLE"])
def test_output_of_a_method_does_not_disturb_the_protocol(order: str) -> None:
    expected = Status.FAILED if order == "UNPICKLABLE" else Status.EMPTY  # the order is the text, and is short
    assert [article.status for article in run([ONE, order, THREE])] == [Status.OK, expected, Status.OK]


@pytest.mark.parametrize("workers", [1, 2])
def test_the_iterator_is_read_a_bounded_number_of_pages_ahead(workers: int) -> None:
    read: list[int] = []

    def read_endlessly() -> Iterator[Item]:
        for number in itertools.count():
            read.append(number)
            yield make_page(f"page {number}")

    articles = extract_many(read_endlessly(), workers=workers, method="scripted")
    with closing(articles):
        assert next(articles).text == "page 0"
        assert len(read) <= 2 * workers + 1
        assert [next(articles).text for _ in range(200)][-1] == "page 200"
        assert len(read) <= 201 + (2 * workers + 1) * 16


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_the_iterator_comes_after_the_pages_before_it(workers: int) -> None:
    def read() -> Iterator[Item]:
        yield from map(make_page, "abcde")
        raise OSError("the disk is gone")

    articles = extract_many(read(), workers=workers, method="scripted")
    assert [article.text for article in itertools.islice(articles, 5)] == list("abcde")
    with pytest.raises(OSError, match="the disk is gone"):
        next(articles)


def test_processes_are_replaced_after_some_pages(
    launched: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "PAGES_PER_PROCESS", 20)
    orders = [f"page {number}" for number in range(160)]
    assert [article.text for article in run(orders)] == orders
    assert len(launched) >= 4  # a process gets at most 35 pages: 19, and a chunk of 16


def take_and_close(launched: list[subprocess.Popen[bytes]]) -> None:
    articles = extract_many(map(make_page, itertools.repeat("page")), workers=2, method="scripted")
    next(articles)
    assert launched[0].poll() is None
    articles.close()


def close_while_pages_hang(launched: list[subprocess.Popen[bytes]]) -> None:
    articles = extract_many(map(make_page, ["page", *["WAIT 900"] * 20]), workers=2, method="scripted")
    next(articles)
    articles.close()


def break_loop(launched: list[subprocess.Popen[bytes]]) -> None:
    for _ in extract_many(map(make_page, itertools.repeat("page")), workers=2, method="scripted"):
        break


def finish(launched: list[subprocess.Popen[bytes]]) -> None:
    run(["page"] * 5)


def interrupt(launched: list[subprocess.Popen[bytes]]) -> None:
    def read() -> Iterator[str]:
        yield from map(make_page, ["page"] * 20)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(extract_many(read(), workers=2, method="scripted"))


@pytest.mark.parametrize("leave", [take_and_close, close_while_pages_hang, break_loop, finish, interrupt])
def test_no_process_and_no_thread_is_left(
    leave: Callable[[list[subprocess.Popen[bytes]]], None], launched: list[subprocess.Popen[bytes]]
) -> None:
    earlier_threads = set(threading.enumerate())
    started_at = time.monotonic()
    leave(launched)
    assert time.monotonic() - started_at < 300
    assert launched
    assert all(process.returncode is not None for process in launched)
    new_threads = set(threading.enumerate()) - earlier_threads
    assert not [thread for thread in new_threads if thread.name.startswith("broadsheet")]


def test_works_in_a_thread() -> None:
    results: list[Article] = []
    thread = threading.Thread(target=lambda: results.extend(run([ONE, "DIE", THREE])))
    thread.start()
    thread.join(600)
    assert [article.status for article in results] == [Status.OK, Status.FAILED, Status.OK]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_unknown_method_is_reported_before_any_page_is_read(workers: int) -> None:
    pages = iter(["<p>one"])
    with pytest.raises(UnknownMethod, match="twcem"):
        extract_many(pages, workers=workers, method="no-such-method")
    assert list(pages) == ["<p>one"]


def test_a_method_that_does_not_load_in_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROADSHEET_TEST_CALLER", str(os.getpid()))
    with pytest.raises(BroadsheetError, match=r"do not start \(.*RuntimeError: not here\); pass workers=1"):
        list(extract_many(["<p>one"], workers=2, method="unloadable"))


def test_the_method_can_be_an_object() -> None:
    articles = extract_many([make_page("RAISE"), make_page(TWO)], workers=2, method=load_method("scripted"))
    assert [(article.status, article.method) for article in articles] == [("failed", "scripted"), ("ok", "scripted")]


def test_a_method_that_cannot_be_pickled() -> None:
    method = load_method("scripted")
    local_method = type("Local", (type(method),), {})()
    with pytest.raises(UsageError, match="cannot be sent to worker processes"):
        extract_many([], workers=2, method=local_method)
    assert next(extract_many([make_page(ONE)], workers=1, method=local_method)).text == ONE


def test_a_script_needs_no_main_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from broadsheet.many import extract_many\n"
        "print([article.status.value for article in extract_many(['<p>one'] * 3, workers=2)])\n"
    )
    for command, stdin in (([str(script)], None), (["-"], script.read_text())):
        done = subprocess.run([sys.executable, *command], input=stdin, capture_output=True, text=True, timeout=300)
        assert (done.stderr, done.stdout.count("["), done.stdout.count("\n")) == ("", 1, 1)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_workers_end_when_their_caller_is_killed(tmp_path: Path) -> None:
    script = (
        "import itertools, os, broadsheet.workers.process as worker\n"
        "from broadsheet.many import extract_many\n"
        "launch = worker._launch\n"
        "def launch_and_print(python):\n"
        "    process = launch(python)\n"
        "    os.write(1, b'%d\\n' % process.pid)\n"  # one write: two threads do this
        "    return process\n"
        "worker._launch = launch_and_print\n"
        "for _ in extract_many(itertools.repeat('<p>page'), workers=2): pass\n"
    )
    caller = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    with caller:
        assert caller.stdout is not None
        try:
            pids = [int(caller.stdout.readline()) for _ in range(2)]
            time.sleep(0.3)
        finally:
            caller.send_signal(signal.SIGKILL)
    for pid in pids:
        wait_for_end(pid)
