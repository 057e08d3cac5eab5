"""The list of corrections. What each of them does is tested on pages in `test_structure.py` and `test_bodies.py`."""

from __future__ import annotations

import pytest

from broadsheet.article.corrections import CORRECTIONS, Correction, Draft, correct_roles
from broadsheet.blocks import Labels, Role, segment
from broadsheet.fields import Fields
from broadsheet.page import read_page

TITLE = "Harbour bridge closed for three months"
PROSE = "The council decided on Tuesday that the bridge will be closed, and that ferries will run every hour. "
HTML = f"<title>{TITLE}</title><h1>{TITLE}</h1><p>{PROSE * 3}</p><h2>Related stories</h2>"


def correct(corrections: tuple[Correction, ...] | None = None) -> Labels:
    page = read_page(HTML)
    blocks = segment(page)
    labels = Labels([Role.HEADING, Role.BODY, Role.HEADING], [0.9, 0.9, 0.6])
    return correct_roles(page, blocks, labels, Fields(page, blocks, labels), corrections)


def test_all_corrections() -> None:
    labels = correct()
    assert labels.roles == [Role.TITLE, Role.BODY, Role.BOILERPLATE]
    assert labels.scores == [0.0, 0.9, 0.6]  # that of the title is 0


def test_no_corrections() -> None:
    assert correct(()).roles == [Role.HEADING, Role.BODY, Role.HEADING]


def test_another_correction() -> None:
    def drop_all(draft: Draft) -> dict[int, Role]:
        return dict.fromkeys(draft.content, Role.BOILERPLATE)

    assert set(correct((Correction("all", "No block is text.", drop_all),)).roles) == {Role.BOILERPLATE}


@pytest.mark.parametrize("correction", CORRECTIONS, ids=[correction.name for correction in CORRECTIONS])
def test_descriptions_are_one_sentence(correction: Correction) -> None:
    assert correction.description.endswith(".")
    assert ". " not in correction.description
