"""Remove comments from CSS, and the punctuation inside strings and URLs."""

from __future__ import annotations

import re

# The tokens in which braces and semicolons have no meaning. Each alternative begins with a distinct literal character:
# the regex engine skips to the next of these, which is several times as fast.
_OPAQUE_TOKEN = re.compile(
    r"/\*.*?(?:\*/|\Z)"
    r"|\\.(?:\\.)*+"  # escapes in names, as in `.content-\[\'\'\]`
    r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
    r"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
    r"|\((?<=url\()\s*+(?![\"'])[^)]*+\)?",
    re.DOTALL,
)
_PUNCTUATION = re.compile(r"[{};]")
# In CSS the marker of XML is an open bracket, which ends at its closing bracket.
_CDATA = re.compile(r"<!\[CDATA\[(?:[^\[\]]|\[[^\[\]]*\])*+\]?")


def mask_tokens(css: str) -> str:
    """Replace comments by spaces, and strings and URLs that contain braces or semicolons by empty ones."""
    return _OPAQUE_TOKEN.sub(_mask_token, css)


def _mask_token(match: re.Match[str]) -> str:
    token = match[0]
    if token[0] == "/":
        return " "
    if not _PUNCTUATION.search(token):
        return token
    return "()" if token[0] == "(" else '""'


def mask_sheet(css: str) -> str:
    """Mask the tokens of a whole style sheet, and remove the comment markers of HTML and the CDATA marker of XML."""
    css = mask_tokens(css)
    if "<!" in css:
        css = _CDATA.sub("<>", css.replace("<!--", " ").replace("-->", " "))
    return css
