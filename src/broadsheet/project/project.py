"""Project: a folder with pages of some sites, their labels, and the weights that were learned from them.

my-project/
  project.sqlite   pages, labels, history, measurements, runs
  weights/         the project's own weights, if any: broadsheet extract --weights my-project/weights
  runs/3/          the data, log and weights of a retraining
"""

from __future__ import annotations

import getpass
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import numpy as np

from broadsheet.blocks.roles import LabelRole
from broadsheet.corpora.record import is_iso_date
from broadsheet.errors import UsageError
from broadsheet.options import ExtractOptions, make_options
from broadsheet.page import host_of
from broadsheet.project.analysis import Analysis, PageBlock, analyse_page
from broadsheet.project.health import find_missing
from broadsheet.project.pages import ENTRY_COLUMNS, PageEntry, PageState, ProjectPages, make_entry
from broadsheet.project.site_rules import NO_LABEL, ROLES, find_roles
from broadsheet.project.store import Change, ChangeKind, Store, apply_changes, format_now, format_time, undo_step
from broadsheet.site.health import measure_drift
from broadsheet.stored import parse_json, unpack

Analyse = Callable[[str | bytes, str | None, ExtractOptions], Analysis]
FIELD_NAMES = ("title", "date", "authors")
NOTE = "note"  # of the people who label; stored as a field, and not learned
PAGE_TYPES = ("article", "other")
_MIN_HASH_CHARS = 4  # of an abbreviated page hash
_MAX_WHO_CHARS = 80
_MAX_EARLIER_PAGES = 60  # of a site, that a new page is compared with
_ENTRY = ", ".join(ENTRY_COLUMNS)


