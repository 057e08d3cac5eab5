"""ExtractOptions: every option of an extraction in one value.

`extract`, `extract_many`, worker processes, sites and the command line all pass this value on, so that a new option is
two edits: a field here (with its key in `OptionChanges`) and a flag of the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as list_fields
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TypedDict, Unpack

from broadsheet.errors import UsageError
from broadsheet.methods import DEFAULT_METHOD, Method, check_method, find_model, load_method
from broadsheet.models.own_weights import OwnWeights, find_own_weights
from broadsheet.output.requested import check_fields
from broadsheet.page import DEFAULT_LIMITS, Limits
from broadsheet.site import Site, Sites

Folder = str | Path


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """Options that apply to every page of a call."""

    method: str | Method = DEFAULT_METHOD  # a name from `broadsheet.methods()`, or a method object
    charset: str | None = None  # the character set that the HTTP header states
    home: str | bytes | None = None  # home or section page of the site: its link texts are candidates for titles
    site: Site | Sites | None = None  # template learned from other pages of the site
    render: bool = False  # render each page in a real browser (extra `render`), for methods that use styles
    explain: bool = False  # reasons for the role of each block (`Block.reasons`); takes several times as long
    images: bool = True  # figures in the body: images, videos and embedded posts; `Article.images` is not affected
    limits: Limits = DEFAULT_LIMITS  # limits on one page
    weights: Folder | tuple[Folder, ...] = ()  # folders of your own weights: of the method, the title ranker, or both
    # Names of the fields that are made: columns of the record, or attributes of articles. None for all of them.
    fields: Sequence[str] | None = None

    def __post_init__(self) -> None:
        """Check the types, so that a wrong call fails before the first page. Raises TypeError or UsageError."""
        if self.charset is not None and not isinstance(self.charset, str):
            raise TypeError(f"charset must be str or None, not {type(self.charset).__name__}")
        if self.home is not None and not isinstance(self.home, str | bytes):
            raise TypeError(f"home must be str | bytes or None, not {type(self.home).__name__}")
        if self.site is not None and not isinstance(self.site, Site | Sites):
            raise TypeError(f"site must be broadsheet.Site or None, not {type(self.site).__name__}")
        for name in ("render", "explain", "images"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, not {getattr(self, name)!r:.80}")
        if not isinstance(self.limits, Limits):
            raise TypeError(f"limits must be broadsheet.Limits, not {type(self.limits).__name__}")
        if not isinstance(self.method, str):
            check_method(self.method)
        if self.weights:
            self._check_weights()
        if self.fields is not None:
            object.__setattr__(self, "fields", check_fields(self.fields))

    def _check_weights(self) -> None:
        """Check that the weights exist and belong to the method. Raises TypeError or UsageError."""
        model = self.own_weights.model
        if model is None:
            return
        if not isinstance(self.method, str):
            raise UsageError(f"method is an object; pass its weights to it: {type(self.method).__name__}(weights=...)")
        if model != find_model(self.method):
            raise UsageError(f"these are weights of {model!r}, not of {self.method!r}; choose method {model!r}")

    def load_method(self) -> Method:
        """Return the method object. Raises UnknownMethod or BrokenMethod for a name that does not load."""
        if not isinstance(self.method, str):
            return self.method
        if not self.weights:
            return load_method(self.method)
        return load_method(self.method, self.own_weights.folders.get(find_model(self.method)))

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


class OptionChanges(TypedDict, total=False):
    """The fields of `ExtractOptions` as keyword arguments; `method` is an argument by itself."""

    charset: str | None
    home: str | bytes | None
    site: Site | Sites | None
    render: bool
    explain: bool
    images: bool
    limits: Limits
    weights: Folder | tuple[Folder, ...]
    fields: Sequence[str] | None


DEFAULT_OPTIONS = ExtractOptions()
OPTION_NAMES = tuple(field.name for field in list_fields(ExtractOptions))
_LIMIT_NAMES = frozenset(field.name for field in list_fields(Limits))


def make_options(
    options: ExtractOptions | None, method: str | Method | None = None, **changes: Unpack[OptionChanges]
) -> ExtractOptions:
    """Return the options with the changes applied. Raises TypeError for an unknown name, with the closest known one."""
    if options is None:
        options = DEFAULT_OPTIONS
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
    close = get_close_matches(name, OPTION_NAMES, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known options: {', '.join(OPTION_NAMES)}"
    return f"unknown option {name!r}; {hint}"
