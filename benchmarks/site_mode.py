"""Site mode measured: quality with neighbours and without, learning, drift, and how much of real sites is static.

    python benchmarks/site_mode.py [quality] [learning] [static] [drift]          all four by default

`quality` is leave-one-out: a page is extracted with what the other pages of its site taught. Figures are word
precision, recall and F1, means of pages, with the headline taken off both sides, beside peers on the same pages.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

import broadsheet
from broadsheet.blocks import segment, tags
from broadsheet.corpora import read_corpus
from broadsheet.corpora.headline import drop_headline, find_headlines
from broadsheet.corpora.record import Record
from broadsheet.evaluation.contenders import find_contenders
from broadsheet.evaluation.extractors import open_extractor
from broadsheet.evaluation.measures.overlap import Score
from broadsheet.evaluation.measures.word import score_words
from broadsheet.methods import Method
from broadsheet.methods.apply import is_static
from broadsheet.methods.stadynot import Stadynot, StadynotConfig
from broadsheet.page import read_page
from broadsheet.site import Site, SiteConfig
from broadsheet.site.sample import fingerprint_page
from broadsheet.text import split_words

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
SETS = ("big5-13.bench", "cleanportaleval.bench")
PEERS = ("justext", "boilerpy3")
YEARS = ("big5-05.train", "big5-09.train", "big5-13.bench")
MANY = 10_000
MIN_PAGES = 6

Extract = Callable[[Record, Site | None], str]


def main() -> None:
    parts = {"quality": show_quality, "learning": show_learning, "static": show_static, "drift": show_drift}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*parts, []], default=list(parts))
    for part in parser.parse_args().parts:
        parts[part]()


@dataclass(frozen=True, slots=True)
class Target:
    """A labelled page and its neighbours' site, learned without it."""

    record: Record
    headlines: frozenset[str]
    gold: list[str]
    site: Site


def show_quality() -> None:
    published = Stadynot(StadynotConfig())
    for name in SETS:
        targets = read_targets(name, SiteConfig.shipped())
        as_published = read_targets(name, SiteConfig())
        rows: dict[str, list[tuple[str, Score]]] = {}
        for method in broadsheet.methods():
            rows[f"{method}, lone page"] = score(targets, run_method(method, with_site=False))
            rows[f"{method}, site as published"] = score(as_published, run_method(method, with_site=True))
            rows[f"{method}, with site"] = score(targets, run_method(method, with_site=True))
        rows["stadynot, read literally"] = score(as_published, run_method(published, with_site=True))
        rows |= {peer: score(targets, run_peer(peer)) for peer in PEERS}
        print_quality(name, rows)


def read_targets(name: str, config: SiteConfig) -> list[Target]:
    found: list[Target] = []
    for records in group_by_site(read_set(name)).values():
        site = Site.learn([(record.url, record.html) for record in records], config=config)
        for record in records:
            headlines = find_headlines(read_page(record.html), record.title)
            gold = split_words(drop_headline(record.text or "", headlines))
            found.append(Target(record, headlines, gold, leave_out(site, record)))
    return found


def leave_out(site: Site, record: Record) -> Site:
    other = Site(site.config)
    own = fingerprint_page(record.html)
    other.sample = {fingerprint: page for fingerprint, page in site.sample.items() if fingerprint != own}
    return other


def run_method(method: str | Method, *, with_site: bool) -> Extract:
    def run(record: Record, site: Site | None) -> str:
        return broadsheet.extract(record.html, record.url, method, site=site if with_site else None).text

    return run


def run_peer(name: str) -> Extract:
    lineup = find_contenders([], [name])
    if lineup.missing:
        sys.exit(lineup.missing[0])
    extract = open_extractor(lineup.contenders[0])

    def run(record: Record, _site: Site | None) -> str:
        html = record.html if isinstance(record.html, str) else record.html.decode("utf-8", "replace")
        return extract(html, record.url, record.lang).text or ""

    return run


def score(targets: Iterable[Target], extract: Extract) -> list[tuple[str, Score]]:
    found = []
    for target in targets:
        text = drop_headline(extract(target.record, target.site), target.headlines)
        found.append((target.record.site or "", score_words(split_words(text), target.gold)))
    return found


def print_quality(name: str, rows: dict[str, list[tuple[str, Score]]]) -> None:
    print(f"\n{name}: word P, R, F1")
    for contender, scores in rows.items():
        print(f"  {contender:28}{write_means([score for _, score in scores])}")
    shown = [contender for contender in rows if contender in ("stadynot, with site", *PEERS)]
    print(f"  {'by site':28}" + "".join(f"{contender:27}" for contender in shown))
    for site in dict.fromkeys(site for site, _ in rows[shown[0]]):
        cells = (write_means([score for at, score in rows[contender] if at == site]) for contender in shown)
        print(f"  {site:28}" + "".join(f"{cell:27}" for cell in cells))


def write_means(scores: Sequence[Score]) -> str:
    figures = zip(*[(score.precision, score.recall, score.f1) for score in scores], strict=True)
    return "  ".join(f"{mean(figure):.3f}" for figure in figures)


