"""HTML to node table.

The compiled parser (`html.parser`) fills the table. Installs without it, and the few pages that it leaves out, take
turbohtml and a walk over its tree (`html.walk`), which give the same table.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from broadsheet.html import table as kinds
from broadsheet.html.names import TAG_NAMES
from broadsheet.html.table import NodeTable
from broadsheet.kernel import is_compiled
from broadsheet.kernel.segments import count_shown
from broadsheet.page import tags
from broadsheet.page.limits import DEFAULT_LIMITS, MAX_SHELL_CHARS, NO_DEADLINE, Deadline, Limits
from broadsheet.page.nodes import Nodes
from broadsheet.text import compile_later

if is_compiled() and find_spec("broadsheet.html.parser") is not None:
    from broadsheet.html.parser import parse
else:

    def parse(
        html: str,  # noqa: ARG001 - the signature of the compiled function
        kinds: bytes,  # noqa: ARG001
        max_nodes: int,  # noqa: ARG001
        max_depth: int,  # noqa: ARG001
        check_deadline: Callable[[], None],  # noqa: ARG001
    ) -> NodeTable | None:
        """Leave every page to turbohtml."""
        return None


_MIN_LANGUAGE_CONFIDENCE = 0.5
_MAX_EMOJI_CHARS = 40  # of a text alternative; a family with skin tones has 11
# Signs that are shown as pictures, by default or with the variation selector U+FE0F, flags and keys.
_EMOJI = compile_later(
    r"(?:[\U0001f000-\U0001faff\u2600-\u27bf\u231a-\u23ff\u2b05-\u2b55\u3030\u303d\u3297\u3299]"
    r"|[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u25aa-\u25fe]\ufe0f"
    r"|[0-9#*]\ufe0f?\u20e3|[\ufe0f\u200d\U000e0020-\U000e007f])+"
)


def _make_kinds(dropped: frozenset[str]) -> bytes:
    """Return how each tag is treated, as bits of `html.table`."""
    kind_of = dict.fromkeys(tags.CONTAINERS, kinds.CONTAINER) | dict.fromkeys(dropped, kinds.DROPPED)
    kind_of |= {"br": kinds.BREAK, "a": kinds.LINK, "template": kinds.DROPPED | kinds.TEMPLATE}
    return bytes(kind_of.get(name, 0) for name in TAG_NAMES)


_KINDS = _make_kinds(tags.DROPPED)
_KINDS_WITH_NOSCRIPT = _make_kinds(tags.DROPPED - {"noscript"})


def parse_nodes(html: str, *, limits: Limits = DEFAULT_LIMITS, deadline: Deadline = NO_DEADLINE) -> Nodes:
    """Parse a page and return its node table."""
    deadline.check()
    nodes = _make_nodes(html, _KINDS, limits, deadline)
    if nodes.rows["noscript"] and _has_fewer_chars(nodes.table, MAX_SHELL_CHARS):
        # JavaScript fills this page in. Its <noscript> may contain the whole article.
        fallback = _make_nodes(html, _KINDS_WITH_NOSCRIPT, limits, deadline)
        if not _has_fewer_chars(fallback.table, 2 * MAX_SHELL_CHARS):
            nodes = fallback
    if len(nodes) > limits.max_blocks or len(html) > limits.max_chars:  # other pages cannot exceed these limits
        _limit_runs(nodes, limits)
    return nodes


def _make_nodes(html: str, kinds_of_tags: bytes, limits: Limits, deadline: Deadline) -> Nodes:
    table = parse(html, kinds_of_tags, limits.max_nodes, limits.max_depth, deadline.check)
    if table is None or has_symbols(nodes := Nodes(table, html)):
        nodes = _walk(html, kinds_of_tags, limits, deadline)
    return nodes


def has_symbols(nodes: Nodes) -> bool:
    """Tell whether a page may have emoji, formulas or quotation marks to write as text."""
    return bool(nodes.rows["math"] or nodes.rows["q"] or list_tex(nodes) or list_emoji(nodes))


def list_tex(nodes: Nodes) -> list[int]:
    """Return the scripts and images that are formulas in TeX, as MathJax and blogs have them."""
    scripts, images = nodes.rows["script"], nodes.rows["img"]
    types, classes = nodes.attrs.get_all(scripts, "type"), nodes.attrs.get_all(images, "class")
    rows: list[int] = []
    if any(name and name.startswith("math/tex") for name in set(types)):
        rows += [row for row, name in zip(scripts, types, strict=True) if name and name.startswith("math/tex")]
    if any(name and "latex" in name for name in set(classes)):
        rows += [row for row, name in zip(images, classes, strict=True) if name and "latex" in name.split()]
    return rows


def list_emoji(nodes: Nodes) -> list[tuple[int, str]]:
    """Return the images whose text alternative is an emoji, and the emoji."""
    return [
        (row, alt.strip())
        for row, alt in nodes.attrs.get_beyond_ascii(nodes.rows["img"], "alt").items()
        if len(alt) <= _MAX_EMOJI_CHARS and _EMOJI.fullmatch(alt.strip())
    ]


def _walk(html: str, kinds_of_tags: bytes, limits: Limits, deadline: Deadline) -> Nodes:
    """Make the node table with turbohtml. Emoji and formulas become text."""
    from broadsheet.html.walk import walk_tree  # imported here: turbohtml takes 20 ms, and few pages need it
    from broadsheet.page.symbols import replace_symbols
    from broadsheet.page.tree import Tree, parse_tree

    document, is_cut = parse_tree(html, limits.max_nodes)
    arguments = (kinds_of_tags, limits.max_nodes, limits.max_depth, deadline.check)
    nodes = Nodes(walk_tree(document, *arguments), html)
    if has_symbols(nodes) and replace_symbols(nodes, Tree(document, nodes.table)):
        nodes = Nodes(walk_tree(document, *arguments), html)
    nodes.table.is_cut |= is_cut
    return nodes


def _has_fewer_chars(table: NodeTable, limit: int) -> bool:
    """Tell whether the visible text is shorter than the limit. Stops when the limit is reached."""
    return count_shown(table, 0, limit - 1)[0] < limit


def _limit_runs(nodes: Nodes, limits: Limits) -> None:
    """Leave out the runs beyond `limits.max_chars` and `limits.max_blocks`, with part of the run that reaches them."""
    table = nodes.table
    chars, blocks = limits.max_chars, limits.max_blocks
    has_few_blocks = len(table.run_end) + sum(table.run_breaks) // 2 <= blocks
    if has_few_blocks and _has_fewer_chars(table, chars + 1):
        return
    start = 0
    for run, (end, breaks) in enumerate(zip(table.run_end, table.run_breaks, strict=True)):
        run_chars = sum([len(nodes.text[row]) for row in table.run_rows[start:end]])
        run_blocks = 1 + breaks // 2
        if run_chars > chars or run_blocks > blocks:
            _cut_runs(nodes, run, start, chars, 2 * blocks)
            return
        chars -= run_chars
        blocks -= run_blocks
        start = end


def _cut_runs(nodes: Nodes, run: int, start: int, chars: int, breaks: int) -> None:
    """Cut the run with this number after the given characters or breaks, and leave out the runs after it."""
    table = nodes.table
    item, breaks_left = start, breaks
    while item < table.run_end[run]:
        row = table.run_rows[item]
        is_break = bool(table.tag[row])
        if chars <= 0 or breaks_left <= is_break:
            break
        text = nodes.text[row]
        if len(text) > chars:
            table.text_end[row] = table.text_start[row] + len(text[:chars].encode("utf-8", "surrogatepass"))
        chars -= len(text)
        breaks_left -= is_break
        item += 1
    runs = run + (item > start)
    table.run_container, table.run_end, table.run_breaks = (
        column[:runs] for column in (table.run_container, table.run_end, table.run_breaks)
    )
    if item > start:
        table.run_end[run], table.run_breaks[run] = item, breaks - breaks_left
    table.run_rows, table.run_in_link = table.run_rows[:item], table.run_in_link[:item]
    table.is_cut = True


def detect_encoding(data: bytes) -> str:
    """Guess the character set of bytes; return a codec name for `bytes.decode`."""
    from turbohtml.detect import detect  # few pages need it, and the import takes milliseconds

    return detect(data).codec or "utf-8"


def detect_language(text: str) -> str | None:
    """Guess the language of a text; return its ISO 639-3 code, or None if the text is too short or unclear."""
    from turbohtml.detect import detect_language as detect

    match = detect(text)
    return match.language if match.confidence >= _MIN_LANGUAGE_CONFIDENCE else None


def score_language(text: str) -> float:
    """Return the confidence of the guess, from 0 to 1."""
    from turbohtml.detect import detect_language as detect

    return float(detect(text).confidence)
