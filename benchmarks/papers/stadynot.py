"""StaDyNoT: Table 2 of the paper, and the effect of each departure.

    python -m benchmarks.papers stadynot                as published, as shipped, and as printed; peers
    python -m benchmarks.papers.stadynot                departures one at a time, without neighbour pages, on dev sets

A page is extracted with a site learned from the other pages of its site, as in section 4. The table `whole` has gold
texts with title, author and date, as in the paper. The figure `sweep` shows α, β and the number of neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from statistics import mean

from benchmarks.harness import Data, GoldPage, Table, make_parser, parse_data
from benchmarks.papers.figures import print_figure
from benchmarks.papers.tables import (
    Interval,
    extract_by_peers,
    print_claims,
    print_departures,
    print_scores,
    score_pages,
)
from benchmarks.site_mode import (
    SiteScores,
    Target,
    group_by_site,
    learn_site,
    leave_out,
    read_targets,
    run_method,
    score_targets,
)
from broadsheet.corpora import Record
from broadsheet.methods.stadynot import PublishedStadynot, StadynotConfig
from broadsheet.site import SiteConfig

SETS = ("big5-13.bench", "cleanportaleval.bench")
WHOLE_SET, MIN_WHOLE_PAGES = "desk.train", 14  # pages whose title, by-line and date line are labelled; of a site
SWEEP_SET = "big5-09.dev"
DEPARTURE_SETS = "l3s-gn1 aed fundus chaos dragnet daniel".split()
PEERS = ("readability", "boilerpy3", "justext")
PUBLISHED, SHIPPED = StadynotConfig(), StadynotConfig.shipped()
SWITCHES = [
    *("removes_elements", "counts_outer_space", "max_link_share", "counts_noise", "spared_tags"),
    *("max_form_share", "keeps_hidden"),
    *("names_header", "names_comments", "max_block_links", "min_edge_words"),
]
READINGS = {
    "as published, β = 20 as printed": PUBLISHED,
    "as published, β = 20 %": replace(PUBLISHED, max_link_share=0.2),
    "as published, β = 20 %, marked text does not count": replace(PUBLISHED, max_link_share=0.2, counts_noise=False),
}
# Table 2, overall result.
PRINTED = {
    "StaDyNoT": (0.879, 0.967, 0.913),
    "NReadability": (0.885, 0.905, 0.892),
    "Boilerplate": (0.857, 0.899, 0.869),
    "JusText": (0.829, 0.807, 0.786),
}


def print_set(data: Data, name: str) -> None:
    """Print the scores of all contenders on a set, and the claims of the paper."""
    rows = score_set(data, name)
    scores = {row: Interval([score for _, score in values]) for row, values in rows.items()}
    pages, sites = len(rows["as shipped"]), len({site for site, _ in rows["as shipped"]})
    print_scores(f"{name}, {pages} pages of {sites} sites", scores, PRINTED if name == SETS[0] else {})
    print_claims(list_claims(scores))
    print_sites(name, rows)


def print_sites(name: str, rows: Mapping[str, SiteScores]) -> None:
    """Print precision, recall and F1 of the four systems of Table 2 for each site."""
    shown = [row for row in ("as published, β = 20 as printed", *PEERS) if rows[row]]
    table = Table(f"{name}, P / R / F1", *(row.partition(",")[0] for row in shown))
    for site in dict.fromkeys(site for site, _ in rows[shown[0]]):
        cells = [Interval([score for at, score in rows[row] if at == site]) for row in shown]
        table.add(site, *(f"{cell.precision:.2f} / {cell.recall:.2f} / {cell.f1:.2f}" for cell in cells))


def score_set(data: Data, name: str) -> dict[str, SiteScores]:
    """Return the scores of all contenders by site."""
    as_published = read_targets(data, name, SiteConfig())
    as_shipped = read_targets(data, name, SiteConfig.shipped())
    rows = {
        row: score_targets(as_published, run_method(PublishedStadynot(config), with_site=True))
        for row, config in READINGS.items()
    }
    grouped = read_targets(data, name, replace(SiteConfig(), min_neighbours=3, min_alike=0.5))
    rows["as published, neighbours of the same template only"] = score_targets(
        grouped, run_method(PublishedStadynot(), with_site=True)
    )
    rows["as shipped, without neighbours"] = score_targets(as_shipped, run_method("stadynot", with_site=False))
    rows["as shipped"] = score_targets(as_shipped, run_method("stadynot", with_site=True))
    pages, sites = [target.page for target in as_shipped], [target.page.record.site or "" for target in as_shipped]
    for peer, contender in extract_by_peers(*PEERS).items():  # no scores if it is not installed
        rows[peer] = list(zip(sites, score_pages(pages, contender), strict=False))
    return rows


def list_claims(scores: dict[str, Interval]) -> dict[str, bool]:
    """Return the claims of section 4 and whether they hold here; none if an extractor is missing."""
    claims: dict[str, bool] = {}
    if any(isnan(scores[peer].f1) for peer in PEERS):
        return claims
    for row in ("as published, β = 20 as printed", "as shipped"):
        if row not in scores:
            continue
        ours, peers = scores[row], [scores[peer] for peer in PEERS]
        claims[f"{row}: the highest recall ({ours.recall:.3f})"] = ours.recall >= max(peer.recall for peer in peers)
        claims[f"{row}: the highest F1 ({ours.f1:.3f})"] = ours.f1 >= max(peer.f1 for peer in peers)
        claims[f"{row}: precision within 0.01 of readability's ({ours.precision:.3f})"] = (
            abs(ours.precision - scores["readability"].precision) <= 0.01
        )
    order = [scores[peer].f1 for peer in PEERS]
    claims["readability before Boilerpipe before jusText in F1"] = order == sorted(order, reverse=True)
    return claims


@dataclass(frozen=True)
class WholePage(GoldPage):
    """A page whose gold text has the title, the author and the date, as in section 4: nothing is removed from it."""

    headlines = frozenset()


def make_whole(record: Record) -> WholePage:
    """Add the labelled title, by-line and date line to the gold text of a page."""
    parts = (record.title or "", *(record.byline or ()), *(record.dateline or ()), record.text or "")
    return WholePage(replace(record, dataset=f"whole {record.dataset}", text="\n".join(parts)))


def print_whole(data: Data) -> None:
    """Print Table 2 with title, author and date in the gold text."""
    sites = group_by_site(record for record in data.read(WHOLE_SET) if record.text and record.title and record.site)
    sites = {name: records for name, records in sites.items() if len(records) >= MIN_WHOLE_PAGES}
    if not sites:
        print(f"no site has {MIN_WHOLE_PAGES} pages")
        return
    targets = []
    for records in sites.values():
        site = learn_site(records, SiteConfig())
        targets += [Target(make_whole(record), leave_out(site, record)) for record in records]
    scores = {
        row: Interval(
            [score for _, score in score_targets(targets, run_method(PublishedStadynot(config), with_site=True))]
        )
        for row, config in READINGS.items()
    }
    pages = [target.page for target in targets]
    scores |= {peer: Interval(score_pages(pages, run)) for peer, run in extract_by_peers(*PEERS).items()}
    print_scores(f"{WHOLE_SET}, {len(pages)} pages of {len(sites)} sites", scores, {})
    print_claims(list_claims(scores))


def print_sweep(data: Data) -> None:
    """Draw the word F1 over α, over β and over the number of neighbours."""
    by_neighbours = {
        count: read_targets(data, SWEEP_SET, SiteConfig(max_neighbours=count)) for count in (1, 2, 3, 5, 9)
    }
    targets = by_neighbours[9]

    def measure(config: StadynotConfig, chosen: list[Target] = targets) -> float:
        return mean(
            score.f1 for _, score in score_targets(chosen, run_method(PublishedStadynot(config), with_site=True))
        )

    readings = {"marked text counts": True, "it does not count": False}
    alphas, betas = (0, 25, 50, 100, 200, 400), (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
    title = f"word F1, {SWEEP_SET} ({len(targets)} pages), as published, over α (characters outside links)"
    print_figure(
        "stadynot-alpha", title, alphas, {"β as printed": [measure(replace(PUBLISHED, min_text=a)) for a in alphas]}
    )
    lines = {
        name: [measure(replace(PUBLISHED, max_link_share=beta, counts_noise=counts)) for beta in betas]
        for name, counts in readings.items()
    }
    print_figure("stadynot-beta", f"word F1, {SWEEP_SET}, over β as a share of text in links", betas, lines)
    rest = replace(PUBLISHED, max_link_share=0.2, counts_noise=False)
    lines = {
        name: [measure(config, chosen) for chosen in by_neighbours.values()]
        for name, config in (("β as printed", PUBLISHED), ("β = 20 %", rest))
    }
    print_figure(
        "stadynot-neighbours",
        f"word F1, {SWEEP_SET}, over the number of neighbours; at β = 20 %, marked text does not count",
        list(by_neighbours),
        lines,
    )


TABLES = {name.partition(".")[0]: partial(print_set, name=name) for name in SETS}
SLOW_TABLES = {"whole": print_whole, "sweep": print_sweep}


def main() -> None:
    data = parse_data(make_parser(__doc__).parse_args())
    print_departures(data, DEPARTURE_SETS, (PUBLISHED, SHIPPED), PublishedStadynot, SWITCHES)


if __name__ == "__main__":
    main()
