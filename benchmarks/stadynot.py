"""StaDyNoT's departures from the document, one switched off at a time: word F1 on dev sets, without neighbour pages.

python -m benchmarks.stadynot          the table of docs/methods/stadynot.md
"""

from __future__ import annotations

from dataclasses import replace
from statistics import mean

from benchmarks.harness import Table, make_parser, parse_data
from broadsheet.methods.stadynot import Stadynot, StadynotConfig

SETS = "l3s-gn1 aed fundus chaos dragnet daniel".split()
PUBLISHED, SHIPPED = StadynotConfig(), StadynotConfig.shipped()
SWITCHES = "counts_noise spared_tags max_form_share keeps_hidden names_comments max_block_links min_edge_words".split()
CONFIGS = {
    "as shipped": SHIPPED,
    **{f"`{name}` as published": replace(SHIPPED, **{name: getattr(PUBLISHED, name)}) for name in SWITCHES},
    "all as published": PUBLISHED,
}


def main() -> None:
    data = parse_data(make_parser(__doc__).parse_args())
    set_means: dict[str, list[float]] = {name: [] for name in CONFIGS}
    for set_name in SETS:
        pages = data.read_gold(f"{set_name}.dev")
        for name, config in CONFIGS.items():
            set_means[name].append(mean(page.score_method(Stadynot(config)) for page in pages))
    table = Table("", "word F1")
    for name, values in set_means.items():
        table.add(name, mean(values))


if __name__ == "__main__":
    main()
