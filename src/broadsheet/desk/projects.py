"""The project that the desk works on, and how it is opened. Its pages are extracted by the workers of the service."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from broadsheet.api import PageInput
from broadsheet.desk.tasks import AnalysisTask, DeskTask
from broadsheet.errors import BroadsheetError, InputError, UsageError
from broadsheet.options import ExtractOptions
from broadsheet.project.analysis import Analysis, unpack_analysis
from broadsheet.project.pages import PageEntry
from broadsheet.project.project import Project, find_person
from broadsheet.project.runs import Trainer
from broadsheet.server.refusal import Refusal
from broadsheet.server.service import Service, check_answer

_TRIAL_NAME = "trial-project"


@dataclass(frozen=True, slots=True)
class Refresh:
    """Progress of extracting all pages again."""

    done: int = 0
    total: int = 0
    error: str = ""  # of the first page that failed

    @property
    def is_running(self) -> bool:
        """Whether pages are left."""
        return self.done < self.total


class ProjectDesk:
    """A project, its retraining, and the service that extracts its pages."""

    def __init__(self, folder: Path, options: ExtractOptions | None = None, *, is_trial: bool = False) -> None:
        """Open a project, which is created if it does not exist."""
        self.is_trial = is_trial
        self.project = Project(folder, creates=True, options=options, analyse=self._analyse)
        self.trainer = Trainer(self.project)
        self.person = find_person()
        self.refresh = Refresh()
        self._service: Service | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closed = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closed.set()
        self.trainer.close()
        self.project.close()

    def connect(self, service: Service) -> None:
        """Use the worker processes of a service. Called from its event loop."""
        self._service, self._loop = service, asyncio.get_running_loop()

    async def write_view(self, page: PageEntry) -> bytes:
        """Return a page for an iframe, as JSON."""
        html = await asyncio.to_thread(self.project.read_html, page)
        charset = await asyncio.to_thread(self.project.read_charset, page)
        assert self._service is not None
        timed = await self._service.extractor.run(DeskTask(PageInput(page.url, html), charset, function="view_page"))
        check_answer(timed)
        return timed.answer.record

    def _analyse(self, html: str | bytes, url: str | None, options: ExtractOptions) -> Analysis:
        """Analyse a page in a worker process. Called from threads other than that of the event loop."""
        assert self._service is not None
        assert self._loop is not None
        task = AnalysisTask(PageInput(url, html), options.charset, weights=self.project.weights)
        timed = asyncio.run_coroutine_threadsafe(self._service.extractor.run(task), self._loop).result()
        if timed.answer.reason:
            raise InputError(timed.answer.reason)
        return unpack_analysis(timed.answer.record)

    def start_refresh(self) -> None:
        """Extract all pages with the current weights, in the background."""
        pages = self.project.list_pages()
        self.refresh = Refresh(0, len(pages))
        threading.Thread(target=self._extract_all, args=(pages, self.refresh), daemon=True).start()

    def _extract_all(self, pages: list[PageEntry], refresh: Refresh) -> None:
        first_error = ""
        for count, page in enumerate(pages, 1):
            if self._is_closed.is_set() or self.refresh is not refresh:  # a newer one has started
                return
            try:
                self.project.extract_again(page)
            except (BroadsheetError, Refusal) as error:  # a refusal: the service has no worker process
                if not first_error and self._has_page(page):
                    first_error = f"{page.name}: {error}"
            if self.refresh is refresh:
                self.refresh = refresh = Refresh(count, len(pages), first_error)

    def _has_page(self, page: PageEntry) -> bool:
        """Whether a page was not removed meanwhile."""
        return any(other.hash == page.hash for other in self.project.list_pages())


def open_project(folder: Path | None, options: ExtractOptions) -> AbstractContextManager[ProjectDesk | None]:
    """Open the project of a desk, if it has one."""
    return nullcontext() if folder is None else ProjectDesk(folder, options)


class ProjectOpener:
    """Opens one project, at the request of the person who started the desk; before it maybe a trial. Closes both."""

    def __init__(self, options: ExtractOptions) -> None:
        self._options = options
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._has_opened = False
        self._trial: ProjectDesk | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def open(self, folder: str | None) -> ProjectDesk:
        """Open or create a project; without a folder a trial project, which is deleted on exit. Raises UsageError."""
        with self._lock:
            if self._has_opened:
                raise UsageError("a project is open; start another desk for another project")
            if folder is None:
                self._trial = self._trial or self._open_trial()  # another tab gets the same one, with its labels
                return self._trial
            desk = self._stack.enter_context(ProjectDesk(_check_folder(folder), self._options))
            self._has_opened = True
            return desk

    def _open_trial(self) -> ProjectDesk:
        folder = Path(self._stack.enter_context(TemporaryDirectory(prefix="broadsheet-"))) / _TRIAL_NAME
        return self._stack.enter_context(ProjectDesk(folder, self._options, is_trial=True))


def _check_folder(folder: str) -> Path:
    """Return the folder of a project. Raises UsageError for what cannot be one."""
    try:
        path = Path(folder.strip()).expanduser()
        if not folder.strip() or path.is_file():
            raise UsageError("name a folder for the project, such as my-project")
    except (OSError, RuntimeError) as error:  # RuntimeError: an unknown user after ~
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot open {folder.strip()[:200]!r}: {reason}; name another folder") from error
    return path
