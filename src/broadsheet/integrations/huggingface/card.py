"""The card of a dataset: README.md with a YAML header, as the Hugging Face hub reads it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

from broadsheet.article import Article, Status
from broadsheet.output.record import Column
from broadsheet.page import host_of
from broadsheet.version import __version__

_MAX_HOSTS = 20
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST_SIZE = "n>1M"


@dataclass(frozen=True, slots=True)
class CardText:
    """What only the maker of a dataset knows."""

    title: str
    licence: str = "unknown"  # an identifier of the hub, such as "cc-by-4.0"
    description: str = ""  # Markdown


@dataclass(slots=True)
class DatasetFacts:
    """Counts of the articles."""

    rows: int = 0
    chars: int = 0
    confidence: float = 0.0  # sum
    languages: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    days: list[date] = field(default_factory=list)  # the first and the last

    def add(self, articles: Iterable[Article]) -> None:
        """Count articles."""
        for article in articles:
            self.rows += 1
            self.chars += len(article.text)
            self.confidence += article.confidence
            self.languages[article.language or ""] += 1
            self.hosts[host_of(article.url) or ""] += 1
            self.statuses[article.status.value] += 1
            self.methods[article.method] += 1
            if article.date:
                day = article.date.date()
                self.days = [min([day, *self.days]), max([day, *self.days])]


def write_card(text: CardText, facts: DatasetFacts, columns: Sequence[Column]) -> str:
    """Return the card."""
    sections = (
        _write_header(text, facts),
        f"# {text.title}\n\n{text.description or 'News articles, extracted from web pages.'}",
        _write_summary(facts),
        _write_table("Languages", "language", facts.languages),
        _write_table("Sites", "host", facts.hosts),
        _write_table("Statuses", "status", facts.statuses),
        _write_columns(columns),
        _write_making(facts),
    )
    return "\n\n".join(sections) + "\n"


def _write_header(text: CardText, facts: DatasetFacts) -> str:
    languages = sorted(filter(None, facts.languages))
    size = next((name for limit, name in _SIZES if facts.rows < limit), _LARGEST_SIZE)
    lines = [
        "---",
        f"pretty_name: {json.dumps(text.title, ensure_ascii=False)}",
        f"license: {json.dumps(text.licence)}",
        *(("language:", *(f"- {json.dumps(language)}" for language in languages)) if languages else ()),
        "size_categories:",
        f"- {size}",
        "tags:",
        "- news",
        "configs:",
        "- config_name: default",
        "  data_files:",
        "  - split: train",
        "    path: data/train-*.parquet",
        "---",
    ]
    return "\n".join(lines)


def _write_summary(facts: DatasetFacts) -> str:
    days = f", published from {facts.days[0]} to {facts.days[1]}" if facts.days else ""
    articles = facts.statuses.get(Status.OK.value, 0)
    return (
        f"{facts.rows:,} pages, {articles:,} of them articles, of {len(facts.hosts):,} sites{days}. "
        f"{facts.chars:,} characters of text. Mean confidence {facts.confidence / max(facts.rows, 1):.2f} "
        "(the expected F1 of the text)."
    )


def _write_table(title: str, name: str, counts: Counter[str]) -> str:
    rows = [f"| {_escape(value) or '(unknown)'} | {count:,} |" for value, count in counts.most_common(_MAX_HOSTS)]
    more = f"\n\n{len(counts) - len(rows):,} more." if len(counts) > len(rows) else ""
    return "\n".join((f"## {title}", "", f"| {name} | pages |", "|---|---:|", *rows)) + more


def _write_columns(columns: Sequence[Column]) -> str:
    rows = [f"| `{column.name}` | {_escape(column.type)} | {_escape(column.description)} |" for column in columns]
    return "\n".join(("## Columns", "", "| column | type | meaning |", "|---|---|---|", *rows))


def _write_making(facts: DatasetFacts) -> str:
    methods = ", ".join(f"`{name}`" for name, _ in facts.methods.most_common() if name)
    return (
        "## How it was made\n\n"
        f"Extracted by Broadsheet {__version__}{f', method {methods}' if methods else ''}, without a manual check. "
        "`confidence` is the expected F1 of a text; `sources` and `confidences` describe each field.\n\n"
        "The texts belong to their publishers. The maker of this dataset decides whether they may be shared."
    )


def _escape(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
