"""Compute the specificity of selectors (Selectors 4, section 15)."""

from __future__ import annotations

import re

from broadsheet.style.css.bounds import MAX_SELECTOR_DEPTH
from broadsheet.style.css.brackets import find_closing_bracket, split_at_commas
from broadsheet.style.css.selector_text import decode_escapes, read_names, remove_attributes, replace_pseudo_classes

# Specificity is one number. The factors leave room for 999 classes and types.
_ID, _CLASS, _TYPE = 1_000_000, 1000, 1
_FUNCTION_START = re.compile(r":([\w-]+)\(")


def compute_specificity(selector: str) -> int:
    """Return the specificity of a selector."""
    return _compute(selector, 0)


def compute_name_specificity(name: str) -> int:
    """Return the specificity of a ".class", "#id" or "type"."""
    return _ID if name[0] == "#" else _CLASS if name[0] == "." else _TYPE


def _compute(selector: str, depth: int) -> int:
    specificity = 0
    selector = decode_escapes(selector)
    if "[" in selector:
        specificity += _CLASS * selector.count("[")
        selector = remove_attributes(selector)
    if "(" in selector and depth < MAX_SELECTOR_DEPTH:
        selector, of_functions = _compute_functions(selector, depth)
        specificity += of_functions
    if ":" in selector:
        specificity += _CLASS * selector.count(":")
        selector = replace_pseudo_classes(selector, "")
    return specificity + sum(map(compute_name_specificity, read_names(selector)))


def _compute_functions(selector: str, depth: int) -> tuple[str, int]:
    """Remove functions such as `:is(...)`; return the rest of the selector and their specificity."""
    specificity, rest, end = 0, [], 0
    for match in _FUNCTION_START.finditer(selector):
        if match.start() < end:
            continue
        close = find_closing_bracket(selector, match.end())
        name, arguments = match[1].lower(), selector[match.end() : close]
        rest.append(selector[end : match.start()])
        end = close + 1
        if name in ("is", "not", "has", "matches", "-webkit-any"):
            specificity += _compute_maximum(arguments, depth + 1)
        elif name != "where":
            _, of, selectors = arguments.partition(" of ")  # as in `:nth-child(2n of .a)`
            specificity += _CLASS + (_compute_maximum(selectors, depth + 1) if of else 0)
    return "".join([*rest, selector[end:]]), specificity


def _compute_maximum(selectors: str, depth: int) -> int:
    return max(_compute(selector, depth) for selector in split_at_commas(selectors))
