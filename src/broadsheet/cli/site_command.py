"""`broadsheet site`: learn the template of a site from its pages, and describe it."""

from __future__ import annotations

from typing import Annotated

import typer

from broadsheet.cli.commands import PlainCommand, PlainGroup
from broadsheet.cli.fetch_options import AllowPrivate, UseProxy, make_guard

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet site learn pages/ -o site.json        pages of one site
  broadsheet site learn new/ --into site.json      add pages later
  broadsheet site show site.json                   describe the template
  broadsheet site show site.json new/ --json       has the layout changed? exit code 3
  broadsheet extract story.html --site site.json   use it
"""

site_app = typer.Typer(cls=PlainGroup, rich_markup_mode="rich", no_args_is_help=True, add_completion=False)


@site_app.callback()
def describe_group() -> None:
    """Learn the template of a site: text that repeats across its pages is not part of any article."""


@site_app.command("learn", cls=PlainCommand)
def learn_command(
    pages: Annotated[
        list[str],
        typer.Argument(metavar="PAGE...", help="Files, folders, patterns or http(s) addresses of pages of one site."),
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to save the site.", show_default=False),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option("--into", metavar="FILE", help="A saved site to add these pages to.", show_default=False),
    ] = None,
    home: Annotated[
        list[str] | None,
        typer.Option(
            "--home",
            metavar="FILE|URL",
            help="Home or section page: its link texts are candidates for titles.",
            show_default=False,
        ),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            "--share",
            min=0.05,
            max=1.0,
            help="Share of the neighbour pages that must contain a text for it to count as static.",
            show_default=False,
        ),
    ] = None,
    is_published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="As in the paper of stadynot: elements with tag, attributes and text, on all neighbour pages.",
        ),
    ] = False,
    allow_private: AllowPrivate = False,
    use_proxy: UseProxy = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress or summary: errors only.")] = False,
) -> None:
    """Learn a site from its pages and save it."""
    from broadsheet.cli.learning import LearnRequest, learn_site

    request = LearnRequest(
        pages=tuple(pages),
        output=output,
        into=into,
        homes=tuple(home or ()),
        min_share=share,
        is_published=is_published,
        guard=make_guard(allow_private=allow_private, use_proxy=use_proxy),
        is_quiet=quiet,
    )
    if not learn_site(request):
        raise typer.Exit(1)


@site_app.command("show", cls=PlainCommand)
def show_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A saved site.")],
    pages: Annotated[
        list[str] | None,
        typer.Argument(metavar="PAGE...", help="Pages to compare with it: has the layout changed?", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for monitoring.")] = False,
    allow_private: AllowPrivate = False,
    use_proxy: UseProxy = False,
) -> None:
    """Describe a saved site, and measure how far pages differ from it. Exit code 3: the layout has changed."""
    from broadsheet.cli.drift import show_site
    from broadsheet.inputs import ReadOptions

    options = ReadOptions(guard=make_guard(allow_private=allow_private, use_proxy=use_proxy))
    if code := show_site(file, tuple(pages or ()), options, is_json=as_json):
        raise typer.Exit(code)
