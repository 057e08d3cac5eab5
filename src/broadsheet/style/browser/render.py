"""Ask a real browser how a page looks: Chromium through playwright (extra `render`).

Scripts and network are off unless asked for: a page is shown as it was saved. One browser serves all threads of a
process, from a thread of its own (playwright is bound to the thread that started it), and is closed at exit.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from broadsheet.errors import MissingExtra, RenderError
from broadsheet.page import Page
from broadsheet.style.browser.snapshot import PROPERTIES, read_snapshot
from broadsheet.style.css.lengths import SCREEN_HEIGHT, SCREEN_WIDTH

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",  # containers have little of it, and pages crash without
)
_NOWHERE = "http://page.invalid/"  # where a page without an address is taken to be; a name that never resolves
_SHOW_ALL = "* { content-visibility: visible !important }"
_PAGES_PER_TAB = 200  # then a fresh one: a tab keeps some memory of each page
_START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How a browser shows a page."""

    scripts: bool = False
    network: bool = False  # for all but the page itself, which is never fetched again
    seconds: float = 15.0  # a page that takes longer is looked at as far as it is


DEFAULT_OPTIONS = RenderOptions()


def render_page(html: str, page: Page, options: RenderOptions = DEFAULT_OPTIONS) -> Page:
    """Show a page in Chromium and return it with what the browser made of it; `html` is the text that was parsed.

    Raises MissingExtra without playwright, RenderError without a browser or when the browser fails on the page.
    """
    address = (page.url or page.base or _NOWHERE).partition("#")[0]
    job = _Job(html, address, dict(page.sheets), options)
    snapshot = _get_browser().run(job)
    return replace(page, rendering=read_snapshot(snapshot, page.nodes))


@dataclass(frozen=True, slots=True)
class _Job:
    html: str
    address: str
    sheets: Mapping[str, str]
    options: RenderOptions


