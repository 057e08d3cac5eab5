"""What worker processes compute for the project routes."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from broadsheet.article import Status
from broadsheet.blocks import segment
from broadsheet.desk.page_view import render_page_view
from broadsheet.errors import BroadsheetError, LimitReached
from broadsheet.options import ExtractOptions, make_options
from broadsheet.page import read_page
from broadsheet.project.analysis import analyse_page
from broadsheet.project.places import list_paths
from broadsheet.server.tasks import Answer, PageTask

_TOO_SLOW = "the page took longer than its time limit; raise --max-seconds"


@dataclass(frozen=True, slots=True)
class AnalysisTask(PageTask):
    """Analyse a page with some weights. The answer is a packed `Analysis`."""

    weights: Path | None = None

    def make_answer(self, options: ExtractOptions) -> Answer:
        """Return the analysis."""
        chosen = options if self.weights is None else make_options(options, weights=self.weights)
        try:
            analysis = analyse_page(self.page.html or b"", self.page.url, replace(chosen, charset=self.charset))
        except BroadsheetError as error:
            return Answer(b"", Status.FAILED.value, str(error))
        return Answer(analysis.pack(), Status.OK.value)


@dataclass(frozen=True, slots=True)
class ViewTask(PageTask):
    """Write a page for an iframe. The answer has the paths of its blocks, in the order of their numbers."""

    def make_answer(self, options: ExtractOptions) -> Answer:
        """Return the page as JSON."""
        try:
            page = read_page(self.page.html or b"", url=self.page.url, charset=self.charset, limits=options.limits)
            blocks = segment(page)
            values = {"srcdoc": render_page_view(page, blocks), "paths": list_paths(page.nodes, blocks)}
        except LimitReached:
            return Answer(b"", Status.TIMEOUT.value, _TOO_SLOW)
        return Answer(json.dumps(values).encode(), Status.OK.value)
