"""BatchOptions: everything that decides what the rows of a part contain, and its hash. Filters leave out pages."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial

from broadsheet.article import Article, Status
from broadsheet.capture import Capture
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.inputs import ReadOptions
from broadsheet.inputs.options import DEFAULT_READ_OPTIONS
from broadsheet.models.weights import TITLE_MODEL, hash_weights
from broadsheet.option_field import group, list_options, option, read_date, split_names
from broadsheet.options import DEFAULT_OPTIONS, ExtractOptions, make_options
from broadsheet.output.measures import MASKED_COLUMNS, MASKS, RULES, find_broken_rule, mask_contacts, measure_text
from broadsheet.output.record import SCHEMA_VERSION, Column, choose_columns
from broadsheet.page import host_of, strip_www
from broadsheet.version import __version__
from broadsheet.web.body import parse_content_type

_HEAD_CHARS = 4_096  # of a page in which its language is declared
_HTML_LANGUAGE = re.compile(r"<html\b[^>]*?\s(?:xml:)?lang\s*=\s*[\"']?\s*([a-z]{2,3})\b", re.IGNORECASE)

_HOST = re.compile(r"(?!www\.)[^\s/:@?#*A-Z]+")
_MEDIA_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]+")
_LANGUAGE = re.compile(r"[a-z]{2,3}")

_PANEL = "Filters"
_filter = partial(option, panel=_PANEL)


def _split_lower(text: str) -> tuple[str, ...]:
    return split_names(text.lower())


def _read_hosts(text: str) -> tuple[str, ...]:
    return tuple(map(strip_www, _split_lower(text)))


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that a page must meet. The defaults keep every page."""

    hosts: tuple[str, ...] = _filter(  # without "www."
        (), "Only these hosts and their subdomains.", "--host", metavar="HOST,...", read=_read_hosts
    )
    url_pattern: str = _filter("", "Only addresses that match.", metavar="REGEX")
    without_url_pattern: str = _filter("", "Leave out addresses that match.", metavar="REGEX")
    content_types: tuple[str, ...] = _filter(  # of the HTTP header; pages without one are kept
        (), "Only these types of HTML, such as text/html.", "--content-type", metavar="TYPE,...", read=_split_lower
    )
    declared_languages: tuple[str, ...] = _filter(
        (),
        "Only pages whose <html lang> is one of these, or missing.",
        "--declared-language",
        metavar="CODE,...",
        read=_split_lower,
    )
    languages: tuple[str, ...] = _filter(  # ISO 639-1
        (), "Only articles in these languages.", "--language", metavar="CODE,...", read=_split_lower
    )
    statuses: tuple[str, ...] = _filter(
        (), "Only these statuses, such as ok,paywalled.", "--status", metavar="NAME,...", read=_split_lower
    )
    min_confidence: float = _filter(0.0, "Minimum confidence of the text.")
    min_chars: int = _filter(0, "Minimum length of the text, in characters.")
    min_words: int = _filter(0, "Minimum number of words of the text.")
    min_sentences: int = _filter(0, "Minimum number of sentences of the text.")
    quality: tuple[str, ...] = _filter(
        (), "Only texts that meet these sets of rules: gopher, c4, fineweb.", metavar="NAME,...", read=_split_lower
    )
    first_date: date | None = option(  # pages without a date are dropped
        None, "First day of publication.", "--from", metavar="DATE", panel=_PANEL, read=read_date
    )
    last_date: date | None = option(
        None, "Last day of publication.", "--to", metavar="DATE", panel=_PANEL, read=read_date
    )
    captured_from: date | None = option(None, "First day of capture.", metavar="DATE", panel=_PANEL, read=read_date)
    captured_to: date | None = option(None, "Last day of capture.", metavar="DATE", panel=_PANEL, read=read_date)

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError."""
        for pattern in (self.url_pattern, self.without_url_pattern):
            try:
                re.compile(pattern)
            except re.error as error:
                raise UsageError(f"{pattern!r} is not a regular expression: {error}") from error
        if unknown := set(self.statuses) - set(Status):
            raise UsageError(f"unknown status {min(unknown)!r}; known: {', '.join(Status)}")
        if unknown := set(self.quality) - set(RULES):
            raise UsageError(f"unknown rules {min(unknown)!r}; known: {', '.join(RULES)}")
        _check_names(self.hosts, _HOST, "a host such as news.example")
        _check_names(self.content_types, _MEDIA_TYPE, "a media type such as text/html")
        _check_names((*self.declared_languages, *self.languages), _LANGUAGE, "the code of a language such as en")
        if not 0 <= self.min_confidence <= 1:
            raise UsageError(f"the minimum of confidence must be from 0 to 1, not {self.min_confidence:g}")
        if self.first_date and self.last_date and self.first_date > self.last_date:
            raise UsageError(f"the first date, {self.first_date}, is after the last one, {self.last_date}")

    def check_capture(self, capture: Capture) -> str:
        """Return why a page is dropped before extraction; "" to keep it. Damaged records are kept: they are rows."""
        if capture.html is None:
            return ""
        if self.hosts and not self._has_host(capture.url):
            return "host"
        if not self._is_captured_in_time(capture):
            return "capture date"
        url = capture.url or ""
        if self.url_pattern and not re.search(self.url_pattern, url):
            return "url"
        if self.without_url_pattern and re.search(self.without_url_pattern, url):
            return "url"
        return self._check_declarations(capture.html, capture.content_type)

    def _check_declarations(self, html: str | bytes, content_type: str | None) -> str:
        if self.content_types and parse_content_type(content_type).media_type not in ("", *self.content_types):
            return "content type"
        if self.declared_languages and read_declared_language(html) not in ("", *self.declared_languages):
            return "declared language"
        return ""

    def check_article(self, article: Article) -> str:
        """Return why an article is dropped; "" to keep it. Failures are dropped only by the filter of statuses."""
        if self.statuses and article.status not in self.statuses:
            return "status"
        if article.status.is_failure:
            return ""
        if self.languages and (article.language or "") not in self.languages:
            return "language"
        if article.confidence < self.min_confidence:
            return "confidence"
        reason = self._check_text(article.text) if self.needs_text else ""
        return reason or ("" if self._has_date(article) else "date")

    def _check_text(self, text: str) -> str:
        if len(text) < self.min_chars:
            return "length"
        if self.min_words and measure_text(text).word_count < self.min_words:
            return "words"
        if self.min_sentences and measure_text(text).sentence_count < self.min_sentences:
            return "sentences"
        return find_broken_rule(text, self.quality) if self.quality else ""

    @property
    def needs_text(self) -> bool:
        """Whether the text is read."""
        return bool(self.min_chars or self.min_words or self.min_sentences or self.quality)

    def _has_host(self, url: str | None) -> bool:
        host = host_of(url)
        return any(host == name or host.endswith(f".{name}") for name in self.hosts)

    def _is_captured_in_time(self, capture: Capture) -> bool:
        if capture.fetched_at is None or (self.captured_from is None and self.captured_to is None):
            return True
        day = capture.fetched_at.date()
        return (self.captured_from or day) <= day <= (self.captured_to or day)

    def _has_date(self, article: Article) -> bool:
        if self.first_date is None and self.last_date is None:
            return True
        if article.date is None:
            return False
        day = article.date.date()
        return (self.first_date or day) <= day <= (self.last_date or day)


def _check_names(names: tuple[str, ...], pattern: re.Pattern[str], meaning: str) -> None:
    """Refuse names that no page can have: they would drop every page."""
    for name in names:
        if not pattern.fullmatch(name):
            raise UsageError(f"{name!r} is not {meaning}")


def read_declared_language(html: str | bytes) -> str:
    """Return the language of the html element, such as "en" for lang="en-GB"; "" if there is none. Does not parse."""
    head = html[:_HEAD_CHARS]
    match = _HTML_LANGUAGE.search(head if isinstance(head, str) else head.decode("latin-1"))
    return match[1].lower() if match else ""


_HASH_DIGITS = 16
# Written whatever fields are chosen: the report counts them, and filters read them.
KEY_COLUMNS = ("id", "status", "host", "language", "date", "confidence")

# Options of an extraction that have the same name and value in the description: all that requests may set, too, but for
# the home page, which a batch does not have.
_ROW_OPTIONS = tuple(
    name for name, declared in list_options(ExtractOptions).items() if declared.in_service and name != "home"
)


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """Options of every unit of work."""

    extract: ExtractOptions = group(DEFAULT_OPTIONS, make=make_options)
    read: ReadOptions = group(DEFAULT_READ_OPTIONS)
    include: tuple[str, ...] = ()  # more columns: "markdown", "html", "body", "blocks"
    with_minhash: bool = False  # a column with MinHash signatures (extra `dedup`)
    filters: Filters = group(Filters)
    mask: tuple[str, ...] = option(
        (), "Replace these in all texts: email, phone.", metavar="NAME,...", read=_split_lower
    )
    sample: float = option(  # chosen by a hash of file and offset
        1.0, "Extract this share of the pages, such as 0.01.", metavar="SHARE"
    )
    is_by_site: bool = option(False, "Learn the template of each host from the pages first, then extract.", "--by-site")
    piece_mb: int = option(  # not in the hash: the rows are the same
        128, "Cut WARC files into units of work of about this size; 0: a file is one.", metavar="MB", least=0
    )
    stall_seconds: float = option(  # not in the hash
        300.0, "Seconds without progress after which a worker process is replaced."
    )

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError."""
        if not 0 < self.sample <= 1:
            raise UsageError(f"the sample must be a share above 0 and at most 1, not {self.sample:g}")
        if unknown := set(self.mask) - set(MASKS):
            raise UsageError(f"cannot mask {min(unknown)!r}; known: {', '.join(MASKS)}")
        if not self.stall_seconds > 0:
            raise UsageError(f"stall_seconds must be greater than 0, not {self.stall_seconds:g}")
        self.choose_columns()

    def choose_columns(self) -> tuple[Column, ...]:
        """Return the columns of the parts."""
        fields = self.extract.fields
        columns = choose_columns(None if fields is None else (*KEY_COLUMNS, *fields), self.include)
        columns = tuple(map(self._mask_column, columns)) if self.mask else columns
        if not self.with_minhash:
            return columns
        from broadsheet.batch.duplicates import MINHASH

        return (*columns, MINHASH)

    def _mask_column(self, column: Column) -> Column:
        if column.name not in MASKED_COLUMNS:
            return column
        return column._replace(read=lambda article: mask_contacts(column.read(article), self.mask))

    @property
    def page_options(self) -> ExtractOptions:
        """The options of every page: only the columns that are written, and what the filters read, are computed."""
        names = [column.name for column in choose_columns(self.extract.fields, self.include)]
        needs_text = self.with_minhash or self.filters.needs_text
        return replace(self.extract, fields=(*names, *KEY_COLUMNS, *(("text",) if needs_text else ())))

    def describe(self) -> dict[str, str]:
        """Return every option that changes the rows, as text, by name. Loads the method."""
        extract = self.extract
        method = extract.load_method()
        values: dict[str, object] = {
            "method": method.name,
            "weights": getattr(method, "weights_hash", None),
            "version": __version__,
            "schema": SCHEMA_VERSION,
            **{name: getattr(extract, name) for name in _ROW_OPTIONS},
            "title_weights": extract.title_weights and hash_weights(TITLE_MODEL, extract.title_weights),
            "columns": [column.name for column in self.choose_columns()],
            "html_column": self.read.html_column,
            "url_column": self.read.url_column,
            "http_statuses": self.read.http_statuses,
            "sample": self.sample,
            "by_site": self.is_by_site,
            **_prefix("limits", asdict(extract.limits)),
            **_prefix("filters", _leave_out_defaults(asdict(self.filters))),
        }
        if self.mask:
            values["mask"] = self.mask
        if self.with_minhash:
            values["minhash"] = import_extra("rensa", "dedup").RMinHash.ALGORITHM_VERSION
        return {name: json.dumps(value, default=str) for name, value in values.items()}


def hash_options(description: Mapping[str, str]) -> str:
    """Return the hash of described options."""
    return hashlib.sha256(json.dumps(sorted(description.items())).encode()).hexdigest()[:_HASH_DIGITS]


# Filters that 0.2 does not have are described only if they are used: outputs of 0.2 go on.
_LATER_FILTERS = ("captured_from", "captured_to", "min_words", "min_sentences", "quality")


def _leave_out_defaults(values: Mapping[str, object]) -> dict[str, object]:
    defaults = asdict(Filters())
    return {name: value for name, value in values.items() if name not in _LATER_FILTERS or value != defaults[name]}


def _prefix(name: str, values: Mapping[str, object]) -> dict[str, object]:
    return {f"{name}.{key}": value for key, value in values.items()}
