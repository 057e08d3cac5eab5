"""A fixture that reads the fields of a page whose paragraphs are its body."""

from collections.abc import Callable

import pytest

from broadsheet.blocks import Labels, Role, segment
from broadsheet.fields import Fields
from broadsheet.page import read_page

Read = Callable[..., Fields]


@pytest.fixture
def read() -> Read:
    return _read


def _read(html: str, url: str | None = None, *, link_titles: tuple[str, ...] = (), title: str | None = None) -> Fields:
    page = read_page(html, url=url, link_titles=link_titles)
    blocks = segment(page)
    tags = [page.nodes.tag[row] for row in blocks.container]
    roles = [Role.BODY if tag == "p" else Role.BOILERPLATE for tag in tags]
    labels = Labels(roles, [float(role is Role.BODY) for role in roles], title)
    return Fields(page, blocks, labels)
