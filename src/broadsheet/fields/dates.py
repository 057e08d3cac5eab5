"""When the article was published and last changed, as precisely as the page says it, with the zone where it has one.

What the page states for machines comes first; what it shows decides between two such statements, and which day it was
where they are in universal time. `shown_dates.py` reads what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import islice
from urllib.parse import unquote

from broadsheet.fields import shown_dates
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found
from broadsheet.fields.timestamps import is_plausible, read_timestamps
from broadsheet.page.metadata import is_article_type

_Strategy = Callable[[Evidence], Iterator[datetime]]
_MAX_NAME = 60  # characters of a meta name
_MAX_SHOWN = 20  # days of one strategy


def find_date(evidence: Evidence) -> Found[datetime] | None:
    """Find when the article was published."""
    stated = [found for row in _STATED if (found := _find_first((row,), evidence))]
    if stated:
        return _choose_stated(stated, evidence)
    return _choose_shown(evidence)


def find_date_modified(evidence: Evidence, published: datetime | None) -> Found[datetime] | None:
    """Find when the article was last changed; a change before publication is none."""
    found = _find_first(_MODIFIED, evidence)
    return None if found and published and _is_before(found.value, published) else found


def find_seen_date(evidence: Evidence) -> datetime | None:
    """Find the date in what the method takes for the date line, and nowhere else."""
    return next(shown_dates.read_method_dates(evidence), None)


def _find_first(strategies: tuple[tuple[str, _Strategy, float], ...], evidence: Evidence) -> Found[datetime] | None:
    for source, strategy, confidence in strategies:
        for moment in strategy(evidence):
            return Found(moment, source, confidence)
    return None


def _choose_stated(stated: list[Found[datetime]], evidence: Evidence) -> Found[datetime]:
    """Choose the statement whose day the page also shows; else the first. What is in UTC is told by the day shown."""
    days = {found.value.date() for found in stated}
    if len(days) == 1 and not _is_utc(stated[0].value):
        return _find_time(stated[0], stated)
    shown = [moments for strategy in _SHOWS_DAYS if (moments := list(islice(strategy(evidence), _MAX_SHOWN)))]
    for day in (moments[0].date() for moments in shown):
        for found in stated:
            if found.value.date() == day:
                return _find_time(found, stated)
    if days.isdisjoint(moment.date() for moments in shown for moment in moments):
        for first in (moments[0] for moments in shown):
            if first.tzinfo is None and (moment := _shift_to_day(stated[0].value, first.date())):
                return Found(moment, stated[0].source, stated[0].confidence)
    return _find_time(stated[0], stated)


def _find_time(day: Found[datetime], stated: list[Found[datetime]]) -> Found[datetime]:
    """Find a statement of the same day with the time."""
    if not _is_bare_day(day.value):
        return day
    for found in stated:
        if found.value.date() == day.value.date() and not _is_bare_day(found.value):
            return Found(found.value, found.source, day.confidence)
    return day


def _is_bare_day(moment: datetime) -> bool:
    return moment.tzinfo is None and not (moment.hour or moment.minute or moment.second)


def _is_utc(moment: datetime) -> bool:
    return moment.tzinfo is not None and not moment.utcoffset() and bool(moment.hour or moment.minute or moment.second)


_MOST_WEST, _MOST_EAST = -8, 10  # hours from UTC: California, Sydney


def _shift_to_day(moment: datetime, day: date) -> datetime | None:
    """Write a moment of UTC in the nearest zone where it is that day; None when it is nowhere."""
    days = (day - moment.date()).days
    if abs(days) != 1 or not _is_utc(moment):
        return None
    hours = 24 - moment.hour if days > 0 else -moment.hour - 1
    if not _MOST_WEST <= hours <= _MOST_EAST:
        return None
    return moment.astimezone(timezone(timedelta(hours=hours)))


def _choose_shown(evidence: Evidence) -> Found[datetime] | None:
    """Choose the first date that the page shows; where the address names the month, the first of that month."""
    month = _find_month(evidence)
    first: Found[datetime] | None = None
    for source, strategy, confidence in _SHOWN:
        for moment in strategy(evidence):
            found = Found(moment, source, confidence)
            if month is None or (moment.year, moment.month) == month:
                return found
            first = first or found
    return first


def _is_before(one: datetime, other: datetime) -> bool:
    """Compare moments of which one may not know its zone: then by the day."""
    if (one.tzinfo is None) != (other.tzinfo is None):
        return one.date() < other.date()
    if one.tzinfo is not None:
        one, other = one.astimezone(UTC), other.astimezone(UTC)
    return one < other


# Stated dates.


def _published_in_json_ld(evidence: Evidence) -> Iterator[datetime]:
    names = ("datePublished", "dateCreated", "uploadDate")
    texts = (text for name in names for text in evidence.metadata.article_texts(name))
    yield from read_timestamps(texts, evidence)
    yield from read_timestamps(evidence.metadata.page_texts("datePublished"), evidence)
    items = (item for item in evidence.metadata.json_ld.items if not item.parent_property)
    yield from read_timestamps((text for item in items for text in item.texts("datePublished")), evidence)


def _modified_in_json_ld(evidence: Evidence) -> Iterator[datetime]:
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


_PUBLISHED_LIKE = re.compile(
    r"(?<![a-z])(?:publi(?:sh(?:ed)?|cation)[-_:. ]?(?:time|date|at|on)|pub-?date|post-?date)(?![a-z])"
)  # of any system
_MODIFIED_LIKE = re.compile(r"(?:modified|updated?|revised)(?:[-_:. ]?(?:time|date|at|on))?$")


def _published_in_meta(evidence: Evidence) -> Iterator[datetime]:
    yield from read_timestamps(evidence.metadata.meta_texts(*_PUBLISHED_NAMES), evidence)
    yield from read_timestamps(_list_alike(evidence, _PUBLISHED_LIKE), evidence)


def _modified_in_meta(evidence: Evidence) -> Iterator[datetime]:
    yield from read_timestamps(evidence.metadata.meta_texts(*_MODIFIED_NAMES), evidence)
    yield from read_timestamps(_list_alike(evidence, _MODIFIED_LIKE), evidence)


def _list_alike(evidence: Evidence, pattern: re.Pattern[str]) -> Iterator[str]:
    """Contents of meta elements whose name is like those that are known."""
    for name, texts in evidence.metadata.meta.items():
        if len(name) < _MAX_NAME and pattern.search(name):
            yield from texts


def _published_in_microdata(evidence: Evidence) -> Iterator[datetime]:
    return _read_microdata(evidence, ("datepublished", "datecreated", "created", "published", "issued", "date"))


def _modified_in_microdata(evidence: Evidence) -> Iterator[datetime]:
    return _read_microdata(evidence, ("datemodified", "modified", "updated"))


def _read_microdata(evidence: Evidence, names: tuple[str, ...]) -> Iterator[datetime]:
    """Read properties of the item that holds the headline or the text, else of items that are no lists of others."""
    properties = [
        item
        for item in evidence.metadata.microdata
        if item.name in names and (not item.type or is_article_type(item.type) or item.type.endswith("Page"))
    ]
    scopes = {item.scope for item in properties}
    if len(scopes) > 1:
        rows, head_rows = evidence.body_rows(), evidence.head_rows()
        node_end = evidence.page.nodes.end
        own = [item for item in properties if item.scope >= 0 and item.scope <= rows.start < node_end[item.scope]]
        properties = own or [item for item in properties if item.row in rows or item.row in head_rows]
    return read_timestamps((item.value for item in properties), evidence)


# The address.

_URL_DAY = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?:[/_-](0?[1-9]|1[0-2])[/_-](0?[1-9]|[12]\d|3[01])|/?(0[1-9]|1[0-2])/?(0[1-9]|[12]\d|3[01]))(?!\d)"
)
_URL_MONTH = re.compile(r"/((?:19|20)\d\d)/(0?[1-9]|1[0-2])/")
_MAX_PATH = 500


def _in_url(evidence: Evidence) -> Iterator[datetime]:
    """Read a whole day from the path: /2021/03/14/, /20210314/, -2021-03-14. Digits of a longer number never count."""
    for path in _list_paths(evidence):
        for match in _URL_DAY.finditer(path):
            year, month, day = match[1], match[2] or match[4], match[3] or match[5]
            try:
                moment = datetime(int(year), int(month), int(day))
            except ValueError:
                continue
            if is_plausible(moment):
                yield moment


def _find_month(evidence: Evidence) -> tuple[int, int] | None:
    """Year and month that the path names, as many blogs have it: /2021/03/title."""
    matches = (_URL_MONTH.search(f"/{path}") for path in _list_paths(evidence))
    match = next(filter(None, matches), None)
    return (int(match[1]), int(match[2])) if match else None


def _list_paths(evidence: Evidence) -> Iterator[str]:
    for address in (evidence.page.url or "", *evidence.metadata.links.get("canonical", ())):
        yield unquote(address.partition("://")[2].partition("/")[2].partition("?")[0])[:_MAX_PATH]


# Source, strategy, and the share of its days that are right on train pages (as if nine of ten more were); of what is
# shown also on pages of which the statements had been taken away.
_STATED: tuple[tuple[str, _Strategy, float], ...] = (
    ("json-ld", _published_in_json_ld, 0.958),
    ("meta", _published_in_meta, 0.958),
    ("microdata", _published_in_microdata, 0.93),
)
_SHOWS_DAYS: tuple[_Strategy, ...] = (_in_url, shown_dates.read_time_elements, shown_dates.read_head)
_SHOWN: tuple[tuple[str, _Strategy, float], ...] = (
    ("time", shown_dates.read_time_elements, 0.93),
    ("url", _in_url, 0.9),
    ("visual", shown_dates.read_method_dates, 0.9),
    ("text", shown_dates.read_head, 0.89),
    ("html", shown_dates.read_attributes, 0.79),
    ("html", shown_dates.read_html_title, 0.78),
    ("time", shown_dates.read_far_time_elements, 0.89),
    ("text", shown_dates.read_far, 0.76),
    ("time", shown_dates.read_changed_time_elements, 0.93),
    ("text", shown_dates.read_changes, 0.8),
    ("html", shown_dates.read_picture_paths, 0.71),
    ("text", shown_dates.read_nearest, 0.48),
)
_MODIFIED: tuple[tuple[str, _Strategy, float], ...] = (
    ("json-ld", _modified_in_json_ld, 0.99),
    ("meta", _modified_in_meta, 0.99),
    ("microdata", _modified_in_microdata, 0.97),
    ("time", shown_dates.read_changed_time_elements, 0.95),
    ("text", shown_dates.read_changes, 0.95),
)
