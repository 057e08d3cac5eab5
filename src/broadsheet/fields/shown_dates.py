"""Dates that a page shows: in its elements, and as written in many languages around and below the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from broadsheet.blocks import CONTENT_ROLES, Role, tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.surroundings import is_of_others
from broadsheet.fields.timestamps import is_month_first, is_plausible, read_timestamps
from broadsheet.fields.written_dates import find_written_date, may_hold_date

_MAX_LINE = 160  # a longer block is prose, where a date is part of the story
_MAX_PLAIN = 60  # a line of a date and little else
_MAX_LABELLED = 100
_MAX_META = 500  # a line of a blog's own: "This entry was posted on 5 May 2021 in One, Two, Three and tagged ..."
_MIN_LINKED = 0.3  # share of such a line that is links
_MAX_FAR = 600  # blocks
_MAX_TITLE_END = 41
_UNREAD = tags.HIDDEN | tags.CAPTION
_NO_PLACE = _UNREAD | tags.NAV | tags.ASIDE | tags.FORM
_COPYRIGHT = ("©", "(c)", "copyright", "all rights")
# Parts of words, in small letters.
_LABELS = (
    "publish, posted, date:, created, written, submitted, veröffentlicht, erstellt, datum, geschrieben, verfasst, "
    "eingestellt, gepostet, publiziert, wurde am, online seit, artikel vom, beitrag vom, publié, posté, rédigé, écrit, "
    "mis en ligne, publicad, escrito, fecha, pubblicat, scritto, inserito, publicação, опубликован, дата, geplaatst, "
    "geschreven, dodano, napisan, 发布, 发表, 時間, 时间, 公開, 掲載, 投稿, 등록, 입력, نشر, yayın, opublikowan, "
    "gepubliceerd, publicerad, publisert, udgivet, julkaistu"
).split(", ")
_CHANGES = (
    "updat, modifi, revised, aktualisiert, geändert, mis à jour, mise à jour, actualiza, aggiornat, atualizad, обновл, "
    "изменен, 更新, 修改, güncelle, aktualizacja, zmieniono, bijgewerkt, oppdatert, uppdaterad, opdateret, päivitetty, "
    "수정, تحديث, diperbarui, cập nhật"
).split(", ")


# Elements made for dates.


def read_time_elements(evidence: Evidence) -> Iterator[datetime]:
    """Read `<time>` around the headline and the beginning of the text, but for what is marked as a change."""
    return _read_elements(evidence, evidence.head_rows(), is_change=False)


def read_far_time_elements(evidence: Evidence) -> Iterator[datetime]:
    """Read `<time>` in the text and just below it; not of comments or other articles."""
    rows, tail = evidence.body_rows(), evidence.tail()
    stop = evidence.blocks.last[tail.stop - 1] + 1 if tail else rows.stop
    return _read_elements(evidence, range(rows.start, max(stop, rows.stop)), is_change=False, is_own=True)


def read_changed_time_elements(evidence: Evidence) -> Iterator[datetime]:
    """Read `<time>` around the headline that is marked as the date of a change."""
    return _read_elements(evidence, evidence.head_rows(), is_change=True)


def _read_elements(evidence: Evidence, rows: range, *, is_change: bool, is_own: bool = False) -> Iterator[datetime]:
    nodes = evidence.page.nodes
    # Many pages have none at all: that is asked first, because it costs nothing.
    found = evidence.tagged("time", rows) if nodes.rows["time"] else ()
    wanted = (row for row in found if _is_mark_of_change(nodes.attr(row, "class")) is is_change)
    if is_own:
        wanted = (row for row in wanted if not is_of_others(evidence, row))
    return read_timestamps((nodes.attr(row, "datetime") or evidence.text_below(row) for row in wanted), evidence)


def _is_mark_of_change(name: str) -> bool:
    name = name.lower()
    return ("updated" in name or "modified" in name) and "publish" not in name


_STAMPED = "abbr[title], [data-date], [data-datetime], [data-time], [data-timestamp], [data-published], [data-utime]"
_STAMP_NAMES = ("title", "data-date", "data-datetime", "data-time", "data-timestamp", "data-published", "data-utime")
_MAX_STAMPED = 50


def read_attributes(evidence: Evidence) -> Iterator[datetime]:
    """Read what scripts make "3 days ago" of: `<abbr title="2021-03-14T12:30">`, data-timestamp and the like."""
    nodes, rows = evidence.page.nodes, evidence.head_rows()
    found = [row for row in nodes.attrs.select(_STAMPED) if row in rows][:_MAX_STAMPED]
    return read_timestamps((nodes.attr(row, name) for row in found for name in _STAMP_NAMES), evidence)


def read_method_dates(evidence: Evidence) -> Iterator[datetime]:
    """Read what the method takes for the date line."""
    return _read_written(evidence.labels.dates, evidence)


def read_html_title(evidence: Evidence) -> Iterator[datetime]:
    """Read a date at the end of `<title>`."""
    title = evidence.metadata.title
    whole_words = title if len(title) <= _MAX_TITLE_END else title[-_MAX_TITLE_END:].partition(" ")[2]
    return _read_written((whole_words,), evidence)


def _read_written(texts: Iterable[str], evidence: Evidence) -> Iterator[datetime]:
    for text in texts:
        moment = find_written_date(text, is_month_first=is_month_first(evidence))
        if moment and is_plausible(moment):
            yield moment


# Lines.


def read_head(evidence: Evidence) -> Iterator[datetime]:
    """Read dates as written, in short blocks around the headline: what the method calls a date first, then below it."""
    roles, title = evidence.labels.roles, evidence.title_block
    texts = evidence.blocks.text

    def rank(block: int) -> tuple[bool, bool, bool, int]:
        return roles[block] is not Role.DATE, len(texts[block]) > _MAX_PLAIN, block < title, abs(block - title)

    lines = _list_lines(evidence, evidence.head(), _MAX_LINE, _UNREAD)
    return _read_blocks(sorted(lines, key=rank), evidence)


_DATE_NAME = re.compile(
    r"(?:^|[\s_-])(?:date|pub-?date|published|posted|dateline|datum|fecha|data|timestamp)(?:$|[\s_-])"
)


_META_WORDS = re.compile(r"tags?\b|categor|kategori|rubri|topics?:|filed|schlagw|comment|komment|[|•·]", re.IGNORECASE)


def read_far(evidence: Evidence) -> Iterator[datetime]:
    """Read a date far from the headline: in a line of a blog's own below the text, in an element called so, ..."""
    blocks, tail = evidence.blocks, evidence.tail()
    far = range(min(len(blocks), _MAX_FAR))
    readable = _list_lines(evidence, far, _MAX_LABELLED, _NO_PLACE)
    names = evidence.page.nodes.attrs.get_all([blocks.container[block] for block in readable], "class")
    called = [block for block, name in zip(readable, names, strict=True) if name and _DATE_NAME.search(name.lower())]
    labelled = [block for block in readable if _has_any(blocks.text[block].lower(), _LABELS)]
    below = [block for block in readable if block in tail and len(blocks.text[block]) <= _MAX_PLAIN]
    own = _list_lines(evidence, tail, _MAX_META, _NO_PLACE)
    own = [block for block in own if _META_WORDS.search(blocks.text[block])]
    return _read_blocks((*own, *called, *labelled, *below), evidence)


