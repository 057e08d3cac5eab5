"""Requests of the project routes as typed values, and projects as JSON values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Base64Bytes, Field

from broadsheet.blocks.roles import LabelRole
from broadsheet.project.health import SiteHealth
from broadsheet.project.page_queue import QueuedPage
from broadsheet.project.project import BlockView, PageEffect, PageView, SiteView
from broadsheet.server.requests import Address, RequestModel
from broadsheet.site.template import MIN_CHANGED_DRIFT

_MAX_BLOCKS = 20_000
_MAX_EFFECTS = 6  # pages that are shown with examples
_MAX_EXAMPLES = 2
_MAX_EXAMPLE_CHARS = 160
Line = Annotated[str, Field(max_length=2_000)]


class PersonRequest(RequestModel):
    """Any request that changes something: `who` does it; by default the user who started the desk."""

    who: str | None = Field(default=None, min_length=1, max_length=80)


class OpenRequest(PersonRequest):
    """A project to open: its folder, or null for a trial project."""

    folder: Line | None = None


class NewPageRequest(PersonRequest):
    """A page to add: `html`, or a file as it is (base64), or `url` alone, which is fetched."""

    html: str | None = None
    file: Base64Bytes | None = None  # browsers decode files as UTF-8; many pages have other character sets
    url: Address | None = None
    name: Line | None = None


class RolesRequest(PersonRequest):
    """Roles of blocks by path; null removes a label."""

    roles: Annotated[dict[str, LabelRole | None], Field(min_length=1, max_length=_MAX_BLOCKS)]


class FieldsRequest(PersonRequest):
    """Values of fields. Only those that are given change; null says that the page has none."""

    title: Line | None = None
    date: Line | None = None
    authors: list[Line] | None = None


class PageTypeRequest(PersonRequest):
    """Whether a page is an article."""

    page_type: str


class RunRequest(PersonRequest):
    """Weights to start from."""

    start: str = "shipped"


def describe_queued(page: QueuedPage) -> dict[str, Any]:
    """Return a page of the queue."""
    return {**asdict(page.entry), **asdict(page), "entry": None, "value": round(page.value, 4)}


def describe_site(site: SiteView) -> dict[str, Any]:
    """Return a page with its blocks, and the pages of its site that labels change most."""
    changed = [effect for effect in site.effects if effect.changed]
    return {
        **_describe_view(site.page),
        "effects": [_describe_effect(effect) for effect in changed[:_MAX_EFFECTS]],
        "changed_pages": len(changed),
        "other_pages": len(site.effects),
    }


def _describe_view(view: PageView) -> dict[str, Any]:
    analysis = view.analysis
    return {
        **asdict(view.entry),
        "status": analysis.status,
        "confidence": analysis.confidence,
        "fields": dict(view.fields),
        "labelled_fields": sorted(view.labelled_fields),
        "blocks": [_describe_block(block) for block in view.blocks],
    }


def _describe_effect(effect: PageEffect) -> dict[str, Any]:
    examples = [
        {"text": view.block.text[:_MAX_EXAMPLE_CHARS], "from": view.block.role, "to": view.role}
        for view in effect.changed[:_MAX_EXAMPLES]
    ]
    return {**asdict(effect.entry), "changed": len(effect.changed), "examples": examples}


def describe_health(site: SiteHealth) -> dict[str, Any]:
    """Return the health of a site."""
    return {
        **asdict(site),
        "confidence": round(site.confidence, 4),
        "recent": len(site.recent),
        "max_drift": MIN_CHANGED_DRIFT,
    }


def _describe_block(view: BlockView) -> dict[str, Any]:
    block = view.block
    return {
        "path": block.path,
        "text": block.text,
        "role": view.role,
        "source": view.source,
        "suggestion": block.role,
        "score": block.score,
        "is_hidden": block.is_hidden,
    }
