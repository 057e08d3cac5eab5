"""Punctuation of sentences in several scripts.

Each user composes the set it needs from these parts. The sets differ because models were trained with them: a change
here means training them again.
"""

from __future__ import annotations

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
