"""Looks without a browser beside Chromium: agreement, what is dropped, and time.

    .venv/bin/python benchmarks/style.py --data ../shared/data            the 30 pages of docs/style.md
    .venv/bin/python benchmarks/style.py --data ../shared/data --seed 2   30 others

Pages carry at least 2 KB of style sheets of their own. The browser gets neither scripts nor network, so that both see
the same sheets. What Chromium computes is asked for by getComputedStyle and checkVisibility, node by node.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

from broadsheet.page import TEXT, Page, read_page
from broadsheet.style import compute_styles, find_boxes
from broadsheet.style.browser import close_browser, find_chromium, render_page
from broadsheet.style.browser.snapshot import map_rows
from broadsheet.style.css import MIN_BOLD_WEIGHT, Styles, colors, conditions, declarations, fonts, lengths, selectors
from broadsheet.style.css.cascade import Cascade
from broadsheet.style.css.colors import parse_color
from broadsheet.style.css.properties import STYLE_PROPERTIES
from broadsheet.style.css.selectors import split_selectors

DATASETS = "wcxb fundus metahtml aed chaos daniel dragnet readability gne l3s-gn1".split()
MIN_CSS = 2048  # characters of <style>
MEASURES = ("bold", "size", "shown", "color", "family")
_STYLE = re.compile(r"<style[^>]*>(.*?)</style", re.DOTALL | re.IGNORECASE)
_NEVER_TEXT = frozenset(("script", "style", "title", "template"))
_DECLARATION = re.compile(r"(?:\A|;)\s*[\w-]+\s*:")

# The tree in document order with what the browser computed, in the form of a DOM snapshot.
ASK = """() => {
  const tree = {nodeType: [], nodeName: [], nodeValue: [], parentIndex: []}, looks = [];
  const walk = (node, parent) => {
    const index = tree.nodeType.length;
    tree.nodeType.push(node.nodeType); tree.nodeName.push(node.nodeName);
    tree.nodeValue.push(node.nodeValue || ''); tree.parentIndex.push(parent);
    if (node.nodeType === 1) {
      const style = getComputedStyle(node);
      const shown = node.checkVisibility({visibilityProperty: true});
      looks.push([style.fontSize, style.fontWeight, style.color, style.fontFamily, shown]);
    } else looks.push(null);
    for (const child of node.childNodes) walk(child, index);
  };
  walk(document, -1);
  return {tree, looks};
}"""


@dataclass
class Score:
    """How far a page's text nodes look the same."""

    name: str = ""
    texts: int = 0
    lost: int = 0  # texts that the browser does not have or computes nothing for, and that are not compared
    same: Counter[str] = field(default_factory=Counter)
    mapped: float = 0.0
    ours: float = 0.0  # milliseconds, as the next three
    ours_cpu: float = 0.0
    boxes_cpu: float = 0.0
    theirs: float = 0.0
    bare: Counter[str] = field(default_factory=Counter)  # `same` if the page's sheets are not read

    def share(self, measure: str) -> float:
        return self.same[measure] / self.texts if self.texts else 1.0


def find_pages(data: Path, count: int, seed: int, split: str = "dev") -> Iterator[tuple[str, str | None, str]]:
    """Pick pages that carry their own sheets, the same number from each dataset as far as it goes."""
    pools = [list(_read_styled(data / f"{name}.{split}.jsonl.xz")) for name in DATASETS]
    shuffle = random.Random(seed)
    for pool in pools:
        pool.sort()
        shuffle.shuffle(pool)
    picked = 0
    while picked < count and any(pools):
        for pool in pools:
            if pool and picked < count:
                yield pool.pop()
                picked += 1


def _read_styled(path: Path) -> Iterator[tuple[str, str, str]]:
    if not path.exists():
        return
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if sum(map(len, _STYLE.findall(record["html"]))) > MIN_CSS:
                yield record["id"], record["url"] or "", record["html"]


