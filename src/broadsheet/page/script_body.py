"""The text of an article that a page has only as data for its scripts.

Some pages show nothing until JavaScript has run. Their scripts often contain the article: as a string of HTML, as a
list of nodes (`rich_text`), or in JSON-LD as `articleBody`. It is written into the page as HTML, and the page is parsed
again, so that all methods see blocks. There are no rules for single sites.

Only a page that shows little text is searched. A page that states that it is not free is never searched: the publisher
does not show its text.
"""

from __future__ import annotations

import html as html_module
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from broadsheet.page.limits import MAX_SHELL_CHARS, Deadline
from broadsheet.page.metadata import Metadata, is_paid, shows_paywall
from broadsheet.page.nodes import Nodes, count_shown_prose
from broadsheet.page.rich_text import RichText, RichTextReader, count_prose
from broadsheet.text import fold_words

_MIN_BODY_CHARS = 2 * MAX_SHELL_CHARS
_MIN_GAIN = 3  # minimum ratio of the prose of the body to the prose that is shown
_MAX_BODY_CHARS = 500_000
_MAX_VALUES = 300_000  # visited
_MAX_JSON_STRINGS = 20  # strings that contain JSON themselves
_DESCRIPTION_CHARS = 60  # of the description, looked for at the beginning of a text
_MIN_DESCRIPTION_CHARS = 20
_BEGINNING_CHARS = 3_000
_MAX_TITLE_CHARS = 300
_VALUES_PER_CHECK = 4096

_PARAGRAPH = re.compile(r"<(?:p|br|div|h[2-4]|li)\b", re.IGNORECASE)
_ESCAPED_PARAGRAPH = re.compile(r"&lt;(?:p|br|div)\b", re.IGNORECASE)
_TEXT_KEYS = frozenset(("articleBody", "body", "content", "text", "fullText", "bodyText", "story", "plainText"))
_PAID_KEYS = (
    "premium",
    "isPremium",
    "paywall",
    "hasPaywall",
    "paywalled",
    "isPaywalled",
    "locked",
    "isLocked",
    "isPaid",
)
_TITLE_KEYS = ("headline", "title", "name", "heading")
_LINE_BREAKS = re.compile(r"\s*\n\s*")
_SENTENCE = re.compile(r"[^\W\d_]{2}[.!?。！？।]")
_MIN_SENTENCES = 3
_TAG = re.compile(r"<[^<>]*+>")
_BODY_END = re.compile(r"</body\b", re.IGNORECASE)


# React streams parts of a page as hidden elements, which a script moves to their places.
_SEGMENT_MOVE = "$RC("
_HIDDEN_SEGMENT = re.compile(r'<div hidden(?:="")? (id="S:[0-9a-f]+")')

_Value = tuple[object, str, str]  # a value, its name, and the title of the objects around it


@dataclass(frozen=True, slots=True)
class _Body:
    """A text in the data that may be the article."""

    text: RichText
    title: str  # of the objects around it; "" if they have none
    is_plain: bool = False  # one string without tags


def add_script_body(html: str, nodes: Nodes, metadata: Metadata, deadline: Deadline) -> str | None:
    """Return the page with the text that its scripts contain; None if they contain none, or the page is not free."""
    if is_paid(metadata) or shows_paywall(nodes):
        return None
    if _SEGMENT_MOVE in html and (shown := _HIDDEN_SEGMENT.sub(r"<div \1", html)) != html:
        return shown
    bodies = [body for body in _find_bodies(html, deadline) if body.text.chars >= _MIN_BODY_CHARS]
    body = _choose_body(bodies, nodes, metadata) or _read_article_body(metadata)
    if body is None or body.text.chars < max(_MIN_BODY_CHARS, _MIN_GAIN * count_shown_prose(nodes)):
        return None
    heading = f"<h1>{html_module.escape(body.title)}</h1>" if body.title and not nodes.rows["h1"] else ""
    return _insert(html, f"<main><article>{heading}{body.text.html}</article></main>")


def _insert(html: str, article: str) -> str:
    """Insert the article at the end of the page's body."""
    ends = [match.start() for match in _BODY_END.finditer(html)]
    at = ends[-1] if ends else len(html)
    return f"{html[:at]}{article}{html[at:]}"


def _list_titles(metadata: Metadata) -> Iterator[str]:
    yield from islice(metadata.article_texts("headline"), 3)
    yield from islice(metadata.meta_texts("og:title", "twitter:title"), 3)
    if metadata.title:
        yield metadata.title


# Choice.


