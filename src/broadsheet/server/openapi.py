"""OpenAPI: descriptions, schemas and examples; the same as a page. The record's schema is made from its columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from broadsheet.article import Status
from broadsheet.output import FORMATS
from broadsheet.output.record import RECORD
from broadsheet.server.requests import PageQuery, PageRequest, UrlRequest

_HTML = (
    "<html><head><title>Ferry returns</title></head><body><h1>Ferry returns</h1><p>The ferry is back.</p></body></html>"
)
_REF = {"$ref": "#/components/schemas/Record"}
_RECORD = {
    "title": "Ferry returns",
    "authors": ["Imogen Hale"],
    "date": "2024-03-16T08:30:00",
    "text": "The ferry is back.",
    "status": "ok",
    "confidence": 0.93,
    "method": "fusion",
}
_ERRORS = {
    401: "No token, or a wrong one.",
    408: "The body did not arrive in time.",
    413: "The body is larger than the limit.",
    415: "A body of this Content-Type or Content-Encoding is not accepted.",
    422: "The request is wrong, or the page cannot be extracted.",
    429: "Too many requests from this address; see Retry-After.",
    503: "The service is busy or stopping; see Retry-After.",
    504: "The page took too long.",
}
_FETCH_ERRORS = {403: "The address may not be fetched.", 502: "The page could not be fetched."}


def make_record_schema() -> dict[str, Any]:
    """Return the JSON Schema of the record."""
    properties = {column.name: {**_find_type(column.type), "description": column.description} for column in RECORD}
    properties["status"]["enum"] = [status.value for status in Status]
    return {"type": "object", "title": "Record", "properties": properties, "required": list(properties)}


def _find_type(name: str) -> dict[str, Any]:
    """Return the JSON type for a type of the record, which is given in words."""
    if name.startswith("list of strings"):
        return {"type": "array", "items": {"type": "string"}}
    if name.startswith("list"):
        return {"type": "array", "items": {"type": "object"}}
    if name.startswith("object"):
        return {"type": "object"}
    if name.startswith("number"):
        return {"type": "number", "minimum": 0, "maximum": 1}
    return {"type": ["integer" if name.startswith("integer") else "string", "null"]}


def _describe_errors(extra: dict[int, str] | None = None) -> dict[int | str, dict[str, Any]]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}, "example": {"error": "one line"}}}
    return {
        code: {"description": text, "content": content} for code, text in sorted({**_ERRORS, **(extra or {})}.items())
    }


def _describe_json(schema: dict[str, Any], example: object) -> dict[str, Any]:
    return {"application/json": {"schema": schema, "example": example}}


def _describe_query() -> Iterator[dict[str, Any]]:
    """Yield the parameters of the address. Lists are written with commas; a home page is too long for an address."""
    for name, values in PageQuery.model_json_schema()["properties"].items():
        kinds = {values.get("type")} | {kind["type"] for kind in values.get("anyOf", ())}
        is_list = "array" in kinds
        kind = (
            "string" if is_list else next(kind for kind in ("boolean", "integer", "number", "string") if kind in kinds)
        )
        text = values["description"] + (" With commas: title,text." if is_list else "")
        if name != "home":
            yield {"name": name, "in": "query", "description": text, "schema": {"type": kind}}


_OTHER_TYPES = {
    layout.media_type: {"schema": {"type": "string"}} for layout in FORMATS.values() if not layout.is_record
}
_RECORD_ANSWER = {
    "description": "The record of the article, or another format.",
    "content": {**_describe_json(_REF, _RECORD), **_OTHER_TYPES},
}
_PAGE_EXAMPLE = {"html": _HTML, "url": "https://courier.example/ferry", "options": {"method": "fusion"}}

EXTRACT: dict[str, Any] = {
    "responses": {200: _RECORD_ANSWER, **_describe_errors()},
    "openapi_extra": {
        "parameters": list(_describe_query()),
        "requestBody": {
            "required": True,
            "content": {
                "text/html": {"schema": {"type": "string"}, "example": _HTML},
                **_describe_json({"$ref": "#/components/schemas/PageRequest"}, _PAGE_EXAMPLE),
            },
        },
    },
}
EXTRACT_URL: dict[str, Any] = {
    "responses": {200: _RECORD_ANSWER, **_describe_errors(_FETCH_ERRORS)},
    "openapi_extra": {
        "requestBody": {
            "required": True,
            "content": _describe_json(
                {"$ref": "#/components/schemas/UrlRequest"}, {"url": "https://courier.example/ferry"}
            ),
        },
    },
}
MANY: dict[str, Any] = {
    "responses": {
        200: {"description": "A record on each line.", "content": {"application/x-ndjson": {"schema": _REF}}},
        **_describe_errors(),
    },
    "openapi_extra": {
        "requestBody": {
            "required": True,
            "content": {
                "application/x-ndjson": {
                    "schema": {"$ref": "#/components/schemas/PageRequest"},
                    "example": '{"html": "<p>one</p>"}\n{"html": "<p>two</p>"}\n',
                }
            },
        },
    },
}
METHODS: dict[int | str, dict[str, Any]] = {
    200: {"content": _describe_json({}, [{"name": "fusion", "description": "...", "is_default": True}])}
}
SITES: dict[int | str, dict[str, Any]] = {200: {"content": _describe_json({}, [{"name": "courier", "pages": 120}])}}
READY: dict[int | str, dict[str, Any]] = {503: _describe_errors()[503]}


def add_schemas(document: dict[str, Any]) -> dict[str, Any]:
    """Add the schemas of requests, records and errors to the document that FastAPI made."""
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for model in (PageRequest, UrlRequest):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(schema.pop("$defs", {}))
        schemas[model.__name__] = schema
    schemas["Record"] = make_record_schema()
    schemas["Error"] = {
        "type": "object",
        "properties": {"error": {"type": "string"}, "status": {"type": "string"}},
        "required": ["error"],
    }
    return document


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>body {{ font: 1rem/1.5 sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem }}
pre {{ white-space: pre-wrap; background: #f4f4f4; padding: .5rem }} th, td {{ text-align: left; vertical-align: top;
padding: .2rem 1rem .2rem 0 }} td:first-child {{ white-space: nowrap }}</style>
<main><h1>{title}</h1><p>{text} As OpenAPI: <a href="/openapi.json">/openapi.json</a>.</p>
{requests}
<h2 id="schemas">Schemas</h2>
{schemas}
</main></html>
"""


