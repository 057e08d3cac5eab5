"""The table of fields agrees with `Fields`, with `Article` and with the outputs."""

from __future__ import annotations

import dataclasses
from typing import Any, get_type_hints

import pytest

from broadsheet.article import Article
from broadsheet.fields import FIELDS, Fields, FieldValue, describe_fields
from broadsheet.fields.field import DATE_TIME, IMAGES, STRING, STRINGS, Field, Step

NAMES = [field.name for field in FIELDS]
TYPES = {
    STRING: "str | None",
    STRINGS: "tuple[str, ...]",
    DATE_TIME: "datetime.datetime | None",
    IMAGES: "tuple[broadsheet.fields.value.Image, ...]",
}


def test_typed_attributes_of_fields_are_fields() -> None:
    assert set(Fields.__annotations__) - set(NAMES) == {"headline", "title_blocks", "figures"}


def test_every_field_is_an_attribute_of_article_in_the_same_order() -> None:
    assert [field.name for field in dataclasses.fields(Article)][: len(NAMES)] == NAMES


@pytest.mark.parametrize("field", FIELDS, ids=NAMES)
def test_types_agree_with_article(field: Field) -> None:
    hint: Any = get_type_hints(Article)[field.name]
    assert (hint.__name__ if isinstance(hint, type) else str(hint)) == TYPES[field.type]


@pytest.mark.parametrize("field", FIELDS, ids=NAMES)
def test_descriptions_are_one_sentence(field: Field) -> None:
    assert field.description[0].isupper()
    assert field.description.endswith(".")
    assert ". " not in field.description


def test_what_fields_need() -> None:
    needs = {field.name: field.needs for field in FIELDS if field.needs is not Step.PAGE}
    assert needs == {
        "title": Step.SITE_NAME,
        "authors": Step.TITLE,
        "date": Step.TITLE,
        "date_modified": Step.DATE,
        "images": Step.FIGURES,
        "author_kinds": Step.AUTHORS,
    }


def test_the_title_is_found_with_its_block() -> None:
    assert [field.name for field in FIELDS if field.find is None] == ["title"]


def test_schema_org_properties_are_distinct() -> None:
    names = [entry.name for field in FIELDS for entry in field.schema_org]
    assert len(names) == len(set(names))


def test_describe_fields() -> None:
    rows = {row.name: row for row in describe_fields()}
    assert list(rows) == NAMES
    assert (rows["authors"].type, rows["authors"].schema_org) == ("list of strings", "author")
    assert (rows["url"].schema_org, rows["url"].tei) == ("url, mainEntityOfPage", "bibl")
    assert rows["amp_url"].tei == ""


def test_a_value_is_frozen() -> None:
    with pytest.raises(AttributeError):
        FieldValue("a", "meta").value = "b"  # type: ignore[misc]
