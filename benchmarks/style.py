"""Styles without a browser beside Chromium: agreement, share of style sheets that is skipped, and time.

    python -m benchmarks.style               the 30 pages of docs/explanation/style.md
    python -m benchmarks.style --seed 2      30 other pages

The pages contain at least 2 KB of style sheets. The browser loads neither scripts nor network resources, so that both
sides use the same style sheets. Chromium's values are those of getComputedStyle and checkVisibility for each node.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import _lru_cache_wrapper
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.harness import Data, Table, make_parser
from broadsheet.corpora import Record
from broadsheet.extras import import_extra
from broadsheet.page import TEXT, Page, read_page
from broadsheet.style import compute_styles, find_boxes
from broadsheet.style.browser import close_browser, find_chromium, map_rows, render_page
from broadsheet.style.css import MIN_BOLD_WEIGHT, Styles, properties, selectors, sheets, values
from broadsheet.style.css.cascade import Cascade
from broadsheet.style.css.properties import STYLE_PROPERTIES
from broadsheet.style.css.selectors import split_selectors
from broadsheet.style.css.values import TRANSPARENT, parse_color

DATASETS = "wcxb fundus metahtml aed chaos daniel dragnet readability gne l3s-gn1".split()
DEFAULT_PAGES = 30
MIN_CSS_CHARS = 2048  # in <style> elements
MEASURES = ("bold", "size", "shown", "color", "background", "family", "display")
MAX_SIZE_DIFFERENCE = 1  # pixel
WHITE = 0xFFFFFF
TIMING_ROUNDS = 3
_STYLE_ELEMENT = re.compile(r"<style[^>]*>(.*?)</style", re.DOTALL | re.IGNORECASE)
_INVISIBLE_TAGS = frozenset(("script", "style", "title", "template"))
_DECLARATION = re.compile(r"(?:\A|;)\s*[\w-]+\s*:")

# Returns the tree in document order, in the form of a DOM snapshot, and the computed style of each element.
READ_STYLES = """() => {
  const tree = {nodeType: [], nodeName: [], nodeValue: [], parentIndex: []}, styles = [];
  const walk = (node, parent) => {
    const index = tree.nodeType.length;
    tree.nodeType.push(node.nodeType); tree.nodeName.push(node.nodeName);
    tree.nodeValue.push(node.nodeValue || ''); tree.parentIndex.push(parent);
    if (node.nodeType === 1) {
      const style = getComputedStyle(node);
      const shown = node.checkVisibility({visibilityProperty: true});
      styles.push([style.fontSize, style.fontWeight, style.color, style.fontFamily, shown, style.display,
        style.backgroundColor]);
    } else styles.push(null);
    for (const child of node.childNodes) walk(child, index);
  };
  walk(document, -1);
  return {tree, styles};
}"""


@dataclass
class PageResult:
    """Agreement and times of one page. Times are in milliseconds."""

    name: str = ""
    texts: int = 0  # text nodes that are compared
    missing: int = 0  # text nodes for which the browser has no style
    same: Counter[str] = field(default_factory=Counter)  # measure -> text nodes that agree
    same_without_sheets: Counter[str] = field(default_factory=Counter)  # if the page's style sheets are not read
    mapped: float = 0.0  # share of the rows that are found in the browser's tree
    style_ms: float = 0.0
    style_cpu_ms: float = 0.0
    box_cpu_ms: float = 0.0
    browser_ms: float = 0.0

    def share(self, measure: str) -> float:
        """Return the share of text nodes that agree."""
        return self.same[measure] / self.texts if self.texts else 1.0


def find_pages(folder: Path, count: int, seed: int, split: str = "dev") -> Iterator[Record]:
    """Choose pages with style sheets, the same number from each dataset if possible."""
    generator = random.Random(seed)
    pools = [
        sorted(_read_styled(Data(folder), f"{name}.{split}"), key=lambda record: (record.id, record.url or ""))
        for name in DATASETS
    ]
    for pool in pools:
        generator.shuffle(pool)
    chosen = 0
    while chosen < count and any(pools):
        for pool in pools:
            if pool and chosen < count:
                yield pool.pop()
                chosen += 1


def _read_styled(data: Data, name: str) -> Iterator[Record]:
    for record in data.read(name):
        if sum(map(len, _STYLE_ELEMENT.findall(str(record.html)))) > MIN_CSS_CHARS:
            yield record


class BrowserProbe:
    """A Chromium process that returns the computed style of every node."""

    def __init__(self) -> None:
        playwright = import_extra("playwright.sync_api", "render")
        self._playwright = playwright.sync_playwright().start()
        self._browser = self._playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        )
        context = self._browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 800})
        context.route("**/*", self._answer)
        self._page = context.new_page()
        self._html = ""
        self._count = 0

    def read_styles(self, html: str) -> Any:
        """Return the tree and the styles of a page."""
        self._html = html
        self._count += 1
        self._page.goto(f"http://page{self._count}.invalid/", wait_until="domcontentloaded")
        return self._page.evaluate(READ_STYLES)

    def close(self) -> None:
        """End the process."""
        self._browser.close()
        self._playwright.stop()

    def _answer(self, route: Any) -> None:
        request = route.request
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            route.fulfill(body=self._html.encode("utf-8", "replace"), content_type="text/html; charset=utf-8")
        else:
            route.abort()


def compare_styles(page: Page, styles: Styles, browser: Any) -> PageResult:
    """Compare the styles of all texts that can be visible with those of the browser."""
    nodes, tree = page.nodes, browser["tree"]
    strings = [*tree["nodeName"], *tree["nodeValue"]]
    count = len(tree["nodeType"])
    numbered = {**tree, "nodeName": range(count), "nodeValue": range(count, 2 * count)}
    browser_rows = map_rows(numbered, strings, nodes)
    backgrounds = _composite_backgrounds(browser)
    result = PageResult(mapped=sum(node >= 0 for node in browser_rows) / max(len(nodes), 1))
    for row, tag in enumerate(nodes.tag):
        if tag != TEXT or not nodes.text[row].strip() or nodes.tag[nodes.parent[row]] in _INVISIBLE_TAGS:
            continue
        if browser_rows[row] < 0:
            result.missing += not any(nodes.tag[above] == "template" for above in nodes.ancestors(row))
            continue
        parent = tree["parentIndex"][browser_rows[row]]
        size, weight, color, family, is_shown, display, _ = browser["styles"][parent]
        if not weight:  # inside <video> and similar elements, which have their own controls, nothing is computed
            result.missing += 1
            continue
        result.texts += 1
        parsed = parse_color(color)
        result.same["bold"] += styles.is_bold(row) == (float(weight) >= MIN_BOLD_WEIGHT)
        result.same["size"] += abs(styles.font_size(row) - float(size.removesuffix("px"))) <= MAX_SIZE_DIFFERENCE
        result.same["shown"] += styles.is_shown(row) == is_shown
        result.same["color"] += parsed is not None and styles.color(row) == parsed.rgb
        result.same["background"] += styles.background(row) == backgrounds[parent]
        result.same["display"] += styles.display(row) == display
        result.same["family"] += styles.family(row) == values.classify_family(family.lower())
    return result


def _composite_backgrounds(browser: Any) -> list[int]:
    """Return the colour behind each node of the browser's tree: all backgrounds around it composited over white."""
    backgrounds: list[int] = []
    for parent, style in zip(browser["tree"]["parentIndex"], browser["styles"], strict=True):
        background = backgrounds[parent] if parent >= 0 else WHITE
        color = parse_color(style[-1]) if style else None
        backgrounds.append((color or TRANSPARENT).composite_over(background))
    return backgrounds


