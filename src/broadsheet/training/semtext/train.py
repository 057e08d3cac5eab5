"""Train SemText (section IV): the network that is shipped, the published one, and the one for CleanEval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from broadsheet.extras import import_extra
from broadsheet.methods.semtext.config import SemtextConfig
from broadsheet.models import load_weights, save_weights
from broadsheet.training.card import Card
from broadsheet.training.options import TrainingOptions
from broadsheet.training.semtext.recipes import CLEANEVAL, CLEANEVAL_THRESHOLD, PUBLISHED, SHIPPED, Recipe

if TYPE_CHECKING:
    from broadsheet.training.semtext.loop import Trained

_LOG_HEADER = "| epoch | loss per unit | block P | R | F1 | word F1 | seconds |\n|---|---|---|---|---|---|---|"
_MAX_FULL_PRECISION = 10  # arrays with fewer numbers are stored in single precision, others in half precision


@dataclass(frozen=True, slots=True)
class _Model:
    """A network that can be trained."""

    name: str  # of the trainer
    summary: str
    recipe: Recipe


def train_shipped(options: TrainingOptions) -> None:
    """Train the small network of `method="semtext"`."""
    _train(_Model("semtext", 'The small network of `method="semtext"`.', SHIPPED), options)


def train_published(options: TrainingOptions) -> None:
    """Train the network in its published size."""
    _train(_Model("semtext-published", "SemText in its published size.", PUBLISHED), options)


def tune_for_cleaneval(options: TrainingOptions) -> None:
    """Fine-tune the shipped network on the development pages of CleanEval (IV-A)."""
    torch = import_extra("torch", "train")
    weights = load_weights("semtext")
    config = SemtextConfig.shipped()
    start = {name: torch.from_numpy(array.astype(np.float32)) for name, array in weights.arrays.items()}
    recipe = replace(CLEANEVAL, config=replace(config, threshold=CLEANEVAL_THRESHOLD, page_share=0.0))
    summary = "The shipped network, fine-tuned on the development pages of CleanEval, for its benchmark."
    _train(_Model("semtext-cleaneval", summary, recipe), options, start)


def _train(model: _Model, options: TrainingOptions, start: Mapping[str, Any] | None = None) -> None:
    import_extra("torch", "train")
    from broadsheet.training.semtext.loop import train_network
    from broadsheet.training.semtext.prediction import load_pages

    train, dev = (load_pages(options, split, model.recipe) for split in ("train", "dev"))
    options.report(f"{len(train.examples)} training pages with {len(train.examples.gold)} units")
    options.report(_LOG_HEADER)
    trained = train_network(model.recipe, train, dev, options, start=start)
    arrays = {
        name: value.numpy().astype(np.float32 if value.numel() < _MAX_FULL_PRECISION else np.float16)
        for name, value in trained.network.state_dict().items()
    }
    parameters = sum(array.size for array in arrays.values())
    card = Card(
        model="semtext",
        summary=model.summary,
        command=f"broadsheet train {model.name}",
        seed=options.seed,
        pages=Counter(train.examples.datasets),
        figures={**_list_figures(trained), "parameters": f"{parameters:,}"},
        notes=[_describe_epoch(model.recipe, trained.epoch)],
    )
    save_weights(options.output, "semtext", arrays, {"network": asdict(model.recipe.config)}, card.write())


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
