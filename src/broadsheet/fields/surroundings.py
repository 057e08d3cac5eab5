"""What an element stands in, by the names of those just around it."""

from __future__ import annotations

import re
from itertools import islice

from broadsheet.fields.evidence import Evidence

_MAX_LEVELS = 5
_ELSEWHERE = re.compile(r"comment|repl(?:y|ies)|respon(?!sive)|komment|related|teaser|widget", re.IGNORECASE)
_LIST = re.compile(r"(?:(?<![A-Za-z])(?:[Cc]ards?|[Ll]ist)|(?<=[a-z])(?:Cards?|List))(?![a-z])")  # as whole words only


def is_of_others(evidence: Evidence, row: int) -> bool:
    """Tell whether a row stands among comments, or among teasers of other articles."""
    nodes = evidence.page.nodes
    above = list(islice(nodes.ancestors(row), _MAX_LEVELS))
    names = (*nodes.attrs.get_all(above, "class"), *nodes.attrs.get_all(above, "id"))
    return any(name and (_ELSEWHERE.search(name) or _LIST.search(name)) for name in names)
