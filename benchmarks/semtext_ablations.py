"""Ablations of SemText: networks without some of its inputs (Table III of the document, and our own switches)."""

from __future__ import annotations

from dataclasses import replace

from broadsheet.extras import import_extra
from broadsheet.methods.semtext.train import SHIPPED, SemtextRecipe
from broadsheet.training.options import TrainingOptions

EPOCHS = 4  # fewer than for the shipped network: enough to compare
_WITHOUT_FEATURES = replace(SHIPPED, epochs=EPOCHS, config=replace(SHIPPED.config, has_features=False))


def _switch(recipe: SemtextRecipe, **switches: object) -> SemtextRecipe:
    return replace(recipe, config=replace(recipe.config, **switches))  # type: ignore[arg-type]


RECIPES = {
    "text": _switch(_WITHOUT_FEATURES, strings=("texts",)),
    "text, tags": _switch(_WITHOUT_FEATURES, strings=("tags", "texts")),
    "text, class names": _switch(_WITHOUT_FEATURES, strings=("classes", "texts")),
    "text, tags, class names": _WITHOUT_FEATURES,
    "text, tags, class names, features": _switch(_WITHOUT_FEATURES, has_features=True),
}


def run_ablations(options: TrainingOptions, recipes: dict[str, SemtextRecipe] = RECIPES) -> None:
    """Train each network, and report its quality on dev pages as a row of a table."""
    import_extra("torch", "train")
    from broadsheet.methods.semtext.train_loop import load_pages, train_network

    rows: list[str] = []
    for name, recipe in recipes.items():
        train, dev = (load_pages(options, split, recipe) for split in ("train", "dev"))
        scores = train_network(recipe, train, dev, options).scores
        row = f"| {name} | {scores.precision:.3f} | {scores.recall:.3f} | {scores.f1:.3f} | {scores.word_f1:.3f} |"
        rows.append(row)
        options.report(row)
    options.report("\n".join(("| | block P | R | F1 | word F1 |", "|---|---:|---:|---:|---:|", *rows)))
