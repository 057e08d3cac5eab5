"""Date of publication and date of modification, as precise as the page states them, with the time zone if stated.

Dates in the metadata come first. The dates that the page shows decide between two different statements, and which day a
time in UTC was for the reader. `shown_dates.py` reads the dates that the page shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from itertools import islice
from urllib.parse import unquote

from broadsheet.fields import shown_dates
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.stated import Strategy
from broadsheet.fields.timestamps import is_plausible, read_timestamps
from broadsheet.fields.value import FieldValue
from broadsheet.fields.written_dates import read_partial_date
from broadsheet.page.metadata import is_article_type
from broadsheet.text import compile_later

_MAX_META_NAME_CHARS = 60
_MAX_SHOWN_DATES = 20  # per strategy
_PARTIAL_CONFIDENCE = 0.5  # of the first day of a month or year; set by hand
_MAX_PARTIAL_CHARS = 20
_MAX_PATH_CHARS = 500  # of an address
# Time zones that a UTC time may be moved to, in hours: from California to Sydney.
_MIN_UTC_OFFSET, _MAX_UTC_OFFSET = -8, 10


def find_date(evidence: Evidence) -> FieldValue[datetime] | None:
    """Find the date of publication."""
    stated = [value for strategy in _STATED if (value := _find_first((strategy,), evidence))]
    if stated:
        return _choose_stated(stated, evidence)
    shown = _choose_shown(evidence)
    is_guess = shown is None or shown.confidence < _PARTIAL_CONFIDENCE
    return (_find_partial(evidence) if is_guess else None) or shown


def find_date_modified(evidence: Evidence) -> FieldValue[datetime] | None:
    """Find the date of the last change. A date before publication is discarded."""
    modified = _find_first(_MODIFIED, evidence)
    return None if modified and evidence.date and _is_before(modified.value, evidence.date) else modified


def find_method_date(evidence: Evidence) -> datetime | None:
    """Find the date in the date lines that the method found, and nowhere else."""
    return next(shown_dates.read_method_dates(evidence), None)


def _find_first(strategies: Iterable[Strategy[datetime]], evidence: Evidence) -> FieldValue[datetime] | None:
    for strategy in strategies:
        for moment in strategy.read(evidence):
            return FieldValue(moment, strategy.source, strategy.confidence)
    return None


def _choose_stated(stated: list[FieldValue[datetime]], evidence: Evidence) -> FieldValue[datetime]:
    """Choose the statement whose day the page also shows, otherwise the first; move a UTC time to the day shown."""
    days = {value.value.date() for value in stated}
    if len(days) == 1 and not _is_utc_time(stated[0].value):
        return _add_time(stated[0], stated)
    shown = [dates for read in _SHOWN_DAYS if (dates := list(islice(read(evidence), _MAX_SHOWN_DATES)))]
    for day in (dates[0].date() for dates in shown):
        for value in stated:
            if value.value.date() == day:
                return _add_time(value, stated)
    if days.isdisjoint(moment.date() for dates in shown for moment in dates):
        for first in (dates[0] for dates in shown):
            if first.tzinfo is None and (moment := _move_to_day(stated[0].value, first.date())):
                return FieldValue(moment, stated[0].source, stated[0].confidence)
    return _add_time(stated[0], stated)


def _add_time(day: FieldValue[datetime], stated: list[FieldValue[datetime]]) -> FieldValue[datetime]:
    """Replace a date without time by a statement of the same day with the time, if there is one."""
    if not _is_day_only(day.value):
        return day
    for value in stated:
        if value.value.date() == day.value.date() and not _is_day_only(value.value):
            return FieldValue(value.value, value.source, day.confidence)
    return day


def _find_partial(evidence: Evidence) -> FieldValue[datetime] | None:
    """Find a month or a year that the page states or shows alone. Its first day is the date; the source says so."""
    sources = (
        ("json-ld", evidence.metadata.article_texts("datePublished")),
        ("meta", evidence.metadata.meta_texts(*_PUBLISHED_NAMES)),
        ("text", shown_dates.list_head_lines(evidence)),
    )
    for source, texts in sources:
        for text in islice(texts, _MAX_SHOWN_DATES):
            partial = read_partial_date(text) if len(text) <= _MAX_PARTIAL_CHARS else None
            if partial and is_plausible(partial.day) and (source != "text" or partial.unit == "month"):
                return FieldValue(partial.day, f"{source}, {partial.unit} only", _PARTIAL_CONFIDENCE)
    return None


def _has_time(moment: datetime) -> bool:
    return bool(moment.hour or moment.minute or moment.second)


def _is_day_only(moment: datetime) -> bool:
    return moment.tzinfo is None and not _has_time(moment)


def _is_utc_time(moment: datetime) -> bool:
    return moment.tzinfo is not None and not moment.utcoffset() and _has_time(moment)


def _move_to_day(moment: datetime, day: date) -> datetime | None:
    """Convert a UTC time to the nearest time zone in which it falls on a day; None if there is none."""
    days = (day - moment.date()).days
    if abs(days) != 1 or not _is_utc_time(moment):
        return None
    hours = 24 - moment.hour if days > 0 else -moment.hour - 1
    if not _MIN_UTC_OFFSET <= hours <= _MAX_UTC_OFFSET:
        return None
    return moment.astimezone(timezone(timedelta(hours=hours)))


def _choose_shown(evidence: Evidence) -> FieldValue[datetime] | None:
    """Choose the first date that the page shows; if the address contains the month, the first date of that month."""
    month = _find_url_month(evidence)
    first: FieldValue[datetime] | None = None
    for strategy in _SHOWN:
        for moment in strategy.read(evidence):
            value = FieldValue(moment, strategy.source, strategy.confidence)
            if month is None or (moment.year, moment.month) == month:
                return value
            first = first or value
    return first


def _is_before(moment: datetime, other: datetime) -> bool:
    """Compare two times; by the day if the time zone of only one of them is known."""
    if (moment.tzinfo is None) != (other.tzinfo is None):
        return moment.date() < other.date()
    if moment.tzinfo is not None:
        moment, other = moment.astimezone(UTC), other.astimezone(UTC)
    return moment < other


# Dates in the metadata.


def _read_published_json_ld(evidence: Evidence) -> Iterator[datetime]:
    names = ("datePublished", "dateCreated", "uploadDate")
    texts = (text for name in names for text in evidence.metadata.article_texts(name))
    yield from read_timestamps(texts, evidence)
    yield from read_timestamps(evidence.metadata.page_texts("datePublished"), evidence)
    items = (item for item in evidence.metadata.json_ld.items if not item.parent_property)
    yield from read_timestamps((text for item in items for text in item.texts("datePublished")), evidence)


def _read_modified_json_ld(evidence: Evidence) -> Iterator[datetime]:
    yield from read_timestamps(evidence.metadata.article_texts("dateModified"), evidence)
    yield from read_timestamps(evidence.metadata.page_texts("dateModified"), evidence)


_PUBLISHED_NAMES = tuple(
    """article:published_time og:article:published_time article:published og:published_time og:publication_time
    article:publish_time article:published_first story:published_time datepublished og:pubdate rnews:datepublished
    article:post_date parsely-pub-date sailthru.date cxenseparse:recs:publishtime cxenseparse:publishtime publish_time
    published_time published_at publish-date publish_date publishdate published_date published pubdate pub_date
    publicationdate publication_date dateofpublication prism.publicationdate citation_publication_date
    citation_online_date citation_date dcsext.articlefirstpublished article_date_original displaydate release_date
    dc.date.issued dcterms.issued dc.date dc.date.created dcterms.created dc.terms.created dcterms.date datecreated
    created firstcreate cms_creationdate uploaddate ptime pdate rbpubdate bt:pubdate gsa_date date_published
    originalpublicationdate timestamp search:contentdate ms.date article.created article.published
    date""".split()
)
_MODIFIED_NAMES = tuple(
    """article:modified_time og:article:modified_time article:modified og:modified_time og:updated_time datemodified
    article:updated_time article_date_updated dcterms.modified dc.date.modified cxenseparse:modified_time modified_date
    updated_at last_modified last_updated_date lastupdate lastmod updated utime article.updated moddate revision_date
    last-modified""".split()
)

# Names of other systems that resemble the ones above.
_PUBLISHED_PATTERN = compile_later(
    r"(?<![a-z])(?:publi(?:sh(?:ed)?|cation)[-_:. ]?(?:time|date|at|on)|pub-?date|post-?date)(?![a-z])"
)
_MODIFIED_PATTERN = compile_later(r"(?:modified|updated?|revised)(?:[-_:. ]?(?:time|date|at|on))?$")


def _read_published_meta(evidence: Evidence) -> Iterator[datetime]:
    yield from read_timestamps(evidence.metadata.meta_texts(*_PUBLISHED_NAMES), evidence)
    yield from read_timestamps(_read_matching_meta(evidence, _PUBLISHED_PATTERN), evidence)


def _read_modified_meta(evidence: Evidence) -> Iterator[datetime]:
    yield from read_timestamps(evidence.metadata.meta_texts(*_MODIFIED_NAMES), evidence)
    yield from read_timestamps(_read_matching_meta(evidence, _MODIFIED_PATTERN), evidence)


def _read_matching_meta(evidence: Evidence, pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield the contents of meta elements whose name matches a pattern."""
    for name, texts in evidence.metadata.meta.items():
        if len(name) < _MAX_META_NAME_CHARS and _matches(pattern, name):
            yield from texts


