"""Many pages: order, bounds, and pages that break or kill. The methods that do so come as a plugin, as any would."""

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
from typing import Any

import pytest
from tests.workers.running import wait_for_end

from broadsheet.api import extract
from broadsheet.article import Article, Status
from broadsheet.errors import BroadsheetError, UnknownMethod, UsageError
from broadsheet.many import Item, extract_many
from broadsheet.methods import load_method
from broadsheet.page import Limits
from broadsheet.workers import process as worker_process

PLUGIN = '''
import ctypes, os, pathlib, time
from broadsheet.blocks import Labels, Role

class Moody:
    """Does what the page tells it to."""

    name = "moody"

    def label(self, page, blocks):
        for text in blocks.text:
            order, _, rest = text.partition(" ")
            if order == "BREAK":
                raise ValueError("broken on purpose")
            if order == "KILL":
                os._exit(3)
            if order == "CRASH":
                ctypes.string_at(0)
            if order == "KILL-ONCE" and not pathlib.Path(rest).exists():
                pathlib.Path(rest).touch()
                os._exit(3)
            if order == "PRINT":
                print("this must not disturb anybody", flush=True)
            if order == "WAIT":
                time.sleep(float(rest))
            if order == "UNSENDABLE":
                return Labels([Role.BODY], [lambda: 1])
        return Labels([Role.BODY] * len(blocks), [1.0] * len(blocks))

class Unloadable(Moody):
    """Loads once only: in the caller's process."""

    def __init__(self):
        if os.environ.get("BROADSHEET_TEST_CALLER") != str(os.getpid()):
            raise RuntimeError("not here")
'''
ENTRY_POINTS = "[broadsheet.methods]\nmoody = moody_plugin:Moody\nunloadable = moody_plugin:Unloadable\n"


@pytest.fixture(scope="module", autouse=True)
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Install a package with methods of its own."""
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "moody_plugin.py").write_text(PLUGIN)
    (folder / "moody-1.0.dist-info").mkdir()
    (folder / "moody-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: moody\nVersion: 1.0\n")
    (folder / "moody-1.0.dist-info" / "entry_points.txt").write_text(ENTRY_POINTS)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    load_method.cache_clear()


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Collect the worker processes that are started."""
    processes: list[subprocess.Popen[bytes]] = []
    launch = worker_process._launch

    def remember(python: Path | None) -> subprocess.Popen[bytes]:
        processes.append(launch(python))
        return processes[-1]

    monkeypatch.setattr(worker_process, "_launch", remember)
    return processes


def make_page(text: str) -> str:
    return f"<html><body><p>{text}</p></body></html>"


def run(orders: Iterable[str], workers: int = 2, limits: Limits = Limits()) -> list[Article]:  # noqa: B008
    return list(extract_many(map(make_page, orders), workers=workers, method="moody", limits=limits))


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
    found = list(extract_many(pages, workers=2))
    assert found == expected
    assert [article.blocks for article in found] == [article.blocks for article in expected]
    assert found[0].url == "https://a.example/1"


@pytest.mark.parametrize("workers", [1, 2])
def test_page_that_breaks_fails_alone(workers: int) -> None:
    articles = run(["one", "BREAK", "three"], workers)
    assert [article.status for article in articles] == [Status.OK, Status.FAILED, Status.OK]
    assert articles[1].sources["status"] == "ValueError: broken on purpose"
    assert articles[1].method == "moody"


@pytest.mark.parametrize("order", ["KILL", "CRASH"])
def test_page_that_kills_its_worker_fails_alone(order: str) -> None:
    orders = [order if number in (11, 12) else f"page {number}" for number in range(30)]
    articles = run(orders)
    failed = [at for at, article in enumerate(articles) if article.status is Status.FAILED]
    assert failed == [11, 12]
    assert [article.text for article in articles if article.text] == [text for text in orders if text != order]
    assert articles[11].sources["status"] == "the page ended the worker process"


def test_page_that_dies_of_something_else_gets_a_second_try(tmp_path: Path) -> None:
    order = f"KILL-ONCE {tmp_path / 'died'}"
    assert [article.status for article in run(["one", order, "three"])] == [Status.OK] * 3


def test_page_that_hangs_is_given_up() -> None:
    articles = run(["one", "WAIT 60", "three"], limits=Limits(max_seconds=0.1))
    assert [article.status for article in articles] == [Status.OK, Status.TIMEOUT, Status.OK]


@pytest.mark.parametrize("order", ["PRINT", "UNSENDABLE"])
def test_answers_stay_whole(order: str) -> None:
    expected = Status.FAILED if order == "UNSENDABLE" else Status.OK
    assert [article.status for article in run(["one", order, "three"])] == [Status.OK, expected, Status.OK]


@pytest.mark.parametrize("workers", [1, 2])
def test_items_that_are_no_pages_fail_alone(workers: int) -> None:
    wrong: list[object] = [None, 7, ("https://a.example/", None), ("a", "b", "c"), Path("page.html"), object()]
    items: list[object] = [
        "<p>one",
        *wrong,
        b"<p>two",
        bytearray(b"<p>three"),
        memoryview(b"<p>four"),
        ["a", "<p>five"],
    ]
    articles = list(extract_many(items, workers=workers))  # type: ignore[arg-type]
    assert [at for at, article in enumerate(articles) if article.status is Status.FAILED] == [1, 2, 3, 4, 5, 6]
    assert len(articles) == len(items)