def measure(record: Record, probe: BrowserProbe, *, with_time: bool = True) -> PageResult:
    """Compare one page with the browser."""
    html, url = str(record.html), record.url or None
    page = read_page(html, url=url)
    browser = probe.read_styles(html)
    result = compare_styles(page, compute_styles(page), browser)
    result.name = record.id
    bare = read_page(_STYLE_ELEMENT.sub("<style></style", html), url=url)
    result.same_without_sheets = compare_styles(bare, compute_styles(bare), browser).same
    if with_time:
        start = time.perf_counter()
        rendered = render_page(html, page)
        result.browser_ms = (time.perf_counter() - start) * 1000
        assert rendered.rendering is not None
        result.mapped = rendered.rendering.mapped
    return result


def time_styles(results: Sequence[PageResult], records: Sequence[Record]) -> None:
    """Measure the time of styles and boxes: the best of three rounds, each with empty caches.

    Processor time is measured beside elapsed time, because the machine may be shared.
    """
    for number in range(TIMING_ROUNDS):
        _clear_caches()
        for result, record in zip(results, records, strict=True):
            page = read_page(record.html, url=record.url or None)  # again: the time limit of a page starts here
            times = _time_page(page)
            best = (result.style_ms, result.style_cpu_ms, result.box_cpu_ms) if number else times
            result.style_ms, result.style_cpu_ms, result.box_cpu_ms = map(min, best, times)


def _clear_caches() -> None:
    for module in (properties, selectors, sheets, values):
        for value in vars(module).values():
            if isinstance(value, _lru_cache_wrapper):
                value.cache_clear()


