"""Render a page in Chromium, and add the boxes and styles of its nodes.

Scripts and network are off by default: a page is rendered as it was saved. All threads of a process share one browser,
which runs in a thread of its own and is closed at exit.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import shutil
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from broadsheet.errors import MissingExtra, RenderError
from broadsheet.page import TEXT, Nodes, Page, Rendering
from broadsheet.style.css.values import (
    INITIAL_FAMILY,
    INITIAL_SIZE_PX,
    INITIAL_WEIGHT,
    TRANSPARENT,
    VIEWPORT_HEIGHT_PX,
    VIEWPORT_WIDTH_PX,
    Color,
    classify_family,
    parse_color,
)


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How a browser loads a page."""

    scripts: bool = False
    network: bool = False  # for subresources; the page itself is never fetched again
    seconds: float = 15.0  # after this time the page is captured as it is


@dataclass(frozen=True, slots=True)
class RenderTask:
    """A page to render."""

    html: str
    url: str
    sheets: Mapping[str, str]  # URL -> CSS
    options: RenderOptions


_DEFAULT_OPTIONS = RenderOptions()
_DEFAULT_URL = "http://page.invalid/"  # of a page without one; the domain never resolves
_THREAD_CHECK_SECONDS = 1.0
_MAX_CLOSE_SECONDS = 10.0


def render_page(html: str, page: Page, options: RenderOptions = _DEFAULT_OPTIONS) -> Page:
    """Render a page in Chromium and return it with its rendering; `html` is the text that was parsed.

    Raises MissingExtra without playwright, RenderError without Chromium or if Chromium fails on the page.
    """
    url = (page.url or page.base or _DEFAULT_URL).partition("#")[0]
    snapshot = _get_browser_thread().run(RenderTask(html, url, dict(page.sheets), options))
    return replace(page, rendering=read_snapshot(snapshot, page.nodes))


def close_browser() -> None:
    """Close the browser if one is open. The next page starts a new one."""
    global _browser_thread
    with _lock:
        if _browser_thread is not None and _browser_thread.pid == os.getpid():
            _browser_thread.close()
        _browser_thread = None


