"""Requests: what clients may send, checked field by field, and the tasks that they become."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator

from broadsheet.api import PageInput
from broadsheet.errors import UnknownMethod, UsageError, describe_unknown
from broadsheet.methods import has_method, methods
from broadsheet.option_field import Option, find_type, list_options
from broadsheet.options import DEFAULT_OPTIONS, ExtractOptions
from broadsheet.output import DEFAULT_CHUNKS, FORMAT_ALIASES, FORMATS, ChunkOptions, Format
from broadsheet.output.record import EXTRA_COLUMNS, choose_columns
from broadsheet.server.refusal import Refusal
from broadsheet.server.settings import RequestRules
from broadsheet.server.tasks import JSON_TYPE, PageTask
from broadsheet.web.body import parse_content_type

if TYPE_CHECKING:
    from starlette.requests import Request

_MAX_ADDRESS_CHARS = 8_000
_MAX_VALUE_CHARS = 80  # of a wrong value, in a message
_MAX_NAMES = 100  # in a list of columns
MAX_JSON_TOKENS = 5_000  # strings, brackets, commas and colons of a request

Address = Annotated[str, Field(max_length=_MAX_ADDRESS_CHARS)]
Names = Annotated[tuple[str, ...], Field(max_length=_MAX_NAMES, fail_fast=True)]
_FORM_TYPE = "application/x-www-form-urlencoded"  # what `curl --data` states for any body
_JSON_OBJECT = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"')  # the start of a JSON object; no HTML page starts like this
_PAGE_TYPES = frozenset(
    (
        "",
        "application/octet-stream",
        _FORM_TYPE,
        "application/xhtml+xml",
        "application/xml",
    )
)
# A string without its end goes on to the end of the body: no character is read twice.
_JSON_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[,:\[\]{}]', re.DOTALL)
_LISTS = ("fields", "include")  # options that are lists of names
_WRITTEN_FORMATS = {name: layout for name, layout in FORMATS.items() if not layout.is_record}
_RECORD_TYPES = (JSON_TYPE, "application/*", "*/*")  # in an Accept header
_QUALITY = re.compile(r"[01](?:\.\d{0,3})?")
_FORMAT_NAMES = ("json", *_WRITTEN_FORMATS)
_EXTRA_NAMES = tuple(column.name for column in EXTRA_COLUMNS)


class RequestModel(BaseModel):
    """A request in JSON. Unknown names are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


ModelT = TypeVar("ModelT", bound=RequestModel)


class RequestOptions(RequestModel):
    """Options of an extraction that the service treats itself."""

    method: str | None = Field(default=None, description="A name from /v1/methods.")
    site: str | None = Field(default=None, description="A name from /v1/sites.")
    max_seconds: float | None = Field(default=None, gt=0, description="A time limit below that of the service.")
    fields: Names | None = Field(
        default=None, description="Names of the columns of the record; only these are computed. Default: all."
    )
    include: Names = Field(default=(), description='More columns: "markdown", "html", "body", "blocks".')
    format: str | None = Field(
        default=None,
        description=f"Format of the answer: {', '.join(_FORMAT_NAMES)}. Default: by the Accept header, else json.",
    )
    charset: str | None = None  # described in `ExtractOptions`, like the options that are passed on as they are
    render: bool = False

    def list_changes(self) -> dict[str, Any]:
        """Return the options that are passed on as they are: fields of `ExtractOptions`."""
        return {name: getattr(self, name) for name in _PASSED_OPTIONS}


def _describe_field(name: str, declared: Option, defaults: object = DEFAULT_OPTIONS) -> tuple[Any, Any]:
    kind = declared.kind or find_type(type(defaults), name)
    return kind, Field(default=getattr(defaults, name), description=declared.help)


_CHUNK_OPTIONS = list_options(ChunkOptions)
_PASSED_OPTIONS = {name: declared for name, declared in list_options(ExtractOptions).items() if declared.in_service}
if TYPE_CHECKING:
    Options = RequestOptions
else:
    Options = create_model(
        "Options",
        __base__=RequestOptions,
        __doc__="Options of an extraction.",
        **{name: _describe_field(name, declared) for name, declared in _PASSED_OPTIONS.items()},
        **{name: _describe_field(name, declared, DEFAULT_CHUNKS) for name, declared in _CHUNK_OPTIONS.items()},
    )


class PageQuery(Options):
    """Options in the address of a request whose body is the page."""

    url: Address | None = Field(default=None, description="The address of the page. It is not fetched.")


