"""`broadsheet train fusion`: the block network and the forests that judge a page, learned from all labelled pages.

1. measure and label the pages (kept in the work folder);
2. teachers: each learns from the sites of the other folds, so that every page is judged by one that has not seen it;
3. the network learns from all pages: from people where they marked the text, from the teachers where nobody did;
4. the forests learn how good the teachers' texts were, and what is an article, from pages that those had not seen;
5. what dev says is written on the card.

An interrupted run goes on after its last whole epoch.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from broadsheet.extras import import_extra
from broadsheet.methods.fusion.features import FEATURE_NAMES
from broadsheet.methods.fusion.method import ALL_FEATURES, MODEL
from broadsheet.methods.fusion.page_features import HEAD_NAMES
from broadsheet.models import Forest, save_weights
from broadsheet.training.card import Card
from broadsheet.training.fusion.labels import ROLES, UNKNOWN
from broadsheet.training.fusion.pages import FusionPages, load_or_gather
from broadsheet.training.fusion.recipe import Recipe
from broadsheet.training.fusion.verdict import (
    measure_calibration,
    measure_pages,
    score_pages,
    train_article,
    train_quality,
)
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import find_sets, read_records

ARTICLE_LIMIT = 0.35  # below it a page is no article: a refused article is worse than an accepted section page


def gather(options: TrainingOptions, split: str) -> FusionPages:
    """Measure the pages of a split, or take them from an earlier run."""
    files = find_sets(options.data, split)
    told = (FEATURE_NAMES, HEAD_NAMES, ROLES, options.limit, [(path.name, path.stat().st_size) for path in files])
    name = f"fusion-{split}-{_make_key(told)}"
    records = options.progress(read_records(files, options.limit), f"measuring {split}")
    options.work.mkdir(parents=True, exist_ok=True)
    return load_or_gather(options.work / f"{name}.npz", records)


def train_fusion(options: TrainingOptions) -> None:
    """Train everything that `method="fusion"` runs, and write its weights."""
    import_extra("torch", "train")
    from broadsheet.training.fusion.batches import Batcher, find_known
    from broadsheet.training.fusion.export import export_network
    from broadsheet.training.fusion.loop import Run, predict, train_network
    from broadsheet.training.fusion.network import Shape

    recipe, shape = Recipe(), Shape()
    train, dev = gather(options, "train"), gather(options, "dev")
    known = find_known(train, recipe.min_sites)
    key = _make_key((recipe, shape, options.seed, train.ids.tolist(), FEATURE_NAMES))
    marked, unmarked = find_marked(train), find_unmarked_articles(train)
    options.report(f"{len(marked)} pages with their text marked, {len(unmarked)} articles without")

    folds = np.array([crc32(site.encode()) % recipe.folds for site in train.sites.tolist()])
    plain = Batcher(train, known)
    teachers = []
    for fold in range(recipe.folds):
        options.report(f"teacher {fold + 1} of {recipe.folds}")
        others = marked[folds[marked] != fold]
        place = options.work / f"fusion-teacher{fold}-{key}.pt"
        run = Run(others, options.seed + fold, recipe.teacher_epochs, place, options.report)
        teachers.append(train_network(plain, known, recipe, shape, run))
    pages = np.arange(len(train))
    opinions = [predict(teacher, plain, pages) for teacher in teachers]
    # What nobody marked all teachers may judge; a page that some have learned from, only the one that has not.
    fresh = [
        opinions[folds[page]][page] if is_marked else np.mean([each[page] for each in opinions], axis=0)
        for page, is_marked in enumerate(np.isin(pages, marked).tolist())
    ]

    options.report("the network")
    batcher = Batcher(train, known, believe(train, unmarked, fresh))
    used = np.sort(np.concatenate((marked, unmarked)))
    run = Run(used, options.seed, recipe.epochs, options.work / f"fusion-network-{key}.pt", options.report)
    network = train_network(batcher, known, recipe, shape, run)

    found = predict(network, Batcher(dev, known), np.arange(len(dev)))
    forests = train_forests(train, fresh, options.seed)
    figures = measure_all(dev, found, forests)
    for what, figure in figures.items():
        options.report(f"{what}: {figure}")
    arrays, config = export_network(network, known)
    settings: dict[str, Any] = {"network": config, "article_limit": ARTICLE_LIMIT, "measures": list(ALL_FEATURES)}
    for name, forest in forests.items():
        arrays |= forest.arrays(name)
        settings[name] = forest.config()
    card = Card(
        model=MODEL,
        summary="The block network and the forests that judge a page (docs/methods/fusion.md).",
        command=f"broadsheet train fusion --seed {options.seed}",
        seed=options.seed,
        pages=Counter(train.datasets[used].tolist()),
        figures=figures,
        notes=(f"{sum(array.size for array in arrays.values()):,} numbers",),
    )
    save_weights(options.output, MODEL, arrays, settings, card.write())


def _make_key(told: object) -> str:
    """A short name for all that a kept file depends on."""
    return hashlib.blake2b(repr(told).encode(), digest_size=6).hexdigest()


def find_marked(pages: FusionPages) -> NDArray[np.intp]:
    """Pages whose text people have marked."""
    marked = np.logical_or.reduceat(pages.labels[:, 0] != UNKNOWN, pages.block_starts[:-1])
    return np.flatnonzero(marked)


def find_unmarked_articles(pages: FusionPages) -> NDArray[np.intp]:
    """Articles whose text nobody has marked."""
    return np.setdiff1d(np.flatnonzero(pages.kinds == "article"), find_marked(pages))


def believe(
    pages: FusionPages, unmarked: NDArray[np.intp], opinions: Sequence[NDArray[np.float32]]
) -> NDArray[np.float16]:
    """What teachers say of the blocks of pages that nobody marked; -1 for all others."""
    believed = np.full(len(pages.labels), -1, np.float16)
    for page in unmarked.tolist():
        believed[slice(*pages.block_starts[page : page + 2])] = opinions[page][:, 0]
    return believed


def _mean_by_set(
    pages: FusionPages, chosen: NDArray[np.intp], found: Sequence[NDArray[np.float32]]
) -> dict[str, float]:
    scores = score_pages(pages, chosen, found)
    names = pages.datasets[chosen]
    return {name: float(scores[names == name].mean()) for name in np.unique(names).tolist()}


def train_forests(pages: FusionPages, opinions: Sequence[NDArray[np.float32]], seed: int) -> dict[str, Forest]:
    """Train the forests from what teachers said of pages that they had not seen."""
    samples = measure_pages(pages, np.arange(len(pages)), opinions)
    told, marked = np.flatnonzero(pages.kinds != ""), find_marked(pages)
    scores = score_pages(pages, marked, [opinions[page] for page in marked.tolist()])
    return {
        "article": train_article(samples[told], pages.kinds[told] == "article", seed),
        "quality": train_quality(samples[marked], scores, seed),
    }


def measure_all(
    pages: FusionPages, found: Sequence[NDArray[np.float32]], forests: Mapping[str, Forest]
) -> dict[str, str]:
    """What dev says, given what the network found on all its pages."""
    marked = find_marked(pages)
    own = [found[page] for page in marked.tolist()]
    by_set = _mean_by_set(pages, marked, own)
    samples = measure_pages(pages, np.arange(len(pages)), found)
    told = np.flatnonzero(pages.kinds != "")
    is_article, said = pages.kinds[told] == "article", forests["article"].predict(samples[told]) >= ARTICLE_LIMIT
    right = [float((said == is_article)[is_article == kind].mean()) for kind in (True, False)]
    expected = forests["quality"].predict(samples[marked])
    error = measure_calibration(expected, score_pages(pages, marked, own))
    return {
        "F1 of characters, mean of dev sets": f"{np.mean(list(by_set.values())):.4f}",
        **{f"F1 of characters, {name}.dev": f"{value:.3f}" for name, value in by_set.items()},
        "articles known as such, others, balanced, dev": f"{right[0]:.3f}, {right[1]:.3f}, {np.mean(right):.3f}",
        "expected calibration error, dev": f"{error:.3f}",
    }
