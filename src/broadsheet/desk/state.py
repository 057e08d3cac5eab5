"""What the routes of the desk share: open pages, finished extractions, and the worker processes of the service."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from pathlib import Path
from typing import Annotated, Any, cast

from fastapi import Depends
from starlette.requests import Request

from broadsheet.api import PageInput
from broadsheet.desk.open_pages import PageStore, StoredPage, load_samples
from broadsheet.desk.tasks import WEIGHTS, DeskTask, ExtractorChoice, list_contenders, list_own_contenders
from broadsheet.errors import describe_unknown
from broadsheet.server.refusal import Refusal
from broadsheet.server.service import Service, check_answer

_MAX_CACHE_BYTES = 64_000_000


class Desk:
    """State of the desk in one process of the service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.pages = PageStore()
        weights = service.settings.options.weights
        self.weights = [Path(folder) for folder in (weights if isinstance(weights, tuple) else (weights,))]
        self._cache: OrderedDict[tuple[object, ...], bytes] = OrderedDict()
        self._cache_bytes = 0

    def get_page(self, page_id: str) -> StoredPage:
        """Return an open page or a sample. Raises Refusal (404)."""
        page = self.find_page(page_id)
        if page is None:
            raise Refusal(404, "this page is no longer in memory; open it again")
        return page

    def find_page(self, page_id: str) -> StoredPage | None:
        """Return an open page or a sample, if it is in memory."""
        return self.pages.get(page_id) or load_samples().get(page_id)

    def list_own_contenders(self) -> dict[str, ExtractorChoice]:
        """Return the methods, with shipped and with own weights."""
        return list_own_contenders(tuple(self.weights))

    async def list_contenders(self) -> dict[str, ExtractorChoice]:
        """Return all that can be run. The first call looks for other extractors, which takes a few seconds."""
        return await asyncio.to_thread(list_contenders, tuple(self.weights))

    async def find_contenders(self, keys: list[str]) -> list[ExtractorChoice]:
        """Return contenders by key. Raises Refusal (422)."""
        contenders = self.list_own_contenders()
        if not contenders.keys() >= set(keys):
            contenders = await self.list_contenders()
        for key in keys:
            if key not in contenders:
                raise Refusal(422, describe_unknown("method", key, tuple(contenders)))
        return [contenders[key] for key in dict.fromkeys(keys)]

    async def run(self, task: str, page: StoredPage, *arguments: object) -> bytes:
        """Run a function of `tasks.py` in a worker process; return its JSON. Raises Refusal (422, 503 or 504)."""
        key = (task, page.id, page.gold, *arguments)
        if (known := self._cache.get(key)) is not None:
            self._cache.move_to_end(key)
            return known
        inputs = PageInput(page.url, page.html, sheets=page.sheets or None)
        work = DeskTask(inputs, page.charset, function=task, arguments=arguments)
        timed = await self.service.extractor.run(work)
        check_answer(timed)
        record = timed.answer.record
        uses_own_weights = any(isinstance(value, ExtractorChoice) and value.kind == WEIGHTS for value in arguments)
        if not uses_own_weights:  # their folder may be written again by a later training
            self._keep(key, record)
        return record

    async def extract(self, page: StoredPage, contender: ExtractorChoice) -> dict[str, Any]:
        """Extract a page with a contender; a failure is a result with an error."""
        try:
            return cast("dict[str, Any]", json.loads(await self.run("extract_page", page, contender, page.gold)))
        except Refusal as refusal:
            if refusal.code not in (422, 504):
                raise
            return {"key": contender.key, "error": refusal.line, "kept": "", "roles": [], "scores": [], "text": ""}

    def _keep(self, key: tuple[object, ...], record: bytes) -> None:
        if key in self._cache:
            return
        self._cache[key] = record
        self._cache_bytes += len(record)
        while self._cache_bytes > _MAX_CACHE_BYTES and len(self._cache) > 1:
            self._cache_bytes -= len(self._cache.popitem(last=False)[1])


def get_desk(request: Request) -> Desk:
    """Return the desk of the application."""
    return cast("Desk", request.app.state.desk)


DeskOf = Annotated[Desk, Depends(get_desk)]
