"""The interface of methods, their table, and the methods that other packages add through entry points.

A package adds a method with two lines in its pyproject.toml:

    [project.entry-points."broadsheet.methods"]
    mymethod = "my_package.my_module:MyMethod"
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from broadsheet.compiled import explain_import_error
from broadsheet.errors import BrokenMethod, UnknownMethod, UsageError

if TYPE_CHECKING:  # listing the methods must not import blocks and page
    from importlib.metadata import EntryPoint

    from broadsheet.blocks import Blocks, Labels, Reason
    from broadsheet.page import Page

# name -> module and class; the default method first. Modules are imported on first use.
METHODS = {
    "fusion": "broadsheet.methods.fusion:Fusion",
    "stadynot": "broadsheet.methods.stadynot:Stadynot",
    "semtext": "broadsheet.methods.semtext:Semtext",
    "visual": "broadsheet.methods.visual:Visual",
    "gcn": "broadsheet.methods.gcn:Gcn",
    "twcem": "broadsheet.methods.twcem:Twcem",
}
# The methods as their papers describe them.
PUBLISHED = {
    "stadynot-published": "broadsheet.methods.stadynot:PublishedStadynot",
    "semtext-published": "broadsheet.methods.semtext:PublishedSemtext",
    "visual-published": "broadsheet.methods.visual:PublishedVisual",
    "gcn-published": "broadsheet.methods.gcn:PublishedGcn",
    "gcn2-published": "broadsheet.methods.gcn:PublishedGcn2",
    "twcem-published": "broadsheet.methods.twcem:PublishedTwcem",
}
DEFAULT_METHOD = next(iter(METHODS))
ENTRY_POINT_GROUP = "broadsheet.methods"


class Method(Protocol):
    """A way to separate article text from the rest of a page.

    A method labels blocks; it does not build text, fields or output. `broadsheet methods` shows the first line of its
    class's docstring. A method with weights may have an attribute `weights_hash`, which is written to records. A method
    that can say how likely its text is exact has `predict_exactness(labels) -> float | None`.
    """

    @property
    def name(self) -> str:
        """Name of the method; a class attribute `name = "..."` is enough."""
        ...

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Return a role and a score for every block."""
        ...


@runtime_checkable
class ExplainingMethod(Method, Protocol):
    """A method that can also give the reasons for its labels."""

    def explain(self, page: Page, blocks: Blocks, labels: Labels) -> Sequence[tuple[Reason, ...]]:
        """Return the reasons for the label of every block, the largest effect first."""
        ...


def methods() -> tuple[str, ...]:
    """Return the names of all methods: the default, the others of Broadsheet, then those of other packages."""
    return (*METHODS, *sorted(_find_plugins()))


def published_methods() -> tuple[str, ...]:
    """Return the names of the methods as published, such as `twcem-published`."""
    return tuple(PUBLISHED)


def has_method(name: str) -> bool:
    """Tell whether a method has this name."""
    return name in METHODS or name in PUBLISHED or name in _find_plugins()


def find_model(name: str) -> str:
    """Return the name of the model whose weights a method uses: `gcn` for `gcn2-published`."""
    return PUBLISHED[name].partition(":")[0].rpartition(".")[2] if name in PUBLISHED else name


@cache
def load_method(name: str, weights: Path | None = None) -> Method:
    """Load a method by its name, with the weights in a folder if given; later calls return the same object.

    Raises UnknownMethod with the available names, BrokenMethod with the reason, or UsageError for unusable weights.
    """
    try:
        method_class = _load_class(name)
        method: object = method_class() if weights is None else method_class(weights=weights)  # type: ignore[call-arg]
    except (UnknownMethod, BrokenMethod):
        raise
    except Exception as error:  # the code of another package may raise anything
        if isinstance(error, UsageError) and (weights is not None or name in PUBLISHED):
            raise  # it says what is wrong with the weights, or how to train them
        raise _describe_failure(name, error) from error
    return check_method(method)


def _load_class(name: str) -> type[Method]:
    if not has_method(name):
        raise UnknownMethod(name, methods())
    try:
        return _import_class(name)
    except Exception as error:  # the code of another package may raise anything
        raise _describe_failure(name, error) from error


def _import_class(name: str) -> type[Method]:
    if target := METHODS.get(name) or PUBLISHED.get(name):
        module, _, attribute = target.partition(":")
        method_class: type[Method] = getattr(import_module(module), attribute)
    else:
        method_class = _find_plugins()[name].load()
    return method_class


def _describe_failure(name: str, error: Exception) -> BrokenMethod:
    if isinstance(error, ImportError | ValueError):
        error = explain_import_error(error)
    return BrokenMethod(f"method {name!r} does not load: {type(error).__name__}: {error}")


def check_method(method: object) -> Method:
    """Return the object if it has the interface of a method; raise UsageError otherwise."""
    if isinstance(method, type):
        raise UsageError(f"method is a class; pass an object: method={method.__name__}()")
    if not isinstance(getattr(method, "name", None), str) or not callable(getattr(method, "label", None)):
        raise UsageError(f"method must be a name or an object with .name and .label(page, blocks), not {method!r:.80}")
    return cast("Method", method)


def describe_method(name: str) -> str:
    """Return the first line of a method's docstring. Its weights are not loaded."""
    return (_load_class(name).__doc__ or "").strip().partition("\n")[0]


def _find_plugins() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # here: slow to import

    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP) if point.name not in METHODS}
