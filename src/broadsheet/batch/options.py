"""BatchOptions: everything that decides what the rows of a part contain, and its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from broadsheet.batch.filters import Filters
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.inputs import ReadOptions
from broadsheet.inputs.options import DEFAULT_READ_OPTIONS
from broadsheet.models.weights import TITLE_MODEL, hash_weights
from broadsheet.option_field import group, list_options, option
from broadsheet.options import DEFAULT_OPTIONS, ExtractOptions, make_options
from broadsheet.output.record import SCHEMA_VERSION, Column, choose_columns
from broadsheet.version import __version__

_HASH_DIGITS = 16
# Written whatever fields are chosen: the report counts them, and filters read them.
KEY_COLUMNS = ("id", "status", "host", "language", "date", "confidence")

# Options of an extraction that have the same name and value in the description: all that requests may set, too, but for
# the home page, which a batch does not have.
_ROW_OPTIONS = tuple(
    name for name, declared in list_options(ExtractOptions).items() if declared.in_service and name != "home"
)


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """Options of every unit of work."""

    extract: ExtractOptions = group(DEFAULT_OPTIONS, make=make_options)
    read: ReadOptions = group(DEFAULT_READ_OPTIONS)
    include: tuple[str, ...] = ()  # more columns: "markdown", "html", "body", "blocks"
    with_minhash: bool = False  # a column with MinHash signatures (extra `dedup`)
    filters: Filters = group(Filters)
    sample: float = option(  # chosen by a hash of file and offset
        1.0, "Extract this share of the pages, such as 0.01.", metavar="SHARE"
    )
    is_by_site: bool = option(False, "Learn the template of each host from the pages first, then extract.", "--by-site")
    stall_seconds: float = option(  # not in the hash
        300.0, "Seconds without progress after which a worker process is replaced."
    )

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError."""
        if not 0 < self.sample <= 1:
            raise UsageError(f"the sample must be a share above 0 and at most 1, not {self.sample:g}")
        if not self.stall_seconds > 0:
            raise UsageError(f"stall_seconds must be greater than 0, not {self.stall_seconds:g}")
        self.choose_columns()

    def choose_columns(self) -> tuple[Column, ...]:
        """Return the columns of the parts."""
        fields = self.extract.fields
        columns = choose_columns(None if fields is None else (*KEY_COLUMNS, *fields), self.include)
        if not self.with_minhash:
            return columns
        from broadsheet.batch.duplicates import MINHASH

        return (*columns, MINHASH)

    @property
    def page_options(self) -> ExtractOptions:
        """The options of every page: only the columns that are written, and what the filters read, are computed."""
        names = [column.name for column in choose_columns(self.extract.fields, self.include)]
        needs_text = self.with_minhash or self.filters.min_chars > 0
        return replace(self.extract, fields=(*names, *KEY_COLUMNS, *(("text",) if needs_text else ())))

    def describe(self) -> dict[str, str]:
        """Return every option that changes the rows, as text, by name. Loads the method."""
        extract = self.extract
        method = extract.load_method()
        values: dict[str, object] = {
            "method": method.name,
            "weights": getattr(method, "weights_hash", None),
            "version": __version__,
            "schema": SCHEMA_VERSION,
            **{name: getattr(extract, name) for name in _ROW_OPTIONS},
            "title_weights": extract.title_weights and hash_weights(TITLE_MODEL, extract.title_weights),
            "columns": [column.name for column in self.choose_columns()],
            "html_column": self.read.html_column,
            "url_column": self.read.url_column,
            "http_statuses": self.read.http_statuses,
            "sample": self.sample,
            "by_site": self.is_by_site,
            **_prefix("limits", asdict(extract.limits)),
            **_prefix("filters", asdict(self.filters)),
        }
        if self.with_minhash:
            values["minhash"] = import_extra("rensa", "dedup").RMinHash.ALGORITHM_VERSION
        return {name: json.dumps(value, default=str) for name, value in values.items()}


def hash_options(description: Mapping[str, str]) -> str:
    """Return the hash of described options."""
    return hashlib.sha256(json.dumps(sorted(description.items())).encode()).hexdigest()[:_HASH_DIGITS]


def _prefix(name: str, values: Mapping[str, object]) -> dict[str, object]:
    return {f"{name}.{key}": value for key, value in values.items()}
