"""Table of the models that can be trained. A trainer is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.training.options import TrainingOptions

# name -> function that trains the model and writes a folder of weights
TRAINERS: dict[str, str] = {
    "fusion": "broadsheet.methods.fusion.train:train_fusion",
    "semtext": "broadsheet.methods.semtext.train:train_shipped",
    "semtext-published": "broadsheet.methods.semtext.train:train_published",
    "semtext-cleaneval": "broadsheet.methods.semtext.train:tune_for_cleaneval",
    "gcn": "broadsheet.methods.gcn.train:train_gcn",
    "gcn-published": "broadsheet.methods.gcn.train:train_published",
    "words": "broadsheet.models.train_words:train_words",
    "visual": "broadsheet.methods.visual.train:train_visual",
    "visual-published": "broadsheet.methods.visual.train:train_published",
    "title": "broadsheet.fields.train_title:train_title",
}


# Options that only some models use -> those models.
_NETWORKS = ("fusion", "semtext", "semtext-published", "semtext-cleaneval", "gcn", "gcn-published")
SUPPORTED = {
    "start": ("fusion", "semtext", "semtext-cleaneval", "gcn", "visual", "title"),
    "epochs": _NETWORKS,
    "classes": ("gcn",),
    "skip": (*_NETWORKS, "visual", "visual-published", "title", "words"),
}


# Packages of the extra that a model needs in every case -> checked before the pages are read, which takes minutes.
_PACKAGES = {
    "gcn": ("torch", "gensim"),
    "gcn-published": ("torch", "gensim"),
    "visual": ("sklearn",),
    "visual-published": ("sklearn",),
    "words": ("floret", "wordfreq"),
}


def check_packages(model: str) -> None:
    """Raise MissingExtra if a package that a model needs is not installed."""
    for package in _PACKAGES.get(model, ()):
        import_extra(package, "train")


def check_options(model: str, options: TrainingOptions) -> None:
    """Raise UsageError for an option that a model does not use, or weights that it cannot start from."""
    values = {"start": options.start, "epochs": options.epochs, "classes": options.classes, "skip": options.skipped}
    for name, value in values.items():
        if value and model not in SUPPORTED[name]:
            raise UsageError(f"{model} does not use --{name}; models that do: {', '.join(SUPPORTED[name])}")
    options.load_start(model.partition("-")[0])


def load_trainer(name: str) -> Callable[[TrainingOptions], None]:
    """Import the trainer of a model. Raises UsageError, which lists the models."""
    if name not in TRAINERS:
        raise UsageError(f"unknown model {name!r}; models that can be trained: {', '.join(TRAINERS)}")
    module, _, attribute = TRAINERS[name].partition(":")
    trainer: Callable[[TrainingOptions], None] = getattr(import_module(module), attribute)
    return trainer
