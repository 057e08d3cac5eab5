"""Reasons for the roles of blocks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import broadsheet
from broadsheet.blocks import Role, segment
from broadsheet.methods.apply import explain_labels, label_blocks
from broadsheet.methods.fusion import Fusion
from broadsheet.methods.fusion.explain import FEATURE_GROUPS, GROUP_NAMES, MAX_REASONS, MIN_EFFECT
from broadsheet.methods.fusion.features import FEATURE_NAMES
from broadsheet.page import read_page

PAGE = (Path(__file__).parents[3] / "examples" / "pages" / "harbour.html").read_bytes()


def test_every_feature_is_in_one_group() -> None:
    grouped = [name for names in FEATURE_GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(FEATURE_NAMES)


def test_reasons_of_a_page() -> None:
    blocks = broadsheet.extract(PAGE, explain=True).blocks
    for block in blocks:
        effects = [abs(reason.effect) for reason in block.reasons]
        assert effects == sorted(effects, reverse=True)
        assert 0 < len(effects) <= MAX_REASONS
        assert min(effects) >= MIN_EFFECT - 0.01  # rounded
        assert {reason.feature for reason in block.reasons} <= set(GROUP_NAMES)


@pytest.mark.parametrize(
    ("text", "role", "feature", "sign"),
    [
        ("News", Role.BOILERPLATE, "distance to the headline", -1),
        ("The passenger ferry between", Role.BODY, "stated description", 1),
        ("By Imogen Hale", Role.BYLINE, "stated authors", 1),  # the reasons for its role, not for article text
        ("Harbour ferry returns", Role.TITLE, "stated title", 1),
    ],
)
def test_largest_effects(text: str, role: Role, feature: str, sign: int) -> None:
    block = next(block for block in broadsheet.extract(PAGE, explain=True).blocks if block.text.startswith(text))
    assert block.role is role
    effects = {reason.feature: reason.effect for reason in block.reasons}
    assert effects[feature] * sign > 0


def test_the_labels_are_the_same() -> None:
    plain, explained = broadsheet.extract(PAGE), broadsheet.extract(PAGE, explain=True)
    assert explained == plain
    assert [replace(block, reasons=()) for block in explained.blocks] == list(plain.blocks)
    assert all(block.reasons == () for block in plain.blocks)


def test_a_page_without_blocks() -> None:
    assert broadsheet.extract("", explain=True).blocks == ()


def test_methods_without_reasons() -> None:
    blocks = broadsheet.extract(PAGE, method="twcem", explain=True).blocks
    assert blocks
    assert all(block.reasons == () for block in blocks)


def test_static_blocks_have_a_reason() -> None:
    menu = "News, sport, tides and letters"
    page = read_page(
        f"<div>{menu}</div><p>The ferry sails again, eleven years after the county withdrew its grant.</p>"
    )
    page = replace(page, static_rows=frozenset([list(page.nodes.text).index(menu)]))
    method, blocks = Fusion(), segment(page)
    labels = explain_labels(method, page, blocks, label_blocks(method, page, blocks))
    assert [reason.feature for reason in labels.reasons[0]] == ["static text of the site"]
    assert labels.reasons[1][0].feature in GROUP_NAMES
