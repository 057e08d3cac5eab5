"""Pages and labels of a project on the command line."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.progress import track

from broadsheet.blocks.roles import LabelRole
from broadsheet.cli.complain import complain
from broadsheet.cli.sources import find_sources, name_page, read_source
from broadsheet.errors import BroadsheetError, UsageError, describe_unknown
from broadsheet.inputs import ReadOptions, decode_capture
from broadsheet.project.export import export_labels
from broadsheet.project.health import list_health
from broadsheet.project.page_queue import list_queue
from broadsheet.project.project import NewPage, PageView, Project, find_person
from broadsheet.text import format_count
from broadsheet.web import AddressGuard

HAS_WARNINGS = 3  # exit code
_MAX_TEXT_CHARS = 70
_HASH_CHARS = 8
_MAX_NAMES = 3


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """The arguments of `broadsheet project label`, not checked yet."""

    roles: tuple[str, ...]  # PATH=ROLE
    fields: tuple[str, ...]  # NAME=VALUE
    page_type: str | None
    accepts: bool
    undoes: bool


def add_pages(folder: Path, names: tuple[str, ...], guard: AddressGuard) -> bool:
    """Add pages to a project. Return whether all could be read."""
    sources, options = find_sources(names), ReadOptions(guard=guard)
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
                    page = NewPage(decode_capture(capture), name, capture.url, seen_at=capture.fetched_at)
                    is_new = project.add_page(page) is not None
                    added, skipped = added + is_new, skipped + (not is_new)
            except BroadsheetError as error:
                problems.append(str(error))
    for problem in problems:
        complain(problem)
    print(f"{format_count(added, 'page')} added to {folder}" + (f", {skipped} already in it" if skipped else ""))
    return not problems


def print_queue(folder: Path, *, is_done: bool, is_json: bool) -> None:
    """Print the queue, or the pages that are done."""
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


def print_page(folder: Path, name: str, *, is_json: bool) -> None:
    """Print the blocks and fields of a page."""
    with Project(folder) as project:
        view = project.view_page(project.find_page(name))
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


def label_page(folder: Path, name: str, request: LabelRequest, who: str | None) -> None:
    """Label blocks and fields of a page."""
    person = who or find_person()
    roles = {path: _read_role(role) for path, role in map(_split_pair, request.roles)}
    fields = {
        field: value.split(";") if field == "authors" else value for field, value in map(_split_pair, request.fields)
    }
    with Project(folder) as project:
        page = project.find_page(name)
        if request.undoes and project.undo(person, page) is None:
            raise UsageError(f"{person} has changed nothing on this page")
        if roles:
            project.set_roles(page, roles, person)
        if fields:
            project.set_fields(page, fields, person)
        if request.page_type:
            project.set_page_type(page, request.page_type, person)
        if request.accepts:
            project.accept(page, person)
        changed = [effect for effect in project.view_site(page).effects if effect.changed]
    if changed:
        count = sum(len(effect.changed) for effect in changed)
        names = ", ".join(effect.entry.name for effect in changed[:_MAX_NAMES])
        more = f" and {len(changed) - _MAX_NAMES} more" if len(changed) > _MAX_NAMES else ""
        site = page.host or "this site"
        pages = format_count(len(changed), "other page")
        print(f"labels of {site} change {format_count(count, 'block')} of {pages}: {names}{more}")


def export_pages(folder: Path, output: Path) -> None:
    """Write the pages that are done."""
    with Project(folder) as project:
        count = export_labels(project, output)
    print(f"{format_count(count, 'labelled page')} in {output}")


def print_health(folder: Path, *, is_json: bool) -> int:
    """Print the health of each site. Return the exit code."""
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
    return HAS_WARNINGS if any(site.warnings for site in sites) else 0


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