def _choose_body(bodies: Sequence[_Body], nodes: Nodes, metadata: Metadata) -> _Body | None:
    """Choose the longest text that belongs to the page; on a page that shows nothing, also the only text."""
    titles = {fold_words(title[:_MAX_TITLE_CHARS]) for title in _list_titles(metadata)} - {""}
    description = next(metadata.meta_texts("og:description", "description", "twitter:description"), "")
    start = fold_words(html_module.unescape(description)[:_DESCRIPTION_CHARS])
    shown = "".join([nodes.text[row] for row in nodes.run_rows()])
    if len(start) < _MIN_DESCRIPTION_CHARS or start in fold_words(shown):
        start = ""  # a page that shows the beginning of its text shows the whole text, or withholds the rest on purpose
    candidates = [body for body in bodies if _is_of_page(body, titles, start)]
    if not candidates and len({body.text.html for body in bodies}) == 1 and len(shown) < MAX_SHELL_CHARS:
        candidates = list(bodies)
    candidates = [body for body in candidates if not body.is_plain] or candidates
    return max(candidates, key=lambda body: body.text.chars, default=None)


def _is_of_page(body: _Body, titles: set[str], start: str) -> bool:
    """Tell whether a text has the title of the page, or begins with its description."""
    body_title = fold_words(body.title)
    if body_title and any(body_title in title for title in titles):
        return True
    beginning = fold_words(_TAG.sub(" ", body.text.html[:_BEGINNING_CHARS]))
    return bool(start) and start in beginning


def _read_article_body(metadata: Metadata) -> _Body | None:
    """Read `articleBody` of JSON-LD, the last resort: most have lost their paragraphs."""
    texts = [text for text in metadata.article_texts("articleBody") if len(text) >= _MIN_BODY_CHARS]
    return _read_text(max(texts, key=len), "", is_text=True) if texts else None


# Search.


def _find_bodies(html: str, deadline: Deadline) -> Iterator[_Body]:
    """Yield the texts in the data of the scripts."""
    search = _Search(deadline)
    for value in (*read_script_values(html), *read_stream_values(html)):
        yield from search.find_bodies(value)


class _Search:
    """Searches values, up to a maximum number for the whole page."""

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self.visits = _MAX_VALUES
        self.json_strings = _MAX_JSON_STRINGS
        self.rich_text = RichTextReader()
        self.stack: list[_Value] = []

    def find_bodies(self, root: object) -> Iterator[_Body]:
        """Yield the texts in a value, in its order. Without recursion: values may be deep."""
        self.stack = [(root, "", "")]
        while self.stack and self.visits:
            self.visits -= 1
            if not self.visits % _VALUES_PER_CHECK:
                self.deadline.check()
            value, name, title = self.stack.pop()
            body = None
            if isinstance(value, str):
                body = self._read_string(value, name, title)
            elif isinstance(value, list):
                body = self._read_list(value, name, title)
            elif isinstance(value, dict) and not _is_paid_object(value):
                title = _read_title(value) or title
                self.stack += [(part, key, title) for key, part in reversed(value.items())]
            if body:
                yield body

    def _read_string(self, text: str, name: str, title: str) -> _Body | None:
        if len(text) < _MIN_BODY_CHARS:
            return None
        if text[0] in "{[" and self.json_strings:
            self.json_strings -= 1
            self.stack.append((read_json_string(text), name, title))
            return None
        return _read_text(text, title, is_text=name in _TEXT_KEYS)

    def _read_list(self, values: list[object], name: str, title: str) -> _Body | None:
        if text := self.rich_text.read(values):
            return _Body(text, title)
        self.stack += [(part, name, title) for part in reversed(values)]
        return None


def _is_paid_object(value: dict[str, object]) -> bool:
    """Tell whether an object states that its text is for subscribers."""
    return any(value.get(key) is True for key in _PAID_KEYS) or value.get("isAccessibleForFree") is False


def _read_title(value: dict[str, object]) -> str:
    """Return the title of an object; "" if it has none."""
    for key in _TITLE_KEYS:
        title = value.get(key)
        if isinstance(title, dict):  # {"title": {"rendered": "..."}}
            title = next((text for text in islice(title.values(), 5) if isinstance(text, str) and " " in text), None)
        if isinstance(title, str) and " " in title.strip() and len(title) <= _MAX_TITLE_CHARS:
            return html_module.unescape(title)
    return ""


def _read_text(text: str, title: str, *, is_text: bool) -> _Body | None:
    """Read a string of HTML, or of plain text if its name says that it is text."""
    if len(text) > _MAX_BODY_CHARS:
        return None
    if _ESCAPED_PARAGRAPH.search(text):
        text = html_module.unescape(text)
    if _PARAGRAPH.search(text):
        chars = count_prose(text)
        is_prose = len(_SENTENCE.findall(text)) >= _MIN_SENTENCES and 2 * chars > len(text) - chars
        return _Body(RichText(text, chars), title) if is_prose else None
    if not is_text or len(_SENTENCE.findall(text)) < _MIN_SENTENCES:
        return None
    paragraphs = [html_module.escape(html_module.unescape(line)) for line in _LINE_BREAKS.split(text) if line]
    return _Body(RichText("".join(f"<p>{line}</p>" for line in paragraphs), len(text)), title, is_plain=True)


