"""`broadsheet site show`: a description of a saved site, and how far pages differ from it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from broadsheet.cli.complain import complain, show_name
from broadsheet.cli.sources import find_sources, name_page, read_source
from broadsheet.errors import BroadsheetError
from broadsheet.inputs import ReadOptions, decode_capture
from broadsheet.site import Site

CHANGED = 3  # exit code: the layout has changed
_FAILED = 1
_SCORE_DIGITS = 4


@dataclass(frozen=True, slots=True)
class PageDrift:
    """The drift of one page."""

    source: str
    drift: float
    has_changed: bool
    problem: str = ""  # why the page could not be read


def show_site(file: str, pages: tuple[str, ...], options: ReadOptions, *, is_json: bool) -> int:
    """Print a description of a site and the drift of pages from it. Return the exit code."""
    site = Site.load(file)
    if not is_json:
        print(f"{Path(file).name}: {site.describe()}")
    drifts = []
    for drift in _measure_pages(site, pages, options):
        drifts.append(drift)
        if drift.problem:
            complain(drift.problem)
        elif not is_json:
            verdict = "the layout has changed" if drift.has_changed else "the same layout"
            print(f"{drift.source}: drift {drift.drift:.2f}, {verdict}")
    has_changed = any(drift.has_changed for drift in drifts)
    if is_json:
        summary = {"site": show_name(file), "pages_seen": site.pages, "templates": len(site.templates)}
        rows = [dataclasses.asdict(drift) for drift in drifts]
        print(json.dumps({**summary, "has_changed": has_changed, "pages": rows}, ensure_ascii=False, indent=2))
    if has_changed:
        return CHANGED
    return _FAILED if any(drift.problem for drift in drifts) else 0


def _measure_pages(site: Site, pages: tuple[str, ...], options: ReadOptions) -> Iterator[PageDrift]:
    sources = find_sources(pages)
    for problem in sources.problems:
        yield PageDrift("", 0.0, has_changed=False, problem=problem)
    for source in sources.pages:
        try:
            for capture in read_source(source, options):
                name = show_name(name_page(source, capture).name)
                if capture.html is None:
                    yield PageDrift(name, 0.0, has_changed=False, problem=capture.fault)
                else:
                    drift = site.drift(decode_capture(capture))
                    yield PageDrift(name, round(drift.score, _SCORE_DIGITS), drift.has_changed)
        except BroadsheetError as error:
            yield PageDrift(show_name(source.name), 0.0, has_changed=False, problem=str(error))
