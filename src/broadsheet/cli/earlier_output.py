"""An output file of an earlier run: it is not replaced by a worse one, and `--resume` continues it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from broadsheet.article import Article, Status
from broadsheet.cli.messages import complain
from broadsheet.cli.progress import Report
from broadsheet.cli.sources import NamedSource
from broadsheet.errors import BroadsheetError, UsageError
from broadsheet.output import Format, TableFormat
from broadsheet.output.record import Column

PageKey = tuple[str | None, int | None]  # source file and offset
_RESUMED_FORMATS = ("jsonl", "json", "csv", "parquet")
_KEY_COLUMNS = ("status", "source_file")


@dataclass(frozen=True, slots=True)
class EarlierOutput:
    """The articles of an earlier run that `--resume` keeps."""

    articles: tuple[Article, ...] = ()
    keys: frozenset[PageKey] = field(default=frozenset())

    def has(self, source_file: str, offset: int | None = None) -> bool:
        """Return whether a page was extracted by the earlier run."""
        return (source_file, offset) in self.keys


def read_earlier(output: str | None, layout: Format | TableFormat, columns: tuple[Column, ...]) -> EarlierOutput:
    """Read the articles of an output file that did not fail. Raises UsageError if it cannot be continued."""
    from broadsheet.report.records import read_articles

    names = {column.name for column in columns}
    if output is None or layout.name not in _RESUMED_FORMATS:
        raise UsageError(f"--resume continues a file of records; name one: -o FILE.{_RESUMED_FORMATS[0]}")
    if not names.issuperset(_KEY_COLUMNS) or "blocks" in names:
        raise UsageError(f"--resume needs the columns {' and '.join(_KEY_COLUMNS)}, and cannot keep blocks")
    if not Path(output).exists():
        return EarlierOutput()
    articles = tuple(article for article in read_articles(Path(output)) if not article.status.is_failure)
    keys = ((article.provenance.source_file, article.provenance.source_offset) for article in articles)
    return EarlierOutput(articles, frozenset(keys))


def name_earlier(article: Article) -> NamedSource:
    """Return the source of an article of an earlier run."""
    name = article.provenance.source_file or article.url or ""
    return NamedSource(name, name)


def choose_output(path: Path, report: Report) -> Path:
    """Return where to write a complete output: beside an existing file if pages failed and that has more articles."""
    if not report.failures or not path.is_file() or not path.stat().st_size:
        return path
    articles, articles_before = report.pages - report.failures, _count_articles(path)
    if articles_before is None:  # not a file of records
        is_worse, comparison = articles < report.failures, ""
    else:
        is_worse, comparison = articles < articles_before, f": {articles:,} articles, {articles_before:,} before"
    if not is_worse:
        return path
    new_path = path.with_name(f"{path.stem}.new{path.suffix}")
    complain(
        f"{path.name} is kept, because {report.failures:,} of {report.pages:,} pages failed{comparison}; the new "
        f"output is {new_path.name}; --resume extracts the failed pages again, --overwrite replaces the file"
    )
    return new_path


def _count_articles(path: Path) -> int | None:
    """Count the pages in a file of records that did not fail; None if it is not one."""
    from broadsheet.report.records import read_rows

    try:
        return sum(not Status(row["status"]).is_failure for row in read_rows(path))
    except (BroadsheetError, OSError, ValueError):
        return None
