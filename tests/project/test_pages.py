"""Pages with their labels are read in a few queries, whatever the size of the project (benchmarks/correct.py: time)."""

from __future__ import annotations

from pathlib import Path

import pytest

from broadsheet.options import ExtractOptions
from broadsheet.project import LabelRole, NewPage, Project
from broadsheet.project.analysis import Analysis, PageBlock

WHO = "ruth"
MAX_QUERIES = 12  # of a correction and of what it changes on all other pages


def make_analysis(html: str | bytes, url: str | None, _: ExtractOptions) -> Analysis:
    """Return made-up blocks. The last one is at the same place on all pages."""
    texts = [f"Paragraph {number} of {html!s}" for number in range(8)]
    blocks = [
        PageBlock(f"/p[{number}]", text, "div.story/p", LabelRole.BODY, 0.9, 0.0) for number, text in enumerate(texts)
    ]
    appeal = PageBlock("/div[1]", f"Please help page {html!s}", "div.appeal", LabelRole.BODY, 0.6, 0.0)
    return Analysis("ok", 0.9, 0.1, url=url, blocks=(*blocks, appeal), structure=tuple(range(50)))


def fill_project(folder: Path, count: int) -> Project:
    project = Project(folder, creates=True, analyse=make_analysis)
    for number in range(count):
        project.add_page(NewPage(f"{number}", f"{number}.html", "https://valley.example/"))
    return project


@pytest.mark.parametrize("count", [5, 60])
def test_a_correction_needs_few_queries(tmp_path: Path, count: int) -> None:
    with fill_project(tmp_path / "valley", count) as project:
        pages = project.list_pages()
        for page in pages[: count // 2]:
            project.set_roles(page, {"/p[1]": LabelRole.CAPTION}, WHO)
            project.accept(page, WHO)
        page = pages[-1]
        project.view_site(page)  # reads all pages
        queries: list[str] = []
        with project.store.read() as database:
            database.set_trace_callback(queries.append)
        project.set_roles(page, {"/div[1]": LabelRole.BOILERPLATE}, WHO)
        effects = project.view_site(page).effects
        assert len(queries) <= MAX_QUERIES
        assert len(effects) == count - 1 - count // 2


def test_changes_of_other_programs_are_read(tmp_path: Path) -> None:
    with fill_project(tmp_path / "valley", 3) as project, Project(tmp_path / "valley") as other:
        first, second, _ = project.list_pages()
        assert not project.view_site(second).effects[0].changed
        other.set_roles(first, {"/div[1]": LabelRole.BOILERPLATE}, WHO)
        assert [view.source for view in project.view_page(second).blocks][-1] == "site"
        assert [effect.entry for effect in project.view_site(first).effects if effect.changed] == [
            page for page in project.list_pages() if page != first
        ]
        other.undo(WHO)
        assert {view.source for view in project.view_page(second).blocks} == {"method"}
        other.remove_page(second.hash)
        assert len(project.view_site(first).effects) == 1
