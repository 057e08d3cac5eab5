"""StaDyNoT: Table 2 of the paper, and the effect of each departure.

    python -m benchmarks.papers stadynot                as published, as shipped, and as printed; peers
    python -m benchmarks.papers.stadynot                departures one at a time, without neighbour pages, on dev sets

A page is extracted with a site learned from the other pages of its site, as in section 4.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.harness import Data, Means, average_scores, make_parser, parse_data
from benchmarks.papers.tables import print_claims, print_departures, print_scores
from benchmarks.site_mode import SiteScores, read_targets, run_method, run_peer, score_targets
from broadsheet.methods.stadynot import Stadynot, StadynotConfig
from broadsheet.site import SiteConfig

SETS = ("big5-13.bench", "cleanportaleval.bench")
DEPARTURE_SETS = "l3s-gn1 aed fundus chaos dragnet daniel".split()
PEERS = ("readability", "boilerpy3", "justext")
PUBLISHED, SHIPPED = StadynotConfig(), StadynotConfig.shipped()
SWITCHES = [
    *("max_link_share", "counts_noise", "spared_tags", "max_form_share", "keeps_hidden"),
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


def print_paper(data: Data) -> None:
    """Print Table 2 for two sets of news sites."""
    for name in SETS:
        rows = score_set(data, name)
        scores = {row: average_scores(score for _, score in values) for row, values in rows.items()}
        pages, sites = len(rows["as shipped"]), len({site for site, _ in rows["as shipped"]})
        print_scores(f"StaDyNoT, {name}: pages {pages}, sites {sites}", scores, PRINTED)
        print_claims(list_claims(scores))


def score_set(data: Data, name: str) -> dict[str, SiteScores]:
    """Return the scores of all contenders by site."""
    as_published = read_targets(data, name, SiteConfig())
    as_shipped = read_targets(data, name, SiteConfig.shipped())
    rows = {
        row: score_targets(as_published, run_method(Stadynot(config), with_site=True))
        for row, config in READINGS.items()
    }
    rows["as shipped, without neighbours"] = score_targets(as_shipped, run_method("stadynot", with_site=False))
    rows["as shipped"] = score_targets(as_shipped, run_method("stadynot", with_site=True))
    return rows | {peer: score_targets(as_shipped, run_peer(peer)) for peer in PEERS}


def list_claims(scores: dict[str, Means]) -> dict[str, bool]:
    """Return the claims of section 4 and whether they hold here."""
    claims = {}
    for row in ("as published, β = 20 as printed", "as shipped"):
        ours, peers = scores[row], [scores[peer] for peer in PEERS]
        claims[f"{row}: the highest recall ({ours.recall:.3f})"] = ours.recall >= max(peer.recall for peer in peers)
        claims[f"{row}: the highest F1 ({ours.f1:.3f})"] = ours.f1 >= max(peer.f1 for peer in peers)
        claims[f"{row}: precision within 0.01 of readability's ({ours.precision:.3f})"] = (
            abs(ours.precision - scores["readability"].precision) <= 0.01
        )
    order = [scores[peer].f1 for peer in PEERS]
    claims["readability before Boilerpipe before jusText in F1"] = order == sorted(order, reverse=True)
    return claims


def main() -> None:
    data = parse_data(make_parser(__doc__).parse_args())
    print_departures(data, DEPARTURE_SETS, (PUBLISHED, SHIPPED), Stadynot, SWITCHES)


if __name__ == "__main__":
    main()
