"""When the article was published and last changed, as precisely as the page says it, with the zone where it has one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from urllib.parse import unquote

from broadsheet.blocks import Role, tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found
from broadsheet.fields.timestamps import is_plausible, read_timestamp
from broadsheet.fields.written_dates import find_written_date
from broadsheet.page.metadata import is_article_type

_Strategy = Callable[[Evidence], Iterator[datetime]]
_MAX_TEXTS = 200  # of one source
_MAX_NAME = 60  # characters of a meta name


def find_date(evidence: Evidence) -> Found[datetime] | None:
    """Find when the article was published."""
    found = _find_first(_PUBLISHED, evidence)
    return _find_time(found, evidence) if found and _is_bare_day(found.value) else found


def find_date_modified(evidence: Evidence, published: datetime | None) -> Found[datetime] | None:
    """Find when the article was last changed; a change before publication is none."""
    found = _find_first(_MODIFIED, evidence)
    return None if found and published and _is_before(found.value, published) else found


def find_seen_date(evidence: Evidence) -> datetime | None:
    """Find the date in what the method takes for the date line, and nowhere else."""
    return next(_in_method_dates(evidence), None)


def _find_first(strategies: tuple[tuple[str, _Strategy, float], ...], evidence: Evidence) -> Found[datetime] | None:
    for source, strategy, confidence in strategies:
        for moment in strategy(evidence):
            return Found(moment, source, confidence)
    return None


def _is_bare_day(moment: datetime) -> bool:
    return moment.tzinfo is None and not (moment.hour or moment.minute or moment.second)


def _find_time(day: Found[datetime], evidence: Evidence) -> Found[datetime]:
    """Find a source that states the same day with the time."""
    for source, strategy, _ in _PUBLISHED[:_STATED]:
        for moment in strategy(evidence):
            if moment.date() == day.value.date() and not _is_bare_day(moment):
                return Found(moment, source, day.confidence)
    return day


def _is_before(one: datetime, other: datetime) -> bool:
    """Compare moments of which one may not know its zone: then by the day."""
    if (one.tzinfo is None) != (other.tzinfo is None):
        return one.date() < other.date()
    if one.tzinfo is not None:
        one, other = one.astimezone(UTC), other.astimezone(UTC)
    return one < other


def _is_month_first(evidence: Evidence) -> bool:
    """Tell whether 03/04/2021 is a day of March: in the United States, and on English pages that do not say."""
    language = (
        (evidence.metadata.language or next(evidence.metadata.meta_texts("og:locale"), "")).lower().replace("_", "-")
    )
    if language in ("", "en"):
        return not evidence.host or evidence.host.endswith((".com", ".org", ".net", ".gov", ".edu", ".us"))
    return language == "en-us"


def _read_all(texts: Iterable[str], evidence: Evidence) -> Iterator[datetime]:
    is_month_first: bool | None = None
    for text in islice(texts, _MAX_TEXTS):
        if is_month_first is None:  # asked only where there is something to read
            is_month_first = _is_month_first(evidence)
        if moment := read_timestamp(text, is_month_first=is_month_first):
            yield moment


# Stated dates.


def _published_in_json_ld(evidence: Evidence) -> Iterator[datetime]:
    names = ("datePublished", "dateCreated", "uploadDate")
    texts = (text for name in names for text in evidence.metadata.article_texts(name))
    yield from _read_all(texts, evidence)
    yield from _read_all(evidence.metadata.page_texts("datePublished"), evidence)
    items = (item for item in evidence.metadata.json_ld.items if not item.place)
    yield from _read_all((text for item in items for text in item.texts("datePublished")), evidence)


def _modified_in_json_ld(evidence: Evidence) -> Iterator[datetime]:
    yield from _read_all(evidence.metadata.article_texts("dateModified"), evidence)
    yield from _read_all(evidence.metadata.page_texts("dateModified"), evidence)


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
    yield from _read_all(evidence.metadata.meta_texts(*_PUBLISHED_NAMES), evidence)
    yield from _read_all(_list_alike(evidence, _PUBLISHED_LIKE), evidence)


def _modified_in_meta(evidence: Evidence) -> Iterator[datetime]:
    yield from _read_all(evidence.metadata.meta_texts(*_MODIFIED_NAMES), evidence)
    yield from _read_all(_list_alike(evidence, _MODIFIED_LIKE), evidence)


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
    return _read_all((item.value for item in properties), evidence)


# Dates that stand in the page.


def _in_time_elements(evidence: Evidence) -> Iterator[datetime]:
    """Read `<time>` around the headline and the beginning of the text, and what is marked as the publication date."""
    nodes = evidence.page.nodes
    rows = (row for row in _list_time_elements(evidence) if not _is_mark_of_change(nodes.attr(row, "class")))
    return _read_all((nodes.attr(row, "datetime") or evidence.text_below(row) for row in rows), evidence)


def _modified_in_time_elements(evidence: Evidence) -> Iterator[datetime]:
    nodes = evidence.page.nodes
    rows = (row for row in _list_time_elements(evidence) if _is_mark_of_change(nodes.attr(row, "class")))
    return _read_all((nodes.attr(row, "datetime") for row in rows), evidence)


def _is_mark_of_change(name: str) -> bool:
    name = name.lower()
    return ("updated" in name or "modified" in name) and "publish" not in name


def _list_time_elements(evidence: Evidence) -> Sequence[int]:
    # Many pages have none at all: that is asked first, because it costs nothing.
    return evidence.tagged("time", evidence.head_rows()) if evidence.page.nodes.rows["time"] else ()


_URL_DAY = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?:[/_-](0?[1-9]|1[0-2])[/_-](0?[1-9]|[12]\d|3[01])|/?(0[1-9]|1[0-2])/?(0[1-9]|[12]\d|3[01]))(?!\d)"
)


def _in_url(evidence: Evidence) -> Iterator[datetime]:
    """Read a whole day from the path: /2021/03/14/, /20210314/, -2021-03-14. Digits of a longer number never count."""
    addresses = (evidence.page.url or "", *evidence.metadata.links.get("canonical", ()))
    for address in addresses:
        path = unquote(address.partition("://")[2].partition("/")[2].partition("?")[0])[:500]
        for match in _URL_DAY.finditer(path):
            year, month, day = match[1], match[2] or match[4], match[3] or match[5]
            try:
                moment = datetime(int(year), int(month), int(day))
            except ValueError:
                continue
            if is_plausible(moment):
                yield moment


_COPYRIGHT = re.compile(r"©|\(c\)|copyright|all rights", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_MAX_DATE_LINE = 160  # a longer block is prose, where a date is part of the story


def _in_text(evidence: Evidence) -> Iterator[datetime]:
    """Read dates as written, in short blocks around the headline: those below it first."""
    blocks, is_month_first = evidence.blocks, _is_month_first(evidence)
    head = evidence.head()
    order = sorted(
        head, key=lambda block: (evidence.labels.roles[block] is not Role.DATE, block < evidence.title_block, block)
    )
    for block in order:
        text = blocks.text[block]
        if block == evidence.title_block or blocks.has(block, tags.HIDDEN):
            continue
        if len(text) > _MAX_DATE_LINE or not _DIGIT.search(text) or _COPYRIGHT.search(text):
            continue
        if moment := _read_line(text, is_month_first):
            yield moment


_CHANGED = re.compile(
    r"updat|modifi|revised|aktualisiert|geändert|mise? à jour|actualiza|aggiornat|atualizad|обновл|изменен|更新|修改|"
    r"最終更新|güncelle|aktualizacja|zmieniono|bijgewerkt|oppdatert|uppdaterad|opdateret|päivitetty|수정|تحديث|"
    r"diperbarui|cập nhật",
    re.IGNORECASE,
)


def _read_line(text: str, is_month_first: bool) -> datetime | None:
    """Read the date of a line; of "Updated 5 May 2021, published 3 May 2021" the second."""
    mark = _CHANGED.search(text)
    found = None
    for part in (text[: mark.start()], _behind_first_date(text[mark.end() :]), text) if mark else (text,):
        found = find_written_date(part, is_month_first=is_month_first) if part else None
        if found and is_plausible(found):
            return found
    return None


_YEAR = re.compile(r"(?:19|20)\d\d(?!\d)")


def _behind_first_date(text: str) -> str:
    match = _YEAR.search(text)
    return text[match.end() :] if match else ""


_DATE_NAME = re.compile(
    r"(?:^|[\s_-])(?:date|pub-?date|published|posted|dateline|datum|fecha|data|timestamp)(?:$|[\s_-])"
)
_DATE_LABEL = re.compile(
    r"publish|posted|date\b|created|veröffentlicht|erstellt|datum|publié|publicad|fecha|pubblicat|publicação|опубликован|дата|"
    r"发布|发表|時間|时间|公開|掲載|投稿|등록|입력|نشر|yayın|opublikowan|gepubliceerd|publicerad|publisert|udgivet|julkaistu",
    re.IGNORECASE,
)
_NO_PLACE = tags.HIDDEN | tags.NAV | tags.ASIDE | tags.FORM
_MAX_FAR = 600  # blocks
_MAX_LABELLED = 100  # characters
_MAX_TAIL_LINE = 60


def _far_away(evidence: Evidence) -> Iterator[datetime]:
    """Read a date that stands far from the headline: in an element called so, behind "Published", or below the text."""
    blocks, nodes, is_month_first = evidence.blocks, evidence.page.nodes, _is_month_first(evidence)
    tail = evidence.tail()
    readable = [
        block
        for block, text in enumerate(blocks.text[:_MAX_FAR])
        if len(text) <= _MAX_LABELLED
        and _DIGIT.search(text)
        and not blocks.has(block, _NO_PLACE)
        and not _COPYRIGHT.search(text)
        and block != evidence.title_block
    ]
    names = nodes.attrs.get_all([blocks.container[block] for block in readable], "class")
    called = [block for block, name in zip(readable, names, strict=True) if name and _DATE_NAME.search(name.lower())]
    labelled = [block for block in readable if _DATE_LABEL.search(blocks.text[block])]
    below = [block for block in readable if block in tail and len(blocks.text[block]) <= _MAX_TAIL_LINE]
    for block in (*called, *labelled, *below):
        if moment := _read_line(blocks.text[block], is_month_first):
            yield moment


def _nearest(evidence: Evidence) -> Iterator[datetime]:
    """Read the date that stands nearest to the beginning of the text: right on three train and dev pages of four."""
    blocks, is_month_first = evidence.blocks, _is_month_first(evidence)
    middle = evidence.body[0] if evidence.body else 0
    order = sorted(range(min(len(blocks), _MAX_FAR)), key=lambda block: abs(block - middle))
    for block in order:
        text = blocks.text[block]
        is_fit = len(text) <= _MAX_DATE_LINE and _DIGIT.search(text) and not blocks.has(block, tags.HIDDEN)
        if is_fit and not _COPYRIGHT.search(text) and (moment := _read_line(text, is_month_first)):
            yield moment


def _changed_in_text(evidence: Evidence) -> Iterator[datetime]:
    """Read "Updated 5 May 2021" around the headline and below the text."""
    blocks, is_month_first = evidence.blocks, _is_month_first(evidence)
    for block in (*evidence.head(), *evidence.tail()):
        text = blocks.text[block]
        if len(text) > _MAX_DATE_LINE or not (mark := _CHANGED.search(text)) or blocks.has(block, tags.HIDDEN):
            continue
        moment = find_written_date(text[mark.end() :], is_month_first=is_month_first)
        if moment and is_plausible(moment):
            yield moment


def _in_method_dates(evidence: Evidence) -> Iterator[datetime]:
    """Read what the method takes for the date line."""
    is_month_first = _is_month_first(evidence) if evidence.labels.dates else False
    for text in evidence.labels.dates:
        moment = find_written_date(text, is_month_first=is_month_first)
        if moment and is_plausible(moment):
            yield moment


def _in_html_title(evidence: Evidence) -> Iterator[datetime]:
    moment = find_written_date(evidence.metadata.title[-40:], is_month_first=_is_month_first(evidence))
    if moment and is_plausible(moment):
        yield moment


# Source, strategy, and the share of its days that are right on train pages (as if nine of ten more were).
_PUBLISHED: tuple[tuple[str, _Strategy, float], ...] = (
    ("json-ld", _published_in_json_ld, 0.945),
    ("meta", _published_in_meta, 0.957),
    ("microdata", _published_in_microdata, 0.9),
    ("time", _in_time_elements, 0.92),
    ("url", _in_url, 0.93),
    ("visual", _in_method_dates, 0.9),
    ("text", _in_text, 0.865),
    ("html", _in_html_title, 0.78),
    ("text", _far_away, 0.88),
    ("text", _nearest, 0.78),
)
_STATED = 4  # how many of them read what is written for machines
_MODIFIED: tuple[tuple[str, _Strategy, float], ...] = (
    ("json-ld", _modified_in_json_ld, 0.99),
    ("meta", _modified_in_meta, 0.99),
    ("microdata", _modified_in_microdata, 0.97),
    ("time", _modified_in_time_elements, 0.95),
    ("text", _changed_in_text, 0.95),
)
