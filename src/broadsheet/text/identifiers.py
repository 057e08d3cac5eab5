"""Words of class names and ids: "articleBody related-links" is article, Body, related, links.

Models are trained on these words, so a change here means training them again.
"""

from __future__ import annotations

from broadsheet.text.patterns import compile_later

# "RSSFeed" is RSS and Feed.
_ASCII_WORD = compile_later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ANY_WORD = compile_later(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\dA-Z_]+|[A-Z]+")
# "RSSFeed" is RSSF and eed.
_ASCII_WORD_AFTER_CAPITALS = compile_later(r"[A-Z]?[a-z]+|[A-Z]+")
_CAMEL_BORDER = compile_later(r"(?<=[a-z])(?=[A-Z])")


def split_identifiers(names: str, *, any_letter: bool = False, splits_acronyms: bool = True) -> list[str]:
    """Split class names or ids at delimiters, digits and capitals. Words keep their case.

    Only ASCII letters count, unless `any_letter` is set (semtext). Without `splits_acronyms`, a row of capitals takes
    the first letter of the next word (the forests of visual were trained that way).
    """
    if any_letter:
        return _ANY_WORD.findall(names)
    return (_ASCII_WORD if splits_acronyms else _ASCII_WORD_AFTER_CAPITALS).findall(names)


def hyphenate_camel_case(name: str) -> str:
    """Return the name in lower case, with a hyphen before each capital that follows a lower-case letter."""
    return _CAMEL_BORDER.sub("-", name).lower()
