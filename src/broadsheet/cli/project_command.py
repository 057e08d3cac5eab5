"""`broadsheet project`: pages of your sites, their labels, and weights that are learned from them."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from broadsheet.blocks.roles import LabelRole
from broadsheet.cli.messages import complain
from broadsheet.cli.parameters import PlainCommand, PlainGroup, with_options
from broadsheet.cli.project_runs import (
    AsJson,
    ProjectFolder,
    discard_command,
    retrain_command,
    runs_command,
    use_command,
)
from broadsheet.cli.sources import find_sources, name_page, read_source
from broadsheet.errors import BroadsheetError, UsageError, describe_unknown
from broadsheet.inputs import ReadOptions, decode_capture
from broadsheet.option_field import option
from broadsheet.project.export import export_labels
from broadsheet.project.health import list_health
from broadsheet.project.page_queue import list_queue
from broadsheet.project.pages import PageEntry
from broadsheet.project.project import NewPage, PageEffect, PageView, Project, find_person
from broadsheet.text import format_count
from broadsheet.web import AddressGuard

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
HAS_WARNINGS = 3  # exit code
_MAX_TEXT_CHARS = 70
_HASH_CHARS = 8
_MAX_NAMES = 3

project_app = typer.Typer(cls=PlainGroup, rich_markup_mode="rich", no_args_is_help=True, add_completion=False)
PageName = Annotated[
    str, typer.Argument(metavar="PAGE", help="Name or hash of a page; the first 4 characters of a hash are enough.")
]


@project_app.callback()
def describe_group() -> None:
    """Correct pages of your sites and learn from them. The desk does the same in the browser."""


@project_app.command("add", cls=PlainCommand)
@with_options
def add_command(
    folder: ProjectFolder,
    pages: Annotated[
        list[str], typer.Argument(metavar="PAGE...", help="Files, folders, patterns or http(s) addresses.")
    ],
    guard: AddressGuard,
) -> None:
    """Add pages to a project, which is created if it does not exist. Pages that it already has are skipped."""
    from rich.progress import track

    sources, options = find_sources(pages), ReadOptions(guard=guard)
    problems = list(sources.problems)
    added = skipped = 0
    with Project(folder, creates=True) as project:
        for source in track(sources.pages, "adding", transient=True, disable=not sys.stderr.isatty()):
            try:
                for capture in read_source(source, options):
                    if capture.html is None:
                        problems.append(capture.fault)
                        continue
                    name = name_page(source, capture).name
                    new_page = NewPage(decode_capture(capture), name, capture.url, seen_at=capture.fetched_at)
                    is_new = project.add_page(new_page) is not None
                    added, skipped = added + is_new, skipped + (not is_new)
            except BroadsheetError as error:
                problems.append(str(error))
    for problem in problems:
        complain(problem)
    print(f"{format_count(added, 'page')} added to {folder}" + (f", {skipped} already in it" if skipped else ""))
    if problems:
        raise typer.Exit(1)


@project_app.command("list", cls=PlainCommand)
def list_command(
    folder: ProjectFolder,
    is_done: Annotated[bool, typer.Option("--done", help="List the pages that are done instead of the queue.")] = False,
    is_json: AsJson = False,
) -> None:
    """List the queue: pages that are not done, the most informative first."""
    with Project(folder) as project:
        if is_done:
            pages = [page for page in project.list_pages() if page.is_done]
            rows = [(page.hash[:_HASH_CHARS], page.page_type, page.name) for page in pages]
            values: list[Any] = list(map(asdict, pages))
        else:
            queue = list_queue(project)
            rows = [(page.entry.hash[:_HASH_CHARS], page.entry.name, ", ".join(page.reasons)) for page in queue]
            values = list(map(asdict, queue))
    if is_json:
        print(json.dumps(values, ensure_ascii=False, indent=2))
        return
    for row in rows:
        print("  ".join(row).rstrip())
    print(f"{format_count(len(rows), 'page')} {'done' if is_done else 'to correct'}")


@project_app.command("show", cls=PlainCommand)
def show_command(folder: ProjectFolder, page: PageName, is_json: AsJson = False) -> None:
    """Show the blocks of a page with their paths, roles, and where each role comes from."""
    with Project(folder) as project:
        view = project.view_page(project.find_page(page))
    if is_json:
        print(json.dumps(describe_view(view), ensure_ascii=False, indent=2))
        return
    for field, value in view.fields.items():
        print(f"{field}: {'; '.join(value) if isinstance(value, list | tuple) else value or '-'}")
    for block in view.blocks:
        text = block.block.text.replace("\n", " ")
        short = text if len(text) <= _MAX_TEXT_CHARS else text[: _MAX_TEXT_CHARS - 1] + "…"
        print(f"{block.role:<12} {block.source:<7} {block.block.path}  {short}")


def describe_view(view: PageView) -> dict[str, Any]:
    """Return a page as JSON values."""
    return {
        **asdict(view.entry),
        "fields": dict(view.fields),
        "blocks": [
            {
                "path": block.block.path,
                "role": block.role,
                "source": block.source,
                "suggestion": block.block.role,
                "score": block.block.score,
                "text": block.block.text,
            }
            for block in view.blocks
        ],
    }


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """The options of `broadsheet project label`, not checked yet."""

    roles: tuple[str, ...] = option((), "Role of a block. Can be repeated.", "--role", metavar="PATH=ROLE")
    fields: tuple[str, ...] = option(
        (), "title, date, or authors (A; B). Can be repeated.", "--field", metavar="NAME=VALUE"
    )
    page_type: str | None = option(None, "Kind of page.", "--type", metavar="article|other")
    accepts: bool = option(False, "Accept all other suggestions: the page is done.", "--accept")
    undoes: bool = option(False, "Undo your last step on this page.", "--undo")
    who: str | None = option(None, "Name of the person who labels. Default: the user name.", metavar="NAME")


@project_app.command("label", cls=PlainCommand)
@with_options
def label_command(folder: ProjectFolder, page: PageName, request: LabelRequest) -> None:
    """Label blocks and fields of a page."""
    person = request.who or find_person()
    roles = {path: _read_role(role) for path, role in map(_split_pair, request.roles)}
    fields = {
        field: value.split(";") if field == "authors" else value for field, value in map(_split_pair, request.fields)
    }
    with Project(folder) as project:
        entry = project.find_page(page)
        if request.undoes and project.undo(person, entry) is None:
            raise UsageError(f"{person} has changed nothing on this page")
        if roles:
            project.set_roles(entry, roles, person)
        if fields:
            project.set_fields(entry, fields, person)
        if request.page_type:
            project.set_page_type(entry, request.page_type, person)
        if request.accepts:
            project.accept(entry, person)
        changed = [effect for effect in project.view_site(entry).effects if effect.changed]
    if changed:
        _print_effects(entry, changed)


def _print_effects(entry: PageEntry, changed: list[PageEffect]) -> None:
    count = sum(len(effect.changed) for effect in changed)
    names = ", ".join(effect.entry.name for effect in changed[:_MAX_NAMES])
    more = f" and {len(changed) - _MAX_NAMES} more" if len(changed) > _MAX_NAMES else ""
    site = entry.host or "this site"
    pages = format_count(len(changed), "other page")
    print(f"labels of {site} change {format_count(count, 'block')} of {pages}: {names}{more}")


@project_app.command("export", cls=PlainCommand)
def export_command(
    folder: ProjectFolder,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="A .jsonl file.")] = Path(
        "labels.jsonl"
    ),
) -> None:
    """Write the pages that are done as labelled pages, for broadsheet eval and broadsheet train."""
    with Project(folder) as project:
        count = export_labels(project, output)
    print(f"{format_count(count, 'labelled page')} in {output}")


@project_app.command("health", cls=PlainCommand)
def health_command(folder: ProjectFolder, is_json: AsJson = False) -> None:
    """Show for each site: confidence, missing fields, and whether the layout has changed. Exit code 3: warnings."""
    with Project(folder) as project:
        sites = list_health(project.store)
    if is_json:
        print(json.dumps([asdict(site) for site in sites], ensure_ascii=False, indent=2))
    else:
        for site in sites:
            count = format_count(len(site.measurements), "page")
            print(f"{site.host or 'unknown site'}: {count}, confidence {site.confidence:.2f}")
            for warning in site.warnings:
                print(f"  {warning}")
    if any(site.warnings for site in sites):
        raise typer.Exit(HAS_WARNINGS)


project_app.command("retrain", cls=PlainCommand)(retrain_command)
project_app.command("runs", cls=PlainCommand)(runs_command)
project_app.command("use", cls=PlainCommand)(use_command)
project_app.command("discard", cls=PlainCommand)(discard_command)


def _split_pair(text: str) -> tuple[str, str]:
    name, sign, value = text.rpartition("=") if text.startswith("/") else text.partition("=")
    if not sign:
        raise UsageError(f"{text!r} has no '='; write NAME=VALUE")
    return name, value


def _read_role(role: str) -> LabelRole | None:
    if role == "none":
        return None
    try:
        return LabelRole(role)
    except ValueError:
        raise UsageError(describe_unknown("role", role, [*LabelRole, "none"])) from None