class Asker:
    """A Chromium of its own, to be asked node by node."""

    def __init__(self) -> None:
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        )
        context = self._browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 800})
        context.route("**/*", self._answer)
        self._page = context.new_page()
        self._html = ""
        self._count = 0

    def ask(self, html: str) -> Any:
        self._html = html
        self._count += 1
        self._page.goto(f"http://page{self._count}.invalid/", wait_until="domcontentloaded")
        return self._page.evaluate(ASK)

    def close(self) -> None:
        self._browser.close()
        self._playwright.stop()

    def _answer(self, route: Any) -> None:
        request = route.request
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            route.fulfill(body=self._html.encode("utf-8", "replace"), content_type="text/html; charset=utf-8")
        else:
            route.abort()


def compare(page: Page, styles: Styles, answer: Any) -> Score:
    """Compare all texts that a reader could see with what the browser computed for them."""
    nodes, tree = page.nodes, answer["tree"]
    strings = [*tree["nodeName"], *tree["nodeValue"]]
    count = len(tree["nodeType"])
    numbered = {**tree, "nodeName": range(count), "nodeValue": range(count, 2 * count)}
    found = map_rows(numbered, strings, nodes)
    score = Score(mapped=sum(node >= 0 for node in found) / max(len(nodes), 1))
    for row, tag in enumerate(nodes.tag):
        parent = nodes.parent[row]
        if tag != TEXT or not nodes.text[row].strip() or nodes.tag[parent] in _NEVER_TEXT:
            continue
        if found[row] < 0:
            score.lost += not any(nodes.tag[above] == "template" for above in nodes.ancestors(row))
            continue
        size, weight, color, family, is_shown = answer["looks"][tree["parentIndex"][found[row]]]
        if not weight:  # inside <video> and its like, which show controls of their own: nothing is computed there
            score.lost += 1
            continue
        score.texts += 1
        named = parse_color(color)
        score.same["bold"] += styles.is_bold(row) == (float(weight) >= MIN_BOLD_WEIGHT)
        score.same["size"] += abs(styles.font_size(row) - float(size.removesuffix("px"))) <= 1
        score.same["shown"] += styles.is_shown(row) == is_shown
        score.same["color"] += named is not None and styles.color(row) == named.rgb
        score.same["family"] += styles.family(row) == fonts.classify_family(family.lower()).generic
    return score


def measure(name: str, url: str | None, html: str, asker: Asker, *, with_time: bool = True) -> Score:
    """Measure one page."""
    page = read_page(html, url=url or None)
    answer = asker.ask(html)
    score = compare(page, compute_styles(page), answer)
    score.name = name
    bare = read_page(_STYLE.sub("<style></style", html), url=url or None)
    score.bare = compare(bare, compute_styles(bare), answer).same
    if with_time:
        began = time.perf_counter()
        rendered = render_page(html, page)
        score.theirs = (time.perf_counter() - began) * 1000
        assert rendered.rendering is not None
        score.mapped = rendered.rendering.mapped
    return score


def time_ours(scores: Sequence[Score], pages: Sequence[tuple[str, str | None]]) -> None:
    """Time our side as a process sees it that works through pages: each page once, then all again from nothing.

    The best of three rounds. CPU time beside the time on the clock, because the machine may be shared.
    """
    for number in range(3):
        for module in (colors, conditions, declarations, fonts, lengths, selectors):
            for value in vars(module).values():
                if isinstance(value, _lru_cache_wrapper):
                    value.cache_clear()
        for score, (html, url) in zip(scores, pages, strict=True):
            page = read_page(html, url=url)  # anew: a page's clock runs from its reading
            cpu, clock = time.thread_time(), time.perf_counter()
            styles = compute_styles(page)
            for row, tag in enumerate(page.nodes.tag):
                if tag == TEXT:
                    (
                        styles.font_size(row),
                        styles.weight(row),
                        styles.color(row),
                        styles.family(row),
                        styles.is_shown(row),
                    )
            times = [(time.perf_counter() - clock) * 1000, (time.thread_time() - cpu) * 1000]
            cpu = time.thread_time()
            find_boxes(page, styles)
            times.append((time.thread_time() - cpu) * 1000)
            old = (score.ours, score.ours_cpu, score.boxes_cpu) if number else times
            score.ours, score.ours_cpu, score.boxes_cpu = map(min, old, times)


