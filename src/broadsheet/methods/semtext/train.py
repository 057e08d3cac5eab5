"""Train SemText (section IV): the network that is shipped, the published one, and the one for CleanEval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from broadsheet.extras import import_extra
from broadsheet.methods.semtext.config import MODEL, SECTION, SemtextConfig
from broadsheet.models import Weights, load_weights
from broadsheet.models.config import read_config
from broadsheet.training.finish import Card, finish
from broadsheet.training.options import TrainingOptions, choose_epochs, require_pages

if TYPE_CHECKING:
    from broadsheet.methods.semtext.train_loop import Trained

# English articles of 2008, 2012, 2017 and 2023: the nearest equivalent to the three datasets of section IV-A (the
# second one is the same), with the same number of pages.
ARTICLE_DATASETS = frozenset("aed chaos dragnet l3s-gn1".split())
_MAX_FULL_PRECISION = 10  # arrays with fewer numbers are stored in single precision, others in half precision


@dataclass(frozen=True, slots=True)
class SemtextRecipe:
    """How a network is trained. The defaults are as published, where the document states them."""

    config: SemtextConfig = field(default_factory=SemtextConfig)
    datasets: frozenset[str] | None = ARTICLE_DATASETS  # where the data has one of them; None: all
    optimizer: str = "sgd"  # IV-B; or adam (ours)
    rate: float = 0.1  # not stated
    batch: int = 64  # sequences (IV-B)
    max_units: int = 85  # per sequence in training (IV-B)
    epochs: int = 20  # not stated
    dropout: float = 0.0  # of the inputs and outputs of the BiLSTM (ours)
    word_dropout: float = 0.0  # share of words that are hidden in training (ours)
    length_weight: float = 0.0  # weight of a second loss in which long units count more (ours)
    patience: int | None = None  # training stops after this many epochs without a better F1 of blocks on dev (ours)
    picks: str = "f1"  # how the epoch is chosen: by block "f1" on dev (IV-B), "word_f1" or "last" (ours)


# Sizes and sequences as published. The document used SGD with an unstated rate and number of epochs; Adam learns more
# in the few epochs that are possible on two cores (figures in docs/methods/semtext.md).
PUBLISHED = SemtextRecipe(optimizer="adam", rate=1e-3, epochs=10)
RATES = {"sgd": 0.1, "adam": 1e-3}  # of an optimizer that is named on the command line
PATIENCE = 0.2  # share of the epochs of a long run on few pages

SHIPPED = SemtextRecipe(
    config=SemtextConfig(
        kernels=((3, 16), (5, 16), (7, 32)),
        hidden=64,
        max_blocks=128,
        overlap=32,
        combines=False,
        drops_stop_words=False,
        has_ids=True,
        keeps_path_end=True,
        has_features=True,
        threshold=0.2,
        page_share=0.5,
    ),
    datasets=None,
    optimizer="adam",
    rate=2e-3,
    batch=16,
    max_units=192,
    epochs=9,
    dropout=0.3,
    word_dropout=0.1,
    length_weight=0.3,
    picks="last",  # the rate ends at zero, and the last epoch has the best F1 of blocks and of words
)

# Chosen by cross-validation over the 49 train pages: block F1 0.898; 0.888 at a rate of 0.0005, 0.859 without
# fine-tuning. Six dev pages are too few to choose an epoch.
CLEANEVAL = SemtextRecipe(
    datasets=frozenset(("cleaneval-dev",)),
    optimizer="adam",
    rate=2e-3,
    batch=8,
    max_units=192,
    epochs=10,
    dropout=0.2,
    picks="last",
)
CLEANEVAL_THRESHOLD = 0.2

# Continue from trained weights with a few own pages: a lower rate and more epochs.
FINE_TUNING = SemtextRecipe(
    datasets=None,
    optimizer="adam",
    rate=5e-4,
    batch=8,
    max_units=192,
    epochs=10,
    dropout=0.2,
    word_dropout=0.1,
    length_weight=0.3,
    picks="last",
)


@dataclass(frozen=True, slots=True)
class _Model:
    """A network that can be trained."""

    name: str  # of the trainer
    summary: str
    recipe: SemtextRecipe
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
    recipe = _choose_recipe(model.recipe, options, pages)
    options.report(f"{len(train.examples)} training pages with {len(train.examples.gold)} units")
    trained = train_network(recipe, train, dev, options, start=start)
    if not trained.scores.recall:
        options.report(
            "warning: all blocks of the dev pages are boilerplate for this network; it has not learned. "
            "Train more epochs (--epochs), or with --optimizer adam"
        )
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


def _choose_recipe(recipe: SemtextRecipe, options: TrainingOptions, pages: int) -> SemtextRecipe:
    """Return the recipe with the options. With few pages there are more epochs, and the run stops early."""
    if options.optimizer not in {None, recipe.optimizer}:
        recipe = replace(recipe, optimizer=options.optimizer, rate=RATES[str(options.optimizer)])
    epochs = choose_epochs(options, recipe.epochs, pages=pages, batch=recipe.batch)
    if epochs > recipe.epochs and options.epochs is None:
        return replace(recipe, epochs=epochs, patience=round(PATIENCE * epochs), picks="f1")
    return replace(recipe, epochs=epochs)


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


def _describe_epoch(recipe: SemtextRecipe, epoch: int) -> str:
    if recipe.picks == "last":
        return f"After {recipe.epochs} epochs, by {recipe.optimizer}"
    epochs = f"epoch {epoch} of at most {recipe.epochs}, by {recipe.optimizer}"
    return f"After {epochs}, which has the best `{recipe.picks}` on dev pages"