class _BrowserThread:
    """A thread with a browser, and a queue of tasks."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._queue: SimpleQueue[tuple[RenderTask, Future[Any]] | None] = SimpleQueue()
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="broadsheet-render", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive() and not self._is_closed

    def run(self, task: RenderTask) -> Any:
        """Return the snapshot of a page."""
        future: Future[Any] = Future()
        self._queue.put((task, future))
        while True:
            try:
                return future.result(timeout=_THREAD_CHECK_SECONDS)
            except FutureTimeoutError:
                if future.done():
                    raise
                if not self._thread.is_alive():
                    raise RenderError("the browser thread has ended; try again") from None

    def close(self) -> None:
        self._is_closed = True
        self._queue.put(None)
        self._thread.join(timeout=_MAX_CLOSE_SECONDS)

    def _work(self) -> None:
        chromium: Chromium | None = None
        while (item := self._queue.get()) is not None:
            task, future = item
            try:
                if chromium is not None and not chromium.can_run(task):
                    chromium.close()
                    chromium = None
                if chromium is None:
                    chromium = Chromium(task.options)
                future.set_result(chromium.capture(task, PROPERTIES))
            except (MissingExtra, RenderError) as error:
                future.set_exception(error)
            except Exception as error:  # playwright raises many types
                if chromium is not None:
                    chromium.close()
                    chromium = None
                reason = (str(error).strip() or type(error).__name__).splitlines()[0]
                future.set_exception(RenderError(f"the browser failed on the page: {reason}"))
        if chromium is not None:
            chromium.close()


_lock = threading.Lock()
_browser_thread: _BrowserThread | None = None


def _get_browser_thread() -> _BrowserThread:
    """Return the browser thread of the process; a forked process starts another."""
    global _browser_thread
    with _lock:
        if _browser_thread is None or _browser_thread.pid != os.getpid() or not _browser_thread.is_alive:
            _browser_thread = _BrowserThread()
            atexit.register(_browser_thread.close)
        return _browser_thread


_EXECUTABLES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",  # containers have little shared memory, and pages crash when it is full
)
_SHOW_ALL_CSS = "* { content-visibility: visible !important }"
_PAGES_PER_CONTEXT = 200  # a browser context keeps some memory of each page
_MAX_START_SECONDS = 60.0


class Chromium:
    """A running Chromium."""

    def __init__(self, options: RenderOptions) -> None:
        self._has_scripts = options.scripts
        self._page_count = 0
        self._task: RenderTask | None = None
        self._playwright = _start_playwright()
        try:
            self._browser = _launch(self._playwright)
        except BaseException:
            self._playwright.stop()
            raise
        self._open_tab()

    def can_run(self, task: RenderTask) -> bool:
        """Return whether the browser is alive and was started with the options of the task."""
        return task.options.scripts == self._has_scripts and bool(self._browser.is_connected())

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(Exception):  # the process ends in any case
            self._browser.close()
        with contextlib.suppress(Exception):
            self._playwright.stop()

    def capture(self, task: RenderTask, properties: Sequence[str]) -> Any:
        """Load a page; return its DOM snapshot with the computed values of the properties."""
        if self._page_count and self._page_count % _PAGES_PER_CONTEXT == 0:
            self._context.close()
            self._open_tab()
        self._page_count += 1
        if self._task is not None and self._task.url == task.url:
            self._tab.goto("about:blank")  # a navigation to the current URL would not load the page
        self._task = task
        # Style sheets may arrive after the document is parsed.
        has_subresources = task.sheets or task.options.network or task.options.scripts
        event = "load" if has_subresources else "domcontentloaded"
        with contextlib.suppress(self._timeout_error):
            self._tab.goto(task.url, wait_until=event, timeout=task.options.seconds * 1000)
        if any("content-visibility" in text for text in (task.html, *task.sheets.values())):
            self._disable_content_visibility()
        return self._session.send("DOMSnapshot.captureSnapshot", {"computedStyles": list(properties)})

    def _disable_content_visibility(self) -> None:
        """Lay out content that the page excludes from the layout until it is scrolled into view."""
        session = self._session
        session.send("DOM.enable")
        session.send("CSS.enable")
        frame_id = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        sheet_id = session.send("CSS.createStyleSheet", {"frameId": frame_id})["styleSheetId"]
        session.send("CSS.setStyleSheetText", {"styleSheetId": sheet_id, "text": _SHOW_ALL_CSS})
        session.send("CSS.disable")
        session.send("DOM.disable")

    def _open_tab(self) -> None:
        from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

        self._timeout_error = PlaywrightTimeoutError
        self._context = self._browser.new_context(
            java_script_enabled=self._has_scripts,
            viewport={"width": int(VIEWPORT_WIDTH_PX), "height": int(VIEWPORT_HEIGHT_PX)},
            service_workers="block",
            accept_downloads=False,
        )
        self._context.route("**/*", self._answer_request)
        self._tab = self._context.new_page()
        self._session = self._context.new_cdp_session(self._tab)

    def _answer_request(self, route: Any) -> None:
        """Answer with the page and its style sheets; pass other requests on if the network is allowed."""
        task, request = self._task, route.request
        assert task is not None
        if request.is_navigation_request() and request.frame == self._tab.main_frame:
            route.fulfill(body=task.html.encode("utf-8", "replace"), content_type="text/html; charset=utf-8")
        elif request.url in task.sheets:
            route.fulfill(body=task.sheets[request.url], content_type="text/css; charset=utf-8")
        elif task.options.network:
            route.continue_()
        else:
            route.abort()


def find_chromium() -> str | None:
    """Return the path of the system's Chromium; None if there is none."""
    return next(filter(None, map(shutil.which, _EXECUTABLES)), None)


def _start_playwright() -> Any:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise MissingExtra("playwright", "render") from None
    return sync_playwright().start()


