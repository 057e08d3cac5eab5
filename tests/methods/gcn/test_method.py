from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from broadsheet.blocks import Role, segment
from broadsheet.errors import UsageError
from broadsheet.methods.gcn import Gcn, GcnConfig
from broadsheet.methods.gcn.method import assign_roles, score_blocks
from broadsheet.models import load_weights, save_weights
from broadsheet.page import read_page
from broadsheet.style import Boxes

PROSE = "The council met on Tuesday, and after four hours of talk it kept the ferry that half of the town depends on."


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


def test_the_article_of_a_plain_page() -> None:
    body = "".join(f"<p>{PROSE} {number} {PROSE}</p>" for number in ("Once.", "Twice.", "Again.", "At last."))
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in "Home News Sport Weather Contact".split())
    page = read_page(
        f"<title>Ferry</title><body><ul class=menu>{menu}</ul><div><article><h1>Ferry</h1>{body}</article></div>"
        f"<footer><p>Copyright 2021. All rights reserved.</p></footer>"
    )
    blocks = segment(page)
    labels = Gcn().label(page, blocks)
    body_texts = [text for text, role in zip(blocks.text, labels.roles, strict=True) if role == Role.BODY]
    assert sum(PROSE in text for text in body_texts) == 4
    assert not {"Home", "News", "Sport", "Copyright 2021. All rights reserved."} & set(body_texts)


FIXED_BY_WEIGHTS: list[tuple[str, Any]] = [
    ("layers", 2),
    ("hidden", 20),
    ("has_bias", False),
    ("classes", ("title",)),
    ("is_exclusive", True),
    ("reads_names", False),
    ("has_extra_numbers", False),
]
CHANGEABLE: list[tuple[str, Any]] = [("thresholds", (0.9,)), ("gap", 500.0), ("refines", False)]


@pytest.mark.parametrize(("name", "value"), FIXED_BY_WEIGHTS)
def test_a_configuration_that_does_not_fit_the_weights(name: str, value: Any) -> None:
    shipped = GcnConfig.shipped()
    with pytest.raises(UsageError) as error:
        Gcn(replace(shipped, **{name: value}))
    assert f"{name}={value!r} (weights: {getattr(shipped, name)!r})" in str(error.value)


@pytest.mark.parametrize(("name", "value"), CHANGEABLE)
def test_parameters_that_may_be_changed_at_run_time(name: str, value: Any) -> None:
    page = read_page(f"<p>{PROSE}</p>")
    method = Gcn(replace(GcnConfig.shipped(), **{name: value}))
    assert getattr(method.config, name) == value
    assert len(method.label(page, segment(page)).roles) == 1


def test_all_parameters_are_covered() -> None:
    names = {name for name, _ in (*FIXED_BY_WEIGHTS, *CHANGEABLE)}
    assert names == set(GcnConfig.__dataclass_fields__)


def test_each_class_needs_a_threshold() -> None:
    with pytest.raises(UsageError, match="one threshold per class"):
        Gcn(replace(GcnConfig.shipped(), thresholds=(0.5, 0.5)))


def save_changed(folder: Path, arrays: dict[str, NDArray[Any]], config: dict[str, Any]) -> None:
    """Save the shipped weights with some arrays or settings replaced, or dropped where the value is None."""
    shipped = load_weights("gcn")
    merged_arrays = {name: array for name, array in ({**shipped.arrays, **arrays}).items() if array is not None}
    merged_config = {name: value for name, value in ({**shipped.config, **config}).items() if value is not None}
    save_weights(folder, "gcn", merged_arrays, merged_config, "")


BROKEN: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("missing array", {"layer1.w1": None}, {}, "has no array 'layer1.w1'"),
    ("wrong shape", {"layer0.w0": np.zeros((6, 32), np.float32)}, {}, r"'layer0.w0' .* is float32 of shape \(6, 32\)"),
    ("wrong kind", {"tags": np.zeros((2, 8), np.int32)}, {"tags": ["a", "p"]}, "'tags' .* is int32"),
    ("tags without vectors", {}, {"tags": ["a"]}, "'tags' .* expected floats of shape 1 x 8"),
    ("no tags", {}, {"tags": None}, "config.json has no 'tags'"),
    ("tags of a wrong type", {}, {"tags": "a"}, "'tags' in .*config.json is 'a'"),
    ("settings of a wrong type", {}, {"hidden": "32"}, "'hidden' in .*config.json is '32', expected int"),
    ("unknown role", {}, {"classes": ["advert"]}, "class 'advert', which is not a role"),
]


@pytest.mark.parametrize(
    ("arrays", "config", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN]
)
def test_broken_weights(arrays: dict[str, Any], config: dict[str, Any], message: str, tmp_path: Path) -> None:
    save_changed(tmp_path / "w", arrays, config)
    with pytest.raises(UsageError, match=message) as error:
        Gcn(weights=tmp_path / "w")
    assert "\n" not in str(error.value)


def test_weights_of_a_folder(tmp_path: Path) -> None:
    save_changed(tmp_path / "w", {}, {"gap": 777})
    assert Gcn(weights=str(tmp_path / "w")).config.gap == 777
