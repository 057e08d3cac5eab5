"""`broadsheet train`: labelled pages in, a folder of weights out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from broadsheet.training.trainers import TRAINERS

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet train visual --data my-pages/                            writes weights/visual/
  broadsheet train fusion --data my-pages/ --start shipped --compare  fine-tune, and measure what it changes
  broadsheet train visual --data my-pages/ --limit 50                 a quick trial: 50 pages of each file

Labelled pages: all layouts that broadsheet eval reads. Pages of <dataset>.train.* are learned from, pages of
<dataset>.dev.* are held out to choose thresholds and to measure; pages in other files are divided by site.
docs/howto/train.md says what each model needs.
"""


def train_command(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help=f"Model to train: {', '.join(TRAINERS)}.", show_default=False)
    ],
    data: Annotated[
        Path, typer.Option("--data", metavar="FILE|DIR", help="Labelled pages, in any layout that eval reads.")
    ] = Path(),
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder for the weights. Default: weights/MODEL.", show_default=False
        ),
    ] = None,
    work: Annotated[
        Path | None,
        typer.Option(
            "--work",
            metavar="DIR",
            help="Folder for checkpoints and features, kept between runs. Default: .training/MODEL.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same weights.")] = 0,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", min=1, help="Only the first N pages of each file.", show_default=False),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option("--classes", metavar="A,B", help="Roles to predict (gcn).", show_default=False),
    ] = None,
    skip: Annotated[
        str | None,
        typer.Option("--skip", metavar="A,B", help="Datasets to leave out.", show_default=False),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            "--epochs", min=1, help="Number of passes over the training pages (networks).", show_default=False
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--start",
            metavar="shipped|DIR",
            help="Fine-tune these weights (fusion, semtext, gcn, visual, title). Default: train from scratch.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Measure the old and the new weights on the held-out pages.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> None:
    """Train a model on labelled pages and write its weights.

    An interrupted run continues when it is started again with the same options.
    """
    from rich.console import Console
    from rich.progress import track

    from broadsheet.cli.comparison import check_comparison, print_comparison
    from broadsheet.errors import UsageError
    from broadsheet.models.weights import check_output
    from broadsheet.training.datasets import check_skipped, has_split_files
    from broadsheet.training.options import TrainingOptions
    from broadsheet.training.pages import describe_data
    from broadsheet.training.trainers import check_options, check_packages, load_trainer

    train = load_trainer(model)
    target = output or Path("weights") / model
    console = Console(stderr=True)
    options = TrainingOptions(
        data=data,
        output=target,
        work=work or Path(".training") / model,
        seed=seed,
        limit=limit,
        classes=_split_names(classes),
        skipped=frozenset(_split_names(skip)),
        epochs=epochs,
        start=start,
        progress=partial(track, console=console, transient=True),
        report=lambda line: console.print(line, markup=False, highlight=False, soft_wrap=True),
    )
    check_options(model, options)
    if as_json and not compare:
        raise UsageError("--json is for the comparison; add --compare")
    if compare:
        check_comparison(model, options)
    options.work.mkdir(parents=True, exist_ok=True)
    check_output(target)
    check_skipped(options)
    check_packages(model)
    if not has_split_files(data):
        for line in describe_data(options):
            options.report(line)
    train(options)
    console.print(f"wrote {target}", highlight=False)
    if compare:
        print_comparison(options, is_json=as_json)


def _split_names(names: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (names or "").split(",") if name.strip())
