"""Retraining of a project: `broadsheet project retrain | runs | use | discard`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from broadsheet.errors import BroadsheetError, UsageError
from broadsheet.evaluation.runner import MeasureChange, write_table
from broadsheet.project import PageEntry, Project
from broadsheet.project.runs import SHIPPED, RunStatus, Trainer, TrainingRun

_POLL_SECONDS = 0.5
_MAX_DIGITS = 20

ProjectFolder = Annotated[Path, typer.Argument(metavar="PROJECT", help="Folder of the project.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def retrain_command(
    folder: ProjectFolder,
    start: Annotated[
        str, typer.Option("--start", metavar="shipped|RUN", help="Weights to fine-tune: shipped, or those of a run.")
    ] = SHIPPED,
) -> None:
    """Fine-tune the default method on the labels, and measure before and after on held-out pages."""
    with Project(folder) as project:
        trainer = Trainer(project)
        try:
            run = _follow(trainer, trainer.start(start))
        finally:
            trainer.close()
    if run.status is not RunStatus.DONE:
        raise BroadsheetError(f"the retraining {run.status}: {run.error or 'see its log'}")
    print_comparison(run)
    print(f"use them:   broadsheet project use {folder} {run.id}")
    print(f"or not:     broadsheet project discard {folder} {run.id}")


def _follow(trainer: Trainer, run: TrainingRun) -> TrainingRun:
    with (trainer.get_folder(run.id) / "log.txt").open(encoding="utf-8", errors="replace") as log:
        while True:
            current = trainer.get_run(run.id)
            print(log.read(), end="", file=sys.stderr, flush=True)
            if current.status is not RunStatus.RUNNING:
                return current
            time.sleep(_POLL_SECONDS)


def print_comparison(run: TrainingRun) -> None:
    """Print the measures before and after a run."""
    comparison: dict[str, Any] = run.comparison or {"pages": 0, "measures": []}
    print(f"run {run.id}: {run.pages} labelled pages, of which {comparison['pages']} were held out")
    for line in write_table([MeasureChange(**measure) for measure in comparison["measures"]]):
        print(line)


def runs_command(folder: ProjectFolder, is_json: AsJson = False) -> None:
    """List the retrainings."""
    with Project(folder) as project:
        runs, default = Trainer(project).list_runs(), project.default_run
    if is_json:
        print(json.dumps([asdict(run) for run in runs], ensure_ascii=False, indent=2))
        return
    for run in runs:
        use = ", in use" if run.id == default else ""
        print(f"run {run.id}: {run.status}{use}, {run.started_at}, {run.pages} pages, from {run.start}")
    if default is None:
        print("the shipped weights are in use")


def use_command(
    folder: ProjectFolder,
    run: Annotated[str, typer.Argument(metavar="RUN|shipped", help="Number of a retraining, or shipped.")],
) -> None:
    """Make the weights of a retraining the project's default, and extract its pages again."""
    with Project(folder) as project:
        trainer = Trainer(project)
        if run == SHIPPED:
            trainer.use_shipped()
        elif run.isdecimal():
            trainer.use(int(run[:_MAX_DIGITS]))
        else:
            raise UsageError(f"{run!r} is neither the number of a run nor {SHIPPED!r}")
        trainer.extract_all(_show_progress)
    if run == SHIPPED:
        print("the shipped weights are in use")
    else:
        print(f"run {run} is in use; elsewhere: broadsheet extract PAGE --weights {folder / 'weights'}")


def discard_command(
    folder: ProjectFolder, run: Annotated[int, typer.Argument(metavar="RUN", help="Number of a retraining.")]
) -> None:
    """Delete the weights of a retraining."""
    with Project(folder) as project:
        Trainer(project).discard(run)
    print(f"the weights of run {run} were deleted")


def _show_progress(pages: list[PageEntry]) -> Iterator[PageEntry]:
    from rich.progress import track

    return iter(track(pages, "extracting", transient=True, disable=not sys.stderr.isatty()))
