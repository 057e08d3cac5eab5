"""Comments as a structure. A method labels the blocks; here, all blocks below the mark are comments."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime

import pytest

from broadsheet.article import Comment
from broadsheet.article.comment_lines import clean_author, find_name, is_label, read_author_line
from broadsheet.article.comments import build_comments
from broadsheet.blocks import Role, segment
from broadsheet.page import read_page
from broadsheet.text import fold_words

FIRST = "I take the ferry every day, and the old quay was a shame for the town."
SECOND = "So do I. The crane should have been tested years ago."
THIRD = "Nobody asked the fishermen, as usual."
DAY = datetime(2021, 5, 5)


def read_comments(html: str, *, is_all: bool = True) -> tuple[Comment, ...]:
    """Label all blocks, or only the texts, as comments."""
    page = read_page(f"<p>The story.</p><section>{html}</section>")
    blocks = segment(page)
    texts = {fold_words(text) for text in (FIRST, SECOND, THIRD)}
    is_comment = [block > 0 and (is_all or fold_words(text) in texts) for block, text in enumerate(blocks.text)]
    return build_comments(page, blocks, [Role.COMMENT if value else Role.BODY for value in is_comment])


def describe(comments: tuple[Comment, ...]) -> list[tuple[str, str | None, int | None]]:
    return [(comment.text, comment.author, comment.reply_to) for comment in comments]


NESTED = f"""<ol><li class="comment odd depth-1" id=c1><div class=comment-author>Ann Lee says:</div><div class=date>May 5, 2021
at 10:30</div><p>{FIRST}</p><a>Reply</a><ul><li class="comment even depth-2" id=c2><div class=comment-author>gull77 says:</div>
<div class=date>May 6, 2021 at 11:30</div><p>{SECOND}</p><a>Reply</a></li></ul></li><li class="comment odd depth-1" id=c3><div
class=comment-author>Bo says:</div><div class=date>May 7, 2021 at 12:30</div><p>{THIRD}</p></li></ol>"""
EXPECTED = [(FIRST, "Ann Lee", None), (SECOND, "gull77", 0), (THIRD, "Bo", None)]
FLAT_EXPECTED = [(text, author, None) for text, author, _ in EXPECTED]
FLAT = {
    "zebra": [
        f"<div class={name}><b>{author}</b>, <small>on <a>May {day}, 2021</a></small><p>{text}</p></div>"
        for name, author, day, text in (
            ("alt", "Ann Lee", 5, FIRST),
            ("odd", "gull77", 6, SECOND),
            ("alt", "Bo", 7, THIRD),
        )
    ],
    "time elements": [
        f"<article><h4 class=user>{author}</h4><time datetime=2021-05-0{day}T10:30>two days ago</time><p>{text}</p></article>"
        for author, day, text in (("Ann Lee", 5, FIRST), ("gull77", 6, SECOND), ("Bo", 7, THIRD))
    ],
    "footers": [
        f"<div class=post>{text}<p class=foot>posted on May {day}, 2021 at 2:11 AM by <a>{author}</a></p></div>"
        for author, day, text in (("Ann Lee", 5, FIRST), ("gull77", 6, SECOND), ("Bo", 7, THIRD))
    ],
    "a definition list": [
        f"<dt>{author} said...</dt><dd>{text}</dd><dd>5 May 2021 10:3{day}</dd>"
        for author, day, text in (("Ann Lee", 5, FIRST), ("gull77", 6, SECOND), ("Bo", 7, THIRD))
    ],
    "authors without dates": [
        f"<div class=c><span class=username>{author}</span><p>{text}</p></div>"
        for author, text in (("Ann Lee", FIRST), ("gull77", SECOND), ("Bo", THIRD))
    ],
}


@pytest.mark.parametrize("is_all", [True, False], ids=["all blocks", "texts only"])
def test_replies_are_inside_the_comment_that_they_reply_to(is_all: bool) -> None:
    comments = read_comments(NESTED, is_all=is_all)
    assert describe(comments) == EXPECTED
    assert [comment.date for comment in comments] == [datetime(2021, 5, day, day + 5, 30) for day in (5, 6, 7)]


@pytest.mark.parametrize("name", FLAT)
@pytest.mark.parametrize("is_all", [True, False], ids=["all blocks", "texts only"])
def test_comments_in_a_row(name: str, is_all: bool) -> None:
    comments = read_comments("".join(FLAT[name]), is_all=is_all)
    assert describe(comments) == FLAT_EXPECTED
    assert all(comment.date for comment in comments) == (name != "authors without dates")


def test_depth_in_the_class_of_comments_in_a_row() -> None:
    rows = (("Ann Lee", 1, FIRST), ("gull77", 2, SECOND), ("Bo", 1, THIRD))
    html = "".join(f"<div class='c level-{level}'><b class=user>{a}</b><p>{text}</p></div>" for a, level, text in rows)
    assert describe(read_comments(html)) == EXPECTED


def test_a_single_comment() -> None:
    html = f"<div class=comment><b class=fn>Ann Lee</b><time datetime=2021-05-05>x</time><p>{FIRST}</p><p>{SECOND}</p></div>"
    [comment] = read_comments(html)
    assert (comment.text, comment.author, comment.date) == (f"{FIRST}\n{SECOND}", "Ann Lee", DAY)


def test_without_structure_each_block_is_a_comment() -> None:
    assert describe(read_comments(f"<p>{FIRST}</p><p>{SECOND}</p>")) == [(FIRST, None, None), (SECOND, None, None)]


def test_no_comments() -> None:
    assert read_comments("") == ()
    assert read_comments("<a>Reply</a>") == ()


def test_month_and_day_are_read_in_the_order_that_gives_closer_dates() -> None:
    rows = (("Ann Lee", "5/4/2021", FIRST), ("gull77", "5/6/2021", SECOND))
    html = "".join(f"<div class=c><b class=user>{a}</b> <i>{date}</i><p>{text}</p></div>" for a, date, text in rows)
    assert [comment.date for comment in read_comments(html)] == [datetime(2021, 5, 4), datetime(2021, 5, 6)]


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ("Jane said...", "Jane"),
        ("Jane Doe says:", "Jane Doe"),
        ("Jane wrote on 5 May 2021:", "Jane"),
        ("Jane schrieb am 5. Mai 2021 um 10:30 Uhr:", "Jane"),
        ("Posted by Jane on 5 May", "Jane"),
        ("My mother said so.", ""),
        ("He said that it was late", ""),
        ("", ""),
    ],
)
def test_author_lines(line: str, author: str) -> None:
    assert read_author_line(line) == author


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Jane Doe", "Jane Doe"),
        ("by Jane |", "by Jane"),
        ("December 27th", ""),
        ("3 hours ago", ""),
        ("12", ""),
        ("Reply", ""),
    ],
)
def test_names(text: str, name: str) -> None:
    assert clean_author(text) == name


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["David Doe", ", on ", "November 7th, 2012", " //"], "David Doe"),
        (["2 Patrice DOE |", "11/8/2012 1:04:41 AM"], "Patrice DOE"),
        (["posted on Thursday, October 25, 2012 at 2:11 AM by", "Jane"], "Jane"),
        (["by ", "jane77", " on ", "Aug 9, 2012 1:47 PM"], "jane77"),
        (["5 May 2021"], ""),
    ],
)
def test_name_beside_a_date(texts: list[str], name: str) -> None:
    assert find_name(texts) == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Reply", True),
        ("8 years ago", True),
        ("May 5, 2021 at 9:06 am", True),
        ("Reply to Ann", True),
        ("Thanks!", False),
    ],
)
def test_labels(text: str, expected: bool) -> None:
    assert is_label(text) is expected


def test_a_comment_is_a_string_with_attributes() -> None:
    comment = Comment("Yes.", "Ann", datetime(2021, 5, 5, tzinfo=UTC), 0)
    assert comment == "Yes."
    assert "\n".join([comment]) == comment.text
    assert type(comment.text) is str
    assert comment.to_dict() == {"author": "Ann", "date": "2021-05-05T00:00:00+00:00", "text": "Yes.", "reply_to": 0}
    for same in (pickle.loads(pickle.dumps(comment)), copy.deepcopy(comment)):
        assert same.to_dict() == comment.to_dict()
    assert repr(Comment("No.")) == "Comment('No.', author=None, date=None, reply_to=None)"
    assert Comment.of(comment) is comment
    assert Comment.of("No.").author is None


@pytest.mark.parametrize(
    "html",
    [
        "<div class=author>" * 600 + "Ann",
        "".join(f"<div class=k{n % 26}{'x' * (n % 50)}><p>{n} words of a comment</p></div>" for n in range(1500)),
        "<dt>Ann said...</dt><dd>Words of a comment</dd>" * 900,
        "<p>Words of a comment.</p>" * 5_000,
        "<ul><li class=comment><b class=user>Ann</b><p>Words of a comment</p>" * 300,
    ],
    ids=["deep authors", "many kinds", "many authors", "many blocks", "deep replies"],
)
def test_hostile_comments(html: str) -> None:
    assert isinstance(read_comments(html), tuple)
