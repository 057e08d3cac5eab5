"""`broadsheet methods`: list the methods."""

from __future__ import annotations


def methods_command() -> None:
    """List the methods with a one-line description, the default first, those as published last."""
    from broadsheet.methods import DEFAULT_METHOD, methods, published_methods

    names = (*methods(), *published_methods())
    rows = [(f"{name} (default)" if name == DEFAULT_METHOD else name, _describe(name)) for name in names]
    width = max(len(name) for name, _ in rows)
    for name, line in rows:
        print(f"{name:<{width}}  {line}".rstrip())


def _describe(name: str) -> str:
    from broadsheet.errors import MissingExtra
    from broadsheet.methods import describe_method

    try:
        return describe_method(name)
    except MissingExtra as error:
        return f"({error})"
    except Exception as error:  # a plugin that does not load must not hide the other methods
        return f"(does not load: {type(error).__name__}: {error})"
