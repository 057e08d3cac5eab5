"""Options of a training run, and whether there are enough labelled pages for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, TypeVar

from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.models import Weights, load_weights
from broadsheet.option_field import list_options, option, split_names

Item = TypeVar("Item")
OPTIMIZERS = ("sgd", "adam")
SHIPPED_START = "shipped"  # value of `start`: the shipped weights
MIN_PAGES = 10  # training pages, with the labels that a model or a part of it needs
MIN_TUNING_PAGES = 8  # from trained weights: ten labelled pages, of which two are held out
MIN_STEPS = 400  # of an optimizer: with few pages, an epoch has too few steps to learn
MIN_TUNING_STEPS = 100  # from trained weights


class Progress(Protocol):
    """Shows the progress of a long step while it passes the items through."""

    def __call__(self, items: Iterable[Item], description: str, total: int | None = None) -> Iterable[Item]:
        """Iterate over the items."""
        ...


def show_nothing(items: Iterable[Item], description: str, total: int | None = None) -> Iterable[Item]:  # noqa: ARG001
    """Progress without any output."""
    return items


def read_optimizer(text: str) -> str:
    """Return the name of an optimizer. Raises ValueError."""
    if text not in OPTIMIZERS:
        raise ValueError(f"must be one of {', '.join(OPTIMIZERS)}")
    return text


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Input and output folders of a training run, and everything else that its result depends on."""

    data: Path  # file or folder of labelled pages
    output: Path  # folder of weights to write
    work: Path  # folder of cached features and checkpoints
    seed: int = option(0, "The same seed gives the same weights.", least=0)
    limit: int | None = option(None, "Only the first N pages of each file.", "--limit", "-n", least=1)
    classes: tuple[str, ...] = option((), "Roles to predict (gcn).", metavar="A,B", read=split_names)
    skipped: tuple[str, ...] = option((), "Datasets to leave out.", "--skip", metavar="A,B", read=split_names)
    is_tenth_held_out: bool = option(
        False, "Leave out a tenth of the sites, to measure on them (fusion).", "--hold-out"
    )
    epochs: int | None = option(None, "Number of passes over the training pages (networks).", least=1)
    layers: int | None = option(None, "Layers of the network, 2 or 3 in the paper (gcn-published).", least=1, most=6)
    optimizer: str | None = option(  # None: that of the recipe
        None, "sgd, as SemText prints it, or adam (semtext).", metavar="sgd|adam", read=read_optimizer
    )
    start: str | None = option(
        None,
        "Fine-tune these weights (fusion, semtext, gcn, visual, title). Default: train from scratch.",
        metavar="shipped|DIR",
    )
    progress: Progress = show_nothing
    report: Callable[[str], None] = print  # writes one line to the log

    def load_start(self, model: str) -> Weights | None:
        """Return the weights to start from. Raises UsageError."""
        if self.start is None:
            return None
        return load_weights(model, None if self.start == SHIPPED_START else self.start)

    def write_command(self, trainer: str) -> str:
        """Return the command that trains the same weights from the same data."""
        parts = [f"broadsheet train {trainer} --seed {self.seed}"]
        for flag, value in self.list_given().items():
            text = ",".join(value) if isinstance(value, tuple) else value
            parts.append(flag if value is True else f"{flag} {text}")
        return " ".join(parts)

    def list_given(self) -> dict[str, object]:
        """Return the options of the command line that are set, beside the seed."""
        values = {flag: getattr(self, name) for name, flag in _FLAGS.items() if name != "seed"}
        return {flag: value for flag, value in values.items() if value}


_FLAGS = {
    name: declared.names[0] if declared.names else f"--{name}"
    for name, declared in list_options(TrainingOptions).items()
}


def require_pages(model: str, labels: str, count: int, options: TrainingOptions, *, split: str = "train") -> None:
    """Raise UsageError if a model has too few pages with some labels."""
    needed = 1 if split != "train" else _count_needed(options)
    if count < needed:
        raise UsageError(
            f"{model} needs at least {needed} {split} pages with {labels}; {options.data} has {count}: label more pages"
        )


def has_pages(  # noqa: PLR0913
    part: str, labels: str, count: int, options: TrainingOptions, *, instead: str, needed: int | None = None
) -> bool:
    """Return whether there are enough pages for a part of a model. Report a part that is skipped."""
    needed = _count_needed(options) if needed is None else needed
    if count >= needed:
        return True
    options.report(f"skipped: {part} needs {needed} train pages with {labels}, found {count}; {instead}")
    return False


def _count_needed(options: TrainingOptions) -> int:
    return MIN_PAGES if options.start is None else MIN_TUNING_PAGES


def choose_epochs(options: TrainingOptions, default: int, *, pages: int, batch: int) -> int:
    """Return the number of epochs: that of the options, or the default, or more if there are few pages."""
    if options.epochs is not None:
        return options.epochs
    min_steps = MIN_STEPS if options.start is None else MIN_TUNING_STEPS
    return max(default, math.ceil(min_steps / max(1, math.ceil(pages / batch))))


# Table of the models that can be trained. A trainer is imported when it is used


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
    "--start": ("fusion", "semtext", "semtext-cleaneval", "gcn", "visual", "title"),
    "--epochs": _NETWORKS,
    "--classes": ("gcn",),
    "--layers": ("gcn-published",),
    "--optimizer": ("semtext", "semtext-published", "semtext-cleaneval"),
    "--hold-out": ("fusion",),
    "--skip": (*_NETWORKS, "visual", "visual-published", "title", "words"),
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
    for flag in options.list_given():
        if model not in SUPPORTED.get(flag, TRAINERS):
            raise UsageError(f"{model} does not use {flag}; models that do: {', '.join(SUPPORTED[flag])}")
    options.load_start(model.partition("-")[0])


def load_trainer(name: str) -> Callable[[TrainingOptions], None]:
    """Import the trainer of a model. Raises UsageError, which lists the models."""
    if name not in TRAINERS:
        raise UsageError(f"unknown model {name!r}; models that can be trained: {', '.join(TRAINERS)}")
    module, _, attribute = TRAINERS[name].partition(":")
    trainer: Callable[[TrainingOptions], None] = getattr(import_module(module), attribute)
    return trainer