class PageRequest(RequestModel):
    """A page: `html`, or `html_base64` for bytes that are not UTF-8."""

    html: str | None = Field(default=None, description="The page.")
    html_base64: str | None = Field(default=None, description="The bytes of the page in base64, instead of `html`.")
    url: Address | None = Field(default=None, description="Its address. It is not fetched.")
    options: Options = Options()

    @model_validator(mode="after")
    def _check_page(self) -> Self:
        if (self.html is None) == (self.html_base64 is None):
            hint = "; /v1/extract-url fetches addresses" if self.url and self.html is None else ""
            raise ValueError(f"pass either html or html_base64{hint}")
        return self

    def read_html(self) -> str | bytes:
        """Return the page. Raises Refusal if the base64 is not valid."""
        if self.html is not None:
            return self.html
        try:
            return base64.b64decode(self.html_base64 or "", validate=True)
        except (binascii.Error, ValueError) as error:
            raise Refusal(422, f"html_base64 is not valid base64 ({error})") from error


class UrlRequest(RequestModel):
    """An address to fetch."""

    url: Address = Field(description="An http or https address.")
    options: Options = Options()


def parse_request(model: type[ModelT], body: bytes, *, max_tokens: int = MAX_JSON_TOKENS) -> ModelT:
    """Parse a JSON request. Raises Refusal (422) with one line."""
    if not has_few_tokens(body, max_tokens):
        raise Refusal(422, f"the body has more than {max_tokens:,} JSON values; see /openapi.json")
    try:
        return model.model_validate_json(body.removeprefix(codecs.BOM_UTF8))
    except ValidationError as error:
        raise Refusal(422, describe_errors(error.errors(include_url=False))) from error


def has_few_tokens(body: bytes, most: int) -> bool:
    """Return whether JSON has few values, before it is parsed: each takes memory, and may be an error of its own."""
    return next(islice(_JSON_TOKEN.finditer(body), most, None), None) is None


def parse_query(values: dict[str, Any]) -> PageQuery:
    """Parse options from the query of an address. Raises Refusal (422)."""
    try:
        return PageQuery.model_validate(values)
    except ValidationError as error:
        raise Refusal(422, describe_errors(error.errors(include_url=False))) from error


def describe_errors(errors: Any) -> str:
    """Return one line about the first error of a validation. Errors of the JSON itself begin with "the body"."""
    first = errors[0]
    place = ".".join(str(part) for part in first["loc"])
    message = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "json_invalid":
        return f"the body is not valid JSON ({first.get('ctx', {}).get('error', message)})"
    if first["type"] == "extra_forbidden":
        is_misplaced = place in Options.model_fields
        hint = f'write it inside "options": {{"{place}": ...}}' if is_misplaced else "see /openapi.json"
        return f"unknown name {place!r}; {hint}"
    value = first.get("input")
    shown = f", not {value!r:.{_MAX_VALUE_CHARS}}" if isinstance(value, str | int | float) else ""
    if place:
        return f"{place}: {message}{shown}"
    return f"the body: {message}{shown}" if first["type"] == "model_type" else message


def check_type(request: Request) -> None:
    """Refuse a body that is neither a page nor JSON, before it is read."""
    media_type = parse_content_type(request.headers.get("Content-Type")).media_type
    if media_type != JSON_TYPE and media_type not in _PAGE_TYPES and not media_type.startswith("text/"):
        raise Refusal(415, f"unsupported Content-Type: {media_type:.80}; send text/html or {JSON_TYPE}")


def check_json_type(request: Request, *others: str) -> None:
    """Refuse a body that states to be neither JSON nor another of these types."""
    media_type = parse_content_type(request.headers.get("Content-Type")).media_type
    if media_type not in {"", JSON_TYPE, _FORM_TYPE, *others}:
        raise Refusal(415, f"unsupported Content-Type: {media_type:.80}; send {others[0] if others else JSON_TYPE}")


class SentPage(NamedTuple):
    """A request to extract a page, as it arrived."""

    body: bytes
    content_type: str | None = None  # the header
    query: str = ""  # of the address
    accept: str | None = None  # the header


def read_page_task(sent: SentPage, rules: RequestRules) -> PageTask:
    """Return the task of a request with a page as its body, or with JSON. Raises Refusal (422)."""
    content_type = parse_content_type(sent.content_type)
    is_untyped = content_type.media_type in ("", _FORM_TYPE)
    if content_type.media_type == JSON_TYPE or (is_untyped and _JSON_OBJECT.match(sent.body)):
        check_no_query(sent.query)
        return _read_json_task(sent, rules)
    options = parse_query({"charset": content_type.charset, **_read_query(sent.query)})
    return make_task(PageInput(options.url, sent.body), options, rules, accept=sent.accept)


