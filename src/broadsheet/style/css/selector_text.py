"""Read names in the text of a selector: decode escapes, remove attributes, functions and pseudo-classes."""

from __future__ import annotations

import re

_NAME = re.compile("[.#]?[\\w\u0080-\U0010ffff-]++")  # one character class: an alternation takes twice the time
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
# Private-use characters replace escaped punctuation: `.md\:flex` is the class "md:flex", not a pseudo-class.
_FIRST_SUBSTITUTE = 0xE000
_RESTORED = {_FIRST_SUBSTITUTE + code: code for code in range(0x80)}
_ATTRIBUTE = re.compile(r"\[(?:[^\]\"']|\"[^\"]*\"|'[^']*')*\]?")
_BRACKET = re.compile(r"[()]")
_PSEUDO_CLASS = re.compile(r"::?[\w-]+")


def read_names(selector: str) -> list[str]:
    """List the ".class", "#id" and "type" names in a selector without attributes and pseudo-classes."""
    names = _NAME.findall(selector)
    if not selector.isascii():
        names = [name.translate(_RESTORED) for name in names]
    return names


def decode_escapes(selector: str) -> str:
    """Replace escapes by their characters; punctuation by private-use characters, which `read_names` restores."""
    return _ESCAPE.sub(_decode_escape, selector) if "\\" in selector else selector


def _decode_escape(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else ord(match[2])
    if code < 0x80:
        is_name_char = chr(code).isalnum() or code in (0x2D, 0x5F)
        return chr(code) if is_name_char else chr(_FIRST_SUBSTITUTE + code)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def remove_attributes(selector: str) -> str:
    """Remove attribute selectors."""
    return _ATTRIBUTE.sub("", selector) if "[" in selector else selector


def remove_arguments(selector: str) -> str:
    """Remove attribute selectors and the arguments of functions: names in them need not be on the page."""
    selector = remove_attributes(selector)
    if "(" not in selector:
        return selector
    parts, depth, start = [], 0, 0
    for match in _BRACKET.finditer(selector):
        if match[0] == "(":
            if depth == 0:
                parts.append(selector[start : match.start()])
            depth += 1
        elif depth > 0:
            depth -= 1
            start = match.end()
    return "".join(parts) if depth else "".join([*parts, selector[start:]])


def replace_pseudo_classes(selector: str, replacement: str) -> str:
    """Replace each pseudo-class and pseudo-element without arguments."""
    return _PSEUDO_CLASS.sub(replacement, selector)
