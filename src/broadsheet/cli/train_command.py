"""`broadsheet train`: labelled pages in, a folder of weights out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from broadsheet.training.trainers import TRAINERS

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet train visual --data labelled/             writes weights/visual/, from labelled/*.train.* and *.dev.*
  broadsheet train visual --data labelled/ --limit 50  a quick trial: 50 pages of each file
"""


def train_command(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help=f"Model to train: {', '.join(TRAINERS)}.", show_default=False)
    ],
    data: Annotated[
        Path, typer.Option("--data", metavar="DIR", help="Folder of <dataset>.train.* and <dataset>.dev.* files.")
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
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same weights.")] = 0,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", min=1, help="Only the first N pages of each file.", show_default=False),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option("--classes", metavar="A,B", help="Roles to predict (gcn).", show_default=False),
    ] = None,
) -> None:
    """Train a model on labelled pages and write its weights.

    An interrupted run continues when it is started again with the same options.
    """
    from rich.console import Console
    from rich.progress import track

    from broadsheet.models.weights import check_output
    from broadsheet.training.options import TrainingOptions
    from broadsheet.training.trainers import load_trainer

    train = load_trainer(model)
    target = output or Path("weights") / model
    console = Console(stderr=True)
    options = TrainingOptions(
        data=data,
        output=target,
        work=work or Path(".training") / model,
        seed=seed,
        limit=limit,
        classes=tuple(name.strip() for name in (classes or "").split(",") if name.strip()),
        progress=partial(track, console=console, transient=True),
        report=lambda line: console.print(line, markup=False, highlight=False),
    )
    options.work.mkdir(parents=True, exist_ok=True)
    check_output(target)
    train(options)
    console.print(f"wrote {target}", highlight=False)
