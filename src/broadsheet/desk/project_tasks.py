"""What worker processes compute for the project routes. Each function takes a job and returns an answer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from broadsheet.article import Status
from broadsheet.blocks import segment
from broadsheet.desk.page_view import render_page_view
from broadsheet.errors import BroadsheetError, LimitReached
from broadsheet.options import ExtractOptions, make_options
from broadsheet.page import read_page
from broadsheet.project.analysis import analyse_page
from broadsheet.project.places import list_paths
from broadsheet.server.worker import Answer, Job

_TOO_SLOW = "the page took longer than its time limit; raise --max-seconds"


def analyse(job: Job, options: ExtractOptions) -> Answer:
    """Analyse a page with the weights that the job names. The answer is a packed `Analysis`."""
    (weights,) = job.arguments
    chosen = make_options(options, weights=weights) if isinstance(weights, Path) else options
    try:
        analysis = analyse_page(job.page.html or b"", job.page.url, replace(chosen, charset=job.charset))
    except BroadsheetError as error:
        return Answer(b"", Status.FAILED.value, str(error))
    return Answer(analysis.pack(), Status.OK.value)


def view(job: Job, options: ExtractOptions) -> Answer:
    """Write a page for an iframe. The answer has the paths of its blocks, in the order of their numbers."""
    try:
        page = read_page(job.page.html or b"", url=job.page.url, charset=job.charset, limits=options.limits)
        blocks = segment(page)
        values = {"srcdoc": render_page_view(page, blocks), "paths": list_paths(page.nodes, blocks)}
    except LimitReached:
        return Answer(b"", Status.TIMEOUT.value, _TOO_SLOW)
    return Answer(json.dumps(values).encode(), Status.OK.value)
