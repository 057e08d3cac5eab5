"""Selectors: cut lists apart, drop those that cannot match, and tell how specific the others are.

Matching itself is the parser's: what is done here is to ask it seldom.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MAX_CHARS = 1_000  # of one selector; a longer one is ignored
_MAX_IN_LIST = 1_000
_DEEPEST = 8

_SINGLE = re.compile(r"[.#]?[a-zA-Z_-][\w-]*\Z")
_PLAIN = re.compile(r"[\w.#*\s>+~-]+\Z", re.ASCII)
_NAME = re.compile("[.#]?[\\w\u0080-\U0010ffff-]++")  # one set of letters: a choice between two takes twice the time
FIRST_NAME = re.compile(r"\s*+([.#][\w-]++)(?!\\|[^\x00-\x7f])")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_STAND_INS = 0xE000  # private use: `.md\\:flex` is the class "md:flex", and must not look like a pseudo-class
_PLAIN_AGAIN = {_STAND_INS + code: code for code in range(0x80)}
_COMBINATOR = re.compile(r"[\s>+~]")
_COMBINATORS = (*" >+~\n\t\r\f\v",)
# Taken out before names are looked for; brackets in brackets from the inside out.
_ATTRIBUTE = re.compile(r"\[(?:[^\]\"']|\"[^\"]*\"|'[^']*')*\]?")
_INNERMOST = re.compile(r"(:[\w-]+)?\(([^()]*)\)")
_PSEUDO = re.compile(r"::?[\w-]+")
# Never of an element as it stands on a page that nobody touches, or not of an element at all.
_NEVER = re.compile(
    r"::|:(?:before|after|first-line|first-letter|hover|focus|active|visited|target|focus-within|focus-visible"
    r"|fullscreen|host|selection|placeholder|autofill|popover-open|modal|-(?:webkit|moz|ms|o)-[\w-]+)(?![\w-])",
    re.IGNORECASE,
)
_HAS_IN_HAS = re.compile(r":has\([^)]*:has\(", re.IGNORECASE)  # not allowed, and slow beyond measure
_FOREIGN = re.compile(r":-(?:moz|ms|o)-", re.IGNORECASE)


class Selector(NamedTuple):
    """One selector of a list, and what is known of it without matching."""

    text: str
    keys: tuple[str, ...]  # ".class", "#id" and "tag" that the matched element itself must have
    around: tuple[str, ...]  # those that elements around it must have
    specificity: int
    is_single: bool  # the one key says it all


def split_selectors(text: str) -> list[str]:
    """Cut a selector list apart."""
    if "," not in text:
        return [text]
    if _FOREIGN.search(text):  # one that a browser does not know spoils the list
        return []
    return text.split(",", _MAX_IN_LIST) if "(" not in text and "[" not in text else _split_list(text)[:_MAX_IN_LIST]


def find_names(text: str) -> list[str]:
    """List the ".class", "#id" and "tag" that must be on a page if a selector is to match anything there."""
    has_escapes = "\\" in text
    if has_escapes:
        text = _ESCAPE.sub(_unescape, text)
    if ":" in text or "[" in text or "(" in text:
        text = _PSEUDO.sub("", _take_out_brackets(text))
    names = _NAME.findall(text)
    return [name.translate(_PLAIN_AGAIN) for name in names] if has_escapes else names


@lru_cache(maxsize=4096)
def parse_selector(text: str) -> Selector | None:
    """Read a selector; None for one that matches no element of a page at rest."""
    text = text.strip()
    if ":defined" in text:
        text = _read_defined(text)
    if not 0 < len(text) <= MAX_CHARS:
        return None
    if _SINGLE.match(text):
        key = text if text[0] in ".#" else text.lower()
        return Selector(text, (key,), (), _weigh_name(text), True)
    if _PLAIN.match(text):
        return _read_plain(text)
    outside = _take_out_brackets(_ESCAPE.sub(_unescape, text) if "\\" in text else text)
    if _NEVER.search(outside) or _HAS_IN_HAS.search(text):
        return None
    outside = _PSEUDO.sub(":", outside)
    *around, last = _COMBINATOR.split(outside)
    keys = _read_names(last)
    is_sideways = "+" in outside or "~" in outside
    names = () if is_sideways else tuple(name for part in around for name in _read_names(part))
    return Selector(text, keys, names, find_specificity(text), False)


def _read_plain(text: str) -> Selector:
    """Read a selector that is names and combinators: most are, and need no more than this."""
    last = 1 + max(map(text.rfind, _COMBINATORS))
    around, keys = _read_names(text[:last]), _read_names(text[last:])
    specificity = sum(map(_weigh_name, around)) + sum(map(_weigh_name, keys))
    is_sideways = "+" in text or "~" in text
    return Selector(text, keys, () if is_sideways else around, specificity, False)


def _read_defined(text: str) -> str:
    """Work `:defined` out: all elements are, but for those with a hyphen, which wait for a script."""
    is_custom = re.search(r"(?:\A|[\s>+~])[a-z]+-[\w-]*[^\s>+~]*:defined", text) is not None
    without = text.replace(":not(:defined)", "" if is_custom else ":not(*)")
    return without.replace(":defined", ":not(*)" if is_custom else "")


def _read_names(outside: str) -> tuple[str, ...]:
    names = _NAME.findall(outside.replace(":", ""))
    if not outside.isascii():  # stand-ins, perhaps
        names = [name.translate(_PLAIN_AGAIN) for name in names]
    return tuple(name if name[0] in ".#" else name.lower() for name in names)


def _split_list(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for match in re.finditer(r"\"[^\"]*\"?|'[^']*'?|[(),\[\]]", text):
        char = match[0]
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


def _unescape(match: re.Match[str]) -> str:
    """Write an escape as the character that it stands for, one that means something as its stand-in."""
    code = int(match[1], 16) if match[1] else ord(match[2])
    if code < 0x80:
        return chr(code) if chr(code).isalnum() or code in (0x2D, 0x5F) else chr(_STAND_INS + code)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _take_out_brackets(text: str) -> str:
    """Remove `[...]` and what stands in `(...)`: names there need not be on the page."""
    if "[" in text:
        text = _ATTRIBUTE.sub("", text)
    for _ in range(_DEEPEST):
        if "(" not in text:
            break
        text = _INNERMOST.sub(r"\1", text)
    return text


def find_specificity(text: str) -> int:
    """Tell how specific a selector is, as one number: ids count a million, classes a thousand, tags one."""
    return _weigh(text, 0)


def _weigh(text: str, depth: int) -> int:
    weight = 0
    if "\\" in text:
        text = _ESCAPE.sub(_unescape, text)
    if "[" in text:
        weight += 1000 * text.count("[")
        text = _ATTRIBUTE.sub("", text)
    if "(" in text and depth < _DEEPEST:
        text, inside = _weigh_functions(text, depth)
        weight += inside
    if ":" in text:
        weight += 1000 * text.count(":")
        text = _PSEUDO.sub("", text)
    return weight + sum(map(_weigh_name, _NAME.findall(text)))


def _weigh_name(name: str) -> int:
    return 1_000_000 if name[0] == "#" else 1000 if name[0] == "." else 1


def _weigh_functions(text: str, depth: int) -> tuple[str, int]:
    """Take `:is(...)` and its like out of a selector, and tell what they weigh."""
    weight, kept, at = 0, [], 0
    for match in re.finditer(r":([\w-]+)\(", text):
        if match.start() < at:
            continue
        end = _find_close(text, match.end())
        name, inside = match[1].lower(), text[match.end() : end]
        kept.append(text[at : match.start()])
        at = end + 1
        if name in ("is", "not", "has", "matches", "-webkit-any"):
            weight += max((_weigh(part, depth + 1) for part in _split_list(inside)), default=0)
        elif name != "where":
            weight += 1000
            _, of, choice = inside.partition(" of ")
            weight += max(_weigh(part, depth + 1) for part in _split_list(choice)) if of else 0
    return "".join([*kept, text[at:]]), weight


def _find_close(text: str, at: int) -> int:
    depth = 1
    while at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
        at += 1
    return at
