"""Write the labels of a project as the JSON Lines that `broadsheet eval` and `broadsheet train` read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

from broadsheet.atomic import write_atomically
from broadsheet.blocks.roles import LabelRole
from broadsheet.page.decode import decode_page
from broadsheet.project.pages import PageEntry
from broadsheet.project.project import PageView, Project

_BYLINES = (LabelRole.BYLINE, LabelRole.BYLINE_DATE)
_DATES = (LabelRole.DATE, LabelRole.BYLINE_DATE)


def export_labels(project: Project, path: Path) -> int:
    """Write the pages that are done to a file, completely or not at all. Return their number."""
    count = 0
    with write_atomically(path) as file:
        for record in make_records(project):
            file.write(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace").decode() + "\n")
            count += 1
    return count


def make_records(project: Project) -> Iterator[dict[str, Any]]:
    """Yield a record for each page that is done (docs/reference/labelled-pages.md)."""
    pages = project.list_pages()
    names = Counter(_shorten(page) for page in pages)
    for entry in pages:
        if entry.is_done:
            name = _shorten(entry) if names[_shorten(entry)] == 1 else f"{_shorten(entry)}~{entry.hash[:8]}"
            html = decode_page(project.read_html(entry), charset=project.read_charset(entry)).text
            yield {"id": f"{project.name}/{name}", "html": html, **_describe_page(project, project.view_page(entry))}


def _shorten(page: PageEntry) -> str:
    """Return the file name of a page, or its address without the scheme: reports show it."""
    return page.name.rpartition("://")[2] if page.url else PurePath(page.name).name


def _describe_page(project: Project, view: PageView) -> dict[str, Any]:
    entry = view.entry
    values: dict[str, Any] = {
        "dataset": project.name,
        "url": entry.url,
        "site": entry.host or None,
        "lang": view.analysis.language,
        "page_type": entry.page_type,
        "label_quality": "gold",
    }
    if entry.page_type == "article":
        values |= {name: view.fields[name] for name in ("title", "date")}
        values |= {"authors": list(view.fields["authors"]) or None, **_list_texts(view)}
    return {name: value for name, value in values.items() if value is not None}


def _list_texts(view: PageView) -> dict[str, Any]:
    return {
        "text": "\n".join(_find_texts(view, (LabelRole.BODY,))),
        "comments": "\n".join(_find_texts(view, (LabelRole.COMMENT,))) or None,
        "captions": _find_texts(view, (LabelRole.CAPTION,)),  # a list, even if empty: all roles are labelled
        "byline": _find_texts(view, _BYLINES),
        "dateline": _find_texts(view, _DATES),
        "unsure": _find_texts(view, (LabelRole.UNSURE,)),
    }


def _find_texts(view: PageView, roles: Sequence[LabelRole]) -> list[str]:
    return [block.block.text for block in view.blocks if block.role in roles]
