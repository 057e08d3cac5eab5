"""The record of an article."""

from __future__ import annotations

import json

from broadsheet.article import Article
from broadsheet.fields import FIELDS
from broadsheet.output.record import RECORD, to_dict


def test_columns() -> None:
    names = [column.name for column in RECORD]
    assert names[: len(FIELDS)] == [field.name for field in FIELDS]
    assert names[len(FIELDS) :] == ["text", "comments", "status", "confidence", "method", "sources", "confidences"]
    assert list(to_dict(Article())) == names


def test_columns_are_described() -> None:
    for column in RECORD:
        assert column.type
        assert column.description.endswith(".")


def test_the_record_of_an_empty_article_is_json() -> None:
    assert json.loads(json.dumps(to_dict(Article()))) == to_dict(Article())