_PICTURE_DAY = re.compile(r"[/_-]((?:19|20)\d\d)([/_-]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])[/_-]")


def read_picture_paths(evidence: Evidence) -> Iterator[datetime]:
    """Read the day from the address of the article's first picture: many systems file them by day."""
    nodes = evidence.page.nodes
    rows = evidence.tagged("img", evidence.body_rows())[:1]
    for address in (*evidence.metadata.meta_texts("og:image"), *(nodes.attr(row, "src") for row in rows)):
        if match := _PICTURE_DAY.search(address[:500]):
            yield from read_timestamps((f"{match[1]}-{match[3]}-{match[4]}",), evidence)


def read_nearest(evidence: Evidence) -> Iterator[datetime]:
    """Read the date that stands nearest to the beginning of the text, where nothing else was found."""
    middle = evidence.body[0] if evidence.body else 0
    lines = _list_lines(evidence, range(min(len(evidence.blocks), _MAX_FAR)), _MAX_LINE, _UNREAD)
    return _read_blocks(sorted(lines, key=lambda block: abs(block - middle)), evidence)


def read_changes(evidence: Evidence) -> Iterator[datetime]:
    """Read "Updated 5 May 2021" around the headline and below the text."""
    texts = evidence.blocks.text
    for block in _list_lines(evidence, (*evidence.head(), *evidence.tail()), _MAX_LINE, _UNREAD):
        if mark := _find_change(texts[block]):
            yield from _read_written((texts[block][mark.stop :],), evidence)


