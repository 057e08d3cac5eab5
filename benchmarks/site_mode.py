"""Site mode: quality with and without neighbour pages, learning, static text, and drift.

    python -m benchmarks.site_mode                     all five parts
    python -m benchmarks.site_mode quality drift       some of: exact, quality, learning, static, drift

`exact` counts the pages whose text is exactly right without the site, and those that the site breaks and mends, for
sites of at least five pages. `quality` is leave-one-out: each page is extracted with a site learned from the other
pages. The figures are means of pages of word precision, recall and F1, without headlines, beside peers on the same
pages.
"""

from __future__ import annotations

import resource
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean

import broadsheet
from benchmarks.harness import Data, GoldPage, Stopwatch, Table, average_scores, make_parser, open_peer, parse_data
from broadsheet.blocks import segment, tags
from broadsheet.corpora.record import Record
from broadsheet.evaluation.measures import Score
from broadsheet.methods import DEFAULT_METHOD, Method
from broadsheet.methods.apply import is_static
from broadsheet.methods.stadynot import Stadynot, StadynotConfig
from broadsheet.page import read_page
from broadsheet.site import Drift, Site, SiteConfig
from broadsheet.site.sample import fingerprint_page

QUALITY_SETS = ("big5-13.bench", "cleanportaleval.bench")
PEERS = ("justext", "boilerpy3")
DRIFT_SETS = ("big5-05.train", "big5-09.train", "big5-13.bench")  # the same sites in three years
LEARNED_PAGES = 10_000
TIMED_PAGES = 200
STATIC_SET = "metahtml.train"
MIN_SITE_PAGES = 6
EXACT_SETS = ("big5-05.train", "big5-09.train", "big5-13.bench", "cleanportaleval.bench", "desk.train")
MIN_EXACT_PAGES = 5  # of a site

Extract = Callable[[Record, Site], str]
SiteScores = list[tuple[str, Score]]  # site and score of each page


def main() -> None:
    parts = {
        "exact": show_exact,
        "quality": show_quality,
        "learning": show_learning,
        "static": show_static,
        "drift": show_drift,
    }
    parser = make_parser(__doc__)
    parser.add_argument("parts", nargs="*", choices=[*parts, []], default=[])  # []: argparse checks the default
    options = parser.parse_args()
    for part in options.parts or parts:
        parts[part](parse_data(options))


# Exact pages


def show_exact(data: Data) -> None:
    """Print how many exact pages the site breaks, and how many others it mends, with the default method."""
    table = Table("exactly right", "pages", "without site", "broken", "mended")
    for name in EXACT_SETS:
        pairs: list[tuple[bool, bool]] = []  # exact without the site, and with it
        for records in group_by_site(data.read(name)).values():
            labelled = [record for record in records if record.text]
            if len(records) < MIN_EXACT_PAGES or not labelled or not records[0].site:
                continue
            site = learn_site(records)
            for record in labelled:
                page, left_out = GoldPage(record), leave_out(site, record)
                texts = (run_method(DEFAULT_METHOD, with_site=known)(record, left_out) for known in (False, True))
                before, after = (is_exact(page.score(text)) for text in texts)
                pairs.append((before, after))
        broken, mended = sum(b and not a for b, a in pairs), sum(a and not b for b, a in pairs)
        table.add(name, str(len(pairs)), str(sum(before for before, _ in pairs)), str(broken), str(mended))


def is_exact(score: Score) -> bool:
    return score.precision == score.recall == 1.0


# Quality


@dataclass(frozen=True, slots=True)
class Target:
    """A page, and the site learned from the other pages."""

    page: GoldPage
    site: Site


def show_quality(data: Data) -> None:
    """Print the quality of all methods with and without the site."""
    for name in QUALITY_SETS:
        targets = read_targets(data, name, SiteConfig.shipped())
        as_published = read_targets(data, name, SiteConfig())
        rows: dict[str, SiteScores] = {}
        for method in broadsheet.methods():
            rows[f"{method}, without site"] = score_targets(targets, run_method(method, with_site=False))
            rows[f"{method}, site as published"] = score_targets(as_published, run_method(method, with_site=True))
            rows[f"{method}, with site"] = score_targets(targets, run_method(method, with_site=True))
        published = Stadynot(StadynotConfig())
        rows["stadynot as published"] = score_targets(as_published, run_method(published, with_site=True))
        rows |= {peer: score_targets(targets, run_peer(peer)) for peer in PEERS}
        print_quality(name, rows)


def read_targets(data: Data, name: str, config: SiteConfig) -> list[Target]:
    targets: list[Target] = []
    for records in group_by_site(data.read(name)).values():
        site = learn_site(records, config)
        targets += [Target(GoldPage(record), leave_out(site, record)) for record in records]
    return targets


def learn_site(records: Iterable[Record], config: SiteConfig | None = None) -> Site:
    return Site.learn([(record.url, record.html) for record in records], config=config or SiteConfig.shipped())


def leave_out(site: Site, record: Record) -> Site:
    """Return the site without one of its pages."""
    other = Site(site.config)
    left_out = fingerprint_page(record.html)
    other.sample = {fingerprint: page for fingerprint, page in site.sample.items() if fingerprint != left_out}
    return other


def run_method(method: str | Method, *, with_site: bool) -> Extract:
    def extract(record: Record, site: Site) -> str:
        return broadsheet.extract(record.html, record.url, method, site=site if with_site else None).text

    return extract


def run_peer(name: str) -> Extract:
    extract = open_peer(name)
    return lambda record, _site: extract(record)


def score_targets(targets: Iterable[Target], extract: Extract) -> SiteScores:
    return [
        (target.page.record.site or "", target.page.score(extract(target.page.record, target.site)))
        for target in targets
    ]


