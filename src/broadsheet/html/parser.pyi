from collections.abc import Callable

from broadsheet.html.table import NodeTable

def parse(
    html: str, kinds: bytes, max_nodes: int, max_depth: int, check_deadline: Callable[[], None]
) -> NodeTable | None: ...