@dataclass(frozen=True, slots=True)
class NewPage:
    """A page to add."""

    html: str | bytes
    name: str
    url: str | None = None
    charset: str | None = None
    seen_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block with its role, and who says so."""

    block: PageBlock
    role: LabelRole
    source: str  # "label": a person, "site": corrections of other pages, "method": the method


@dataclass(frozen=True, slots=True)
class PageView:
    """A page as a person corrects it."""

    entry: PageEntry
    analysis: Analysis
    blocks: tuple[BlockView, ...]
    fields: Mapping[str, Any]  # title, date, authors: as labelled, otherwise as the method found them
    labelled_fields: frozenset[str]


@dataclass(frozen=True, slots=True)
class PageEffect:
    """What the corrections of other pages change on a page that is not done."""

    entry: PageEntry
    changed: tuple[BlockView, ...]


@dataclass(frozen=True, slots=True)
class SiteView:
    """A page, and what the labels of its site change on the other pages that are not done, the most changed first."""

    page: PageView
    effects: tuple[PageEffect, ...]


class Project:
    """A project folder. Threads and other programs may use it at the same time."""

    def __init__(
        self,
        folder: str | Path,
        *,
        creates: bool = False,
        options: ExtractOptions | None = None,
        analyse: Analyse = analyse_page,
    ) -> None:
        """Open a project, or create it. Raises UsageError.

        Args:
            folder: The folder of the project.
            creates: Whether to create it if it does not exist.
            options: Options of extractions.
            analyse: A function that does the same as `analyse_page`, such as one that does it in another process.

        """
        self.folder = Path(folder)
        self.store = Store(self.folder, creates=creates)
        self._options = options or ExtractOptions()
        self._analyse = analyse
        self.reader = ProjectPages(self.store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self.store.close()

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.resolve().name

    @property
    def default_run(self) -> int | None:
        """The retraining whose weights the project uses; None for the shipped weights."""
        with self.store.read() as database:
            row = database.execute("SELECT value FROM facts WHERE name = 'default_run'").fetchone()
        if row and not row[0].isdecimal():
            raise UsageError(f"{self.folder}: its default run is {row[0][:80]!r}; restore the project from a copy")
        return int(row[0]) if row else None

    @property
    def weights(self) -> Path | None:
        """The folder of the project's own weights; None if it uses the shipped ones.

        Every retraining has a folder of its own: loaded weights are cached by folder.
        """
        return None if (run := self.default_run) is None else self.folder / "runs" / str(run) / "weights"

    @property
    def options(self) -> ExtractOptions:
        """The options of extractions: with the project's own weights, if it has some."""
        return self._options if (weights := self.weights) is None else make_options(self._options, weights=weights)

    # Pages

    def add_page(self, page: NewPage) -> PageEntry | None:
        """Add a page and extract it. Return None if the project has it already."""
        data = page.html.encode("utf-8", "surrogatepass") if isinstance(page.html, str) else page.html
        page_hash = hashlib.sha256(data).hexdigest()
        with self.store.read() as database:
            if database.execute("SELECT 1 FROM pages WHERE hash = ?", (page_hash,)).fetchone():
                return None
        charset = "utf-8" if isinstance(page.html, str) else page.charset
        analysis = self._analyse(page.html, page.url, replace(self.options, charset=charset))
        now = format_now()
        seen_at = format_time(page.seen_at) if page.seen_at else now
        host = host_of(page.url or analysis.url)
        entry = PageEntry(page_hash, page.name, page.url, host, seen_at, PAGE_TYPES[0], is_done=False)
        drift = self._measure_drift(entry, analysis)
        with self.store.write() as database:  # together: a page without an analysis could not be shown
            database.execute(
                "INSERT OR IGNORE INTO pages (hash, name, url, host, charset, html, seen_at, added_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    page_hash,
                    page.name,
                    page.url,
                    host,
                    charset,
                    zlib.compress(data),
                    seen_at,
                    now,
                ),
            )
            _save_analysis(database, page_hash, analysis, drift)
        return self.find_page(page_hash)

    def remove_page(self, page: str) -> None:
        """Remove a page with its labels."""
        with self.store.write() as database:
            database.execute("DELETE FROM pages WHERE hash = ?", (self.find_page(page).hash,))

    def list_pages(self, *, host: str | None = None) -> list[PageEntry]:
        """Return the pages in the order in which they were seen."""
        condition, values = ("WHERE host = ?", (host,)) if host is not None else ("", ())
        query = f"SELECT {_ENTRY} FROM pages {condition} ORDER BY seen_at, name, hash"
        with self.store.read() as database:
            return [make_entry(row) for row in database.execute(query, values)]

    def find_page(self, page: str) -> PageEntry:
        """Return the page with a hash, which may be abbreviated, or with a name or file name. Raises UsageError."""
        with self.store.read() as database:
            rows = database.execute(
                f"SELECT {_ENTRY} FROM pages"
                " WHERE name = ?1 OR (?1 != '' AND substr(name, -length(?1) - 1) = '/' || ?1)"
                " OR (length(?1) >= ?2 AND substr(hash, 1, length(?1)) = ?1) LIMIT 2",
                (page, _MIN_HASH_CHARS),
            ).fetchall()
        if len(rows) != 1:
            fault = "several pages match" if rows else "no page matches"
            raise UsageError(f"{fault} {page[:80]!r}; broadsheet project list shows all pages")
        return make_entry(rows[0])

    def read_html(self, page: PageEntry) -> bytes:
        """Return the bytes of a page. Raises UsageError if it was removed."""
        with self.store.name_in_errors():
            return unpack(self._read_column(page, "html"))

    def read_charset(self, page: PageEntry) -> str | None:
        """Return the character set that the HTTP header of a page stated. Raises UsageError if the page was removed."""
        charset: str | None = self._read_column(page, "charset")
        return charset

    def _read_column(self, page: PageEntry, name: str) -> Any:
        with self.store.read() as database:
            row = database.execute(f"SELECT {name} FROM pages WHERE hash = ?", (page.hash,)).fetchone()
        if row is None:
            raise UsageError(f"the page {page.name[:80]!r} was removed")
        return row[0]

    # Extraction

    def get_analysis(self, page: PageEntry) -> Analysis:
        """Return what the current method says about a page. Raises UsageError if it was removed."""
        return self._read_state(page).analysis

    def _read_state(self, page: PageEntry) -> PageState:
        return _find_state(self.reader.read(hashes=[page.hash]), page)

    def extract_again(self, page: PageEntry) -> None:
        """Extract a page with the current weights, and keep the measurement."""
        options = replace(self.options, charset=self.read_charset(page))
        analysis = self._analyse(self.read_html(page), page.url, options)
        drift = self._measure_drift(page, analysis)
        with self.store.write() as database:
            if database.execute("SELECT 1 FROM pages WHERE hash = ?", (page.hash,)).fetchone() is None:
                raise UsageError(f"the page {page.name[:80]!r} was removed")
            _save_analysis(database, page.hash, analysis, drift)

    def _measure_drift(self, page: PageEntry, analysis: Analysis) -> float | None:
        return measure_drift(analysis.structure, self._list_earlier_structures(page))

    def _list_earlier_structures(self, page: PageEntry) -> list[tuple[int, ...]]:
        with self.store.read() as database:
            rows = database.execute(
                "SELECT hash FROM pages WHERE host = ?1 AND (seen_at, name) < (?2, ?3)"
                " AND hash IN (SELECT page FROM analyses) ORDER BY seen_at DESC, name DESC LIMIT ?4",
                (page.host, page.seen_at, page.name, _MAX_EARLIER_PAGES),
            ).fetchall()
        return [state.analysis.structure for state in self.reader.read(hashes=[row[0] for row in rows])]

    # Labels

    def view_page(self, page: PageEntry) -> PageView:
        """Return a page with the current roles: labels, else the corrections of its site, else the method."""
        state = self._read_state(page)
        if state.entry.is_done:  # all its blocks have labels
            return self._make_view(state, state.blocks.suggested)
        states = self.reader.read(host=page.host)
        state = _find_state(states, page)
        (roles,) = self._find_roles(states, [state])
        return self._make_view(state, roles)

    def view_site(self, page: PageEntry) -> SiteView:
        """Return a page, and what labels change on the other pages of its site. Raises UsageError if it was removed."""
        states = self.reader.read(host=page.host)
        state = _find_state(states, page)
        waiting = [state, *(other for other in states if other is not state and not other.entry.is_done)]
        roles = self._find_roles(states, waiting)
        view = self._make_view(state, state.blocks.suggested if state.entry.is_done else roles[0])
        effects = [
            PageEffect(other.entry, tuple(_list_changed(other, other_roles)))
            for other, other_roles in zip(waiting[1:], roles[1:], strict=True)
        ]
        return SiteView(view, tuple(sorted(effects, key=lambda effect: -len(effect.changed))))

    def _find_roles(self, site: Sequence[PageState], pages: Sequence[PageState]) -> list[np.ndarray]:
        """Return the roles of the blocks of pages by the labels of the other pages of their template."""
        numbers = self.reader.number_templates(site)
        templates = {state.entry.hash: number for state, number in zip(site, numbers, strict=True)}
        roles: dict[str, np.ndarray] = {}
        for template in {templates[page.entry.hash] for page in pages}:
            members = [page for page in pages if templates[page.entry.hash] == template]
            evidence = [state.blocks for state, number in zip(site, numbers, strict=True) if number == template]
            member_roles = find_roles([page.blocks for page in members], evidence)
            roles |= {page.entry.hash: page_roles for page, page_roles in zip(members, member_roles, strict=True)}
        return [roles[page.entry.hash] for page in pages]

    def _make_view(self, state: PageState, roles: np.ndarray) -> PageView:
        labelled = self._read_fields(state.entry.hash)
        extracted = {name: getattr(state.analysis, name) for name in FIELD_NAMES}
        return PageView(
            entry=state.entry,
            analysis=state.analysis,
            blocks=tuple(_view_block(state, number, ROLES[role]) for number, role in enumerate(roles)),
            fields={**extracted, **labelled},
            labelled_fields=frozenset(labelled) - {NOTE},
        )

    def set_roles(self, page: PageEntry, roles: Mapping[str, LabelRole | None], who: str) -> None:
        """Label blocks by path; None removes a label. Raises UsageError for a path that the page does not have."""
        paths = {block.path for block in self.get_analysis(page).blocks}
        if unknown := next((path for path in roles if path not in paths), None):
            raise UsageError(f"the page has no block {unknown[:200]!r}")
        self._apply(page, [Change(ChangeKind.ROLE, path, role) for path, role in roles.items()], who)

    def set_fields(self, page: PageEntry, values: Mapping[str, Any], who: str) -> None:
        """Label fields; None says that the page has none. Raises UsageError for an unknown name or a wrong value."""
        self._apply(page, [_change_field(name, value) for name, value in values.items()], who)

    def set_page_type(self, page: PageEntry, page_type: str, who: str) -> None:
        """Say whether a page is an article. Raises UsageError."""
        if page_type not in PAGE_TYPES:
            raise UsageError(f"unknown page type {page_type[:80]!r}; known: {', '.join(PAGE_TYPES)}")
        self._apply(page, [Change(ChangeKind.PAGE_TYPE, "", page_type)], who)

    def accept(self, page: PageEntry, who: str) -> None:
        """Label all blocks and fields with their current values: the page is done, and can be learned from."""
        view = self.view_page(page)
        roles = [
            Change(ChangeKind.ROLE, block.block.path, block.role) for block in view.blocks if block.source != "label"
        ]
        unlabelled = [name for name in FIELD_NAMES if name not in view.labelled_fields]
        fields = [_change_field(name, view.fields[name]) for name in unlabelled]
        self._apply(page, [*roles, *fields, Change(ChangeKind.IS_DONE, "", "1")], who)

    def reopen(self, page: PageEntry, who: str) -> None:
        """Take a page back into the queue. Its labels stay."""
        self._apply(page, [Change(ChangeKind.IS_DONE, "", "0")], who)

    def undo(self, who: str, page: PageEntry | None = None) -> PageEntry | None:
        """Undo the last step of a person. Return its page; None if there is nothing to undo."""
        page_hash = undo_step(self.store, check_person(who), page.hash if page else None)
        return None if page_hash is None else self.find_page(page_hash)

    def list_notes(self) -> dict[str, str]:
        """Return the notes of people, by hash of the page."""
        with self.store.read() as database:
            rows = database.execute("SELECT page, value FROM fields WHERE name = ?", (NOTE,)).fetchall()
        with self.store.name_in_errors():
            return {page: note for page, value in rows if (note := check_field(NOTE, parse_json(value, object)))}

    def _apply(self, page: PageEntry, changes: Iterable[Change], who: str) -> None:
        apply_changes(self.store, page.hash, changes, check_person(who))

    def _read_fields(self, page_hash: str) -> dict[str, Any]:
        with self.store.read() as database:
            rows = database.execute("SELECT name, value FROM fields WHERE page = ?", (page_hash,)).fetchall()
        with self.store.name_in_errors():
            return {name: check_field(name, parse_json(value, object)) for name, value in rows}


