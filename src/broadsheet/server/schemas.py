"""Requests as typed values: what clients may send, checked field by field."""

from __future__ import annotations

import base64
import binascii
import codecs
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator

from broadsheet.option_field import Option, find_type, list_options
from broadsheet.options import DEFAULT_OPTIONS, ExtractOptions
from broadsheet.server.refusal import Refusal

_MAX_ADDRESS_CHARS = 8_000
_MAX_VALUE_CHARS = 80  # of a wrong value, in a message

Address = Annotated[str, Field(max_length=_MAX_ADDRESS_CHARS)]


class RequestModel(BaseModel):
    """A request in JSON. Unknown names are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


ModelT = TypeVar("ModelT", bound=RequestModel)


class ServiceOptions(RequestModel):
    """Options of an extraction that the service treats itself."""

    method: str | None = Field(default=None, description="A name from /v1/methods.")
    site: str | None = Field(default=None, description="A name from /v1/sites.")
    max_seconds: float | None = Field(default=None, gt=0, description="A time limit below that of the service.")
    fields: tuple[str, ...] | None = Field(
        default=None, description="Names of the columns of the record; only these are computed. Default: all."
    )
    include: tuple[str, ...] = Field(default=(), description='More columns: "markdown", "html", "body", "blocks".')
    charset: str | None = None  # described in `ExtractOptions`, like the options that are passed on as they are
    render: bool = False

    def list_changes(self) -> dict[str, Any]:
        """Return the options that are passed on as they are: fields of `ExtractOptions`."""
        return {name: getattr(self, name) for name in _PASSED_OPTIONS}


def _describe_field(name: str, declared: Option) -> tuple[Any, Any]:
    kind = declared.kind or find_type(ExtractOptions, name)
    return kind, Field(default=getattr(DEFAULT_OPTIONS, name), description=declared.help)


_PASSED_OPTIONS = {name: declared for name, declared in list_options(ExtractOptions).items() if declared.in_service}
if TYPE_CHECKING:
    Options = ServiceOptions
else:
    Options = create_model(
        "Options",
        __base__=ServiceOptions,
        __doc__="Options of an extraction.",
        **{name: _describe_field(name, declared) for name, declared in _PASSED_OPTIONS.items()},
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


def parse_request(model: type[ModelT], body: bytes) -> ModelT:
    """Parse a JSON request. Raises Refusal (422) with one line."""
    try:
        return model.model_validate_json(body.removeprefix(codecs.BOM_UTF8))
    except ValidationError as error:
        raise Refusal(422, describe_errors(error.errors(include_url=False))) from error


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