# JSON in scripts: `<script type="application/json">`, and values that code assigns or passes to a function.
#
#     window.__STATE__ = {...};    JSON.parse("{...}")    push([1, "..."])
#
# Code is not run. A value that is not JSON is skipped. The work is bounded by the number of characters that the decoder
# reads, and nothing raises.

MAX_SCRIPT_CHARS = 3_000_000  # of all scripts together; the longest state of 10,000 news pages had 1,500,000
_MAX_READ_CHARS = 2 * MAX_SCRIPT_CHARS  # read by the decoder, failed attempts included
_MAX_FAILURES = 500  # of the decoder; each counts the lines of the script up to the error
_DEEP_VALUE_CHARS = 20_000  # counted for a value that exceeds Python's limit of recursion
_MIN_VALUE_CHARS = 300  # shorter values cannot contain an article

_SCRIPT_TAG = re.compile(r"<(/?)script\b([^<>]*)>?", re.IGNORECASE)
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
    for tag in _SCRIPT_TAG.finditer(html):
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


# The stream of React server components: rows of a text that scripts push in pieces.
#
#     self.__next_f.push([1, "5:[\\"$\\",\\"p\\",null,{\\"children\\":\\"Words\\"}]\\n6:T1a,a text of 26 bytes"])

_PUSHED = re.compile(r'self\.__next_f\.push\(\[1,\s{0,9}("(?:[^"\\]|\\.)*+")\s{0,9}\]\)')
_STREAM_NAME = "self.__next_f.push("
_ROW_START = re.compile(rb"([0-9a-f]{1,8}):(?:T([0-9a-f]{1,8}),)?")
_ELEMENT = "$"  # first item of an element: ["$", tag, key, properties]
_MAX_ELEMENT_LEVELS = 60
_WRITTEN_TAGS = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong b i a span div section article table tr td th".split()
)
_HEADING = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)


def read_stream_values(html: str) -> Iterator[object]:
    """Yield the texts and the values of the stream of server components, references to texts resolved."""
    if _STREAM_NAME not in html:
        return
    pieces = (read_json_string(match[1]) for match in _PUSHED.finditer(html[:MAX_SCRIPT_CHARS]))
    texts, values = _split_rows("".join(piece for piece in pieces if isinstance(piece, str)))
    rows, title = "".join(values), ""
    yield from ({"content": text} for number, text in texts.items() if f'"${number}"' not in rows)
    for raw in values:
        value = _read_row(raw, texts)
        yield value
        if markup := _write_element(value):
            heading = _HEADING.search(markup)
            title = html_module.unescape(_TAG.sub("", heading[1])) if heading else title
            yield {"title": title, "content": markup}


def _split_rows(stream: str) -> tuple[dict[str, str], list[str]]:
    """Return the texts by their number, and the JSON of the other rows."""
    data = stream.encode("utf-8", "surrogatepass")
    texts: dict[str, str] = {}
    values: list[str] = []
    at = 0
    while match := _ROW_START.match(data, at):
        if match[2]:  # a text of this number of bytes, without a line end
            end = match.end() + int(match[2], 16)
            texts[match[1].decode()] = data[match.end() : end].decode("utf-8", "replace")
            at = end + 1 if data[end : end + 1] == b"\n" else end
            continue
        end = data.find(b"\n", match.end())
        end = len(data) if end < 0 else end
        row = data[match.end() : end]
        if row[:1] in (b"[", b"{"):
            values.append(row.decode("utf-8", "replace"))
        at = end + 1
    return texts, values


def _read_row(raw: str, texts: dict[str, str]) -> object:
    def resolve(value: dict[str, object]) -> dict[str, object]:
        return {
            key: texts.get(part[1:], part) if isinstance(part, str) and part.startswith("$") else part
            for key, part in value.items()
        }

    try:
        return json.loads(raw, strict=False, object_hook=resolve)
    except (ValueError, RecursionError):
        return None


def _write_element(value: object, level: int = 0) -> str:
    """Write a tree of elements as HTML; "" for a value that is none."""
    if isinstance(value, str):
        return "" if value.startswith(_ELEMENT) else html_module.escape(value)
    if not isinstance(value, list) or level > _MAX_ELEMENT_LEVELS:
        return ""
    if len(value) < 4 or value[0] != _ELEMENT or not isinstance(value[3], dict):
        return "".join(_write_element(part, level + 1) for part in value if isinstance(part, list) or level)
    markup = value[3].get("dangerouslySetInnerHTML")
    if isinstance(markup, dict) and isinstance(markup.get("__html"), str):
        inner = markup["__html"]
    else:
        inner = _write_element(value[3].get("children"), level + 1)
    tag = value[1]
    return f"<{tag}>{inner}</{tag}>" if tag in _WRITTEN_TAGS else inner
