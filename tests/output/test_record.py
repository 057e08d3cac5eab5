"""The record of an article."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from broadsheet.article import Article, Comment
from broadsheet.errors import UsageError
from broadsheet.fields import FIELDS
from broadsheet.output.record import RECORD, SCHEMA_VERSION, choose_columns, to_dict


def test_columns() -> None:
    names = [column.name for column in RECORD]
    assert names[: len(FIELDS)] == [field.name for field in FIELDS]
    # Only add names, at the end, and raise SCHEMA_VERSION: tables of users depend on them.
    assert (
        names[len(FIELDS) :]
        == (
            "text comments status confidence method sources confidences comment_details status_reason "
            "date_text date_modified_text host id "
            "source_file source_offset fetched_at http_status html_hash text_hash weights broadsheet_version schema_version"
        ).split()
    )
    assert SCHEMA_VERSION == 1
    assert list(to_dict(Article())) == names


def test_columns_are_described() -> None:
    for column in RECORD:
        assert column.type
        assert column.description.endswith(".")


def test_comments_are_texts_and_their_details_are_objects() -> None:
    record = to_dict(Article(comments=(Comment("First!", "Ann", datetime(2021, 5, 5)), Comment("Second.", reply_to=0))))
    assert record["comments"] == ["First!", "Second."]
    assert record["comment_details"] == [
        {"author": "Ann", "date": "2021-05-05T00:00:00", "text": "First!", "reply_to": None},
        {"author": None, "date": None, "text": "Second.", "reply_to": 0},
    ]


def test_the_record_of_an_empty_article_is_json() -> None:
    assert json.loads(json.dumps(to_dict(Article()))) == to_dict(Article())


def test_a_string_is_not_a_list_of_fields() -> None:
    with pytest.raises(UsageError, match=r"fields must be a list of names, not a string: write \['title'\]"):
        choose_columns("title")
    with pytest.raises(UsageError, match=r"include must be a list of names, not a string: write \['markdown'\]"):
        choose_columns(None, "markdown")