class _Browser:
    """A thread with a browser, and the jobs that wait for it."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._jobs: SimpleQueue[tuple[_Job, Future[Any]] | None] = SimpleQueue()
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="broadsheet-render", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive() and not self._is_closed

    def run(self, job: _Job) -> Any:
        answer: Future[Any] = Future()
        self._jobs.put((job, answer))
        while True:
            try:
                return answer.result(timeout=1.0)
            except NotDone:
                if answer.done():
                    raise
                if not self._thread.is_alive():
                    raise RenderError("the browser has ended; try again") from None

    def close(self) -> None:
        self._is_closed = True
        self._jobs.put(None)
        self._thread.join(timeout=10)

    def _work(self) -> None:
        tab: _Tab | None = None
        while (item := self._jobs.get()) is not None:
            job, answer = item
            try:
                if tab is not None and not tab.fits(job):
                    tab.close()
                    tab = None
                if tab is None:
                    tab = _Tab(job.options)
                answer.set_result(tab.show(job))
            except (MissingExtra, RenderError) as error:
                answer.set_exception(error)
            except Exception as error:  # the border to the browser: whatever it raises, in one line
                if tab is not None:
                    tab.close()
                    tab = None
                reason = (str(error).strip() or type(error).__name__).splitlines()[0]
                answer.set_exception(RenderError(f"the browser failed on the page: {reason}"))
        if tab is not None:
            tab.close()


class _Tab:
    """A running Chromium with one tab."""

    def __init__(self, options: RenderOptions) -> None:
        self._options = options
        self._shown = 0
        self._job: _Job | None = None
        self._playwright = _start_playwright()
        try:
            self._browser = _start_chromium(self._playwright)
        except BaseException:
            self._playwright.stop()
            raise
        self._open()

    def fits(self, job: _Job) -> bool:
        return job.options.scripts == self._options.scripts and bool(self._browser.is_connected())

    def close(self) -> None:
        with contextlib.suppress(Exception):  # it is going anyway
            self._browser.close()
        with contextlib.suppress(Exception):
            self._playwright.stop()

    def show(self, job: _Job) -> Any:
        if self._shown and self._shown % _PAGES_PER_TAB == 0:
            self._context.close()
            self._open()
        self._shown += 1
        if self._job is not None and self._job.address == job.address:
            self._page.goto("about:blank")  # going where one is already is no going
        self._job = job
        # Sheets may come after the document is parsed; without any, there is nothing to wait for.
        is_slow = job.sheets or job.options.network or job.options.scripts
        wait = "load" if is_slow else "domcontentloaded"
        with contextlib.suppress(self._timeout_error):  # what is there by then is looked at
            self._page.goto(job.address, wait_until=wait, timeout=job.options.seconds * 1000)
        if "content-visibility" in job.html or any("content-visibility" in css for css in job.sheets.values()):
            self._show_all()
        return self._session.send("DOMSnapshot.captureSnapshot", {"computedStyles": list(PROPERTIES)})

    def _show_all(self) -> None:
        """Lay out what the page wants laid out only when a reader scrolls there."""
        session = self._session
        session.send("DOM.enable")
        session.send("CSS.enable")
        frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        sheet = session.send("CSS.createStyleSheet", {"frameId": frame})["styleSheetId"]
        session.send("CSS.setStyleSheetText", {"styleSheetId": sheet, "text": _SHOW_ALL})
        session.send("CSS.disable")
        session.send("DOM.disable")

    def _open(self) -> None:
        from playwright.sync_api import TimeoutError as PlaywrightTimeout

        self._timeout_error = PlaywrightTimeout
        screen = {"width": int(SCREEN_WIDTH), "height": int(SCREEN_HEIGHT)}
        self._context = self._browser.new_context(
            java_script_enabled=self._options.scripts, viewport=screen, service_workers="block", accept_downloads=False
        )
        self._context.route("**/*", self._answer)
        self._page = self._context.new_page()
        self._session = self._context.new_cdp_session(self._page)

    def _answer(self, route: Any) -> None:
        """Give the browser the page and its sheets; anything else comes from the network, if at all."""
        job, request = self._job, route.request
        assert job is not None
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            body = job.html.encode("utf-8", "replace")
            route.fulfill(body=body, content_type="text/html; charset=utf-8")
        elif request.url in job.sheets:
            route.fulfill(body=job.sheets[request.url], content_type="text/css; charset=utf-8")
        elif job.options.network:
            route.continue_()
        else:
            route.abort()


def _start_playwright() -> Any:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise MissingExtra("playwright", "render") from None
    return sync_playwright().start()


def _start_chromium(playwright: Any) -> Any:
    path = find_chromium() or playwright.chromium.executable_path
    if not Path(path).exists():
        raise RenderError(
            "no Chromium was found; install one (Debian: apt install chromium; any system: playwright install chromium)"
        )
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    flags = [*_FLAGS, "--no-sandbox"] if is_root else list(_FLAGS)  # the sandbox cannot be had as root
    try:
        return playwright.chromium.launch(
            executable_path=path, headless=True, args=flags, timeout=_START_SECONDS * 1000
        )
    except Exception as error:  # the border to the browser
        reason = str(error).strip().splitlines()[0]
        raise RenderError(f"Chromium at {path} does not start: {reason}") from error


def find_chromium() -> str | None:
    """Find the system's Chromium."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


_lock = threading.Lock()
_shared: _Browser | None = None


def _get_browser() -> _Browser:
    """The process's browser; a forked process starts its own."""
    global _shared
    with _lock:
        if _shared is None or _shared.pid != os.getpid() or not _shared.is_alive:
            _shared = _Browser()
            atexit.register(_shared.close)
        return _shared


def close_browser() -> None:
    """Close the browser, if one is open; the next page starts a new one."""
    global _shared
    with _lock:
        if _shared is not None and _shared.pid == os.getpid():
            _shared.close()
        _shared = None
