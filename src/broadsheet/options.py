"""ExtractOptions: every option of an extraction in one value.

`extract`, `extract_many`, worker processes, sites, the service and the command line all pass this value on, so that a
new option is a field here, with its key in `SharedChanges` or `OptionChanges`, and an edit where it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as list_fields
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from broadsheet.errors import UsageError
from broadsheet.methods import (
    DEFAULT_METHOD,
    Method,
    check_method,
    find_model,
    load_method,
    methods,
    published_methods,
)
from broadsheet.methods.registry import METHODS, PUBLISHED
from broadsheet.models.weights import OwnWeights, find_own_weights
from broadsheet.option_field import group, option, split_names
from broadsheet.output.requested import check_fields
from broadsheet.page import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from broadsheet.site import Site, Sites

Folder = str | Path


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """Options that apply to every page of a call."""

    method: str | Method = option(  # a name from `broadsheet.methods()`, or a method object
        DEFAULT_METHOD,
        "Method to use; see broadsheet methods.",
        "--method",
        "-m",
        shows_default=False,
        complete=lambda: (*methods(), *published_methods()),
    )
    charset: str | None = option(
        None, "The character set that the HTTP header of the page states.", in_commands=False, in_service=True
    )
    home: str | bytes | None = option(
        None,
        "The home or a section page of the site as HTML: its link texts are candidates for titles.",
        kind=str | None,
        in_commands=False,
        in_service=True,
    )
    site: Site | Sites | None = option(None, "Template learned from other pages of the site.", in_commands=False)
    render: bool = option(
        False, "Render each page in Chromium (extra render), for methods that use styles. Slow.", in_service=True
    )
    explain: bool = option(  # `Block.reasons`
        False, "Give reasons for the role of each block; takes several times as long.", in_commands=False
    )
    images: bool = option(  # `Article.images` is not affected
        True,
        "Figures in the body: images, videos and embedded posts.",
        "--no-images",
        turn_off="Leave images, videos and embedded posts out of the body.",
        in_service=True,
    )
    corrections: bool | None = option(  # `article/corrections.py`; None: on, except for methods as published
        None,
        "Correct the roles of blocks after the method: headline, lists, tables, empty headings. "
        "Default: on, except for methods as published.",
        "--corrections/--no-corrections",
        in_service=True,
    )
    limits: Limits = group(DEFAULT_LIMITS)  # limits on one page
    weights: Folder | tuple[Folder, ...] = option(
        (),
        "Your own weights, as written by broadsheet train: of a method, of the title ranker, or a folder with both. "
        "Can be repeated.",
        metavar="DIR",
        kind=tuple[Path, ...],
    )
    fields: Sequence[str] | None = option(  # attributes of articles, too
        None,
        "Columns of records, in this order; only these are computed. Default: all.",
        metavar="NAME,...",
        read=split_names,
    )

    def __post_init__(self) -> None:
        """Check the types, so that a wrong call fails before the first page. Raises TypeError or UsageError."""
        if self.charset is not None and not isinstance(self.charset, str):
            raise TypeError(f"charset must be str or None, not {type(self.charset).__name__}")
        if self.home is not None and not isinstance(self.home, str | bytes):
            raise TypeError(f"home must be str | bytes or None, not {type(self.home).__name__}")
        if self.site is not None:
            self._check_site()
        for name, default in _FLAGS.items():
            if getattr(self, name) is not default and not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, not {getattr(self, name)!r:.80}")
        if not isinstance(self.limits, Limits):
            raise TypeError(f"limits must be broadsheet.Limits, not {type(self.limits).__name__}")
        if not isinstance(self.method, str):
            check_method(self.method)
        if self.weights:
            self._check_weights()
        if self.fields is not None:
            object.__setattr__(self, "fields", check_fields(self.fields))

    def _check_site(self) -> None:
        from broadsheet.site import Site, Sites  # imported here: most calls have no site

        if not isinstance(self.site, Site | Sites):
            raise TypeError(f"site must be broadsheet.Site or None, not {type(self.site).__name__}")

    def _check_weights(self) -> None:
        """Check that the weights exist and belong to the method. Raises TypeError or UsageError."""
        model = self.own_weights.model
        if model is None:
            return
        if not isinstance(self.method, str):
            raise UsageError(f"method is an object; pass its weights to it: {type(self.method).__name__}(weights=...)")
        if model != find_model(self.method):
            raise UsageError(f"these are weights of {model!r}, not of {self.method!r}; choose method {model!r}")

    def check_method(self) -> None:
        """Raise as `load_method` does. The weights of Broadsheet's own methods are not loaded."""
        if self.weights or not isinstance(self.method, str) or self.method not in METHODS:
            self.load_method()

    def load_method(self) -> Method:
        """Return the method object. Raises UnknownMethod or BrokenMethod for a name that does not load."""
        if not isinstance(self.method, str):
            return self.method
        if not self.weights:
            return load_method(self.method)
        return load_method(self.method, self.own_weights.folders.get(find_model(self.method)))

    @property
    def has_corrections(self) -> bool:
        """Tell whether roles are corrected after the method."""
        return self.method_name not in PUBLISHED if self.corrections is None else self.corrections

    @property
    def own_weights(self) -> OwnWeights:
        """The folders of own weights by model."""
        return list_own_weights(self.weights)

    @property
    def title_weights(self) -> Path | None:
        """The folder of own title weights."""
        return self.own_weights.title if self.weights else None

    @property
    def method_name(self) -> str:
        """Name of the method, known without loading it."""
        return self.method if isinstance(self.method, str) else self.method.name


