"""TWCEM as published and as shipped: word F1 on the dev sets on which `max_link_share` was tuned.

python -m benchmarks.twcem          the table of docs/methods/twcem.md
"""

from __future__ import annotations

from dataclasses import replace
from statistics import mean

from benchmarks.harness import Table, make_parser, parse_data
from broadsheet.methods.twcem import Twcem, TwcemConfig

SETS = "l3s-gn1 daniel aed fundus chaos dragnet big5-05 big5-09 cwced gne".split()
PUBLISHED = TwcemConfig.news()
CONFIGS = {
    "as published": PUBLISHED,
    "`max_link_share` 0.5": replace(PUBLISHED, max_link_share=0.5),
    "0.3": replace(PUBLISHED, max_link_share=0.3),
    "0.3 and `keep_structure` (shipped)": TwcemConfig.shipped(),
}


def main() -> None:
    data = parse_data(make_parser(__doc__).parse_args())
    table = Table("set", *CONFIGS)
    rows = []
    for name in SETS:
        pages = data.read_gold(f"{name}.dev")
        rows.append([mean(page.score_method(Twcem(config)) for page in pages) for config in CONFIGS.values()])
        table.add(f"{name}.dev", *rows[-1])
    table.add("mean", *map(mean, zip(*rows, strict=True)))


if __name__ == "__main__":
    main()
