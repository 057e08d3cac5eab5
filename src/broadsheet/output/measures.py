"""Measures of texts by which builders of corpora filter; the rules of Gopher, C4 and FineWeb; masks for addresses.

Sources: Gopher (Rae et al. 2021, appendix A), C4 (Raffel et al. 2020, section 2.2), FineWeb (Penedo et al. 2024,
section 3.5). Rules that change a text, and those about a whole page of the web, are left out: texts are extracted here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from broadsheet.page.parser import score_language
from broadsheet.text import CLOSING_QUOTES, ELLIPSIS, RARE_ENDS, SENTENCE_ENDS, compile_later, split_words

_ENDS, _WIDE, _QUOTES = re.escape(SENTENCE_ENDS + RARE_ENDS), "。！？", re.escape(CLOSING_QUOTES + ")]」』")
# Marks that neither follow others nor are given back: a run of a million full stops is read once.
_SENTENCE_END = compile_later(rf"(?<![{_ENDS}])[{_ENDS}]++[{_QUOTES}]*+(?=\s|\Z)|[{_WIDE}]+")
_LINE_END = compile_later(rf"[{_ENDS}][{_QUOTES}]*\Z")
_BULLET = compile_later(r"\s*[-*•‣◦▪●–]\s")
_LETTER = compile_later(r"[^\W\d_]")
_DIGIT = compile_later(r"\d")
_SYMBOL = compile_later(rf"[^\w\s{_ENDS}{_QUOTES},;:()\[\]\-–—'\"‘“«„%&/،、，；：]|_")
_PLACEHOLDER = compile_later(r"lorem ipsum|[{}]", re.IGNORECASE)
_SHORT_LINE_CHARS = 30  # of FineWeb
_NGRAM_WORDS = 5
_LANGUAGE_CHARS = 600  # detection costs 0.28 ms per 1,000
_DIGITS = 4


def _measure(description: str) -> Any:
    return field(metadata={"description": description})


@dataclass(frozen=True, slots=True)
class TextMeasures:
    """Counts and shares of a text. Shares are from 0 to 1; of an empty text, all values are 0."""

    word_count: int = _measure("Words; each character in scripts without spaces between words.")
    word_chars: int = _measure("Characters in words: divided by `word_count`, the mean length of a word.")
    sentence_count: int = _measure("Ends of sentences: their marks, before white space or a closing quote.")
    line_count: int = _measure("Lines with text.")
    repeated_line_share: float = _measure("Share of lines that are equal to an earlier one.")
    repeated_char_share: float = _measure("Share of characters in such lines.")
    repeated_ngram_share: float = _measure("Share of the characters of words in runs of five words that came before.")
    short_line_share: float = _measure("Share of lines with fewer than 30 characters.")
    punctuated_line_share: float = _measure("Share of lines that end with the mark of a sentence.")
    bullet_line_share: float = _measure("Share of lines that begin with a bullet.")
    ellipsis_line_share: float = _measure("Share of lines that end with an ellipsis.")
    letter_word_share: float = _measure("Share of words with a letter.")
    digit_share: float = _measure("Share of characters that are digits.")
    symbol_share: float = _measure("Share of characters that are neither letters, digits, spaces nor punctuation.")
    hash_share: float = _measure("Hash signs and ellipses for each word, at most 1.")
    placeholder_count: int = _measure('Curly brackets and "lorem ipsum".')
    language_score: float = _measure("Confidence of the language detector, from the first 600 characters.")


MEASURES = {item.name: item for item in fields(TextMeasures)}


@lru_cache(maxsize=2)  # a row reads all measures of its text, one after the other
def measure_text(text: str) -> TextMeasures:
    """Measure a text."""
    lines = [line for line in text.split("\n") if line.strip()]
    words = split_words(text)
    chars, line_chars, word_chars = len(text), sum(map(len, lines)), sum(map(len, words))
    ends = [line for line in lines if _LINE_END.search(line.rstrip())]
    earlier: set[str] = set()
    repeated = [line for line in lines if line in earlier or earlier.add(line)]  # type: ignore[func-returns-value]
    ellipses = text.count(ELLIPSIS) + text.count("...")
    return TextMeasures(
        word_count=len(words),
        word_chars=word_chars,
        sentence_count=_count(_SENTENCE_END, text),
        line_count=len(lines),
        repeated_line_share=_share(len(repeated), len(lines)),
        repeated_char_share=_share(sum(map(len, repeated)), line_chars),
        repeated_ngram_share=_share(_count_repeated_chars(words), word_chars),
        short_line_share=_share(sum(len(line) < _SHORT_LINE_CHARS for line in lines), len(lines)),
        punctuated_line_share=_share(len(ends), len(lines)),
        bullet_line_share=_share(sum(_BULLET.match(line) is not None for line in lines), len(lines)),
        ellipsis_line_share=_share(sum(line.rstrip().endswith((ELLIPSIS, "...")) for line in ends), len(lines)),
        letter_word_share=_share(sum(_LETTER.search(word) is not None for word in words), len(words)),
        digit_share=_share(_count(_DIGIT, text), chars),
        symbol_share=_share(_count(_SYMBOL, text), chars),
        hash_share=min(_share(text.count("#") + ellipses, len(words)), 1.0),
        placeholder_count=_count(_PLACEHOLDER, text),
        language_score=round(score_language(text[:_LANGUAGE_CHARS]), _DIGITS) if words else 0.0,
    )


def _count(pattern: re.Pattern[str], text: str) -> int:
    return len(pattern.findall(text))


def _share(part: int, whole: int) -> float:
    return round(part / whole, _DIGITS) if whole else 0.0


def _count_repeated_chars(words: list[str]) -> int:
    """Count the characters of words in runs of five words that came before, each word once."""
    earlier: set[tuple[str, ...]] = set()
    count = covered = 0
    for start, ngram in enumerate(zip(*(words[at:] for at in range(_NGRAM_WORDS)), strict=False)):
        if ngram in earlier:
            first = max(start, covered)
            covered = start + _NGRAM_WORDS
            count += sum(map(len, words[first:covered]))
        earlier.add(ngram)
    return count


class Rule(NamedTuple):
    """The range of a measure."""

    measure: str
    least: float = 0.0
    most: float = float("inf")


RULES: dict[str, tuple[Rule, ...]] = {
    "gopher": (
        Rule("word_count", 50, 100_000),
        Rule("mean_word_chars", 3, 10),
        Rule("hash_share", most=0.1),
        Rule("bullet_line_share", most=0.9),
        Rule("ellipsis_line_share", most=0.3),
        Rule("letter_word_share", 0.8),
        Rule("repeated_line_share", most=0.3),
        Rule("repeated_char_share", most=0.2),
        Rule("repeated_ngram_share", most=0.15),
    ),
    "c4": (Rule("sentence_count", 5), Rule("placeholder_count", most=0)),
    "fineweb": (
        Rule("language_score", 0.65),
        Rule("punctuated_line_share", 0.12),
        Rule("repeated_char_share", most=0.1),
        Rule("short_line_share", most=0.67),
    ),
}


def find_broken_rule(text: str, names: tuple[str, ...]) -> str:
    """Return the first rule of these sets that a text breaks, such as "gopher: word_count"; "" for none."""
    measures = measure_text(text)
    for name in names:
        for rule in RULES[name]:
            if rule.measure == "mean_word_chars":
                value = measures.word_chars / max(measures.word_count, 1)
                is_spaced = value > 1.5  # the characters of other scripts count as words
                value = value if is_spaced else rule.least
            else:
                value = getattr(measures, rule.measure)
            if not rule.least <= value <= rule.most:
                return f"{name}: {rule.measure}"
    return ""


_MASKS = {
    "email": (compile_later(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"), "[email]"),
    # With the sign or the words of a telephone number: other numbers are dates, prices and results.
    "phone": (
        compile_later(
            r"(?<![\w+])\+\d[\d ()./-]{5,20}\d(?!\w)"
            r"|(?<!\w)\(0?\d{2,5}\)[ -]?\d{2,4}(?:[ -]?\d{2,4}){1,3}(?!\w)"
            r"|(?<![\w.-])\d{3}[-.]\d{3}[-.]\d{4}(?![\w-])"
            r"|(?i:(?<=tel)|(?<=tel\.)|(?<=phone)|(?<=telefon)|(?<=call))([:\s]{1,3})[\d(][\d ()/-]{5,18}\d(?!\w)"
        ),
        r"\1[phone]",
    ),
}
MASKS = tuple(_MASKS)
# Columns with text of the page. Names and addresses of the page itself are kept.
MASKED_COLUMNS = frozenset((
    "title", "description", "text", "images", "comments", "comment_details", "doubts", "markdown", "html", "body",
    "blocks",
))  # fmt: skip


def mask_contacts(value: Any, names: tuple[str, ...]) -> Any:
    """Replace e-mail addresses and telephone numbers in a value of a column by [email] and [phone]."""
    if isinstance(value, str):
        for name in names:
            pattern, label = _MASKS[name]
            value = pattern.sub(label, value)
        return value
    if isinstance(value, list | tuple):
        return [mask_contacts(item, names) for item in value]
    if isinstance(value, dict):
        return {key: mask_contacts(item, names) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        texts = [item.name for item in fields(value) if item.name != "url"]  # an address may have numbers
        return replace(value, **{name: mask_contacts(getattr(value, name), names) for name in texts})
    return value
