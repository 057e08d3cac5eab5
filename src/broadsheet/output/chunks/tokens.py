"""Estimate how many tokens a language model makes of a text."""

from __future__ import annotations

import re

# A word of up to 6 ASCII letters is one token, a longer one has one more for every 6 letters; numbers are cut into
# threes. Words of other alphabets have a token for every 3 characters. A character of a script without spaces, a
# punctuation mark and a line break are one token each. docs/howto/llm.md compares this with two tokenizers.
_TOKEN = re.compile(
    "\n"
    r"|[A-Za-z]{1,6}"
    r"|\d{1,3}"
    "|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
    r"|[^\W\d_A-Za-z]{1,3}"
    r"|[^\w\s]|_"
)


def estimate_tokens(text: str) -> int:
    """Return about as many tokens as the tokenizers of large language models make of a text."""
    return sum(1 for _ in _TOKEN.finditer(text))
