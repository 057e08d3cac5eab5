"""Corrections of a site: how much labelled pages of a site improve its other pages, without any training.

    python -m benchmarks.site_labels                   dev and bench sets, 1, 2 and 5 labelled pages
    python -m benchmarks.site_labels big5-13.bench     other sets

For each site with at least six pages, some pages are labelled by their gold text: the blocks of the text are body. The
rules of a project (project/site_rules.py) apply these labels to the other pages of the site. The figures are word
F1 of the other pages before and after, without headlines: the mean over sites of two random choices of pages.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean

import numpy as np

from benchmarks.harness import Data, GoldPage, Table, make_parser, parse_data
from broadsheet.blocks.roles import LabelRole
from broadsheet.corpora import align_text
from broadsheet.corpora.align import drop_headline
from broadsheet.options import ExtractOptions
from broadsheet.project.analysis import Analysis, analyse_page
from broadsheet.project.site_rules import NO_LABEL, ROLES, KeyNumbers, LabelledBlocks, find_roles, label_blocks
from broadsheet.site.template import SiteConfig, number_groups
from broadsheet.text import fold_words

DEV_SETS = ("big5-05.dev", "big5-09.dev", "daniel.dev", "dragnet.dev", "l3s-gn1.dev")
BENCH_SETS = ("big5-13.bench", "cleanportaleval.bench", "dragnet.bench")
LABELLED_COUNTS = (1, 2, 5)
MIN_SITE_PAGES = 6
MAX_SITE_PAGES = 15
MIN_GOLD_RECALL = 0.8
CHOICES = 2  # random choices of labelled pages
KEY_NUMBERS = KeyNumbers()
MIN_CHANGE = 0.0005  # of word F1, for a site to count as better or worse


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page, what the method says about it, and the roles of its blocks by its gold text."""

    gold: GoldPage
    analysis: Analysis
    labels: LabelledBlocks

    def score(self, roles: np.ndarray) -> float:
        """Return the word F1 of the blocks that are body, by the numbers of their roles."""
        chosen = zip(self.analysis.blocks, roles, strict=True)
        return self.gold.score("\n".join(block.text for block, role in chosen if ROLES[role] is LabelRole.BODY)).f1


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET")
    options = parser.parse_args()
    data = parse_data(options)
    table = Table("sets", "sites", "labelled pages", "before", "after", "better", "worse")
    for sets in [options.sets] if options.sets else [DEV_SETS, BENCH_SETS]:
        sites = [site for name in sets for site in read_sites(data, name)]
        for count in LABELLED_COUNTS:
            pairs = [measure_site(site, count) for site in sites]
            changes = [after - before for before, after in pairs]
            table.add(
                ", ".join(sets),
                len(sites),
                count,
                mean(before for before, _ in pairs),
                mean(after for _, after in pairs),
                sum(change > MIN_CHANGE for change in changes),
                sum(change < -MIN_CHANGE for change in changes),
                digits=4,
            )


def read_sites(data: Data, name: str) -> list[list[LabelledPage]]:
    """Return the sites of a set that have enough pages."""
    pages = [page for page in data.read_gold(name) if (page.record.gold_recall or 1) >= MIN_GOLD_RECALL]
    counts = Counter(page.record.site for page in pages if page.record.site)
    sites: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in pages:
        site = page.record.site or ""
        if counts[site] >= MIN_SITE_PAGES and len(sites[site]) < MAX_SITE_PAGES:
            sites[site].append(label_page(page))
    return [labelled for labelled in sites.values() if labelled]


def label_page(page: GoldPage) -> LabelledPage:
    """Label the blocks of a page by its gold text. Where the text does not say, the method is right."""
    analysis = analyse_page(page.record.html, page.record.url, ExtractOptions())
    text = drop_headline(page.record.text or "", page.headlines)
    roles = {}
    for block, is_in_text in zip(analysis.blocks, align_text([b.text for b in analysis.blocks], text), strict=True):
        roles[block.path] = block.role
        if is_in_text:
            roles[block.path] = LabelRole.BODY
        elif block.role is LabelRole.BODY:
            is_headline = fold_words(block.text) in page.headlines
            roles[block.path] = LabelRole.TITLE if is_headline else LabelRole.BOILERPLATE
    return LabelledPage(
        page, analysis, label_blocks(analysis.blocks, KEY_NUMBERS.number_blocks(analysis.blocks), roles)
    )


def measure_site(pages: Sequence[LabelledPage], count: int) -> tuple[float, float]:
    """Return the mean F1 of the other pages before and after `count` pages were labelled."""
    chooser = random.Random(0)
    before, after = [], []
    for _ in range(CHOICES):
        order = chooser.sample(pages, len(pages))
        for page in order[count:]:
            unlabelled = replace(page.labels, labels=np.full_like(page.labels.labels, NO_LABEL), has_labels=False)
            before.append(page.score(page.labels.suggested))
            after.append(page.score(find_roles([unlabelled], find_evidence(page, order[:count]))[0]))
    return mean(before), mean(after)


def find_evidence(page: LabelledPage, labelled: Sequence[LabelledPage]) -> list[LabelledBlocks]:
    """Return the labels of the pages with the same template."""
    structures = [frozenset(other.analysis.structure) for other in (page, *labelled)]
    template, *others = number_groups(structures, SiteConfig.shipped().min_alike)
    return [other.labels for other, number in zip(labelled, others, strict=True) if number == template]


if __name__ == "__main__":
    main()
