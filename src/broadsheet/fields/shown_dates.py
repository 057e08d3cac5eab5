"""Dates that a page shows: in elements, and written in many languages around and below the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice

from broadsheet.blocks import CONTENT_ROLES, Role, tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.timestamps import is_month_first, is_plausible, read_timestamps
from broadsheet.fields.written_dates import find_written_date, may_contain_date
from broadsheet.kernel.selection import find_numbered_texts
from broadsheet.text import compile_later

_MAX_LINE_CHARS = 160  # a date in a longer block is part of the story
_MAX_DATE_ONLY_CHARS = 60  # a line with a date and little else
_MAX_LABELLED_CHARS = 100
_MAX_POST_INFO_CHARS = 500  # "This entry was posted on 5 May 2021 in One, Two, Three and tagged ..."
_MIN_POST_INFO_LINK_SHARE = 0.3
_MAX_SEARCHED_BLOCKS = 600
_MAX_TITLE_END_CHARS = 41
_MAX_STAMPED_ELEMENTS = 50
_MAX_ADDRESS_CHARS = 500
_MAX_TEASER_LEVELS = 4  # from a date up to the link of a related post
_UNREAD_CONTEXTS = tags.HIDDEN | tags.CAPTION
_REMOTE_UNREAD_CONTEXTS = _UNREAD_CONTEXTS | tags.NAV | tags.ASIDE | tags.FORM  # for lines far from the headline
_COPYRIGHT_WORDS = ("©", "(c)", "copyright", "all rights")
# Parts of words in lower case.
_PUBLISHED_WORDS = (
    "publish, posted, date:, created, written, submitted, veröffentlicht, erstellt, datum, geschrieben, verfasst, "
    "eingestellt, gepostet, publiziert, wurde am, online seit, artikel vom, beitrag vom, publié, posté, rédigé, écrit, "
    "mis en ligne, publicad, escrito, fecha, pubblicat, scritto, inserito, publicação, опубликован, дата, geplaatst, "
    "geschreven, dodano, napisan, 发布, 发表, 時間, 时间, 公開, 掲載, 投稿, 등록, 입력, نشر, yayın, opublikowan, "
    "gepubliceerd, publicerad, publisert, udgivet, julkaistu"
).split(", ")
_MODIFIED_WORDS = (
    "updat, modifi, revised, aktualisiert, geändert, mis à jour, mise à jour, actualiza, aggiornat, atualizad, обновл, "
    "изменен, 更新, 修改, güncelle, aktualizacja, zmieniono, bijgewerkt, oppdatert, uppdaterad, opdateret, päivitetty, "
    "수정, تحديث, diperbarui, cập nhật"
).split(", ")


# Elements with dates.


def read_time_elements(evidence: Evidence) -> Iterator[datetime]:
    """Read `<time>` around the headline and the start of the body, except dates of modification."""
    return _read_time_elements(evidence, evidence.head_rows(), is_modified=False)


def read_body_time_elements(evidence: Evidence) -> Iterator[datetime]:
    """Read `<time>` in the body and just below it, except those of comments and other articles."""
    rows, tail = evidence.body_rows(), evidence.tail_blocks()
    stop = evidence.blocks.last[tail.stop - 1] + 1 if tail else rows.stop
    rows = range(rows.start, max(stop, rows.stop))
    return _read_time_elements(evidence, rows, is_modified=False, skip_other_content=True)


def read_modified_time_elements(evidence: Evidence) -> Iterator[datetime]:
    """Read `<time>` around the headline whose class marks a date of modification."""
    return _read_time_elements(evidence, evidence.head_rows(), is_modified=True)


def _read_time_elements(
    evidence: Evidence, rows: range, *, is_modified: bool, skip_other_content: bool = False
) -> Iterator[datetime]:
    nodes = evidence.page.nodes
    # Many pages have no <time>. Checking that first is cheaper.
    elements = evidence.elements("time", rows) if nodes.rows["time"] else ()
    elements_read = [row for row in elements if _is_modified_class(nodes.attr(row, "class")) is is_modified]
    if skip_other_content:
        elements_read = [row for row in elements_read if not evidence.is_in_other_content(row)]
    elif len(elements_read) > 1:
        elements_read.sort(key=lambda row: _is_in_teaser(evidence, row))
    return read_timestamps((nodes.attr(row, "datetime") or evidence.text_below(row) for row in elements_read), evidence)


def _is_in_teaser(evidence: Evidence, row: int) -> bool:
    """Return True for an element inside a link or beside the article: the date of a related post."""
    nodes = evidence.page.nodes
    ancestors = islice(nodes.ancestors(row), _MAX_TEASER_LEVELS)
    return any(nodes.tag[element] in ("a", "aside", "nav") for element in ancestors)


def _is_modified_class(name: str) -> bool:
    name = name.lower()
    return ("updated" in name or "modified" in name) and "publish" not in name


_STAMP_ATTRIBUTES = (  # "title" only of <abbr>
    "title", "data-date", "data-datetime", "data-time", "data-timestamp", "data-published", "data-utime",
)  # fmt: skip


def read_attributes(evidence: Evidence) -> Iterator[datetime]:
    """Read attributes from which scripts write "3 days ago": `<abbr title="2021-03-14T12:30">`, data-timestamp, ..."""
    nodes, head_rows = evidence.page.nodes, evidence.head_rows()
    abbreviations = [row for row in evidence.elements("abbr", head_rows) if nodes.has_attr(row, "title")]
    stamped = [row for name in _STAMP_ATTRIBUTES[1:] for row in nodes.attrs.rows_with(name) if row in head_rows]
    rows = sorted({*abbreviations, *stamped})[:_MAX_STAMPED_ELEMENTS]
    return read_timestamps((nodes.attr(row, name) for row in rows for name in _STAMP_ATTRIBUTES), evidence)


def read_method_dates(evidence: Evidence) -> Iterator[datetime]:
    """Read the date lines that the method found."""
    return _read_written(evidence.labels.dates, evidence)


def read_html_title(evidence: Evidence) -> Iterator[datetime]:
    """Read a date at the end of `<title>`."""
    title = evidence.metadata.title
    is_short = len(title) <= _MAX_TITLE_END_CHARS
    title_end = title if is_short else title[-_MAX_TITLE_END_CHARS:].partition(" ")[2]  # whole words
    return _read_written((title_end,), evidence)


def _read_written(texts: Iterable[str], evidence: Evidence) -> Iterator[datetime]:
    for text in texts:
        moment = find_written_date(text, is_month_first=is_month_first(evidence))
        if moment and is_plausible(moment):
            yield moment


_IMAGE_DAY = compile_later(r"[/_-]((?:19|20)\d\d)([/_-]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])[/_-]")


def read_image_paths(evidence: Evidence) -> Iterator[datetime]:
    """Read the day from the address of the first image: many systems file images by day."""
    nodes = evidence.page.nodes
    rows = evidence.elements("img", evidence.body_rows())[:1]
    for address in (*evidence.metadata.meta_texts("og:image"), *(nodes.attr(row, "src") for row in rows)):
        if match := _IMAGE_DAY.search(address[:_MAX_ADDRESS_CHARS]):
            yield from read_timestamps((f"{match[1]}-{match[3]}-{match[4]}",), evidence)


# Lines with dates.


def read_head(evidence: Evidence) -> Iterator[datetime]:
    """Read written dates in short blocks around the headline: date lines of the method first, then blocks below it."""
    roles, title = evidence.labels.roles, evidence.title_block
    texts = evidence.blocks.text

    def rank(block: int) -> tuple[bool, bool, bool, int]:
        is_long = len(texts[block]) > _MAX_DATE_ONLY_CHARS
        return roles[block] is not Role.DATE, is_long, block < title, abs(block - title)

    lines = _list_lines(evidence, evidence.head_blocks(), _MAX_LINE_CHARS, _UNREAD_CONTEXTS)
    return _read_blocks(sorted(lines, key=rank), evidence)


_DATE_CLASS = compile_later(
    r"(?:^|[\s_-])(?:date|pub-?date|published|posted|dateline|datum|fecha|data|timestamp)(?:$|[\s_-])"
)
_POST_INFO_WORDS = compile_later(
    r"tags?\b|categor|kategori|rubri|topics?:|filed|schlagw|comment|komment|[|•·]", re.IGNORECASE
)


def read_date_lines(evidence: Evidence) -> Iterator[datetime]:
    """Read lines far from the headline: post info, elements with a date class, "Published ...", below the body."""
    blocks, tail = evidence.blocks, evidence.tail_blocks()
    searched = range(min(len(blocks), _MAX_SEARCHED_BLOCKS))
    lines = _list_lines(evidence, searched, _MAX_LABELLED_CHARS, _REMOTE_UNREAD_CONTEXTS)
    classes = evidence.page.nodes.attrs.get_all([blocks.container[block] for block in lines], "class")
    with_class = [
        block for block, name in zip(lines, classes, strict=True) if name and _DATE_CLASS.search(name.lower())
    ]
    labelled = [block for block in lines if _contains_any(blocks.text[block].lower(), _PUBLISHED_WORDS)]
    below_body = [block for block in lines if block in tail and len(blocks.text[block]) <= _MAX_DATE_ONLY_CHARS]
    tail_lines = _list_lines(evidence, tail, _MAX_POST_INFO_CHARS, _REMOTE_UNREAD_CONTEXTS)
    post_info = [block for block in tail_lines if _POST_INFO_WORDS.search(blocks.text[block])]
    return _read_blocks((*post_info, *with_class, *labelled, *below_body), evidence)


def read_nearest(evidence: Evidence) -> Iterator[datetime]:
    """Read all lines with dates, those nearest to the start of the body first: the last resort."""
    body_start = evidence.body[0] if evidence.body else 0
    searched = range(min(len(evidence.blocks), _MAX_SEARCHED_BLOCKS))
    lines = _list_lines(evidence, searched, _MAX_LINE_CHARS, _UNREAD_CONTEXTS)
    containers = evidence.blocks.container
    lines = [block for block in lines if not evidence.is_in_other_content(containers[block])]
    return _read_blocks(sorted(lines, key=lambda block: abs(block - body_start)), evidence)


def list_head_lines(evidence: Evidence) -> Iterator[str]:
    """Yield short lines around the headline that are not part of the story."""
    blocks, roles = evidence.blocks, evidence.labels.roles
    for block in evidence.head_blocks():
        is_story = roles[block] in CONTENT_ROLES or blocks.has(block, _UNREAD_CONTEXTS)
        if block != evidence.title_block and not is_story:
            yield blocks.text[block]


def read_modified_lines(evidence: Evidence) -> Iterator[datetime]:
    """Read "Updated 5 May 2021" around the headline and below the body."""
    texts = evidence.blocks.text
    searched = (*evidence.head_blocks(), *evidence.tail_blocks())
    for block in _list_lines(evidence, searched, _MAX_LINE_CHARS, _UNREAD_CONTEXTS):
        if word := _find_modified_word(texts[block]):
            yield from _read_written((texts[block][word.stop :],), evidence)


def _list_lines(evidence: Evidence, blocks: Iterable[int], max_chars: int, unread_contexts: int) -> list[int]:
    """Return the blocks that may be a line with a date."""
    texts, roles = evidence.blocks.text, evidence.labels.roles
    # A page has hundreds of blocks, most of them long or without a date: check this first.
    candidates = [
        block
        for block in find_numbered_texts(texts, blocks, _MAX_POST_INFO_CHARS)
        if (len(texts[block]) <= max_chars or roles[block] not in CONTENT_ROLES) and may_contain_date(texts[block])
    ]
    return [block for block in candidates if _is_line(evidence, block, max_chars, unread_contexts)]


def _is_line(evidence: Evidence, block: int, max_chars: int, unread_contexts: int) -> bool:
    text = evidence.blocks.text[block]
    return (
        (len(text) <= max_chars or _is_post_info(evidence, block))
        and not evidence.blocks.has(block, unread_contexts)
        and block != evidence.title_block
        and not _contains_any(text.lower(), _COPYRIGHT_WORDS)
    )


def _contains_any(text: str, words: Iterable[str]) -> bool:
    for word in words:  # noqa: SIM110 - twice as fast as `any`, and many times as fast as one regular expression
        if word in text:
            return True
    return False


def _is_post_info(evidence: Evidence, block: int) -> bool:
    """Return True if a long block is about the article: date, author, categories, most of them links."""
    if evidence.labels.roles[block] is Role.DATE or evidence.blocks.link_share(block) > _MIN_POST_INFO_LINK_SHARE:
        return True
    return _contains_any(evidence.blocks.text[block].lower(), _PUBLISHED_WORDS)


def _read_blocks(blocks: Iterable[int], evidence: Evidence) -> Iterator[datetime]:
    month_first = is_month_first(evidence)
    for block in blocks:
        has_one_node = evidence.blocks.first[block] == evidence.blocks.last[block]
        line = evidence.blocks.text[block] if has_one_node else evidence.text_of_block(block)
        if moment := _read_line(line, month_first):
            yield moment


def _read_line(line: str, month_first: bool) -> datetime | None:
    """Read the date of publication of a line.

    In "Updated 5 May 2021, published 3 May 2021" that is the second date; "Updated 5 May 2021" has none.
    """
    word = _find_modified_word(line)
    parts = (line[: word.start], _cut_first_date(line[word.stop :])) if word else (line,)
    for part in parts:
        moment = find_written_date(part, is_month_first=month_first) if part else None
        if moment and is_plausible(moment):
            return moment if len(line) > _MAX_DATE_ONLY_CHARS else _choose_earlier(moment, part, month_first)
    return None


def _find_modified_word(text: str) -> range | None:
    """Find the first word that marks a date of modification."""
    folded = text.replace("İ", "I").lower()  # the only letter whose lower case has two characters
    matches = [(at, word) for word in _MODIFIED_WORDS if (at := folded.find(word)) >= 0]
    if not matches:
        return None
    at, word = min(matches)
    return range(at, at + len(word))


def _choose_earlier(first: datetime, text: str, month_first: bool) -> datetime:
    """Choose the earlier of two dates in a line: often only icons distinguish publication from modification."""
    second = find_written_date(_cut_first_date(text), is_month_first=month_first)
    return second if second and is_plausible(second) and second.date() < first.date() else first


_YEAR = compile_later(r"(?:19|20)\d\d(?!\d)")


def _cut_first_date(text: str) -> str:
    """Return the text after the first year; "" if there is none."""
    match = _YEAR.search(text)
    return text[match.end() :] if match else ""
