"""Broadsheet with a choice of columns: what each group of columns of the record costs."""

from __future__ import annotations

import dataclasses
from typing import Any

import broadsheet
from benchmarks.speed_peers import Extractor
from broadsheet.output.record import RECORD

HAS_FIELDS = "fields" in {field.name for field in dataclasses.fields(broadsheet.ExtractOptions)}
TEXT = ("text",)
COMMENTS = ("comments", "comment_details")
HASH = ("html_hash", "id")
BODY = ("images", "body")  # with figures
# Every column of the record but comments and the hash of the page.
ALL_FIELDS = tuple(column.name for column in RECORD if column.name not in (*COMMENTS, *HASH))
FACTS = tuple(name for name in ALL_FIELDS if name not in BODY)
# Each row asks for the columns of the row above, and more.
PARTS = {
    "text only": TEXT,
    "and fields": FACTS,
    "and figures, images, body tree": (*FACTS, *BODY),
    "and comments": (*FACTS, *BODY, *COMMENTS),
    "and the hash of the page": (*FACTS, *BODY, *COMMENTS, *HASH),
}


def open_broadsheet(columns: tuple[str, ...], **options: Any) -> Extractor:
    """Return an extractor that computes and reads these columns. Without the option `fields` it computes all."""
    if HAS_FIELDS:
        options["fields"] = columns
    if columns == TEXT:
        return lambda html, url: broadsheet.extract(html, url=url, **options).text
    names = tuple(name for name in columns if name != "body")

    def extract(html: str, url: str | None) -> object:
        article = broadsheet.extract(html, url=url, **options)
        return article.to_dict(fields=names), article.body if "body" in columns else ()

    return extract