def _change_field(name: str, value: Any) -> Change:
    return Change(ChangeKind.FIELD, name, json.dumps(check_field(name, value), ensure_ascii=False))


def check_field(name: str, value: Any) -> Any:
    """Return the value of a field as it is stored. Raises UsageError."""
    if name not in (*FIELD_NAMES, NOTE):
        raise UsageError(f"unknown field {name[:80]!r}; known: {', '.join(FIELD_NAMES)}")
    if name == "authors":
        value = [] if value is None else value
        if not isinstance(value, list | tuple) or not all(isinstance(author, str) for author in value):
            raise UsageError("authors must be a list of names")
        return [author.strip() for author in value if author.strip()]
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} must be a text")
    text = (value or "").strip()
    if name == "date" and text and not _is_date(text):
        raise UsageError(f"{text[:80]!r} is not a date; write YYYY-MM-DD")
    return text or None


def _is_date(text: str) -> bool:
    """Return whether a text is a date as in labelled pages: 20240316 is none there."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return is_iso_date(text)


def check_person(who: str) -> str:
    """Return the name of a person as it is stored. Raises UsageError."""
    name = " ".join(who.split())
    if not name or len(name) > _MAX_WHO_CHARS:
        raise UsageError(f"the name of the person who labels must have 1 to {_MAX_WHO_CHARS} characters")
    return name


def find_person() -> str:
    """Return the name of the user of this machine."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container without a name for the user
        return "unknown"


