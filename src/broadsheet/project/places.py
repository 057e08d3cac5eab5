"""Where a block is: its path on its own page, and its place in the template of the site."""

from __future__ import annotations

from collections import Counter

from broadsheet.blocks import Blocks
from broadsheet.page import TEXT, Nodes

_PLACE_STEPS = 4  # the containers of a place, counted from the block: outer ones have classes that name the page


def list_paths(nodes: Nodes, blocks: Blocks) -> list[str]:
    """Return the path of each block: the XPath of its container, and `~2` for the second block in it.

    A path is unique on its page and does not depend on how other parts of the page are segmented.
    """
    element_paths = _list_element_paths(nodes)
    counts: Counter[int] = Counter()
    paths = []
    for container in blocks.container:
        counts[container] += 1
        suffix = f"~{counts[container]}" if counts[container] > 1 else ""
        paths.append(element_paths.get(container, "/") + suffix)
    return paths


def list_places(nodes: Nodes, blocks: Blocks) -> list[str]:
    """Return the place of each block: tags, classes and ids of its innermost containers, without digits.

    Blocks in the same place of a template have the same place on every page: `div.story/div#text/p.lead`.
    """
    steps: dict[int, str] = {}
    places: dict[int, str] = {-1: ""}
    for (row, outer), class_name in zip(nodes.outer.items(), nodes.classes, strict=True):
        steps[row] = _describe_container(nodes.tag[row], class_name, nodes.attr(row, "id"))
        places[row] = "/".join((*places[outer].split("/"), steps[row])[-_PLACE_STEPS:]).strip("/")
    return [places[container] for container in blocks.container]


def _list_element_paths(nodes: Nodes) -> dict[int, str]:
    """Return the XPath of each element: tags from the root, numbered among siblings with the same tag."""
    counts: Counter[tuple[int, str]] = Counter()
    paths: dict[int, str] = {-1: ""}
    for row, tag in enumerate(nodes.tag):
        if tag != TEXT:
            parent = nodes.parent[row]
            counts[parent, tag] += 1
            paths[row] = f"{paths[parent]}/{tag}[{counts[parent, tag]}]"
    return paths


def _describe_container(tag: str, class_name: str | None, element_id: str) -> str:
    names = "".join(f".{name}" for name in sorted((class_name or "").split()))
    text = f"{tag}{names}{f'#{element_id}' if element_id else ''}".replace("/", "")
    return "".join(char for char in text if not char.isdigit()) if names or element_id else tag
