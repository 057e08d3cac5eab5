"""`broadsheet site`: learn the template of a site from its pages, describe it, and compare pages with it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from broadsheet.cli.learning import LearnRequest, learn_site
from broadsheet.cli.messages import complain, show_name
from broadsheet.cli.parameters import PlainCommand, PlainGroup, with_options
from broadsheet.cli.sources import find_sources, read_pages
from broadsheet.inputs import ReadOptions, decode_capture
from broadsheet.option_field import REQUIRED, argument, group, option
from broadsheet.site import Site
from broadsheet.web import DEFAULT_GUARD, AddressGuard

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet site learn pages/ -o site.json        pages of one site
  broadsheet site learn new/ --into site.json      add pages later
  broadsheet site show site.json                   describe the template
  broadsheet site show site.json new/ --json       has the layout changed? exit code 3
  broadsheet extract story.html --site site.json   use it
"""
CHANGED = 3  # exit code: the layout has changed
_FAILED = 1
_SCORE_DIGITS = 4

site_app = typer.Typer(cls=PlainGroup, rich_markup_mode="rich", no_args_is_help=True, add_completion=False)


@site_app.callback()
def describe_group() -> None:
    """Learn the template of a site: text that repeats across its pages is not part of any article."""


@site_app.command("learn", cls=PlainCommand)
@with_options
def learn_command(request: LearnRequest) -> None:
    """Learn a site from its pages and save it."""
    if not learn_site(request):
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class ShowRequest:
    """The arguments of `broadsheet site show`."""

    file: str = argument(REQUIRED, "A saved site.", metavar="FILE")
    pages: tuple[str, ...] = argument((), "Pages to compare with it: has the layout changed?", metavar="PAGE...")
    is_json: bool = option(False, "Print one JSON object, for monitoring.", "--json")
    guard: AddressGuard = group(DEFAULT_GUARD)


@site_app.command("show", cls=PlainCommand)
@with_options
def show_command(request: ShowRequest) -> None:
    """Describe a saved site, and measure how far pages differ from it. Exit code 3: the layout has changed."""
    if code := show_site(request):
        raise typer.Exit(code)


@dataclass(frozen=True, slots=True)
class PageDrift:
    """The drift of one page."""

    source: str
    drift: float
    has_changed: bool
    problem: str = ""  # why the page could not be read


def show_site(request: ShowRequest) -> int:
    """Print a description of a site and the drift of pages from it. Return the exit code."""
    site = Site.load(request.file)
    if not request.is_json:
        print(f"{Path(request.file).name}: {site.describe()}")
    drifts: list[PageDrift] = []

    def miss(problem: str, name: str) -> None:
        complain(problem)
        drifts.append(PageDrift(show_name(name), 0.0, has_changed=False, problem=problem))

    for source, capture in read_pages(find_sources(request.pages), ReadOptions(guard=request.guard), miss):
        drift = site.drift(decode_capture(capture))
        name = show_name(source.name)
        drifts.append(PageDrift(name, round(drift.score, _SCORE_DIGITS), drift.has_changed))
        if not request.is_json:
            verdict = "the layout has changed" if drift.has_changed else "the same layout"
            print(f"{name}: drift {drift.score:.2f}, {verdict}")
    has_changed = any(drift.has_changed for drift in drifts)
    if request.is_json:
        summary = {"site": show_name(request.file), "pages_seen": site.pages, "templates": len(site.templates)}
        rows = [asdict(drift) for drift in drifts]
        print(json.dumps({**summary, "has_changed": has_changed, "pages": rows}, ensure_ascii=False, indent=2))
    if has_changed:
        return CHANGED
    return _FAILED if any(drift.problem for drift in drifts) else 0
