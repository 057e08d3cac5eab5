"""The pages of a project with their analyses and labels.

One query tells which analyses and labels have changed since the last call, also by other programs; only those are read.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from broadsheet.blocks.roles import LabelRole
from broadsheet.project.analysis import Analysis, unpack_analysis
from broadsheet.project.site_rules import KeyNumbers, LabelledBlocks, label_blocks
from broadsheet.project.store import Store
from broadsheet.site.template import SiteConfig, number_groups
from broadsheet.stored import read_member

_MAX_CACHED_PAGES = 2_000
_MIN_ALIKE = SiteConfig.shipped().min_alike  # similarity of structure from which two pages have the same template
ENTRY_COLUMNS = ("hash", "name", "url", "host", "seen_at", "page_type", "is_done")
_VERSION = len(ENTRY_COLUMNS)  # number of the first column with a version
# Every change of labels is in the history, and an undone step stays in it: the two numbers tell all states apart.
_QUERY = f"""
SELECT {", ".join(ENTRY_COLUMNS)},
    (SELECT max(id) FROM measurements WHERE page = hash) AS analysis_version,
    (SELECT max(id) || ' ' || count(undone_at) FROM changes WHERE page = hash) AS labels_version
FROM pages
"""


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page of the project, without its content."""

    hash: str
    name: str
    url: str | None
    host: str
    seen_at: str
    page_type: str
    is_done: bool


@dataclass(frozen=True, slots=True)
class PageState:
    """A page with what the method says about it, and with its labels."""

    entry: PageEntry
    analysis: Analysis
    labels: Mapping[str, LabelRole]  # by path of the block
    blocks: LabelledBlocks  # the same as arrays
    version: tuple[Any, ...]  # of the analysis and of the labels


class ProjectPages:
    """Reads pages, and keeps what it has read. Threads may share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._numbers = KeyNumbers()
        self._states: dict[str, PageState] = {}
        self._templates: dict[str, tuple[list[tuple[str, int]], list[int]]] = {}  # by host: versions, numbers

    def read(self, *, host: str | None = None, hashes: Iterable[str] | None = None) -> list[PageState]:
        """Return all pages, those of a host, or some; in the order in which they were seen."""
        conditions = []
        if host is not None:
            conditions.append("host = :host")
        if hashes is not None:
            conditions.append("hash IN (SELECT value FROM json_each(:hashes))")
        condition = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        values = {"host": host, "hashes": json.dumps(list(hashes or ()))}
        with self._store.read() as database:
            rows = database.execute(f"{_QUERY} {condition} ORDER BY seen_at, name, hash", values).fetchall()
        with self._lock:
            self._load([row for row in rows if not self._is_current(row)])
            states = [self._renew_entry(row) for row in rows if row["hash"] in self._states]
            for page in list(self._states)[: max(len(self._states) - _MAX_CACHED_PAGES, 0)]:  # those read first
                del self._states[page]
        return states

    def _is_current(self, row: Any) -> bool:
        state = self._states.get(row["hash"])
        return state is not None and state.version == tuple(row)[_VERSION:]

    def _renew_entry(self, row: Any) -> PageState:
        """Return the state of a page; whether it is done may have changed."""
        state, entry = self._states[row["hash"]], make_entry(row)
        if state.entry != entry:
            state = self._states[entry.hash] = replace(state, entry=entry)
        return state

    def _load(self, rows: Sequence[Any]) -> None:
        """Read analyses and labels. Pages that were removed meanwhile are left out."""
        if not rows:
            return
        labels: dict[str, dict[str, LabelRole]] = {}
        with self._store.name_in_errors():
            for page, path, role in self._read_rows("page, block_path, role FROM labels", rows):
                labels.setdefault(page, {})[path] = read_member(LabelRole, role)
        new_rows = [row for row in rows if not self._has_analysis(row)]
        analyses = dict(self._read_rows("page, data FROM analyses", new_rows))
        for row in rows:
            page, is_known = row["hash"], self._has_analysis(row)
            old = self._states.pop(page, None)  # the newest are last
            if old and is_known:
                analysis, keys = old.analysis, old.blocks.keys
            elif page in analyses:
                with self._store.name_in_errors():
                    analysis = unpack_analysis(analyses[page])
                keys = self._numbers.number_blocks(analysis.blocks)
            else:
                continue
            blocks = label_blocks(analysis.blocks, keys, labels.get(page, {}))
            version = tuple(row)[_VERSION:]
            self._states[page] = PageState(make_entry(row), analysis, labels.get(page, {}), blocks, version)

    def _has_analysis(self, row: Any) -> bool:
        state = self._states.get(row["hash"])
        return state is not None and state.version[0] == row[_VERSION]

    def _read_rows(self, selection: str, pages: Sequence[Any]) -> list[Any]:
        if not pages:
            return []
        query = f"SELECT {selection} WHERE page IN (SELECT value FROM json_each(?))"
        with self._store.read() as database:
            return database.execute(query, (json.dumps([page["hash"] for page in pages]),)).fetchall()

    def number_templates(self, states: Sequence[PageState]) -> list[int]:
        """Return the template of each page: pages of one host with the same structure have the same number."""
        by_host: dict[str, list[int]] = {}
        for position, state in enumerate(states):
            by_host.setdefault(state.entry.host, []).append(position)
        numbers, count = [0] * len(states), 0
        for host, positions in by_host.items():
            groups = self._group([states[position] for position in positions], host)
            for position, group in zip(positions, groups, strict=True):
                numbers[position] = count + group
            count += max(groups) + 1
        return numbers

    def _group(self, states: Sequence[PageState], host: str) -> list[int]:
        """Group the pages of a host by structure. The groups are kept until an analysis changes."""
        versions = [(state.entry.hash, state.version[0]) for state in states]
        with self._lock:
            cached = self._templates.get(host)
        if cached and cached[0] == versions:
            return cached[1]
        groups = number_groups([frozenset(state.analysis.structure) for state in states], _MIN_ALIKE)
        with self._lock:
            self._templates[host] = (versions, groups)
        return groups


def make_entry(row: Any) -> PageEntry:
    """Return the page of a row that begins with `ENTRY_COLUMNS`."""
    page_hash, name, url, host, seen_at, page_type, is_done = row[:_VERSION]
    return PageEntry(page_hash, name, url, host, seen_at, page_type, bool(is_done))
