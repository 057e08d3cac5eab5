"""Train SemText (section IV): the network that is shipped, the published one, and the one for CleanEval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from broadsheet.extras import import_extra
from broadsheet.methods.semtext.config import MODEL, SECTION, SemtextConfig
from broadsheet.methods.semtext.train_recipes import (
    CLEANEVAL,
    CLEANEVAL_THRESHOLD,
    FINE_TUNING,
    PUBLISHED,
    SHIPPED,
    Recipe,
)
from broadsheet.models import Weights, load_weights
from broadsheet.models.config import read_config
from broadsheet.training.finish import Card, finish
from broadsheet.training.options import TrainingOptions, choose_epochs, require_pages

if TYPE_CHECKING:
    from broadsheet.methods.semtext.train_loop import Trained

_MAX_FULL_PRECISION = 10  # arrays with fewer numbers are stored in single precision, others in half precision


@dataclass(frozen=True, slots=True)
class _Model:
    """A network that can be trained."""

    name: str  # of the trainer
    summary: str
    recipe: Recipe
    method: str = MODEL  # that the weights are for


def train_shipped(options: TrainingOptions) -> None:
    """Train the small network of `method="semtext"`."""
    weights = options.load_start(MODEL)
    if weights is None:
        _train(_Model("semtext", 'The small network of `method="semtext"`.', SHIPPED), options)
        return
    recipe = replace(FINE_TUNING, config=read_config(weights, SemtextConfig, SECTION))
    summary = f"The network of `{options.start}` weights, fine-tuned on other pages."
    _train(_Model("semtext", summary, recipe), options, _read_state(weights))


def train_published(options: TrainingOptions) -> None:
    """Train the network in its published size."""
    _train(_Model("semtext-published", "SemText in its published size.", PUBLISHED, "semtext-published"), options)


def tune_for_cleaneval(options: TrainingOptions) -> None:
    """Fine-tune the shipped network, or another, on the development pages of CleanEval (IV-A)."""
    weights = options.load_start(MODEL)
    if weights is None:  # the epochs of the shipped weights, chosen by cross-validation; not more for few pages
        weights, options = load_weights(MODEL), replace(options, epochs=options.epochs or CLEANEVAL.epochs)
    config = read_config(weights, SemtextConfig, SECTION)
    if config.threshold:
        recipe = replace(CLEANEVAL, config=replace(config, threshold=CLEANEVAL_THRESHOLD, page_share=0.0))
    else:  # as published: the best chain, and sequences as in the first training
        recipe = replace(CLEANEVAL, config=config, rate=PUBLISHED.rate, max_units=PUBLISHED.max_units)
    summary = "A network of SemText, fine-tuned on the development pages of CleanEval, for its benchmark."
    _train(_Model("semtext-cleaneval", summary, recipe), options, _read_state(weights))


def _read_state(weights: Weights) -> dict[str, Any]:
    """Return the arrays of a folder of weights as the state of a torch network."""
    torch = import_extra("torch", "train")
    return {name: torch.from_numpy(array.astype(np.float32)) for name, array in weights.arrays.items()}


def _train(model: _Model, options: TrainingOptions, start: Mapping[str, Any] | None = None) -> None:
    import_extra("torch", "train")
    from broadsheet.methods.semtext.train_loop import load_pages, train_network

    train, dev = (load_pages(options, split, model.recipe) for split in ("train", "dev"))
    pages = len(train.examples)
    for split, part in (("train", train), ("dev", dev)):
        require_pages(model.name, "a visible gold text (`text`)", part.examples.count_visible(), options, split=split)
    recipe = replace(
        model.recipe, epochs=choose_epochs(options, model.recipe.epochs, pages=pages, batch=model.recipe.batch)
    )
    options.report(f"{len(train.examples)} training pages with {len(train.examples.gold)} units")
    trained = train_network(recipe, train, dev, options, start=start)
    arrays = {
        name: value.numpy().astype(np.float32 if value.numel() < _MAX_FULL_PRECISION else np.float16)
        for name, value in trained.network.state_dict().items()
    }
    parameters = sum(array.size for array in arrays.values())
    card = Card(
        model="semtext",
        summary=model.summary,
        pages=Counter(train.examples.datasets),
        figures={**_list_figures(trained), "parameters": f"{parameters:,}"},
        notes=[_describe_epoch(recipe, trained.epoch)],
        trainer=model.name,
    )
    config = {"network": asdict(model.recipe.config), "method": model.method}
    finish(card, arrays, config, options)


def _list_figures(trained: Trained) -> dict[str, str]:
    scores = trained.scores
    return {
        "block P / R / F1, dev": f"{scores.precision:.3f} / {scores.recall:.3f} / {scores.f1:.3f}",
        "word F1, mean of dev sets": f"{scores.word_f1:.3f}",
        **{
            f"block F1 / word F1, {name}.dev": f"{dataset.block_f1:.3f} / {dataset.word_f1:.3f}"
            for name, dataset in scores.by_dataset.items()
        },
    }


def _describe_epoch(recipe: Recipe, epoch: int) -> str:
    if recipe.picks == "last":
        return f"After {recipe.epochs} epochs"
    return f"After epoch {epoch} of {recipe.epochs}, which has the best `{recipe.picks}` on dev pages"
