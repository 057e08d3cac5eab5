"""`broadsheet site`: learn the template of a site from its pages, and look at it."""

from __future__ import annotations

from typing import Annotated

import typer

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet site learn pages/ -o site.json        pages of one site
  broadsheet site learn new/ --into site.json      more of them, later
  broadsheet site show site.json                   what was learned, in words
  broadsheet site show site.json new/              has the layout changed?
  broadsheet extract story.html --site site.json   use it
"""

site_app = typer.Typer(rich_markup_mode="rich", no_args_is_help=True, add_completion=False)


@site_app.callback()
def describe_group() -> None:
    """Learn what all pages of a site say, so that no page's article contains it."""


@site_app.command("learn")
def learn_command(
    pages: Annotated[
        list[str],
        typer.Argument(metavar="PAGE", help="Files, folders, patterns or http(s) addresses of pages of one site."),
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to save the site.", show_default=False),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option("--into", metavar="FILE", help="A saved site that learns these pages too.", show_default=False),
    ] = None,
    home: Annotated[
        list[str] | None,
        typer.Option(
            "--home", metavar="FILE|URL", help="Home or section page: its links name articles.", show_default=False
        ),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            "--share",
            min=0.05,
            max=1.0,
            help="Share of the neighbour pages that must say something for it to be the template's; 1 as published.",
            show_default=False,
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress or summary: errors only.")] = False,
) -> None:
    """Learn a site from its pages and save it."""
    from broadsheet.cli.learning import learn_site

    if not learn_site(pages, output=output, into=into, homes=home or (), share=share, is_quiet=quiet):
        raise typer.Exit(1)


@site_app.command("show")
def show_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A saved site.")],
    pages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAGE", help="Pages to compare with it: are they of another layout?", show_default=False
        ),
    ] = None,
) -> None:
    """Say in words what a saved site has learned, and how far pages are from it."""
    from broadsheet.cli.learning import show_site

    if not show_site(file, pages or ()):
        raise typer.Exit(1)