@dataclass
class Dropped:
    """How much of the sheets need not be looked at."""

    rules: int = 0
    silent: int = 0  # rules that say nothing of looks
    absent: int = 0  # of the others, those for names that are not on the page
    properties: int = 0
    kept: int = 0

    def count(self, page: Page) -> None:
        cascade = Cascade(page)
        for selectors_text, body, _ in cascade.matcher.rules:
            self.rules += 1
            self.properties += len(_DECLARATION.findall(body))
            kept = len(STYLE_PROPERTIES.pattern.findall(";" + body))
            self.kept += kept
            if not kept:
                self.silent += 1
            elif not any(map(cascade.matcher.index.may_match, split_selectors(selectors_text))):
                self.absent += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", default="dev")
    options = parser.parse_args()
    asker, dropped = Asker(), Dropped()
    warm = "<!doctype html><p>warm"
    render_page(warm, read_page(warm))
    scores: list[Score] = []
    pages: list[tuple[str, str | None]] = []
    for name, url, html in find_pages(options.data, options.pages, options.seed, options.split):
        scores.append(measure(name, url, html, asker))
        pages.append((html, url or None))
        dropped.count(read_page(html, url=url or None))
        print(_describe(scores[-1]), flush=True)
    asker.close()
    close_browser()
    time_ours(scores, pages)
    _summarize(scores, dropped)


def _describe(score: Score) -> str:
    shares = "  ".join(f"{name} {score.share(name):6.1%}" for name in MEASURES)
    return f"{score.name[:40]:40} {score.texts:5} texts  {shares}  Chromium {score.theirs:6.0f} ms"


def _summarize(scores: list[Score], dropped: Dropped) -> None:
    texts = sum(score.texts for score in scores)
    lost = sum(score.lost for score in scores)
    print(f"\n{len(scores)} pages, {texts} text nodes; the browser knows nothing of {lost} more\n")
    print(f"{'agreement':12} {'of nodes':>10} {'page mean':>10} {'worst page':>11} {'sheets not read':>16}")
    for name in MEASURES:
        shares = [score.share(name) for score in scores]
        micro = sum(score.same[name] for score in scores) / max(texts, 1)
        bare = sum(score.bare[name] for score in scores) / max(texts, 1)
        print(f"{name:12} {micro:10.2%} {statistics.mean(shares):10.2%} {min(shares):11.1%} {bare:16.2%}")
    mapped = [score.mapped for score in scores]
    print(f"{'mapped rows':12} {'':10} {statistics.mean(mapped):10.2%} {min(mapped):11.1%}")
    print(f"\nrules {dropped.rules}: {dropped.silent / dropped.rules:.1%} say nothing of looks, ", end="")
    print(f"{dropped.absent / dropped.rules:.1%} more are for names not on the page")
    print(f"properties {dropped.properties}: {1 - dropped.kept / dropped.properties:.1%} dropped\n")
    print(f"{'ms a page':22} {'median':>8} {'mean':>8} {'max':>8}")
    for label, values in (
        ("looks of all texts", [score.ours for score in scores]),
        ("  CPU time", [score.ours_cpu for score in scores]),
        ("boxes, CPU time", [score.boxes_cpu for score in scores]),
        ("Chromium", [score.theirs for score in scores]),
    ):
        print(f"{label:22} {statistics.median(values):8.1f} {statistics.mean(values):8.1f} {max(values):8.1f}")
    ours, theirs = [score.ours for score in scores], [score.theirs for score in scores]
    print(f"Chromium / looks: {statistics.median(theirs) / statistics.median(ours):.0f} times by the medians, ", end="")
    print(f"{sum(theirs) / sum(ours):.0f} times by the sums")


if __name__ == "__main__":
    main()
