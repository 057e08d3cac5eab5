"""The record of an article."""

from __future__ import annotations

import json

from broadsheet.article import Article
from broadsheet.fields import FIELDS
from broadsheet.output.record import RECORD, SCHEMA_VERSION, to_dict


def test_columns() -> None:
    names = [column.name for column in RECORD]
    assert names[: len(FIELDS)] == [field.name for field in FIELDS]
    # Only add names, at the end, and raise SCHEMA_VERSION: tables of users depend on them.
    assert (
        names[len(FIELDS) :]
        == (
            "text comments status confidence method sources confidences status_reason date_text date_modified_text host id "
            "source_file source_offset fetched_at http_status html_hash text_hash weights broadsheet_version schema_version"
        ).split()
    )
    assert SCHEMA_VERSION == 1
    assert list(to_dict(Article())) == names


def test_columns_are_described() -> None:
    for column in RECORD:
        assert column.type
        assert column.description.endswith(".")


def test_the_record_of_an_empty_article_is_json() -> None:
    assert json.loads(json.dumps(to_dict(Article()))) == to_dict(Article())
