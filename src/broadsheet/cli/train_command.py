"""`broadsheet train`: labelled pages in, a folder of weights out; and the weights before and after, compared."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from broadsheet.cli.parameters import with_options
from broadsheet.errors import UsageError
from broadsheet.evaluation.contenders import find_baseline
from broadsheet.evaluation.runner import write_table
from broadsheet.models.weights import check_output
from broadsheet.option_field import option
from broadsheet.project.retrain import compare_trained
from broadsheet.training.datasets import check_skipped, has_split_files
from broadsheet.training.options import (
    SHIPPED_START,
    TRAINERS,
    TrainingOptions,
    check_options,
    check_packages,
    load_trainer,
)
from broadsheet.training.pages import describe_data

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet train visual --data my-pages/                            writes weights/visual/
  broadsheet train fusion --data my-pages/ --start shipped --compare  fine-tune, and measure what it changes
  broadsheet train visual --data my-pages/ --limit 50                 a quick trial: 50 pages of each file

Labelled pages: all layouts that broadsheet eval reads. Pages of <dataset>.train.* are learned from, pages of
<dataset>.dev.* are held out to choose thresholds and to measure; pages in other files are divided by site.
docs/howto/train.md says what each model needs.
"""
_INCOMPARABLE = ("words",)  # no method takes other word vectors than the shipped ones


@dataclass(frozen=True, slots=True)
class TrainArguments:
    """The arguments of the command, beside the options of a training."""

    data: Path = option(Path(), "Labelled pages, in any layout that eval reads.", metavar="FILE|DIR")
    output: Path | None = option(
        None, "Folder for the weights. Default: weights/MODEL.", "--output", "-o", metavar="DIR"
    )
    work: Path | None = option(
        None,
        "Folder for checkpoints and features, kept between runs. Default: .training/MODEL.",
        metavar="DIR",
    )
    is_compared: bool = option(False, "Measure the old and the new weights on the held-out pages.", "--compare")
    is_json: bool = option(False, "Print the comparison as JSON.", "--json")


@with_options
def train_command(
    model: Annotated[str, typer.Argument(help=f"Model to train: {', '.join(TRAINERS)}.", metavar="MODEL")],
    arguments: TrainArguments,
    options: TrainingOptions = TrainingOptions(Path(), Path(), Path()),  # noqa: B008 - frozen
) -> None:
    """Train a model on labelled pages and write its weights.

    An interrupted run continues when it is started again with the same options.
    """
    from rich.console import Console
    from rich.progress import track

    train = load_trainer(model)
    console = Console(stderr=True)
    options = replace(
        options,
        data=arguments.data,
        output=arguments.output or Path("weights") / model,
        work=arguments.work or Path(".training") / model,
        progress=partial(track, console=console, transient=True),
        report=lambda line: console.print(line, markup=False, highlight=False, soft_wrap=True),
    )
    check_options(model, options)
    if arguments.is_json and not arguments.is_compared:
        raise UsageError("--json is for the comparison; add --compare")
    if arguments.is_compared:
        check_comparison(model, options)
    options.work.mkdir(parents=True, exist_ok=True)
    check_output(options.output)
    check_skipped(options)
    check_packages(model)
    if not has_split_files(options.data):
        for line in describe_data(options):
            options.report(line)
    train(options)
    console.print(f"wrote {options.output}", highlight=False)
    if arguments.is_compared:
        print_comparison(options, is_json=arguments.is_json)


def check_comparison(model: str, options: TrainingOptions) -> None:
    """Raise UsageError if a model cannot be compared, or if training replaces the weights to compare with."""
    if model in _INCOMPARABLE:
        raise UsageError(f"--compare is not possible for {model}: no method can use other {model}; leave it out")
    if options.start not in {None, SHIPPED_START} and Path(options.start or "").resolve() == options.output.resolve():
        raise UsageError(
            f"--compare needs the weights of {options.start}, which training replaces; name another folder with -o"
        )


def print_comparison(options: TrainingOptions, *, is_json: bool = False) -> None:
    """Evaluate the old and the new weights on the dev pages, and print a table or JSON."""
    comparison = compare_trained(options)
    if is_json:
        print(json.dumps(asdict(comparison), ensure_ascii=False, indent=2))
        return
    model, before = comparison.model, comparison.before
    if before == SHIPPED_START:
        baseline = find_baseline(model)
        before = "shipped weights" if baseline == model else f"shipped weights of {baseline}"
    print(f"{model} on {comparison.pages} held-out pages: {before} before, {options.output} after")
    for line in write_table(comparison.measures):
        print(line)