def _launch(playwright: Any) -> Any:
    path = find_chromium() or playwright.chromium.executable_path
    if not Path(path).exists():
        raise RenderError(
            "no Chromium was found; install one (Debian: apt install chromium; any system: playwright install chromium)"
        )
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    flags = [*_FLAGS, "--no-sandbox"] if is_root else list(_FLAGS)  # Chromium refuses to sandbox as root
    try:
        return playwright.chromium.launch(
            executable_path=path, headless=True, args=flags, timeout=_MAX_START_SECONDS * 1000
        )
    except Exception as error:  # playwright raises many types
        reason = str(error).strip().splitlines()[0]
        raise RenderError(f"Chromium at {path} does not start: {reason}") from error


# Convert Chromium's DOM snapshot to a Rendering


# The computed values to capture, in the order in which _RenderingBuilder reads them.
PROPERTIES = ("font-size", "font-weight", "font-family", "color", "background-color", "display", "visibility")

_ELEMENT_TYPE, _TEXT_TYPE, _FRAGMENT_TYPE = 1, 3, 11  # Node.nodeType
_MAX_TEXT_NODE_CHARS = 65_536  # Chromium splits longer text into several nodes
_MAX_SKIPPED_SIBLINGS = 40  # nodes of the browser that are not in the table
_MAX_TAG_CHARS = 100
_WHITE = 0xFFFFFF
_NUMBER = re.compile(r"[\d.]+")


def read_snapshot(snapshot: Mapping[str, Any], nodes: Nodes) -> Rendering:
    """Convert the result of `DOMSnapshot.captureSnapshot`."""
    document = snapshot["documents"][0]
    browser_nodes = map_rows(document["nodes"], snapshot["strings"], nodes)
    return _RenderingBuilder(document, snapshot["strings"], nodes, browser_nodes).build()


def map_rows(tree: Mapping[str, Any], strings: Sequence[str], nodes: Nodes) -> list[int]:
    """Return the index of the browser's node for every row; -1 without one."""
    types, names, values = tree["nodeType"], tree["nodeName"], tree["nodeValue"]
    children = _list_children(tree)
    mapped = [-1] * len(nodes)
    root = next((node for node in children[0] if types[node] == _ELEMENT_TYPE), -1) if children else -1
    if len(nodes) and root >= 0:
        mapped[0] = root
    tags = {number: string.lower() for number, string in enumerate(strings) if len(string) < _MAX_TAG_CHARS}
    next_child: dict[int, int] = {}  # row of a parent -> index of its first child in the browser that is not mapped yet
    for row in range(1, len(nodes)):
        parent = nodes.parent[row]
        if parent < 0 or mapped[parent] < 0:
            continue
        siblings = children[mapped[parent]]
        start = next_child.get(parent, 0)
        is_text, tag, text = nodes.tag[row] == TEXT, nodes.tag[row].lower(), nodes.text[row]
        for index in range(start, min(len(siblings), start + _MAX_SKIPPED_SIBLINGS)):
            node = siblings[index]
            if is_text:
                is_same = types[node] == _TEXT_TYPE and (not text or _is_same_text(strings[values[node]], text))
            else:
                is_same = types[node] == _ELEMENT_TYPE and tags.get(names[node]) == tag
            if is_same:
                mapped[row] = node
                next_child[parent] = index + 1
                break
    return mapped


def _list_children(tree: Mapping[str, Any]) -> list[list[int]]:
    """List the child elements and text nodes of the browser's nodes, without pseudo-elements and shadow trees."""
    types = tree["nodeType"]
    excluded = {*tree.get("pseudoType", {}).get("index", ()), *tree.get("shadowRootType", {}).get("index", ())}
    children: list[list[int]] = [[] for _ in types]
    for node, parent in enumerate(tree["parentIndex"]):
        if parent < 0 or node in excluded:
            continue
        if types[node] in (_ELEMENT_TYPE, _TEXT_TYPE):
            children[parent].append(node)
        elif types[node] == _FRAGMENT_TYPE:  # the content of a template
            children[node] = children[parent]
    return children