def _list_lines(evidence: Evidence, blocks: Iterable[int], most: int, not_in: int) -> list[int]:
    """Those of the blocks that may be a line with a date."""
    texts, roles = evidence.blocks.text, evidence.labels.roles
    # Most blocks are long or have no date; a page has hundreds.
    short = [
        block
        for block in blocks
        if (len(texts[block]) <= most or (len(texts[block]) <= _MAX_META and roles[block] not in CONTENT_ROLES))
        and may_hold_date(texts[block])
    ]
    return [block for block in short if _is_line(evidence, block, most, not_in)]


def _is_line(evidence: Evidence, block: int, most: int, not_in: int) -> bool:
    text = evidence.blocks.text[block]
    return (
        (len(text) <= most or _is_meta_line(evidence, block))
        and not evidence.blocks.has(block, not_in)
        and block != evidence.title_block
        and not _has_any(text.lower(), _COPYRIGHT)
    )


def _has_any(text: str, words: Iterable[str]) -> bool:
    return any(word in text for word in words)  # several times as fast as one pattern of them all


def _is_meta_line(evidence: Evidence, block: int) -> bool:
    """Tell whether a long block is about the article: date, author, categories, most of them links."""
    is_date = evidence.labels.roles[block] is Role.DATE
    if is_date or evidence.blocks.link_share(block) > _MIN_LINKED:
        return True
    return _has_any(evidence.blocks.text[block].lower(), _LABELS)


def _read_blocks(blocks: Iterable[int], evidence: Evidence) -> Iterator[datetime]:
    month_first = is_month_first(evidence)
    for block in blocks:
        if moment := _read_line(_write_line(evidence, block), month_first):
            yield moment


def _write_line(evidence: Evidence, block: int) -> str:
    """Write a block with a space between elements: <a>Jane Doe</a><i>May 5, 2021</i> is two things to a reader."""
    blocks = evidence.blocks
    if len(blocks.rows[block]) < 2:
        return blocks.text[block]
    return evidence.text_between(blocks.first[block], blocks.last[block] + 1, gap=" ")


def _read_line(text: str, month_first: bool) -> datetime | None:
    """Read the date of a line; of "Updated 5 May 2021, published 3 May 2021" the second; none of a change alone."""
    mark = _find_change(text)
    parts = (text[: mark.start], _cut_first_date(text[mark.stop :])) if mark else (text,)
    for part in parts:
        found = find_written_date(part, is_month_first=month_first) if part else None
        if found and is_plausible(found):
            return found if len(text) > _MAX_PLAIN else _find_earlier(found, part, month_first)
    return None


def _find_change(text: str) -> range | None:
    """Find the first word that says that the article was changed."""
    folded = text.replace("İ", "I").lower()  # the one letter that two small ones would stand for
    found = [(at, word) for word in _CHANGES if (at := folded.find(word)) >= 0]
    if not found:
        return None
    at, word = min(found)
    return range(at, at + len(word))


def _find_earlier(first: datetime, text: str, month_first: bool) -> datetime:
    """Find the earlier of two dates side by side: icons may be all that tells the change from the publication."""
    second = find_written_date(_cut_first_date(text), is_month_first=month_first)
    return second if second and is_plausible(second) and second.date() < first.date() else first


_YEAR = re.compile(r"(?:19|20)\d\d(?!\d)")


def _cut_first_date(text: str) -> str:
    match = _YEAR.search(text)
    return text[match.end() :] if match else ""