def _time_page(page: Page) -> list[float]:
    """Return the elapsed time of styles, their processor time, and that of boxes, in milliseconds."""
    cpu, clock = time.thread_time(), time.perf_counter()
    styles = compute_styles(page)
    for row, tag in enumerate(page.nodes.tag):
        if tag == TEXT:
            for read in (styles.font_size, styles.weight, styles.color, styles.family, styles.is_shown):
                read(row)
    times = [time.perf_counter() - clock, time.thread_time() - cpu]
    cpu = time.thread_time()
    find_boxes(page, styles)
    return [1000 * seconds for seconds in (*times, time.thread_time() - cpu)]


@dataclass
class SkippedRules:
    """Rules and declarations of style sheets that need not be evaluated."""

    rules: int = 0
    without_style: int = 0  # rules without a property that is read
    without_match: int = 0  # of the others, those for names that are not on the page
    declarations: int = 0
    read_declarations: int = 0

    def add(self, page: Page) -> None:
        """Count the rules of a page."""
        cascade = Cascade(page)
        for selector_text, body in cascade.rules:
            self.rules += 1
            self.declarations += len(_DECLARATION.findall(body))
            read_declarations = len(STYLE_PROPERTIES.pattern.findall(";" + body))
            self.read_declarations += read_declarations
            if not read_declarations:
                self.without_style += 1
            elif not any(map(cascade.matcher.may_match, split_selectors(selector_text))):
                self.without_match += 1


def main() -> None:
    parser = make_parser(__doc__)
    parser.set_defaults(pages=DEFAULT_PAGES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", default="dev")
    run_benchmark(parser.parse_args())


def run_benchmark(options: argparse.Namespace) -> None:
    probe, skipped = BrowserProbe(), SkippedRules()
    warm_up = "<!doctype html><p>warm-up"
    render_page(warm_up, read_page(warm_up))
    records = list(find_pages(options.data, options.pages, options.seed, options.split))
    results: list[PageResult] = []
    for record in records:
        results.append(measure(record, probe))
        skipped.add(read_page(record.html, url=record.url or None))
        print(_describe_page(results[-1]), flush=True)
    probe.close()
    close_browser()
    time_styles(results, records)
    _print_agreement(results)
    _print_skipped(skipped)
    _print_times(results)


def _describe_page(result: PageResult) -> str:
    shares = "  ".join(f"{name} {result.share(name):6.1%}" for name in MEASURES)
    return f"{result.name[:40]:40} {result.texts:5} texts  {shares}  Chromium {result.browser_ms:6.0f} ms"


def _print_agreement(results: Sequence[PageResult]) -> None:
    texts = max(sum(result.texts for result in results), 1)
    missing = sum(result.missing for result in results)
    print(f"\n{len(results)} pages, {texts} text nodes; {missing} more have no style in the browser")
    table = Table("agreement", "of text nodes", "mean of pages", "lowest of pages", "without style sheets")
    for name in MEASURES:
        shares = [result.share(name) for result in results]
        of_nodes = sum(result.same[name] for result in results) / texts
        without_sheets = sum(result.same_without_sheets[name] for result in results) / texts
        table.add(name, f"{of_nodes:.2%}", f"{mean(shares):.2%}", f"{min(shares):.1%}", f"{without_sheets:.2%}")
    mapped = [result.mapped for result in results]
    table.add("mapped rows", "", f"{mean(mapped):.2%}", f"{min(mapped):.1%}", "")


def _print_skipped(skipped: SkippedRules) -> None:
    without_style, without_match = (count / skipped.rules for count in (skipped.without_style, skipped.without_match))
    print(
        f"\n{skipped.rules} rules: {without_style:.1%} set no property that is read, "
        f"{without_match:.1%} more are for names that are not on the page"
    )
    share = 1 - skipped.read_declarations / skipped.declarations
    print(f"{skipped.declarations} declarations: {share:.1%} skipped")


def _print_times(results: Sequence[PageResult]) -> None:
    styles, browser = [result.style_ms for result in results], [result.browser_ms for result in results]
    table = Table("ms per page", "median", "mean", "maximum")
    for label, times in (
        ("styles of all texts", styles),
        ("styles, processor time", [result.style_cpu_ms for result in results]),
        ("boxes, processor time", [result.box_cpu_ms for result in results]),
        ("Chromium", browser),
    ):
        table.add(label, median(times), mean(times), max(times), digits=1)
    by_median, by_sum = median(browser) / median(styles), sum(browser) / sum(styles)
    print(f"\nChromium takes {by_median:.0f} times as long as styles by the medians, {by_sum:.0f} times by the sums")


if __name__ == "__main__":
    main()
