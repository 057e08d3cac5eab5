"""How articles stand in an output: one alone, several one after the other, or one in each file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from broadsheet.article import Article, Status
from broadsheet.output import FORMATS, to_dict
from broadsheet.output.as_json import dump_json

EXPLAIN = "explain"  # not a format that can be asked for by --format

# What the file of a page ends with.
ENDINGS = {
    "text": ".txt",
    "md": ".md",
    "html": ".html",
    "json": ".json",
    "jsonl": ".jsonl",
    "schema": ".jsonld",
    "tei": ".xml",
    EXPLAIN: ".txt",
}
# What others call a format, and an output file may end with.
FORMAT_ALIASES = {
    "txt": "text",
    "plain": "text",
    "markdown": "md",
    "htm": "html",
    "ndjson": "jsonl",
    "jsonld": "schema",
    "json-ld": "schema",
    "schema.org": "schema",
    "xml": "tei",
}
# A file can hold only one document of these.
LONE_FORMATS = frozenset(("html", "tei"))
# Records of these tell the status; in the others a page that failed would be an empty text, and is left out.
_RECORD_FORMATS = frozenset(("json", "jsonl"))
_FAILURES = frozenset((Status.FAILED, Status.TIMEOUT))


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around, between and after each of the articles in one output."""

    before: str = ""
    between: str = ""
    after_each: str = "\n"
    after: str = ""


ALONE = Frame()
_ARRAY = Frame("[\n", ",\n", "", "\n]\n")
_SPACED = Frame(between="\n")
FRAMES = {"text": _SPACED, "md": _SPACED, EXPLAIN: _SPACED, "jsonl": ALONE, "json": _ARRAY, "schema": _ARRAY}


def infer_format(file_name: str) -> str | None:
    """Tell the format that a file should have by its ending; None if that says nothing."""
    ending = PurePath(file_name).suffix.lower()[1:]
    name = FORMAT_ALIASES.get(ending, ending)
    return name if name in FORMATS else None


def has_failed(article: Article) -> bool:
    """Tell whether Broadsheet could not do its work on a page; other statuses are findings about the page."""
    return article.status in _FAILURES


def is_written(article: Article, format_name: str) -> bool:
    """Tell whether a page has a place in an output of several."""
    return format_name in _RECORD_FORMATS or not has_failed(article)


def write_article(article: Article, format_name: str, *, source: str | None = None) -> str:
    """Write an article; `source` names its page where it is one of several."""
    if source is None or format_name not in _RECORD_FORMATS:
        return FORMATS[format_name](article)
    return dump_json({"source": source, **to_dict(article)}, indent=2 if format_name == "json" else None)


def write_heading(format_name: str, source: str) -> str:
    """Name the page that the next article of a text is from, the way that `head` and `tail` do."""
    if format_name == "text":
        return f"==> {source} <==\n"
    return f"<!-- {source.replace('--', '- -')} -->\n\n" if format_name == "md" else ""
