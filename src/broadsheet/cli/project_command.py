"""`broadsheet project`: pages of your sites, their labels, and weights that are learned from them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from broadsheet.cli.commands import PlainCommand, PlainGroup
from broadsheet.cli.fetch_options import AllowPrivate, UseProxy, make_guard

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet project add my-project pages/       add pages; creates the project
  broadsheet desk --project my-project           correct them in the browser
  broadsheet project list my-project             the queue: most informative pages first
  broadsheet project label my-project 3f2a --role '/html[1]/body[1]/p[4]=boilerplate' --accept
  broadsheet project export my-project -o labels.jsonl
  broadsheet project retrain my-project          fine-tune, and show before and after
  broadsheet project use my-project 1            make the new weights the default
  broadsheet extract page.html --weights my-project/weights
"""

project_app = typer.Typer(cls=PlainGroup, rich_markup_mode="rich", no_args_is_help=True, add_completion=False)
ProjectFolder = Annotated[Path, typer.Argument(metavar="PROJECT", help="Folder of the project.", show_default=False)]
PageName = Annotated[
    str, typer.Argument(metavar="PAGE", help="Name or hash of a page; the first 4 characters of a hash are enough.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Who = Annotated[
    str | None,
    typer.Option(
        "--who", metavar="NAME", help="Name of the person who labels. Default: the user name.", show_default=False
    ),
]


@project_app.callback()
def describe_group() -> None:
    """Correct pages of your sites and learn from them. The desk does the same in the browser."""


@project_app.command("add", cls=PlainCommand)
def add_command(
    folder: ProjectFolder,
    pages: Annotated[
        list[str], typer.Argument(metavar="PAGE...", help="Files, folders, patterns or http(s) addresses.")
    ],
    allow_private: AllowPrivate = False,
    use_proxy: UseProxy = False,
) -> None:
    """Add pages to a project, which is created if it does not exist. Pages that it already has are skipped."""
    from broadsheet.cli.project_pages import add_pages

    if not add_pages(folder, tuple(pages), make_guard(allow_private=allow_private, use_proxy=use_proxy)):
        raise typer.Exit(1)


@project_app.command("list", cls=PlainCommand)
def list_command(
    folder: ProjectFolder,
    done: Annotated[bool, typer.Option("--done", help="List the pages that are done instead of the queue.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the queue: pages that are not done, the most informative first."""
    from broadsheet.cli.project_pages import print_queue

    print_queue(folder, is_done=done, is_json=as_json)


@project_app.command("show", cls=PlainCommand)
def show_command(
    folder: ProjectFolder,
    page: PageName,
    as_json: AsJson = False,
) -> None:
    """Show the blocks of a page with their paths, roles, and where each role comes from."""
    from broadsheet.cli.project_pages import print_page

    print_page(folder, page, is_json=as_json)


@project_app.command("label", cls=PlainCommand)
def label_command(
    folder: ProjectFolder,
    page: PageName,
    role: Annotated[
        list[str] | None,
        typer.Option("--role", metavar="PATH=ROLE", help="Role of a block. Can be repeated.", show_default=False),
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            "--field", metavar="NAME=VALUE", help="title, date, or authors (A; B). Can be repeated.", show_default=False
        ),
    ] = None,
    page_type: Annotated[
        str | None, typer.Option("--type", metavar="article|other", help="Kind of page.", show_default=False)
    ] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Accept all other suggestions: the page is done.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Undo your last step on this page.")] = False,
    who: Who = None,
) -> None:
    """Label blocks and fields of a page."""
    from broadsheet.cli.project_pages import LabelRequest, label_page

    request = LabelRequest(tuple(role or ()), tuple(field or ()), page_type, accept, undo)
    label_page(folder, page, request, who)


@project_app.command("export", cls=PlainCommand)
def export_command(
    folder: ProjectFolder,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="A .jsonl file.")] = Path(
        "labels.jsonl"
    ),
) -> None:
    """Write the pages that are done as labelled pages, for broadsheet eval and broadsheet train."""
    from broadsheet.cli.project_pages import export_pages

    export_pages(folder, output)


@project_app.command("health", cls=PlainCommand)
def health_command(folder: ProjectFolder, as_json: AsJson = False) -> None:
    """Show for each site: confidence, missing fields, and whether the layout has changed. Exit code 3: warnings."""
    from broadsheet.cli.project_pages import print_health

    if code := print_health(folder, is_json=as_json):
        raise typer.Exit(code)


@project_app.command("retrain", cls=PlainCommand)
def retrain_command(
    folder: ProjectFolder,
    start: Annotated[
        str, typer.Option("--start", metavar="shipped|RUN", help="Weights to fine-tune: shipped, or those of a run.")
    ] = "shipped",
) -> None:
    """Fine-tune the default method on the labels, and measure before and after on held-out pages."""
    from broadsheet.cli.project_runs import retrain

    retrain(folder, start)


@project_app.command("runs", cls=PlainCommand)
def runs_command(folder: ProjectFolder, as_json: AsJson = False) -> None:
    """List the retrainings."""
    from broadsheet.cli.project_runs import print_runs

    print_runs(folder, is_json=as_json)


@project_app.command("use", cls=PlainCommand)
def use_command(
    folder: ProjectFolder,
    run: Annotated[str, typer.Argument(metavar="RUN|shipped", help="Number of a retraining, or shipped.")],
) -> None:
    """Make the weights of a retraining the project's default, and extract its pages again."""
    from broadsheet.cli.project_runs import use_weights

    use_weights(folder, run)


@project_app.command("discard", cls=PlainCommand)
def discard_command(
    folder: ProjectFolder, run: Annotated[int, typer.Argument(metavar="RUN", help="Number of a retraining.")]
) -> None:
    """Delete the weights of a retraining."""
    from broadsheet.cli.project_runs import discard_weights

    discard_weights(folder, run)