@lru_cache(maxsize=2048)  # pages share the names of meta elements
def _matches(pattern: re.Pattern[str], name: str) -> bool:
    return pattern.search(name) is not None


def _read_published_microdata(evidence: Evidence) -> Iterator[datetime]:
    return _read_microdata(evidence, ("datepublished", "datecreated", "created", "published", "issued", "date"))


def _read_modified_microdata(evidence: Evidence) -> Iterator[datetime]:
    return _read_microdata(evidence, ("datemodified", "modified", "updated"))


def _read_microdata(evidence: Evidence, names: tuple[str, ...]) -> Iterator[datetime]:
    """Read properties of articles and pages; of several items, those around the headline or in the body."""
    properties = [
        item
        for item in evidence.metadata.microdata
        if item.name in names and (not item.type or is_article_type(item.type) or item.type.endswith("Page"))
    ]
    scopes = {item.scope for item in properties}
    if len(scopes) > 1:
        body_rows, head_rows = evidence.body_rows(), evidence.head_rows()
        node_end = evidence.page.nodes.end
        of_article = [
            item for item in properties if item.scope >= 0 and item.scope <= body_rows.start < node_end[item.scope]
        ]
        properties = of_article or [item for item in properties if item.row in body_rows or item.row in head_rows]
    return read_timestamps((item.value for item in properties), evidence)