def _save_analysis(database: sqlite3.Connection, page_hash: str, analysis: Analysis, drift: float | None) -> None:
    at = format_now()
    database.execute("INSERT OR REPLACE INTO analyses VALUES (?, ?, ?)", (page_hash, at, analysis.pack()))
    database.execute(
        "INSERT INTO measurements (page, at, weights, status, confidence, disagreement, missing, drift)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            page_hash,
            at,
            analysis.weights,
            analysis.status,
            analysis.confidence,
            analysis.disagreement,
            " ".join(find_missing(analysis)),
            drift,
        ),
    )


def _find_state(states: Iterable[PageState], page: PageEntry) -> PageState:
    for state in states:
        if state.entry.hash == page.hash:
            return state
    raise UsageError(f"the page {page.name[:80]!r} was removed")


def _list_changed(state: PageState, roles: np.ndarray) -> Iterator[BlockView]:
    """Yield the blocks whose role the corrections of other pages change."""
    is_changed = (roles != state.blocks.suggested) & (state.blocks.labels == NO_LABEL)
    for number in is_changed.nonzero()[0]:
        yield _view_block(state, number, ROLES[roles[number]])


def _view_block(state: PageState, number: int, role: LabelRole) -> BlockView:
    """Return a block with its label, or else with the role that its site or the method gives it."""
    block = state.analysis.blocks[number]
    if label := state.labels.get(block.path):
        return BlockView(block, label, "label")
    return BlockView(block, role, "method" if role is block.role else "site")
