"""Train SemText (section IV): the small network that is shipped, the one as published, and the one for CleanEval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from broadsheet.extras import import_extra
from broadsheet.methods.semtext.config import SemtextConfig
from broadsheet.models import load_weights, save_weights
from broadsheet.training.card import Card
from broadsheet.training.options import TrainingOptions
from broadsheet.training.semtext.data import Examples, load_examples
from broadsheet.training.semtext.recipes import CLEANEVAL, CLEANEVAL_THRESHOLD, PUBLISHED, SHIPPED, Recipe

if TYPE_CHECKING:
    from broadsheet.training.semtext.loop import Pages, Trained

_LOG_HEAD = "| epoch | loss a unit | block P | R | F1 | word F1 | seconds |\n|---|---|---|---|---|---|---|"


def train_shipped(options: TrainingOptions) -> None:
    """Train the small network that `method="semtext"` runs."""
    _train(options, SHIPPED, "semtext", 'The small network that `method="semtext"` runs.')


def train_published(options: TrainingOptions) -> None:
    """Train the network in its published size."""
    _train(options, PUBLISHED, "semtext-published", "SemText in its published size.")


def tune_for_cleaneval(options: TrainingOptions) -> None:
    """Go on from the shipped weights with the development pages of CleanEval (IV-A)."""
    torch = import_extra("torch", "train")
    weights = load_weights("semtext")
    config = SemtextConfig.shipped()
    start = {name: torch.from_numpy(array.astype(np.float32)) for name, array in weights.arrays.items()}
    recipe = replace(CLEANEVAL, config=replace(config, threshold=CLEANEVAL_THRESHOLD, page_share=0.0))
    summary = "The shipped network, tuned on the development pages of CleanEval: for its figures there."
    _train(options, recipe, "semtext-cleaneval", summary, start=start)


def _train(
    options: TrainingOptions,
    recipe: Recipe,
    name: str,
    summary: str,
    *,
    start: Mapping[str, Any] | None = None,
) -> None:
    import_extra("torch", "train")
    from broadsheet.training.semtext.loop import train_network

    train, dev = (_load_pages(options, split, recipe) for split in ("train", "dev"))
    options.report(f"{len(train.examples)} pages of {len(train.examples.gold)} units to learn from")
    options.report(_LOG_HEAD)
    place = options.work / name
    found = train_network(recipe, train, dev, seed=options.seed, work=place, report=options.report, start=start)
    _write(options, recipe, name, summary, found, train.examples)


def _load_pages(options: TrainingOptions, split: str, recipe: Recipe) -> Pages:
    from broadsheet.training.semtext.loop import Pages, load_vectors

    examples = load_examples(options, split, recipe.config, recipe.sets)
    return Pages(examples, load_vectors(examples.vocabulary))


def _write(
    options: TrainingOptions, recipe: Recipe, name: str, summary: str, found: Trained, examples: Examples
) -> None:
    arrays = {
        key: value.numpy().astype(np.float32 if value.numel() < 10 else np.float16)
        for key, value in found.network.state_dict().items()
    }
    scores = found.scores
    figures = {
        "block P / R / F1, dev": f"{scores.precision:.3f} / {scores.recall:.3f} / {scores.f1:.3f}",
        "word F1, mean of dev sets": f"{scores.word_f1:.3f}",
        **{f"block F1 / word F1, {key}.dev": f"{f1:.3f} / {word:.3f}" for key, (f1, word) in scores.by_set.items()},
        "parameters": f"{sum(array.size for array in arrays.values()):,}",
    }
    card = Card(
        model="semtext",
        summary=summary,
        command=f"broadsheet train {name}",
        seed=options.seed,
        pages=Counter(examples.datasets),
        figures=figures,
        notes=[_tell_epoch(recipe, found.epoch)],
    )
    save_weights(options.output, "semtext", arrays, {"network": asdict(recipe.config)}, card.write())


def _tell_epoch(recipe: Recipe, epoch: int) -> str:
    if recipe.picks == "last":
        return f"After {recipe.epochs} epochs."
    return f"After epoch {epoch} of {recipe.epochs}, the best by `{recipe.picks}` on dev."