def _read_query(query: str) -> dict[str, Any]:
    """Return the options of the address. `fields` and `include` may be repeated, and may have commas."""
    pairs = parse_qsl(query, keep_blank_values=True)
    for name, count in Counter(name for name, _ in pairs).items():
        if name not in _LISTS and count > 1:
            raise Refusal(422, f"the address has {name!r:.80} more than once")
    lists: dict[str, str] = {}
    for name, value in pairs:
        if name in _LISTS:
            lists[name] = f"{lists.get(name, '')} {value}"
    return {**dict(pairs), **{name: tuple(names.replace(",", " ").split()) for name, names in lists.items()}}


def check_no_query(query: str) -> None:
    """Refuse options in the address of a request whose body is JSON: they would have no effect."""
    for name, _ in parse_qsl(query, keep_blank_values=True):
        place = ', under "options"' if name in Options.model_fields else ""
        raise Refusal(422, f"{name!r:.80} in the address has no effect; write it into the JSON{place}")


def _read_json_task(sent: SentPage, rules: RequestRules) -> PageTask:
    """Return the task of a page in JSON. Raises Refusal (422)."""
    page = parse_request(PageRequest, sent.body)
    return make_task(PageInput(page.url, page.read_html()), page.options, rules, accept=sent.accept)


def make_task(
    page: PageInput, options: Options, rules: RequestRules, *, charset: str | None = None, accept: str | None = None
) -> PageTask:
    """Check the options of a request. Raises Refusal (422)."""
    check_options(options, rules)
    layout = find_layout(options, accept)
    columns = tuple(column.name for column in choose_columns(options.fields, options.include))
    changes = options.list_changes() | {"fields": columns if layout is None else layout.fields}
    if options.method is not None:
        changes["method"] = options.method
    site = find_site(options.site, rules) if options.site else None
    return PageTask(page, options.charset or charset, changes, site, options.max_seconds, layout)


def find_layout(options: Options, accept: str | None) -> Format | None:
    """Return the format of the answer; None for a record as JSON, the default. Raises Refusal (422).

    The Accept header decides only where the request does not: by `format`, or by columns, which records have.
    """
    has_columns = options.fields is not None or bool(options.include)
    if options.format is None:
        layout = None if has_columns else _choose_accepted(accept or "")
    else:
        name = FORMAT_ALIASES.get(options.format, options.format)
        if name not in _FORMAT_NAMES:
            raise Refusal(422, describe_unknown("format", options.format, _FORMAT_NAMES))
        if has_columns and name in _WRITTEN_FORMATS:
            raise Refusal(422, f"fields and include choose columns of json, not of {name}")
        layout = _WRITTEN_FORMATS.get(name)
    try:
        chunks = ChunkOptions(**{name: getattr(options, name) for name in _CHUNK_OPTIONS})
        written = (layout or FORMATS["json"]).set_options(chunks)
    except UsageError as error:
        raise Refusal(422, str(error)) from error
    return layout and written


def _choose_accepted(accept: str) -> Format | None:
    """Return the format that an Accept header prefers; None for a record, also if it accepts anything."""
    layouts = {layout.media_type: layout for layout in _WRITTEN_FORMATS.values()}
    choices: list[tuple[float, str]] = []
    for choice in accept.split(",")[:_MAX_NAMES]:
        media_type, *parameters = (part.strip().lower() for part in choice.split(";"))
        quality = next((value[2:] for value in parameters if value.startswith("q=")), "1")
        if media_type in layouts or media_type in _RECORD_TYPES:
            choices.append((float(quality) if _QUALITY.fullmatch(quality) else 0.0, media_type))
    best = max(choices, key=lambda choice: choice[0], default=(0.0, ""))  # the first of equal ones
    return layouts.get(best[1]) if best[0] > 0 else None


def check_options(options: Options, rules: RequestRules) -> None:
    """Check the names in the options of a request. Raises Refusal (422)."""
    if options.method is not None and not has_method(options.method):
        raise Refusal(422, str(UnknownMethod(options.method, methods())))
    if options.render and not rules.allows_render:
        raise Refusal(422, "this service does not render pages; start it with --render")
    for name in options.include:
        if name not in _EXTRA_NAMES:
            raise Refusal(422, describe_unknown("column", name, _EXTRA_NAMES))
    try:
        choose_columns(options.fields)
    except UsageError as error:
        raise Refusal(422, str(error)) from error


def list_sites(rules: RequestRules) -> list[str]:
    """Return the names of the saved sites."""
    return sorted(path.stem for path in rules.sites.glob("*.json")) if rules.sites else []


def find_site(name: str, rules: RequestRules) -> Path:
    """Return the file of a saved site. Raises Refusal (422)."""
    names = list_sites(rules)
    if name not in names or rules.sites is None:  # a name with ".." is not in the list
        message = describe_unknown("site", name, names) if names else f"unknown site {name!r}; this service has none"
        raise Refusal(422, message)
    return rules.sites / f"{name}.json"
