"""Text functions that several folders share: words, identifiers, white space, punctuation, patterns and counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, cast

from broadsheet.html.normalize import normalize_text
from broadsheet.kernel import is_compiled
from broadsheet.kernel.spaces import drop_invisible as drop_invisible
from broadsheet.kernel.spaces import fold_ascii_words, fold_spaces, split_and_join

# Compiling a pattern takes up to 3 ms. The first page of a process needs about a fifth of them, and `import` none.


def compile_later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return an object with the methods of a compiled pattern, which is compiled when the first of them is called."""
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))


class _LatePattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._source = pattern, flags
        self._compiled: re.Pattern[str] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle the source only."""
        return compile_later, self._source

    def __getattr__(self, name: str) -> Any:
        """Return a method of the pattern, and keep it, so that this function is not called for it again."""
        if self._compiled is None:
            self._compiled = re.compile(*self._source)
        method = getattr(self._compiled, name)
        setattr(self, name, method)
        return method


# Punctuation of sentences in several scripts. Each user composes the set it needs from these parts. The sets differ
# because models were trained with them: a change here means training them again.

ASCII_ENDS = ".!?"
IDEOGRAPHIC_FULL_STOP = "。"
WIDE_ENDS = IDEOGRAPHIC_FULL_STOP + "！？"  # Chinese and Japanese
ARABIC_QUESTION_MARK = "؟"
DANDA = "।"  # full stop of Devanagari
ELLIPSIS = "…"
SENTENCE_ENDS = ASCII_ENDS + WIDE_ENDS + ELLIPSIS + ARABIC_QUESTION_MARK + DANDA
RARE_ENDS = "۔։．｡"  # full stops: Urdu, Armenian, full-width, half-width

NON_ASCII_COMMAS = "，、،"  # full-width, ideographic, Arabic
COMMAS = "," + NON_ASCII_COMMAS
SEMICOLONS = ";；"
ARABIC_SEMICOLON = "؛"
COLONS = ":："
ASCII_MARKS = ASCII_ENDS + ",;:"

CLOSING_QUOTES = "\"'”’»"


# Both give the same result: the loop over the characters is slow in plain Python, the list of words in C.
fold_text = fold_spaces if is_compiled() else split_and_join


# Words of any language, for comparing texts.

# Scripts without spaces between words: Thai, Lao, Burmese and Khmer; kana and Han. Each character counts as a word.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_ANY_WORD = compile_later(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_SPACED_WORD = re.compile(r"\w+")
# The same patterns, which also match the separator between texts. (`\0|\w+` would take twice as long.)
_ANY_WORD_OR_SEPARATOR = compile_later(rf"[{UNSPACED}]|[^\W{UNSPACED}]+|\0")
_SPACED_WORD_OR_SEPARATOR = re.compile(r"[\w\0]+")
_SEPARATOR = "\0"
_UNSPACED_CHAR = compile_later(f"[{UNSPACED}]")


def split_words(text: str) -> list[str]:
    """Split a text into lower-case words; single characters in scripts without spaces between words."""
    if text.isascii():
        return _fold_ascii(text).split()
    text = normalize_text(text).lower()
    pattern = _ANY_WORD if _UNSPACED_CHAR.search(text) else _SPACED_WORD
    return pattern.findall(text)


def split_texts(texts: Sequence[str]) -> list[list[str]]:
    """Split each text as `split_words` does, with one search over all of them: faster for many short texts."""
    joined = f" {_SEPARATOR} ".join(texts)
    if joined.count(_SEPARATOR) != len(texts) - 1:  # no texts, or a text contains the separator
        return [split_words(text) for text in texts]
    if joined.isascii():
        words = _SPACED_WORD_OR_SEPARATOR.findall(joined.lower())
    else:
        joined = normalize_text(joined).lower()
        pattern = _ANY_WORD_OR_SEPARATOR if _UNSPACED_CHAR.search(joined) else _SPACED_WORD_OR_SEPARATOR
        words = pattern.findall(joined)
    borders = [-1, *(index for index, word in enumerate(words) if word == _SEPARATOR), len(words)]
    return [words[first + 1 : last] for first, last in pairwise(borders)]


def fold_words(text: str) -> str:
    """Reduce a text to its lower-case words with single spaces between them, for comparing short texts."""
    return _fold_short(text) if len(text) <= _MAX_CACHED_CHARS else _fold(text)


def _fold(text: str) -> str:
    if text.isascii():
        return _fold_ascii(text)
    return " ".join(_SPACED_WORD.findall(normalize_text(text).lower()))


def _fold_matches(text: str) -> str:
    return " ".join(_SPACED_WORD.findall(text.lower()))


# Both give the same result: the loop over the characters is slow in plain Python.
_fold_ascii = fold_ascii_words if is_compiled() else _fold_matches


# Titles and names are compared several times: half of the short texts of a page were folded before.
_MAX_CACHED_CHARS = 400
_fold_short = lru_cache(256)(_fold)


# Words of class names and ids: "articleBody related-links" is article, Body, related, links. Models are trained on
# these words, so a change here means training them again.

# "RSSFeed" is RSS and Feed.
_ASCII_NAME = compile_later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ANY_NAME = compile_later(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\dA-Z_]+|[A-Z]+")
# "RSSFeed" is RSSF and eed.
_ASCII_NAME_AFTER_CAPITALS = compile_later(r"[A-Z]?[a-z]+|[A-Z]+")
_CAMEL_BORDER = compile_later(r"(?<=[a-z])(?=[A-Z])")


def split_identifiers(names: str, *, any_letter: bool = False, splits_acronyms: bool = True) -> list[str]:
    """Split class names or ids at delimiters, digits and capitals. Words keep their case.

    Only ASCII letters count, unless `any_letter` is set (semtext). Without `splits_acronyms`, a row of capitals takes
    the first letter of the next word (the forests of visual were trained that way).
    """
    if any_letter:
        return _ANY_NAME.findall(names)
    return (_ASCII_NAME if splits_acronyms else _ASCII_NAME_AFTER_CAPITALS).findall(names)


def hyphenate_camel_case(name: str) -> str:
    """Return the name in lower case, with a hyphen before each capital that follows a lower-case letter."""
    return _CAMEL_BORDER.sub("-", name).lower()


def format_count(count: int, noun: str, ending: str = "s") -> str:
    """Return a count with its noun in the right number: "1 page", "1,200 pages"."""
    return f"{count:,} {noun}{'' if count == 1 else ending}"
