"""Peak memory of each contender, measured in a separate process that extracts a sample of the pages."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence

from broadsheet.corpora import Record
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.extractors import open_peer_process
from broadsheet.evaluation.store import AnswerStore, hash_page
from broadsheet.options import ExtractOptions
from broadsheet.page_input import PageInput
from broadsheet.workers.extraction import ExtractionTask, open_state
from broadsheet.workers.process import WorkerLost, WorkerStartError
from broadsheet.workers.supervisor import Worker

Page = tuple[str, str | None, str | None]  # html, url, language

SAMPLE_PAGES = 12
MAX_PAGE_CHARS = 1_000_000
_PAGE_SECONDS = 120.0
_FIELDS = ("text",)


class MemoryProbe:
    """Keeps the pages with the smallest hashes as a sample, and runs each contender over them."""

    def __init__(self) -> None:
        self._sample: dict[str, Page] = {}  # by hash

    def offer(self, record: Record) -> None:
        """Add a page to the sample if its hash is small enough."""
        if len(record.html) > MAX_PAGE_CHARS or not isinstance(record.html, str):
            return
        key = hash_page(record)
        if len(self._sample) < SAMPLE_PAGES or key < max(self._sample):
            self._sample[key] = (record.html, record.url, record.lang)
            if len(self._sample) > SAMPLE_PAGES:
                del self._sample[max(self._sample)]

    def measure(self, contenders: Sequence[Contender], store: AnswerStore) -> dict[str, float]:
        """Return peak MB by contender, from the cache where possible."""
        pages = [self._sample[key] for key in sorted(self._sample)]
        sample_hash = hashlib.sha256(" ".join(sorted(self._sample)).encode()).hexdigest()[:16]
        peaks: dict[str, float] = {}
        for contender in contenders:
            name = f"memory|{sample_hash}|{contender.key}"
            peak = store.find_fact(name)
            if peak is None and (peak := _measure_peak(contender, pages)) is not None:
                store.add_fact(name, peak)
            if peak is not None:
                peaks[contender.name] = peak
        return peaks


def _measure_peak(contender: Contender, pages: Sequence[Page]) -> float | None:
    """Run a contender over pages in a new process; return its peak memory in MB, or None if it fails."""
    with contextlib.ExitStack() as stack:
        try:
            if contender.is_peer:
                process = open_peer_process(contender)
                stack.callback(process.close)
                for page in pages:
                    list(process.ask(page, _PAGE_SECONDS))
                return process.read_peak_memory(_PAGE_SECONDS)
            options = ExtractOptions(
                method=contender.method or contender.name, weights=contender.weights, fields=_FIELDS
            )
            worker = Worker(open_state, options)
            stack.callback(worker.process.close)
            worker.run(ExtractionTask(tuple(PageInput(url, html) for html, url, _ in pages)))
            return None if worker.loss_count else worker.process.read_peak_memory(_PAGE_SECONDS)
        except (WorkerLost, WorkerStartError):
            return None