# Dates in the address.

_URL_DAY = compile_later(
    r"(?<!\d)((?:19|20)\d\d)(?:[/_-](0?[1-9]|1[0-2])[/_-](0?[1-9]|[12]\d|3[01])|/?(0[1-9]|1[0-2])/?(0[1-9]|[12]\d|3[01]))(?!\d)"
)
_URL_MONTH = compile_later(r"/((?:19|20)\d\d)/(0?[1-9]|1[0-2])/")


def _read_url(evidence: Evidence) -> Iterator[datetime]:
    """Read a day from the path: /2021/03/14/, /20210314/, -2021-03-14; never from digits of a longer number."""
    for path in _list_paths(evidence):
        for match in _URL_DAY.finditer(path):
            year, month, day = match[1], match[2] or match[4], match[3] or match[5]
            try:
                moment = datetime(int(year), int(month), int(day))
            except ValueError:
                continue
            if is_plausible(moment):
                yield moment


def _find_url_month(evidence: Evidence) -> tuple[int, int] | None:
    """Return year and month of the path, as many blogs have it: /2021/03/title."""
    matches = (_URL_MONTH.search(f"/{path}") for path in _list_paths(evidence))
    match = next(filter(None, matches), None)
    return (int(match[1]), int(match[2])) if match else None


def _list_paths(evidence: Evidence) -> Iterator[str]:
    for address in (evidence.page.url or "", *evidence.metadata.links.get("canonical", ())):
        yield unquote(address.partition("://")[2].partition("/")[2].partition("?")[0])[:_MAX_PATH_CHARS]


# The confidence is the share of right days on train pages, smoothed with a prior of 9 correct out of 10; for dates that
# the page shows, also measured on pages without their metadata.
_STATED = (
    Strategy("json-ld", _read_published_json_ld, 0.958),
    Strategy("meta", _read_published_meta, 0.958),
    Strategy("microdata", _read_published_microdata, 0.93),
)
_SHOWN_DAYS = (_read_url, shown_dates.read_time_elements, shown_dates.read_head)
_SHOWN = (
    Strategy("time", shown_dates.read_time_elements, 0.93),
    Strategy("url", _read_url, 0.9),
    Strategy("visual", shown_dates.read_method_dates, 0.9),
    Strategy("text", shown_dates.read_head, 0.89),
    Strategy("html", shown_dates.read_attributes, 0.79),
    Strategy("html", shown_dates.read_html_title, 0.78),
    Strategy("time", shown_dates.read_body_time_elements, 0.89),
    Strategy("text", shown_dates.read_date_lines, 0.76),
    Strategy("time", shown_dates.read_modified_time_elements, 0.93),
    Strategy("text", shown_dates.read_modified_lines, 0.8),
    Strategy("html", shown_dates.read_image_paths, 0.71),
    Strategy("text", shown_dates.read_nearest, 0.48),
)
_MODIFIED = (
    Strategy("json-ld", _read_modified_json_ld, 0.99),
    Strategy("meta", _read_modified_meta, 0.99),
    Strategy("microdata", _read_modified_microdata, 0.97),
    Strategy("time", shown_dates.read_modified_time_elements, 0.95),
    Strategy("text", shown_dates.read_modified_lines, 0.95),
)