@pytest.mark.parametrize("workers", [1, 2])
def test_iterator_is_read_only_as_far_as_needed(workers: int) -> None:
    read: list[int] = []

    def read_on() -> Iterator[Item]:
        for number in itertools.count():
            read.append(number)
            yield make_page(f"page {number}")

    articles = extract_many(read_on(), workers=workers, method="moody")
    with closing(articles):
        assert next(articles).text == "page 0"
        assert len(read) <= 2 * workers + 1
        assert [next(articles).text for _ in range(200)][-1] == "page 200"
        assert len(read) <= 201 + (2 * workers + 1) * 16


@pytest.mark.parametrize("workers", [1, 2])
def test_error_of_the_iterator_comes_after_the_pages_before(workers: int) -> None:
    def read() -> Iterator[Item]:
        yield from map(make_page, "abcde")
        raise OSError("the disk is gone")

    articles = extract_many(read(), workers=workers, method="moody")
    assert [article.text for article in itertools.islice(articles, 5)] == list("abcde")
    with pytest.raises(OSError, match="the disk is gone"):
        next(articles)


def take_and_close(launched: list[subprocess.Popen[bytes]]) -> None:
    articles = extract_many(map(make_page, itertools.repeat("page")), workers=2, method="moody")
    next(articles)
    assert launched[0].poll() is None
    articles.close()


def close_while_pages_hang(launched: list[subprocess.Popen[bytes]]) -> None:
    articles = extract_many(map(make_page, ["page", *["WAIT 60"] * 20]), workers=2, method="moody")
    next(articles)
    articles.close()


def drop(launched: list[subprocess.Popen[bytes]]) -> None:
    for _ in extract_many(map(make_page, itertools.repeat("page")), workers=2, method="moody"):
        break


def finish(launched: list[subprocess.Popen[bytes]]) -> None:
    run(["page"] * 5)


def interrupt(launched: list[subprocess.Popen[bytes]]) -> None:
    def read() -> Iterator[str]:
        yield from map(make_page, ["page"] * 20)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(extract_many(read(), workers=2, method="moody"))


@pytest.mark.parametrize("leave", [take_and_close, close_while_pages_hang, drop, finish, interrupt])
def test_no_process_and_no_thread_is_left(
    leave: Callable[[list[subprocess.Popen[bytes]]], None], launched: list[subprocess.Popen[bytes]]
) -> None:
    began = time.monotonic()
    leave(launched)
    assert time.monotonic() - began < 10
    assert launched
    assert all(process.returncode is not None for process in launched)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("broadsheet")]


def test_works_in_a_thread() -> None:
    results: list[Article] = []
    thread = threading.Thread(target=lambda: results.extend(run(["one", "KILL", "three"])))
    thread.start()
    thread.join(30)
    assert [article.status for article in results] == [Status.OK, Status.FAILED, Status.OK]


@pytest.mark.parametrize("workers", [1, 2])
def test_unknown_method_is_told_before_any_page(workers: int) -> None:
    pages = iter(["<p>one"])
    with pytest.raises(UnknownMethod, match="twcem"):
        extract_many(pages, workers=workers, method="no-such-method")
    assert list(pages) == ["<p>one"]


def test_method_that_does_not_load_in_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROADSHEET_TEST_CALLER", str(os.getpid()))
    with pytest.raises(BroadsheetError, match=r"do not start \(.*RuntimeError: not here\); pass workers=1"):
        list(extract_many(["<p>one"], workers=2, method="unloadable"))


def test_method_can_be_an_object() -> None:
    articles = extract_many([make_page("BREAK"), make_page("two")], workers=2, method=load_method("moody"))
    assert [(article.status, article.method) for article in articles] == [("failed", "moody"), ("ok", "moody")]


def test_method_that_cannot_be_sent() -> None:
    method = load_method("moody")
    moody = type("Moody", (type(method),), {})()
    with pytest.raises(UsageError, match="cannot be sent to worker processes"):
        extract_many([], workers=2, method=moody)
    assert next(extract_many([make_page("one")], workers=1, method=moody)).text == "one"


@pytest.mark.parametrize(
    ("items", "workers", "reason"),
    [
        ("<p>one page", 1, "for one page use extract"),
        (b"<p>", 2, "for one page use extract"),
        ([], -1, "not -1"),
        ([], "2", "not '2'"),
        ([], 2.0, "not 2.0"),
    ],
)
def test_wrong_use_is_told_at_once(items: Iterable[str], workers: int, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        extract_many(items, workers=workers)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("method", [7, object(), Path("twcem")])
def test_what_is_no_method_is_told_at_once(method: Any, workers: int) -> None:
    with pytest.raises(UsageError, match=r"method must be a name or an object with \.name and \.label"):
        extract_many(["<p>one"], workers=workers, method=method)


def test_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from broadsheet.many import extract_many\n"
        "print([article.status.value for article in extract_many(['<p>one'] * 3, workers=2)])\n"
    )
    for command, given in (([str(script)], None), (["-"], script.read_text())):
        done = subprocess.run([sys.executable, *command], input=given, capture_output=True, text=True, timeout=60)
        assert (done.stderr, done.stdout.count("["), done.stdout.count("\n")) == ("", 1, 1)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_workers_end_when_their_caller_is_killed(tmp_path: Path) -> None:
    script = (
        "import itertools, os, broadsheet.workers.process as worker\n"
        "from broadsheet.many import extract_many\n"
        "launch = worker._launch\n"
        "def tell(python):\n"
        "    process = launch(python)\n"
        "    os.write(1, b'%d\\n' % process.pid)\n"  # in one piece: two threads do this
        "    return process\n"
        "worker._launch = tell\n"
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
