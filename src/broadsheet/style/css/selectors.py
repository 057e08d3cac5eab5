"""Parse selectors far enough to know which names an element must have.

Matching is done by the parser's selector engine. The names let most selectors be rejected without it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from broadsheet.style.css.bounds import MAX_SELECTOR_CHARS, MAX_SELECTORS_PER_RULE
from broadsheet.style.css.brackets import split_at_commas
from broadsheet.style.css.selector_cost import SelectorCost, estimate_cost
from broadsheet.style.css.selector_text import decode_escapes, read_names, remove_arguments, replace_pseudo_classes
from broadsheet.style.css.specificity import compute_name_specificity, compute_specificity

FIRST_NAME = re.compile(r"\s*+([.#][\w-]++)(?!\\|[^\x00-\x7f])")  # a class or id at the start of a selector

_SIMPLE = re.compile(r"[.#]?[a-zA-Z_-][\w-]*\Z")
_NAMES_AND_COMBINATORS = re.compile(r"[\w.#*\s>+~-]+\Z", re.ASCII)
_COMBINATOR = re.compile(r"[\s>+~]")
_COMBINATOR_CHARS = (*" >+~\n\t\r\f\v",)
# Pseudo-elements, and pseudo-classes that need interaction with the page.
_NEVER_MATCHING = re.compile(
    r"::|:(?:before|after|first-line|first-letter|hover|focus|active|visited|target|focus-within|focus-visible"
    r"|fullscreen|host|selection|placeholder|autofill|popover-open|modal|-(?:webkit|moz|ms|o)-[\w-]+)(?![\w-])",
    re.IGNORECASE,
)
_HAS_IN_HAS = re.compile(r":has\([^)]*:has\(", re.IGNORECASE)  # invalid CSS, and very slow to match
_OTHER_VENDOR = re.compile(r":-(?:moz|ms|o)-", re.IGNORECASE)
_CUSTOM_ELEMENT_DEFINED = re.compile(r"(?:\A|[\s>+~])[a-z]+-[\w-]*[^\s>+~]*:defined")


class Selector(NamedTuple):
    """A complex selector, and the names that its matches must have."""

    text: str
    subject_names: tuple[str, ...]  # ".class", "#id" and "type" of the matched element
    ancestor_names: tuple[str, ...]  # names that ancestors of the matched element must have
    specificity: int
    is_simple: bool  # the selector is its one subject name
    cost: SelectorCost | None = None  # None: linear


def split_selectors(text: str) -> list[str]:
    """Split a selector list; selectors that are too long are left out."""
    if len(text) <= MAX_SELECTOR_CHARS and "," not in text:
        return [text]
    if _OTHER_VENDOR.search(text):  # one invalid selector makes the list invalid
        return []
    selectors = split_at_commas(text) if "(" in text or "[" in text else text.split(",")
    if len(text) > MAX_SELECTOR_CHARS:
        selectors = [selector for selector in selectors if len(selector.strip()) <= MAX_SELECTOR_CHARS]
    return selectors[:MAX_SELECTORS_PER_RULE]


def list_required_names(text: str) -> list[str]:
    """List the ".class", "#id" and "type" names that must be on a page for a selector to match there."""
    if "\\" in text:
        text = decode_escapes(text)
    if ":" in text or "[" in text or "(" in text:
        text = replace_pseudo_classes(remove_arguments(text), "")
    return read_names(text)


@lru_cache(maxsize=4096)
def parse_selector(text: str) -> Selector | None:
    """Parse a selector of up to MAX_SELECTOR_CHARS; None if it cannot match an element of a static page."""
    text = text.strip()
    if ":defined" in text:
        text = _replace_defined(text)
    if not text:
        return None
    if _SIMPLE.match(text):
        name = text if text[0] in ".#" else text.lower()
        return Selector(text, (name,), (), compute_name_specificity(text), True)
    if _NAMES_AND_COMBINATORS.match(text):
        return _parse_names(text)
    compounds = remove_arguments(decode_escapes(text))
    if _NEVER_MATCHING.search(compounds) or _HAS_IN_HAS.search(text):
        return None
    compounds = replace_pseudo_classes(compounds, ":")
    *others, subject = _COMBINATOR.split(compounds)
    ancestor_names = () if _has_sibling_combinator(compounds) else _read_lower_names(" ".join(others))
    return Selector(
        text, _read_lower_names(subject), ancestor_names, compute_specificity(text), False, estimate_cost(text)
    )


def _parse_names(text: str) -> Selector:
    """Parse a selector of names and combinators only, which most selectors are."""
    subject_start = 1 + max(map(text.rfind, _COMBINATOR_CHARS))
    others, subject = _read_lower_names(text[:subject_start]), _read_lower_names(text[subject_start:])
    specificity = sum(map(compute_name_specificity, others)) + sum(map(compute_name_specificity, subject))
    ancestor_names = () if _has_sibling_combinator(text) else others
    return Selector(text, subject, ancestor_names, specificity, False, estimate_cost(text) if "~" in text else None)


def _has_sibling_combinator(text: str) -> bool:
    return "+" in text or "~" in text


def _replace_defined(text: str) -> str:
    """Evaluate `:defined`: custom elements, whose names have a hyphen, are undefined without scripts."""
    is_custom = _CUSTOM_ELEMENT_DEFINED.search(text) is not None
    text = text.replace(":not(:defined)", "" if is_custom else ":not(*)")
    return text.replace(":defined", ":not(*)" if is_custom else "")


def _read_lower_names(compounds: str) -> tuple[str, ...]:
    """Read names, types in lower case."""
    names = read_names(compounds.replace(":", ""))
    return tuple(name if name[0] in ".#" else name.lower() for name in names)
