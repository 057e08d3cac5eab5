"""Parts of SemText left out, one network for each (Table III of the document, and our own switches)."""

from __future__ import annotations

from dataclasses import replace

from broadsheet.extras import import_extra
from broadsheet.training.options import TrainingOptions
from broadsheet.training.semtext.data import load_examples
from broadsheet.training.semtext.recipes import SHIPPED, Recipe

EPOCHS = 4  # fewer than what is shipped got: enough to tell the parts from one another
_PLAIN = replace(SHIPPED, epochs=EPOCHS, config=replace(SHIPPED.config, has_features=False))


def _give(recipe: Recipe, **switches: object) -> Recipe:
    return replace(recipe, config=replace(recipe.config, **switches))  # type: ignore[arg-type]


RECIPES = {
    "text": _give(_PLAIN, strings=("texts",)),
    "text, tags": _give(_PLAIN, strings=("tags", "texts")),
    "text, class names": _give(_PLAIN, strings=("classes", "texts")),
    "text, tags, class names": _PLAIN,
    "... and measures": _give(_PLAIN, has_features=True),
}


def run_ablations(options: TrainingOptions, recipes: dict[str, Recipe] = RECIPES) -> None:
    """Train each network and report its figures on dev as a row of a table."""
    import_extra("torch", "train")
    from broadsheet.training.semtext.loop import Pages, load_vectors, train_network

    rows: list[str] = []
    for name, recipe in recipes.items():
        train, dev = (
            Pages(examples, load_vectors(examples.vocabulary))
            for examples in (load_examples(options, split, recipe.config, recipe.sets) for split in ("train", "dev"))
        )
        place = options.work / f"ablation-{len(rows)}"
        scores = train_network(recipe, train, dev, seed=options.seed, work=place, report=options.report).scores
        row = f"| {name} | {scores.precision:.3f} | {scores.recall:.3f} | {scores.f1:.3f} | {scores.word_f1:.3f} |"
        rows.append(row)
        options.report(row)
    options.report("\n".join(("| | block P | R | F1 | word F1 |", "|---|---:|---:|---:|---:|", *rows)))
