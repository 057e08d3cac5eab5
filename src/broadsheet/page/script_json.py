"""JSON in scripts: `<script type="application/json">`, and values that code assigns or passes to a function.

    window.__STATE__ = {...};    JSON.parse("{...}")    push([1, "..."])

Code is not run. A value that is not JSON is skipped. The work is bounded by the number of characters that the decoder
reads, and nothing raises.
"""

from __future__ import annotations

import html as html_module
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_SCRIPT_CHARS = 3_000_000  # of all scripts together; the longest state of 10,000 news pages had 1,500,000
_MAX_READ_CHARS = 2 * MAX_SCRIPT_CHARS  # read by the decoder, failed attempts included
_MAX_FAILURES = 500  # of the decoder; each counts the lines of the script up to the error
_DEEP_VALUE_CHARS = 20_000  # counted for a value that exceeds Python's limit of recursion
_MIN_VALUE_CHARS = 300  # shorter values cannot contain an article

_TAG = re.compile(r"<(/?)script\b([^<>]*)>?", re.IGNORECASE)
_JSON_TYPE = re.compile(r"""type\s*=\s*["']?[\w/+.-]*json""", re.IGNORECASE)
_LINKED_DATA = re.compile(r"ld\+json", re.IGNORECASE)
# The start of a value in code: after an assignment or an opening bracket of a call.
_VALUE_START = re.compile(r"""[=(]\s{0,9}(?=\{\s{0,99}"|\[\s{0,99}[\[{"]|")""")
_UNDEFINED = re.compile(r"([:,\[]\s{0,9})undefined(?=\s{0,9}[,}\]])")
_STRING = re.compile(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+("?)')  # without group 1, the string is not closed in its line
_ANGULAR_ESCAPES = {"q": '"', "a": "&", "s": "'", "l": "<", "g": ">"}
_ANGULAR_ESCAPE = re.compile(r"&([qaslg]);")
_DECODER = json.JSONDecoder(strict=False)  # strict=False: allow control characters in strings


@dataclass(frozen=True, slots=True)
class Script:
    """The text of a script element."""

    text: str
    is_json: bool


def list_scripts(html: str) -> Iterator[Script]:
    """Yield the scripts of a page that may contain data, except JSON-LD, up to `MAX_SCRIPT_CHARS`."""
    budget = MAX_SCRIPT_CHARS
    attributes, start = "", -1
    for tag in _TAG.finditer(html):
        if not tag[1]:
            if start < 0:
                attributes, start = tag[2], tag.end()
            continue
        if start >= 0 and not _LINKED_DATA.search(attributes):
            length = tag.start() - start
            if _MIN_VALUE_CHARS <= length <= budget:
                budget -= length
                yield Script(html[start : tag.start()], _JSON_TYPE.search(attributes) is not None)
        start = -1


def read_script_values(html: str) -> Iterator[object]:
    """Yield the JSON values in the scripts of a page."""
    reader = _Reader()
    for script in list_scripts(html):
        text = _unescape_data(script.text)
        yield from reader.read_json(text) if script.is_json else reader.read_code(text)


def read_json_string(text: str) -> object:
    """Return the value of a string that contains JSON; None if it does not."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _unescape_data(text: str) -> str:
    """Undo the escapes of Angular and of HTML, and replace `undefined`, which JSON does not have."""
    if "&q;" in text:
        text = _ANGULAR_ESCAPE.sub(lambda match: _ANGULAR_ESCAPES[match[1]], text)
    elif "&quot;" in text and '"' not in text:
        text = html_module.unescape(text)
    return _UNDEFINED.sub(r"\1null", text) if "undefined" in text else text


class _Reader:
    """Decodes values until the budget of characters is used up."""

    def __init__(self) -> None:
        self.budget = _MAX_READ_CHARS
        self.failures = 0
        self._value: object = None  # the last one decoded

    def read_json(self, text: str) -> Iterator[object]:
        """Yield the value of a script that is JSON."""
        start = len(text) - len(text.lstrip())
        if self._may_read() and self._find_end(text, start) > start:
            yield self._value

    def read_code(self, text: str) -> Iterator[object]:
        """Yield the values in code. Without any, yield its strings: JavaScript allows names without quotes."""
        at, has_values = 0, False
        while self._may_read() and (match := _VALUE_START.search(text, at)):
            at = match.end()
            end = self._find_end(text, at)
            if end - at >= _MIN_VALUE_CHARS:
                has_values = True
                yield self._value
            at = max(at, end)
        if not has_values and self.budget > 0:
            self.budget -= len(text)
            for string in _STRING.finditer(text):
                if string[1] and len(string[0]) >= _MIN_VALUE_CHARS:
                    yield read_json_string(string[0])

    def _may_read(self) -> bool:
        return self.budget > 0 and self.failures < _MAX_FAILURES

    def _find_end(self, text: str, start: int) -> int:
        """Decode the value at `start` into `_value` and return where it ends; -1 if it is not JSON."""
        try:
            self._value, end = _DECODER.raw_decode(text, start)
        except ValueError as error:
            self.failures += 1
            self.budget -= _count_read(error, text, start)
            return -1
        except RecursionError:
            self.budget -= _DEEP_VALUE_CHARS
            return -1
        self.budget -= end - start
        return end


def _count_read(error: ValueError, text: str, start: int) -> int:
    """Return how many characters the decoder read before it failed: all of them if a string does not end.

    A number with too many digits, too, is not placed by its error.
    """
    if isinstance(error, json.JSONDecodeError) and not error.msg.startswith("Unterminated string"):
        return error.pos - start
    return len(text) - start