def write_docs(document: dict[str, Any]) -> str:
    """Write the document as a page without scripts and files of others."""
    info, paths = document["info"], document["paths"]
    requests = [
        _write_request(f"{method.upper()} {path}", paths[path][method]) for path in paths for method in paths[path]
    ]
    schemas = [
        f'<details id="{name}"><summary>{name}</summary>{_write_table(schema.get("properties", {}).items())}</details>'
        for name, schema in document["components"]["schemas"].items()
    ]
    title, text = escape(f"{info['title']} {info['version']}"), escape(info["description"])
    return _PAGE.format(title=title, text=text, requests="\n".join(requests), schemas="\n".join(schemas))


def _write_request(heading: str, request: dict[str, Any]) -> str:
    """Write a request with its parameters, the bodies that it takes, and its answers."""
    answers = request["responses"]
    parameters = _write_table((row["name"], row) for row in request.get("parameters", ()))
    bodies = request.get("requestBody", {}).get("content", {})
    return "\n".join(
        (
            f"<h2>{escape(heading)}</h2><p>{escape(request['description'])}</p>",
            f"<details><summary>Parameters of the address</summary>{parameters}</details>" if parameters else "",
            *(f"<p>Body: <code>{name}</code></p>{_write_content(content)}" for name, content in bodies.items()),
            "<p>Answer:</p>",
            *map(_write_content, answers["200"].get("content", {}).values()),
            _write_table(answers.items()),
        )
    )


def _write_content(content: dict[str, Any]) -> str:
    """Write the example of a body or answer, and a link to its schema."""
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    example = content.get("example", "")
    text = example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)
    link = f'<p>Schema: <a href="#{name}">{name}</a></p>' if name else ""
    return (f"<pre>{escape(text)}</pre>" if text else "") + link


def _write_table(rows: Iterable[tuple[str, dict[str, Any]]]) -> str:
    cells = [f"<tr><td><code>{name}</code><td>{escape(row.get('description', ''))}" for name, row in rows]
    return f"<table>{''.join(cells)}</table>" if cells else ""
