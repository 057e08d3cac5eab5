"""Projects without the browser: pages, labels, undo, queue, effect on other pages, export, health."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.project.site_pages import URL, is_appeal, make_page

from broadsheet.blocks.roles import LabelRole
from broadsheet.corpora import read_corpus
from broadsheet.desk.open_pages import list_site_pages
from broadsheet.errors import UsageError
from broadsheet.methods.fusion.train_labels import UNKNOWN, label_blocks
from broadsheet.options import ExtractOptions
from broadsheet.project import NewPage, PageEntry, PageView, Project
from broadsheet.project.analysis import unpack_analysis
from broadsheet.project.export import export_labels
from broadsheet.project.health import list_health
from broadsheet.project.page_queue import list_queue
from broadsheet.project.store import FILE_NAME
from broadsheet.training.pages import label_page

MARCH = datetime(2024, 3, 1, tzinfo=UTC)
WHO = "ruth"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project(tmp_path / "valley", creates=True) as opened:
        yield opened


def add(project: Project, number: int, html: str | None = None) -> PageEntry:
    page = NewPage(
        html or make_page(number), f"{number}.html", URL.format(number=number), seen_at=MARCH + timedelta(number)
    )
    entry = project.add_page(page)
    assert entry is not None
    return entry


def find_appeal(view: PageView) -> str:
    return next(block.block.path for block in view.blocks if is_appeal(block.block.text))


def list_body(view: PageView) -> list[str]:
    return [block.block.text for block in view.blocks if block.role is LabelRole.BODY]


def correct(project: Project, page: PageEntry) -> None:
    project.set_roles(page, {find_appeal(project.view_page(page)): LabelRole.BOILERPLATE}, WHO)
    project.accept(page, WHO)


# Pages


def test_a_page_is_added_once(project: Project) -> None:
    entry = add(project, 1)
    assert (entry.host, entry.is_done, entry.seen_at) == ("valley.example", False, "2024-03-02T00:00:00+00:00")
    assert project.add_page(NewPage(make_page(1), "again.html")) is None
    assert project.read_html(entry).decode() == make_page(1)


def test_a_page_is_stored_with_its_analysis_or_not_at_all(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("broadsheet.project.project.find_missing", fail)
    with pytest.raises(KeyboardInterrupt):
        add(project, 1)
    monkeypatch.undo()
    assert not project.list_pages()
    assert not list_queue(project)
    add(project, 1)


def test_paths_are_unique_and_analyses_survive_packing(project: Project) -> None:
    analysis = project.get_analysis(add(project, 1))
    paths = [block.path for block in analysis.blocks]
    assert len(set(paths)) == len(paths)
    assert "/html[1]/body[1]/div[2]/div[1]/h1[1]" in paths
    assert unpack_analysis(analysis.pack()) == analysis


@pytest.mark.parametrize(
    ("html", "status"), [("", "empty"), ("<p>", "empty"), (b"%PDF-1.7", "failed"), ("<p>a\ud800b", None)]
)
def test_awkward_pages_are_kept(project: Project, html: str | bytes, status: str | None) -> None:
    entry = project.add_page(NewPage(html, "awkward"))
    assert entry is not None
    analysis = project.get_analysis(entry)
    assert status is None or analysis.status == status
    project.accept(entry, WHO)
    assert project.find_page("awkward").is_done


def test_pages_are_found_by_name_and_hash(project: Project) -> None:
    entry, other = add(project, 1), project.add_page(NewPage(make_page(2), "folder/two.html"))
    for key in ("1.html", entry.hash, entry.hash[:6]):
        assert project.find_page(key) == entry
    assert project.find_page("two.html") == other


@pytest.mark.parametrize("name", ["", "abc", "no-such-page", "%"])
def test_an_unknown_page_is_one_clear_line(project: Project, name: str) -> None:
    add(project, 1)
    with pytest.raises(UsageError, match="no page matches"):
        project.find_page(name)


def test_a_removed_page_takes_its_labels_with_it(project: Project) -> None:
    entry = add(project, 1)
    correct(project, entry)
    project.remove_page(entry.hash)
    with project.store.read() as database:
        counts = [
            database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("pages", "labels", "fields", "changes", "measurements", "analyses")
        ]
    assert counts == [0] * 6


def test_a_folder_without_a_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a project"):
        Project(tmp_path)
    (tmp_path / FILE_NAME).write_bytes(b"not a database, but long enough to be read as one" * 100)
    with pytest.raises(UsageError, match="cannot be opened"):
        Project(tmp_path)


@pytest.mark.parametrize("name", ["~no-such-user-here/x", "a\0b", "x" * 300, "/dev/null/x"])
def test_a_folder_that_cannot_be_created_is_one_clear_line(name: str) -> None:
    pytest.importorskip("fastapi", reason="the extra 'server' is not installed")
    from broadsheet.desk.projects import ProjectOpener

    with ProjectOpener(ExtractOptions()) as opener, pytest.raises(UsageError, match="name another"):
        opener.open(name)


def test_a_project_is_not_created_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()  # a project would remove it
    with pytest.raises(UsageError, match="has other files in it"):
        Project(tmp_path, creates=True)
    assert [path.name for path in tmp_path.iterdir()] == ["weights"]


def test_a_database_that_cannot_be_opened_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(UsageError, match="cannot be opened"):
        Project(tmp_path)


def test_a_database_in_use_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.project.store._BUSY_SECONDS", 0.1)
    with Project(tmp_path / "valley", creates=True) as project:
        entry = add(project, 1)
        with contextlib.closing(sqlite3.connect(project.folder / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(UsageError, match=r"cannot use .*: database is locked"):
                project.set_page_type(entry, "other", WHO)
            with pytest.raises(UsageError, match=r"cannot use .*: database is locked"):
                project.list_pages()
            other.execute("ROLLBACK")
        project.set_page_type(entry, "other", WHO)


def test_a_project_of_a_newer_version_is_refused(project: Project) -> None:
    with sqlite3.connect(project.folder / FILE_NAME) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(UsageError, match="newer version"):
        Project(project.folder)


# Labels and undo


def test_a_correction_changes_other_pages_only_where_it_was_made(project: Project) -> None:
    """The two lines have the same place as the paragraphs of the article, which are not labelled yet."""
    pages = [project.add_page(NewPage(html, name)) for html, name in list_site_pages()]
    first, *others = (page for page in pages if page)
    lines = [
        block for block in project.get_analysis(first).blocks if block.text.startswith(("The Valley Post b", "Corr"))
    ]
    project.set_roles(first, {block.path: LabelRole.BOILERPLATE for block in lines}, WHO)
    for page in others:
        changed = [view.block.text for view in project.view_page(page).blocks if view.source == "site"]
        assert changed == [block.text for block in lines]


def test_the_sample_site_is_that_of_the_examples() -> None:
    folder = Path(__file__).parents[2] / "examples" / "pages" / "valley"
    assert list_site_pages() == [(path.read_bytes(), path.name) for path in sorted(folder.glob("*.html"))]


def test_labels_are_kept_with_person_and_time(project: Project) -> None:
    entry = add(project, 1)
    path = find_appeal(project.view_page(entry))
    project.set_roles(entry, {path: LabelRole.BOILERPLATE}, WHO)
    with sqlite3.connect(project.folder / FILE_NAME) as database:
        row = database.execute("SELECT page, block_path, role, who, at FROM labels").fetchone()
    assert row[:4] == (entry.hash, path, "boilerplate", "ruth")
    assert datetime.fromisoformat(row[4]).tzinfo is not None


def test_undo_goes_back_step_by_step(project: Project) -> None:
    first, second = add(project, 1), add(project, 2)
    before = project.view_page(first)
    path = find_appeal(before)
    project.set_roles(first, {path: LabelRole.CAPTION}, WHO)
    project.set_roles(first, {path: LabelRole.BOILERPLATE}, WHO)
    project.set_fields(first, {"title": "Another title"}, WHO)
    project.accept(first, WHO)
    project.set_page_type(second, "other", WHO)
    assert project.undo(WHO) == project.find_page(second.hash)
    assert project.find_page(second.hash).page_type == "article"
    for expected in (
        ("boilerplate", "Another title", False),  # the page is no longer done
        ("boilerplate", before.fields["title"], False),
        ("caption", before.fields["title"], False),
        ("body", before.fields["title"], False),
    ):
        assert project.undo(WHO) is not None
        view = project.view_page(project.find_page(first.hash))
        role = next(block.role for block in view.blocks if block.block.path == path)
        assert (role, view.fields["title"], view.entry.is_done) == expected
    assert project.view_page(first) == before
    assert project.undo(WHO) is None


def test_undo_concerns_one_person_and_if_asked_one_page(project: Project) -> None:
    first, second = add(project, 1), add(project, 2)
    project.set_page_type(first, "other", WHO)
    project.set_page_type(second, "other", "tomas")
    assert project.undo(WHO, second) is None
    assert project.undo(f" {WHO}  ", first) == project.find_page(first.hash)  # names are stored without extra spaces
    project.set_page_type(first, "other", WHO)
    assert project.undo("tomas") == project.find_page(second.hash)
    assert project.find_page(first.hash).page_type == "other"


def test_the_history_keeps_what_was_undone(project: Project) -> None:
    entry = add(project, 1)
    project.set_page_type(entry, "other", WHO)
    project.undo(WHO)
    with project.store.read() as database:
        rows = [tuple(row) for row in database.execute("SELECT kind, old, new, undone_at IS NOT NULL FROM changes")]
    assert rows == [("page_type", "article", "other", 1)]


def test_acceptance_labels_every_block_with_what_is_shown(project: Project) -> None:
    entry = add(project, 1)
    shown = [block.role for block in project.view_page(entry).blocks]
    project.accept(entry, WHO)
    view = project.view_page(project.find_page(entry.hash))
    assert [block.role for block in view.blocks] == shown
    assert {block.source for block in view.blocks} == {"label"}
    assert view.labelled_fields == {"title", "date", "authors"}
    project.reopen(entry, WHO)
    assert not project.find_page(entry.hash).is_done


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("titel", "x", "unknown field"),
        ("date", "yesterday", "is not a date"),
        ("date", "20240316", "is not a date; write YYYY-MM-DD"),
        ("authors", "Ruth", "list of names"),
        ("authors", [1], "list of names"),
        ("title", 3, "must be a text"),
    ],
)
def test_a_wrong_field_changes_nothing(project: Project, field: str, value: object, message: str) -> None:
    entry = add(project, 1)
    with pytest.raises(UsageError, match=message):
        project.set_fields(entry, {"title": "New", field: value}, WHO)
    assert project.view_page(entry).labelled_fields == frozenset()


def test_an_unknown_path_or_person_changes_nothing(project: Project) -> None:
    entry = add(project, 1)
    with pytest.raises(UsageError, match="no block"):
        project.set_roles(entry, {"/html[1]": LabelRole.BODY}, WHO)
    with pytest.raises(UsageError, match="name of the person"):
        project.set_page_type(entry, "other", " ")
    with pytest.raises(UsageError, match="unknown page type"):
        project.set_page_type(entry, "forum", WHO)


# Effect on other pages


def test_one_correction_changes_the_other_pages_of_the_site_at_once(project: Project) -> None:
    first, second = add(project, 1), add(project, 2)
    assert len(list_body(project.view_page(second))) == 4
    project.set_roles(first, {find_appeal(project.view_page(first)): LabelRole.BOILERPLATE}, WHO)
    (effect,) = project.view_site(first).effects
    assert effect.entry == second
    assert [is_appeal(block.block.text) for block in effect.changed] == [True]
    assert effect.changed[0].source == "site"
    project.undo(WHO)
    assert not project.view_site(first).effects[0].changed


def test_five_corrected_pages_improve_the_sixth(project: Project) -> None:
    pages = [add(project, number) for number in range(6)]
    gold = {text for text in list_body(project.view_page(pages[5])) if not is_appeal(text)}
    assert set(list_body(project.view_page(pages[5]))) != gold
    for page in pages[:5]:
        correct(project, page)
    assert set(list_body(project.view_page(pages[5]))) == gold


def test_corrections_stay_within_their_site_and_template(project: Project) -> None:
    first = add(project, 1)
    other_site = project.add_page(NewPage(make_page(2), "elsewhere", "https://other.example/2"))
    other_template = add(
        project, 3, "<h1>News</h1>" + "<p class=appeal>Another page of the site, in another layout.</p>" * 3
    )
    assert other_site is not None
    correct(project, first)
    for page in (other_site, other_template):
        assert {block.source for block in project.view_page(page).blocks} == {"method"}


def test_a_place_with_two_roles_is_left_to_the_method(project: Project) -> None:
    first, second = add(project, 1), add(project, 2)
    view = project.view_page(first)
    paragraphs = [block.block.path for block in view.blocks if block.block.place.endswith("div.story/p")]
    project.set_roles(first, {paragraphs[0]: LabelRole.CAPTION}, WHO)
    project.accept(first, WHO)
    changed = [block.block.text for block in project.view_page(second).blocks if block.source == "site"]
    assert all(text.startswith("The council of") for text in changed)  # those that begin like the corrected one


# Queue


def test_the_queue_starts_with_hard_pages_and_alternates_templates(project: Project) -> None:
    for number in range(3):
        add(project, number)
    hard = add(project, 3, "<html><body>" + "<div>Teaser line <a href=/x>more</a></div>" * 5 + "</body></html>")
    queue = list_queue(project)
    assert queue[0].entry == hard
    assert "new template" in queue[0].reasons
    assert any(reason.startswith("low confidence") for reason in queue[0].reasons)
    assert len(queue) == 4
    correct(project, queue[1].entry)
    assert len(list_queue(project)) == 3
    assert "new template" not in list_queue(project)[1].reasons


# Export


def test_exported_labels_are_what_eval_and_train_read(project: Project, tmp_path: Path) -> None:
    article, other = add(project, 1), add(project, 2)
    project.set_fields(article, {"title": "Bridge", "date": "2024-03-02", "authors": ["Ruth Okafor"]}, WHO)
    correct(project, article)
    project.set_page_type(other, "other", WHO)
    project.accept(other, WHO)
    add(project, 3)  # not done: not exported
    path = tmp_path / "labels.jsonl"
    assert export_labels(project, path) == 2
    records = {record.url: record for record in read_corpus(path)}
    record = records[URL.format(number=1)]
    assert (record.title, record.date, record.authors) == ("Bridge", "2024-03-02", ("Ruth Okafor",))
    assert (record.dataset, record.site, record.page_type) == ("valley", "valley.example", "article")
    assert record.text is not None
    assert not any(map(is_appeal, record.text.splitlines()))
    assert records[URL.format(number=2)].page_type == "other"
    assert records[URL.format(number=2)].text is None


def test_labels_survive_the_round_trip_block_by_block(project: Project, tmp_path: Path) -> None:
    entry = add(project, 1)
    view = project.view_page(entry)
    meta = next(block.block.path for block in view.blocks if block.block.text.startswith("By Ruth"))
    project.set_roles(entry, {meta: LabelRole.BYLINE_DATE}, WHO)
    correct(project, entry)
    export_labels(project, tmp_path / "labels.jsonl")
    (record,) = read_corpus(tmp_path / "labels.jsonl")
    labels = label_blocks(label_page(record))  # (blocks, roles): content, comment, title, byline, date, caption
    for block, row in zip(project.view_page(project.find_page(entry.hash)).blocks, labels.tolist(), strict=True):
        assert row[0] in (block.role is LabelRole.BODY, UNKNOWN), block.block.text
        assert row[2] == (block.role is LabelRole.TITLE)
        assert row[3:5] == [block.role is LabelRole.BYLINE_DATE] * 2


def test_pages_in_other_charsets_are_exported_decoded(project: Project, tmp_path: Path) -> None:
    html = make_page(1).replace("Carrow", "Café").replace("Millford", "Café").encode("cp1252")
    entry = project.add_page(NewPage(html, "latin", URL.format(number=1), charset="windows-1252"))
    assert entry is not None
    project.accept(entry, WHO)
    export_labels(project, tmp_path / "labels.jsonl")
    values = json.loads((tmp_path / "labels.jsonl").read_text("utf-8"))
    assert "Café" in values["text"]
    assert "Café" in values["html"]


# Health


def test_health_warns_of_a_new_layout_and_missing_fields(project: Project) -> None:
    for number in range(6):
        add(project, number)
    assert list_health(project.store)[0].warnings == ()
    for number in range(6, 12):
        html = make_page(number).replace("div", "section").replace("class=", "data-x=").replace("March 2024", "")
        add(project, number, html)
    (site,) = list_health(project.store)
    assert site.host == "valley.example"
    assert len(site.measurements) == 12
    assert any("layout has changed" in warning for warning in site.warnings)
    assert any(warning.startswith("missing fields: date (") for warning in site.warnings)


def test_every_extraction_is_a_measurement(project: Project) -> None:
    entry = add(project, 1)
    project.extract_again(entry)
    with project.store.read() as database:
        assert database.execute("SELECT count(*) FROM measurements").fetchone()[0] == 2
    (site,) = list_health(project.store)
    assert len(site.measurements) == 1  # the newest counts