def _is_same_text(browser_text: str, text: str) -> bool:
    is_split = len(browser_text) >= _MAX_TEXT_NODE_CHARS and text.startswith(browser_text)
    return browser_text == text or is_split or browser_text.split() == text.split()


class _RenderingBuilder:
    """Fills the columns of a Rendering."""

    def __init__(
        self, document: Mapping[str, Any], strings: Sequence[str], nodes: Nodes, browser_nodes: Sequence[int]
    ) -> None:
        self._document = document
        self._strings = strings
        self._nodes = nodes
        self._browser_nodes = browser_nodes
        layout_index: dict[int, int] = {}  # browser's node -> its first entry in the layout
        for index, node in enumerate(document["layout"]["nodeIndex"]):
            layout_index.setdefault(node, index)
        self._layout_index = [layout_index.get(node, -1) for node in browser_nodes]

    def build(self) -> Rendering:
        nodes, row_count = self._nodes, len(self._nodes)
        layout, strings = self._document["layout"], self._strings
        boxes: list[Sequence[float]] = [(0.0, 0.0, 0.0, 0.0)] * row_count
        size, weight, color = [INITIAL_SIZE_PX] * row_count, [INITIAL_WEIGHT] * row_count, [0] * row_count
        background, family = [_WHITE] * row_count, [INITIAL_FAMILY] * row_count
        display, is_shown = ["none"] * row_count, [False] * row_count
        for row, index in enumerate(self._layout_index):
            parent = nodes.parent[row]
            if parent >= 0:
                size[row], weight[row], color[row] = size[parent], weight[parent], color[parent]
                background[row], family[row] = background[parent], family[parent]
            if index < 0:
                continue
            boxes[row] = layout["bounds"][index]
            values = [strings[number] if number >= 0 else "" for number in layout["styles"][index]]
            if nodes.tag[row] == TEXT or len(values) < len(PROPERTIES):
                display[row], is_shown[row] = display[parent], is_shown[parent]
                continue
            size[row] = _parse_number(values[0], size[row])
            weight[row] = round(_parse_number(values[1], weight[row]))
            family[row] = classify_family(values[2].lower())
            color[row] = (parse_color(values[3]) or Color(color[row])).rgb
            background[row] = (parse_color(values[4]) or TRANSPARENT).composite_over(background[row])
            display[row], is_shown[row] = values[5], values[6] == "visible"
        self._complete_displays(display, is_shown)
        x, y, width, height = (list(column) for column in zip(*boxes, strict=True)) if row_count else ([], [], [], [])
        return Rendering(
            x, y, width, height, size, weight, color, background, family, display, is_shown,
            page_width=float(self._document.get("contentWidth", 0)),
            page_height=float(self._document.get("contentHeight", 0)),
            mapped=sum(node >= 0 for node in self._browser_nodes) / row_count if row_count else 1.0,
        )  # fmt: skip

    def _complete_displays(self, display: list[str], is_shown: list[bool]) -> None:
        """Set the display of nodes that are rendered but have no layout entry.

        An element with rendered children is `display: contents`. White space is rendered if its parent is.
        """
        nodes = self._nodes
        for row in range(len(nodes) - 1, 0, -1):
            parent = nodes.parent[row]
            if parent >= 0 and is_shown[row] and nodes.tag[row] != TEXT and display[parent] == "none":
                display[parent], is_shown[parent] = "contents", True
        for row in range(1, len(nodes)):
            parent = nodes.parent[row]
            if parent >= 0 and nodes.tag[row] == TEXT and self._layout_index[row] < 0:
                display[row] = display[parent]
                is_shown[row] = is_shown[parent] and (nodes.text[row].isspace() or nodes.tag[parent] == "textarea")


def _parse_number(text: str, default: float) -> float:
    match = _NUMBER.match(text)
    return float(match[0]) if match else default