def print_quality(name: str, rows: Mapping[str, SiteScores]) -> None:
    table = Table(name, "word P", "R", "F1")
    for contender, scores in rows.items():
        table.add(contender, *average_scores(score for _, score in scores).list_figures())
    shown = [contender for contender in rows if contender in ("stadynot, with site", *PEERS)]
    table = Table(f"{name}: word F1 by site", *shown)
    for site in dict.fromkeys(site for site, _ in rows[shown[0]]):
        by_contender = ([score for at, score in rows[contender] if at == site] for contender in shown)
        table.add(site, *(average_scores(scores).f1 for scores in by_contender))


# Learning


def show_learning(data: Data) -> None:
    """Print time and memory for 10,000 pages of one site, and the extra time of an extraction with a site.

    The pages are variants of a few real ones.
    """
    records = max(group_by_site(data.read("big5-13.bench")).values(), key=len)
    pages = list(vary_pages(records, LEARNED_PAGES))
    print(f"\nlearning {LEARNED_PAGES:,} pages, variants of {len(records)}")
    watch = Stopwatch(time.perf_counter)
    with watch.step("parse"):
        for url, html in pages:
            read_page(html, url=url)
    print(f"  parsing alone: {watch.times['parse'][0] / 1000:.1f} s")
    for label, max_pages in (("sample of 256 pages", SiteConfig().max_pages), ("all pages kept", LEARNED_PAGES)):
        memory = read_peak_mb()
        with watch.step(label):
            site = Site.learn(pages, config=replace(SiteConfig.shipped(), max_pages=max_pages))
        with watch.step(f"{label}: group"):
            templates = len(site.templates)
        seconds, grouping = watch.times[label][0] / 1000, watch.times[f"{label}: group"][0] / 1000
        print(
            f"  {label}: {seconds:.1f} s with parsing, {grouping:.1f} s to group them into {templates} templates, "
            f"peak memory + {read_peak_mb() - memory:.0f} MB"
        )
    site = Site.learn(pages[:100])
    table = Table("time of an extraction with the site", "relative to one without")
    for method in broadsheet.methods():
        table.add(method, compare_extraction_time(pages[:TIMED_PAGES], method, site), digits=2)


def read_peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # kilobytes on Linux


def vary_pages(records: Sequence[Record], count: int) -> Iterator[tuple[str | None, str]]:
    """Yield variants of pages: every paragraph gets a number."""
    for number in range(count):
        record = records[number % len(records)]
        yield record.url, str(record.html).replace("<p>", f"<p>Number {number}: ")


def compare_extraction_time(pages: Sequence[tuple[str | None, str]], method: str, site: Site) -> float:
    """Return the time with a site relative to that without. The two take turns on each page."""
    watch = Stopwatch(time.perf_counter)
    for url, html in pages:
        for name, known_site in (("without", None), ("with", site)):
            with watch.step(name):
                broadsheet.extract(html, url, method, site=known_site)
    return sum(watch.times["with"]) / sum(watch.times["without"])


# Static text


def show_static(data: Data) -> None:
    """Print the share of static text on all sites of metahtml.train with at least six pages."""
    groups = group_by_site(data.read(STATIC_SET))
    sites = {name: records for name, records in groups.items() if len(records) >= MIN_SITE_PAGES}
    shares: dict[str, list[tuple[float, float]]] = {}
    for name, records in sites.items():
        site = learn_site(records)
        shares[name] = [measure_static(record, leave_out(site, record)) for record in records]
    pages = sum(map(len, sites.values()))
    table = Table(
        f"{STATIC_SET}: {len(sites)} sites, {pages} pages", "mean of pages", "10 % of sites below", "50 %", "90 %"
    )
    for number, label in enumerate(("static blocks", "static characters")):
        by_site = sorted(mean(share[number] for share in page_shares) for page_shares in shares.values())
        quantiles = [by_site[int(len(by_site) * part)] for part in (0.1, 0.5, 0.9)]
        table.add(label, mean(share[number] for values in shares.values() for share in values), *quantiles)


def measure_static(record: Record, site: Site) -> tuple[float, float]:
    """Return the share of the visible blocks that are static, and that of their characters."""
    page = site.prepare(read_page(record.html, url=record.url))
    blocks = segment(page)
    visible = [block for block in range(len(blocks)) if not blocks.has(block, tags.HIDDEN)]
    static = [block for block in visible if is_static(page, blocks, block)]
    static_chars, visible_chars = (sum(len(blocks.text[block]) for block in chosen) for chosen in (static, visible))
    return len(static) / max(len(visible), 1), static_chars / max(visible_chars, 1)


# Drift


def show_drift(data: Data) -> None:
    """Print the drift of pages of three years against templates of these years. The sites changed in between."""
    groups = {name: group_by_site(data.read(name)) for name in DRIFT_SETS}
    table = Table("mean drift, pages that count as changed; learned from", *DRIFT_SETS)
    for learned in DRIFT_SETS:
        cells = []
        for name in DRIFT_SETS:
            drifts = [
                leave_out(learn_site(records), record).drift(record.html)
                for site, records in groups[learned].items()
                for record in groups[name].get(site, [])
            ]
            cells.append(write_drifts(drifts))
        table.add(learned, *cells)


def write_drifts(drifts: Sequence[Drift]) -> str:
    if not drifts:  # --pages can leave sets without a common site
        return "no pages"
    return f"{mean(drift.score for drift in drifts):.2f}, {mean(drift.has_changed for drift in drifts):.0%}"


def group_by_site(records: Iterable[Record]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        groups[record.site or ""].append(record)
    return groups


if __name__ == "__main__":
    main()
