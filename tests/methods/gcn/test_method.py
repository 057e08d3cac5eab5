from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from broadsheet.blocks import Role, segment
from broadsheet.errors import UsageError
from broadsheet.methods.gcn import Gcn, GcnConfig, PublishedGcn
from broadsheet.methods.gcn.method import assign_roles, score_blocks
from broadsheet.page import read_page
from broadsheet.style import Boxes


def test_the_score_of_a_block_is_the_mean_of_its_text_nodes_by_length() -> None:
    page = read_page("<p>12345678<b>12</b></p><p>x</p>")
    blocks = segment(page)
    scores = np.array([[0.5 if text == "12345678" else 1.0] for text in page.nodes.text], np.float32)
    assert score_blocks(page, blocks, scores).ravel().tolist() == pytest.approx([0.6, 1.0])


def test_roles_come_from_classes_and_body_text_is_refined() -> None:
    page = read_page("<p>one</p><h2>two</h2><p>three</p><p>four</p><p>five</p>")
    blocks = segment(page)
    config = GcnConfig(classes=("body", "date"), thresholds=(0.5, 0.25))
    scores = np.array([[0.9, 0.1], [0.6, 0.1], [0.1, 0.3], [0.9, 0.1], [0.4, 0.2]], np.float32)
    y = np.zeros(len(page.nodes), np.float32)
    y[blocks.first[3]] = 5000
    boxes = Boxes(y, y, y, y * 0, 1280, 6000)
    labels = assign_roles(blocks, boxes, scores, config)
    assert labels.roles == [Role.BODY, Role.HEADING, Role.DATE, Role.BOILERPLATE, Role.BOILERPLATE]
    assert labels.scores == pytest.approx([0.9, 0.6, 0.1, 0.0, 0.4])
    unrefined = assign_roles(blocks, boxes, scores, replace(config, refines=False))
    assert unrefined.roles[3] == Role.BODY


def test_each_class_needs_a_threshold() -> None:
    with pytest.raises(UsageError, match="one threshold per class"):
        Gcn(replace(GcnConfig.shipped(), thresholds=(0.5, 0.5)))


def test_the_threshold_is_that_of_the_weights() -> None:
    assert PublishedGcn(GcnConfig()).config == PublishedGcn().config
    assert PublishedGcn(GcnConfig()).config.thresholds != ()
    assert PublishedGcn(GcnConfig(thresholds=(0.25,))).config.thresholds == (0.25,)
