"""The flat node table of a page: one row per element or text node, in document order, as columns of numbers.

Both ways of making it, the compiled parser and turbohtml with a walk in Python, fill the same columns. Texts and
attribute values are ranges of one UTF-8 buffer, the arena: Python strings are made only for what is read.

Comments are left out, and so is white space at the start of a run, which browsers do not show. A run is the visible
text between two borders of containers: see `page.nodes`.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from broadsheet.html.names import ATTRIBUTE_NAMES, TAG_NAMES

# How an element is treated, by its tag. A tag without any of these bits formats text.
CONTAINER = 1  # its start and its end are borders of runs
DROPPED = 2  # its text is in no run
BREAK = 4  # <br>
LINK = 8  # <a>
TEMPLATE = 16  # <template>: dropped unless it is a declarative shadow root, which browsers show

# Flags of a row.
HIDDEN = 1  # hidden by its attributes
HAS_PROPERTY = 2  # has microdata or RDFa
HAS_REL = 4  # a visible link with `rel`

NO_CONTAINER = -2  # in `outer`: the row is not a container


class NodeTable:
    """The columns. Rows are numbered from 0, `<html>`; the descendants of row i are rows i + 1 to end[i] - 1."""

    __slots__ = (
        "arena",
        "attribute_count",
        "attribute_name",
        "attribute_names",
        "end",
        "first_attribute",
        "flags",
        "is_cut",
        "is_quirky",
        "outer",
        "parent",
        "run_breaks",
        "run_container",
        "run_end",
        "run_in_link",
        "run_rows",
        "tag",
        "tag_names",
        "text_end",
        "text_start",
        "value_end",
        "value_start",
    )

    def __init__(self) -> None:
        self.arena = b""  # UTF-8; lone surrogates as three bytes each
        # One item for each row.
        self.tag = array("H")  # index into tag_names
        self.parent = array("i")  # row of the parent element, -1 for the root
        self.end = array("i")  # one after the last descendant
        self.text_start = array("i")  # range of a text in the arena; empty for elements and for the code of scripts
        self.text_end = array("i")
        self.first_attribute = array("i")  # range of the attributes; copies of an element share one
        self.attribute_count = array("H")
        self.flags = array("B")  # HIDDEN, ...
        self.outer = array("i")  # of a container: the row of the next one around it, -1 for none; else NO_CONTAINER
        # One item for each attribute.
        self.attribute_name = array("H")  # index into attribute_names
        self.value_start = array("i")  # range in the arena
        self.value_end = array("i")
        # One item for each run.
        self.run_container = array("i")  # row of the innermost container around it, -1 for none
        self.run_end = array("i")  # end of its items in run_rows; they start where those of the run before end
        self.run_breaks = array("i")  # number of its <br>
        # One item for each text node and <br> of a run.
        self.run_rows = array("i")
        self.run_in_link = array("B")  # 1 for a text inside a link
        self.tag_names: Sequence[str] = TAG_NAMES  # and the names of other tags of this page
        self.attribute_names: Sequence[str] = ATTRIBUTE_NAMES  # and those of other attributes of this page
        self.is_cut = False  # the page has more nodes than the limit
        self.is_quirky = False  # browsers show the page in quirks mode

    def __len__(self) -> int:
        return len(self.tag)
