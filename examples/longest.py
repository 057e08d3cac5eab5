"""A method in twenty lines: keep the group of blocks that has the most text."""

from broadsheet.blocks import Blocks, Labels, Role
from broadsheet.page import Page


class Longest:
    """Keep the longest group of neighbouring blocks with the same tags."""

    name = "longest"

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Give every block a role and a score."""
        chars: dict[int, int] = {}
        for group, text in zip(blocks.group, blocks.text, strict=True):
            chars[group] = chars.get(group, 0) + len(text)
        longest = max(chars, key=chars.__getitem__, default=-1)
        roles = [
            Role.BODY if group == longest else Role.BOILERPLATE
            for group in blocks.group
        ]
        return Labels(roles, [float(role is Role.BODY) for role in roles])