class SharedChanges(TypedDict, total=False):
    """Options as keyword arguments: those that a service has, too."""

    charset: str | None
    home: str | bytes | None
    render: bool
    images: bool
    corrections: bool | None
    fields: Sequence[str] | None


class OptionChanges(SharedChanges, total=False):
    """The fields of `ExtractOptions` as keyword arguments; `method` is an argument by itself."""

    site: Site | Sites | None
    explain: bool
    limits: Limits
    weights: Folder | tuple[Folder, ...]


_FLAGS = {
    field.name: field.default
    for field in list_fields(ExtractOptions)
    if isinstance(field.default, bool) or field.name == "corrections"
}
DEFAULT_OPTIONS = ExtractOptions()
OPTION_NAMES = tuple(field.name for field in list_fields(ExtractOptions))
_LIMIT_NAMES = frozenset(field.name for field in list_fields(Limits))


def make_options(
    options: ExtractOptions | None, method: str | Method | None = None, **changes: Unpack[OptionChanges]
) -> ExtractOptions:
    """Return the options with the changes applied. Raises TypeError for an unknown name, with the closest known one."""
    if options is None:
        options = DEFAULT_OPTIONS
        if method is None and len(changes) == 1 and isinstance(fields := changes.get("fields"), tuple):
            return _request_fields(fields)
    elif not isinstance(options, ExtractOptions):
        raise TypeError(f"options must be broadsheet.ExtractOptions, not {type(options).__name__}")
    for name in changes:
        if name not in OPTION_NAMES:
            raise TypeError(_describe_unknown(name))
    if method is None and changes.get("weights"):
        method = list_own_weights(changes["weights"]).method  # own weights choose their method
    if method is None:
        return replace(options, **changes) if changes else options
    return replace(options, method=method, **changes)


@lru_cache(maxsize=64)  # callers request the same fields of every page
def _request_fields(fields: tuple[str, ...]) -> ExtractOptions:
    return ExtractOptions(fields=fields)


def list_own_weights(weights: Folder | tuple[Folder, ...]) -> OwnWeights:
    """Return the weights in one folder or several. Raises TypeError or UsageError."""
    folders = weights if isinstance(weights, tuple) else (weights,)
    for folder in folders:
        if not isinstance(folder, Folder):
            raise TypeError(f"weights must be a folder (str or Path) or a tuple of folders, not {weights!r:.80}")
    # Absolute, because the result is cached and the current folder may change.
    return _find_weights(tuple(Path(folder).absolute() for folder in folders))


_find_weights = cache(find_own_weights)


def _describe_unknown(name: str) -> str:
    if name in _LIMIT_NAMES:
        return f"unknown option {name!r}; pass limits=broadsheet.Limits({name}=...)"
    from difflib import get_close_matches  # imported here: only errors need it

    close = get_close_matches(name, OPTION_NAMES, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known options: {', '.join(OPTION_NAMES)}"
    return f"unknown option {name!r}; {hint}"
