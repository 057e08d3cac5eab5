"""TWCEM as published and as shipped: word F1 on the dev sets that tuned `max_link_share`.

python benchmarks/twcem.py          prints the table of docs/methods/twcem.md
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from statistics import mean

import broadsheet
from broadsheet.corpora import Record, read_corpus
from broadsheet.corpora.headline import drop_headline, find_headlines
from broadsheet.evaluation.measures.word import score_words
from broadsheet.methods.twcem import Twcem, TwcemConfig
from broadsheet.page import read_page
from broadsheet.text import split_words

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
SETS = "l3s-gn1 daniel aed fundus chaos dragnet big5-05 big5-09 cwced gne".split()
NEWS = TwcemConfig.news()
CONFIGS = {
    "as published": NEWS,
    "`max_link_share` 0.5": replace(NEWS, max_link_share=0.5),
    "0.3": replace(NEWS, max_link_share=0.3),
    "0.3 and `keep_structure` (shipped)": TwcemConfig.shipped(),
}


def main() -> None:
    if not DATA.exists():
        sys.exit(f"{DATA} is missing: the benchmark needs the labelled pages")
    print("| set | " + " | ".join(CONFIGS) + " |\n|---|" + "---:|" * len(CONFIGS))
    rows = []
    for name in SETS:
        records = [record for record in read_corpus(DATA / f"{name}.dev.jsonl.xz") if record.text]
        rows.append([mean(score(record, Twcem(config)) for record in records) for config in CONFIGS.values()])
        print(f"| {name}.dev | " + " | ".join(f"{value:.3f}" for value in rows[-1]) + " |", flush=True)
    means = [mean(column) for column in zip(*rows, strict=True)]
    print("| **mean** | " + " | ".join(f"**{value:.3f}**" for value in means) + " |")


def score(record: Record, method: Twcem) -> float:
    headlines = find_headlines(read_page(record.html), record.title)
    output, gold = broadsheet.extract(record.html, url=record.url, method=method).text, record.text or ""
    words = [split_words(drop_headline(text, headlines)) for text in (output, gold)]
    return score_words(*words).f1


if __name__ == "__main__":
    main()