def show_learning() -> None:
    """Learn 10,000 different pages of one site, made of a few real ones, and extract with it."""
    records = max(group_by_site(read_set("big5-13.bench")).values(), key=len)
    print(f"\nlearning {MANY:,} pages, made of {len(records)}")
    pages = [(record.url, vary(str(record.html), number)) for number, record in cycle(records, MANY)]
    started = time.perf_counter()
    for url, html in pages:
        read_page(html, url=url)
    parsing = time.perf_counter() - started
    for label, most in (("sample of 256", SiteConfig().max_pages), ("all pages kept", MANY)):
        before, started = read_peak_mb(), time.perf_counter()
        site = Site.learn(pages, config=replace(SiteConfig.shipped(), max_pages=most))
        took = time.perf_counter() - started
        started = time.perf_counter()
        templates = len(site.templates)
        grouping = time.perf_counter() - started
        print(
            f"  {label}: {took:.1f} s with parsing (parsing alone: {parsing:.1f} s), grouping {grouping:.1f} s, "
            f"{templates} templates, peak memory grew by {read_peak_mb() - before:.0f} MB"
        )
    site = Site.learn(pages[:100])
    for method in broadsheet.methods():
        times = time_extraction(pages[:200], method, site)
        print(f"  extracting with {method}: {times[1] / times[0]:.2f} times as long with the site as without")


def read_peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # Linux counts kilobytes


def vary(html: str, number: int) -> str:
    """Make another page of a page: every paragraph gets words of its own."""
    return html.replace("<p>", f"<p>Number {number}: ")


def cycle(records: Sequence[Record], count: int) -> Iterable[tuple[int, Record]]:
    return ((number, records[number % len(records)]) for number in range(count))


def time_extraction(pages: Sequence[tuple[str | None, str]], method: str, site: Site) -> tuple[float, float]:
    """Seconds without and with a site, taking turns."""
    totals = [0.0, 0.0]
    for url, html in pages:
        for at, known in enumerate((None, site)):
            started = time.perf_counter()
            broadsheet.extract(html, url, method, site=known)
            totals[at] += time.perf_counter() - started
    return totals[0], totals[1]


def show_static() -> None:
    """Learn all hosts of metahtml.train with at least six pages and count what is static on them."""
    sites = {
        site: found for site, found in group_by_site(read_set("metahtml.train")).items() if len(found) >= MIN_PAGES
    }
    shares = {}
    for host, records in sites.items():
        site = Site.learn([(record.url, record.html) for record in records])
        shares[host] = [count_static(record, leave_out(site, record)) for record in records]
    print(f"\nmetahtml.train: {len(sites)} sites of at least {MIN_PAGES} pages, {sum(map(len, sites.values()))} pages")
    for label, kind in (("blocks", 0), ("characters", 1)):
        by_site = sorted(mean(share[kind] for share in found) for found in shares.values())
        low, middle, high = (by_site[int(len(by_site) * part)] for part in (0.1, 0.5, 0.9))
        everything = mean(share[kind] for found in shares.values() for share in found)
        spread = f"10 % below {low:.3f}, half below {middle:.3f}, 90 % below {high:.3f}"
        print(f"  static {label}: mean of pages {everything:.3f}; sites: {spread}")


def count_static(record: Record, site: Site) -> tuple[float, float]:
    """Share of the visible blocks that are static, and of their characters."""
    page = site.prepare(read_page(record.html, url=record.url))
    blocks = segment(page)
    shown = [block for block in range(len(blocks)) if not blocks.has(block, tags.HIDDEN)]
    static = [block for block in shown if is_static(page, blocks, block)]
    chars = [sum(len(blocks.text[block]) for block in chosen) for chosen in (static, shown)]
    return len(static) / max(len(shown), 1), chars[0] / max(chars[1], 1)


def show_drift() -> None:
    """Compare pages of a year with templates of the same and of other years: the sites were redesigned in between."""
    print("\ndrift: mean score, and share of pages called changed")
    groups = {name: group_by_site(read_set(name)) for name in YEARS}
    for learned in YEARS:
        cells = []
        for name in YEARS:
            drifts = [
                leave_out(Site.learn([(each.url, each.html) for each in others]), record).drift(record.html)
                for site, others in groups[learned].items()
                for record in groups[name].get(site, [])
            ]
            cells.append(
                f"{mean(drift.score for drift in drifts):.2f} {mean(drift.has_changed for drift in drifts):4.0%}"
            )
        print(
            f"  learned from {learned:15}"
            + "".join(f"{name}: {cell:14}" for name, cell in zip(YEARS, cells, strict=True))
        )


def read_set(name: str) -> list[Record]:
    path = DATA / f"{name}.jsonl.xz"
    if not path.exists():
        sys.exit(f"{path} is missing: the benchmark needs the labelled pages")
    return list(read_corpus(path))


def group_by_site(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        found[record.site or ""].append(record)
    return found


if __name__ == "__main__":
    main()
