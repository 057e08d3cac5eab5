"""Answers of the service to articles and errors."""

from __future__ import annotations

import json
from typing import Any

from broadsheet.article import Article, Status
from broadsheet.client.calls import Call
from broadsheet.errors import ServiceError
from broadsheet.output.requested import keep_fields, read_requested

_MAX_TEXT_CHARS = 300


class IncompleteAnswer(ServiceError):
    """An answer ended early; the request can be sent again."""


def read_articles(call: Call, code: int, body: bytes) -> list[Article]:
    """Return the articles of an answer, one for each page of the request.

    A page that could not be extracted gives an article with the status "failed" or "timeout", as `extract` does.
    Raises ServiceError for a request that was refused, IncompleteAnswer for an answer that was cut.
    """
    if code != 200:
        return [_read_failure(call, code, body)]
    try:
        records = [json.loads(line) for line in body.split(b"\n") if line.strip()]
    except ValueError as error:
        raise IncompleteAnswer(f"the service sent an invalid answer ({error})", code) from error
    if len(records) != call.page_count:
        raise IncompleteAnswer(f"the service sent {len(records)} records for {call.page_count} pages", code)
    return [read_requested(record, call.fields) if call.fields else Article.from_dict(record) for record in records]


def _read_failure(call: Call, code: int, body: bytes) -> Article:
    error = read_error(body)
    if call.page_count == 1 and (status := error.get("status")) in (Status.FAILED, Status.TIMEOUT):
        article = Article(url=call.url, status=Status(status), sources={"status": str(error.get("error"))})
        return keep_fields(article, call.fields) if call.fields else article
    raise make_error(code, body)


def make_error(code: int, body: bytes) -> ServiceError:
    """Return the error for an answer other than success."""
    line = read_error(body).get("error") or body.decode("utf-8", "replace")[:_MAX_TEXT_CHARS] or "no reason given"
    return ServiceError(f"the service answered {code}: {' '.join(str(line).split())}", code)


def read_error(body: bytes) -> dict[str, Any]:
    """Return the object of an error; empty if the answer is not from the service."""
    try:
        error = json.loads(body)
    except ValueError:
        return {}
    return error if isinstance(error, dict) else {}
