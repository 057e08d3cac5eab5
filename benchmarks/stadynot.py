"""StaDyNoT's departures, one switched off at a time: word F1 on dev sets, every page alone.

python benchmarks/stadynot.py          prints the table of docs/methods/stadynot.md
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from statistics import mean

import broadsheet
from broadsheet.corpora import read_corpus
from broadsheet.corpora.headline import drop_headline, find_headlines
from broadsheet.evaluation.measures.word import score_words
from broadsheet.methods.stadynot import Stadynot, StadynotConfig
from broadsheet.page import read_page
from broadsheet.text import split_words

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
SETS = "l3s-gn1 aed fundus chaos dragnet daniel".split()
PRINTED, SHIPPED = StadynotConfig(), StadynotConfig.shipped()
SWITCHES = "counts_noise spared_tags max_form_share keeps_hidden names_comments max_block_links min_edge_words".split()
CONFIGS = {
    "as shipped": SHIPPED,
    **{f"`{name}` as printed": replace(SHIPPED, **{name: getattr(PRINTED, name)}) for name in SWITCHES},
    "all as printed": PRINTED,
}


def main() -> None:
    if not DATA.exists():
        sys.exit(f"{DATA} is missing: the benchmark needs the labelled pages")
    scores: dict[str, list[float]] = {name: [] for name in CONFIGS}  # means of sets
    for set_name in SETS:
        pages = [page for page in read_corpus(DATA / f"{set_name}.dev.jsonl.xz") if page.text]
        heads = [find_headlines(read_page(page.html), page.title) for page in pages]
        for name, config in CONFIGS.items():
            found = []
            for page, headlines in zip(pages, heads, strict=True):
                output = broadsheet.extract(page.html, url=page.url, method=Stadynot(config)).text
                words = [split_words(drop_headline(text, headlines)) for text in (output, page.text or "")]
                found.append(score_words(*words).f1)
            scores[name].append(mean(found))
    print("| | word F1 |\n|---|---:|")
    for name, values in scores.items():
        print(f"| {name} | {mean(values):.3f} |")


if __name__ == "__main__":
    main()
