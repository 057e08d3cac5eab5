"""Progress, messages and summary of an extraction, on stderr."""

from __future__ import annotations

import sys
import time
from collections import Counter
from types import TracebackType
from typing import TYPE_CHECKING, Self

from broadsheet.article import Article, Status
from broadsheet.article.lazy import find_reason, get_requested
from broadsheet.cli.messages import complain, flatten
from broadsheet.cli.sources import Sources
from broadsheet.text import format_count

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID

_MAX_EQUAL_MESSAGES = 3


class Report:
    """Counts pages by status. A terminal shows a progress bar and a summary; a pipe shows error messages only."""

    def __init__(self, sources: Sources, *, has_bar: bool, is_quiet: bool) -> None:
        self._total = sources.count  # None: not known
        self._has_notes = not sources.is_several and not is_quiet
        self._is_quiet = is_quiet
        self._has_bar = has_bar and not is_quiet and sys.stderr.isatty()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._statuses: Counter[str] = Counter()
        self._failures: dict[str, list[str]] = {}  # reason -> names of the pages that failed for it
        self._texts: dict[int, str] = {}  # hash of a text -> name of the first page that has it
        self._duplicates: list[str] = []
        self._unread = 0
        self._has_faults = False  # of files whose pages were read
        self._began = time.monotonic()

    @property
    def pages(self) -> int:
        """Number of pages so far."""
        return self._statuses.total() + self._unread

    @property
    def failures(self) -> int:
        """Number of pages so far that could not be read or extracted."""
        return self._unread + self._statuses[Status.FAILED] + self._statuses[Status.TIMEOUT]

    @property
    def has_failures(self) -> bool:
        """Whether a page could not be read, not completely read, or not extracted."""
        return self._has_faults or self.failures > 0

    def __enter__(self) -> Self:
        if self._has_bar:
            self._progress = _make_progress()
            self._task = self._progress.add_task("", total=self._total)
            self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if self._progress is not None:
            self._progress.stop()
        for names in self._failures.values():
            if len(names) > _MAX_EQUAL_MESSAGES:
                others = format_count(len(names) - _MAX_EQUAL_MESSAGES, "more page")
                complain(f"{others} with the same error as {names[0]}")
        if (count := len(self._duplicates)) and not self._is_quiet and kind is None:
            pages = "1 page has" if count == 1 else f"{count:,} pages have"
            names = [*self._duplicates[:_MAX_EQUAL_MESSAGES], *["..."] * (count > _MAX_EQUAL_MESSAGES)]
            complain(f"{pages} the text of an earlier page: {', '.join(names)}")

    def miss(self, message: str, name: str = "") -> None:
        """Report that a page could not be read. The message contains its name."""
        self._unread += 1
        self._say_failure(message, name, message.replace(name, "") if name else message)
        self.advance()

    def note_fault(self, message: str) -> None:
        """Report a fault of a file; the page at that place is extracted as far as it could be read."""
        self._has_faults = True
        self._say(message)

    def skip(self, name: str, reasons: Counter[str]) -> None:
        """Report the records of an archive that are not pages."""
        if reasons and not self._is_quiet:
            counts = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
            records = "1 record is not a page" if reasons.total() == 1 else f"{reasons.total():,} records are not pages"
            self._say(f"{name}: {records} ({counts})")

    def count(self, name: str, article: Article) -> None:
        """Count an extracted page, and report a failure."""
        self._statuses[article.status] += 1
        if article.status.is_failure:
            reason = f"{article.status}: {find_reason(article) or 'the page took too long'}"
            self._say_failure(f"{name}: {reason}", name, reason)
        elif self._has_notes and article.status is not Status.OK:
            status = article.status
            self._say(f"{name}: {status.meaning}; {status.advice} (status: {status})")
        self.compare_text(name, article)
        self.advance()

    def summarize(self) -> None:
        """Print the number of pages by status; on a terminal only."""
        if self._is_quiet or not sys.stderr.isatty():
            return
        parts = [f"{count:,} {status}" for status, count in self._statuses.most_common()]
        if self._unread:
            parts.append(f"{self._unread:,} not read")
        seconds = time.monotonic() - self._began
        print(f"{format_count(self.pages, 'page')} in {seconds:.1f} s: {', '.join(parts)}", file=sys.stderr)

    def advance(self) -> None:
        """Advance the progress bar by a page."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task)

    def compare_text(self, name: str, article: Article) -> None:
        """Remember a page whose text an earlier page has. Texts that are not written are not compared."""
        requested = get_requested(article)
        text = article.text if requested is None else requested.values.get("text")
        first = self._texts.setdefault(hash(text), name) if text else name
        if first != name:
            self._duplicates.append(f"{name} (as {first})")

    def _say_failure(self, message: str, name: str, reason: str) -> None:
        """Report a page that failed. Of many with the same reason, the first are named, and the others counted."""
        names = self._failures.setdefault(reason, [])
        names.append(name)
        if len(names) <= _MAX_EQUAL_MESSAGES:
            self._say(message)

    def _say(self, message: str) -> None:
        if self._progress is None:
            complain(message)
        else:
            self._progress.console.print(
                f"broadsheet: {flatten(message)}", markup=False, highlight=False, soft_wrap=True, emoji=False
            )


def _make_progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    # Rich must not redirect stdout, which may be a pipe, to the terminal.
    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        _make_rate_column(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def _make_rate_column() -> ProgressColumn:
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class RateColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            rate = task.finished_speed or task.speed
            return Text(f"{rate:,.1f} pages/s" if rate else "", style="progress.data.speed")

    return RateColumn()
