"""Which models can be trained: a readable table. Nothing is imported until used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from broadsheet.errors import UsageError
from broadsheet.training.options import TrainingOptions

# name -> function that trains it and writes a folder of weights
TRAINERS: dict[str, str] = {
    "fusion": "broadsheet.training.fusion.train:train_fusion",
    "semtext": "broadsheet.training.semtext.train:train_shipped",
    "semtext-published": "broadsheet.training.semtext.train:train_published",
    "semtext-cleaneval": "broadsheet.training.semtext.train:tune_for_cleaneval",
    "gcn": "broadsheet.training.gcn.train:train_gcn",
    "words": "broadsheet.training.words.train:train_words",
    "visual": "broadsheet.training.visual.train:train_visual",
    "title": "broadsheet.training.title.train:train_title",
}


def load_trainer(name: str) -> Callable[[TrainingOptions], None]:
    """Load what trains a model. Raises UsageError with the known names."""
    if name not in TRAINERS:
        raise UsageError(f"no model {name!r} to train; known: {', '.join(TRAINERS)}")
    module, _, attribute = TRAINERS[name].partition(":")
    trainer: Callable[[TrainingOptions], None] = getattr(import_module(module), attribute)
    return trainer
