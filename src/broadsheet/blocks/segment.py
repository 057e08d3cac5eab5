"""Page to blocks: search-and-combine segmentation (SCS) of SemText, section III-A, in one pass.

The search phase starts a block at every border of a container; the walk over the page (page.parser) has done that already
and left runs of text nodes, `Nodes.runs`. The combine phase puts neighbours of one look together.
Here the blocks stay as the search phase found them, so that one bad paragraph can be told from its good neighbours,
and the combine phase gives each its group: `Blocks.group`. Besides, two `<br>` in a row start a new block of the same
group, since old pages write their paragraphs that way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from broadsheet.blocks.blocks import Blocks, Paths
from broadsheet.page import Nodes, Page, TextRun, tags

# Zero-width characters and soft hyphens: invisible, and in the way of everybody who compares words.
_INVISIBLE = {ord(char): None for char in "\u00ad\u200b\u2060\ufeff"}
_INVISIBLE_CHARS = frozenset(map(chr, _INVISIBLE))
_BREAK = "\0"  # stands for <br> among the pieces of a block; the parser lets no NUL through


def segment(page: Page) -> Blocks:
    """Cut the page into blocks: all its visible text, nothing twice, in order."""
    nodes = page.nodes
    containers = _Containers(nodes)
    page.deadline.check()
    chunks = [chunk for run in nodes.runs for chunk in _make_blocks(nodes, run)]
    texts, firsts, lasts, rows, links = zip(*chunks, strict=True) if chunks else ((),) * 5
    around = [containers.surroundings[containers.number_of[row]] for row in rows]
    meanings, tag_paths, class_paths = zip(*around, strict=True) if around else ((),) * 3
    return Blocks(
        text=texts,
        first=firsts,
        last=lasts,
        container=rows,
        link_chars=links,
        meaning=meanings,
        tag_path=tag_paths,
        class_path=class_paths,
        group=_combine(rows, containers),
        tag_paths=containers.tag_paths.build(),
        class_paths=containers.class_paths.build(),
    )


def fold_text(raw: str) -> str:
    """Fold white space to single spaces and drop invisible characters."""
    text = " ".join(raw.split())
    if not text.isascii() and not _INVISIBLE_CHARS.isdisjoint(text):
        text = " ".join(text.translate(_INVISIBLE).split())
    return text


# Plain tuples on the hot path: a named one takes eight times as long to make.
_Chunk = tuple[str, int, int, int, int]  # text, first and last node row, container row, characters in links
_Surroundings = tuple[int, int, int]  # of a container, itself included: meaning, tag path, class path


class _PathBuilder:
    """Numbers paths, giving the same number to the same path."""

    def __init__(self) -> None:
        self.parents = [0]
        self.steps = [""]
        self.known: dict[tuple[int, str], int] = {}

    def extend(self, path: int, step: str) -> int:
        found = self.known.get((path, step))
        if found is None:
            found = self.known[path, step] = len(self.steps)
            self.parents.append(path)
            self.steps.append(step)
        return found

    def build(self) -> Paths:
        return Paths(self.parents, self.steps)


class _Containers:
    """The containers of a page: which holds which, and what that makes of them.

    Containers of one tag and class that stand in the same surroundings have the same surroundings themselves, and pages
    repeat themselves: so these are worked out once and numbered.
    """

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.children = Counter(nodes.outer.values())  # how many containers each holds directly
        self.tag_paths = _PathBuilder()
        self.class_paths = _PathBuilder()
        self.surroundings: list[_Surroundings] = [(0, 0, 0)]
        self.number_of: dict[int, int] = {-1: 0}  # container row -> number of its surroundings
        self._look_around()

    def _look_around(self) -> None:
        numbers, node_tag = self.number_of, self.nodes.tag
        get_attr, hidden = self.nodes.attrs.get, self.nodes.hidden
        known: dict[tuple[int, str, str | None, bool], int] = {}
        for row, outer in self.nodes.outer.items():
            key = (numbers[outer], node_tag[row], get_attr(row, "class"), row in hidden)
            number = known.get(key)
            if number is None:
                number = known[key] = len(self.surroundings)
                self.surroundings.append(self._enter(*key))
            numbers[row] = number

    def _enter(self, outer: int, tag: str, class_name: str | None, is_hidden: bool) -> _Surroundings:
        meaning, tag_path, class_path = self.surroundings[outer]
        meaning |= tags.MEANING.get(tag, 0) | (tags.HIDDEN if is_hidden else 0)
        if class_name:
            class_path = self.class_paths.extend(class_path, class_name)
        return meaning, self.tag_paths.extend(tag_path, tag), class_path


def _make_blocks(nodes: Nodes, run: TextRun) -> list[_Chunk]:
    """Make a block of a run of text; several, when blank lines (`<br><br>`) part it."""
    container, rows, linked, breaks = run
    if not breaks:
        texts = nodes.text
        text = fold_text("".join([texts[row] for row in rows]) if len(rows) > 1 else texts[rows[0]])
        return [(text, rows[0], _last_shown(nodes, rows), container, min(linked, len(text)))] if text else []
    chunks = []
    for paragraph in _split_paragraphs(nodes, rows):
        lines = "".join([nodes.text[row] or _BREAK for row in paragraph]).split(_BREAK)
        if text := "\n".join(filter(None, map(fold_text, lines))):
            share = linked and sum(len(nodes.text[row].strip()) for row in paragraph if _is_linked(nodes, row))
            chunks.append((text, paragraph[0], _last_shown(nodes, paragraph), container, min(share, len(text))))
    return chunks


def _last_shown(nodes: Nodes, rows: list[int]) -> int:
    """Find the last row that is neither a break nor white space; the first row never is."""
    at = len(rows) - 1
    while at and (not nodes.text[rows[at]] or nodes.text[rows[at]].isspace()):
        at -= 1
    return rows[at]


def _split_paragraphs(nodes: Nodes, rows: list[int]) -> list[list[int]]:
    """Part rows at blank lines: at breaks with nothing but white space between them."""
    paragraphs: list[list[int]] = [[]]
    since_break = 0  # 1 after a break, 2 after a second one: the next text starts a paragraph
    for row in rows:
        if nodes.tag[row] == "br":
            since_break += 1
            paragraphs[-1].append(row)
        elif nodes.text[row].isspace():
            paragraphs[-1].append(row)
        else:
            if since_break >= 2:
                paragraphs.append([])
            since_break = 0
            paragraphs[-1].append(row)
    return paragraphs


def _is_linked(nodes: Nodes, row: int) -> bool:
    return any(nodes.tag[above] == "a" and nodes.attr(above, "href") for above in nodes.ancestors(row))


def _combine(rows: Sequence[int], containers: _Containers) -> list[int]:
    """Number the text blocks that the combine phase makes of neighbouring blocks, given their containers."""
    groups: list[int] = []
    group, head, is_head_leaf = -1, -1, False  # the current group, and the container of its first block
    for row in rows:
        is_leaf = not containers.children[row]
        if groups and _belongs(containers, head, is_head_leaf, row, is_leaf):
            is_head_leaf = True
        else:
            group, head, is_head_leaf = group + 1, row, is_leaf
        groups.append(group)
    return groups


def _belongs(containers: _Containers, x: int, is_x_leaf: bool, y: int, is_y_leaf: bool) -> bool:
    """Apply the four cases of the document to two containers."""
    if x == y:
        return True  # parted by <br><br> only
    x_looks, y_looks = (containers.surroundings[containers.number_of[row]] for row in (x, y))
    if x_looks[2] != y_looks[2]:
        return False  # case 3: another class path
    outer = containers.nodes.outer
    if x_looks[1] == y_looks[1] and outer[x] == outer[y]:
        return is_x_leaf and is_y_leaf  # case 1: leaf siblings of one look
    # Case 2: y is the only child of x. All else is cases 3 and 4: they stay apart.
    return is_y_leaf and outer[y] == x and containers.children[x] == 1
