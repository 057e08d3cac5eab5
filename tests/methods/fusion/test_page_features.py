from __future__ import annotations

from urllib.parse import urlsplit

import numpy as np
import pytest

from broadsheet.methods.fusion.features import FEATURE_NAMES
from broadsheet.methods.fusion.page_features import (
    HEAD_NAMES,
    OUTCOME_NAMES,
    compute_head_features,
    compute_outcome_features,
    split_address,
)
from broadsheet.page import read_page

HTML = """<title>Ferry returns after eleven years - The Bay Courier</title>
<meta property=og:type content=article><h1>Ferry returns</h1><p>Text.</p>"""


def test_head_features() -> None:
    page = read_page(HTML, url="https://bay.example/2024/03/16/ferry-returns.html")
    head = dict(zip(HEAD_NAMES, compute_head_features(page).tolist(), strict=True))
    assert (head["og_article"], head["has_day"], head["depth"], head["is_file"]) == (1, 1, 4, 1)
    assert head["title_in_address"] == pytest.approx(2 / 8)


@pytest.mark.parametrize("url", [None, "", "http://[", "https://x.example", "https://x.example/" + "a/" * 3000])
def test_unusual_addresses(url: str | None) -> None:
    page = read_page("<p>Text.</p>", url=url)
    assert np.isfinite(compute_head_features(page)).all()


@pytest.mark.parametrize("host", ["http://x.example", "https://x.example:80", "http://X.example", "https://ü.example"])
@pytest.mark.parametrize(
    "rest", ["", "/", "/a/b;c", "/a?b", "/a?b?c#d?e", "?a/b", "#a?b", "?", "/a b", "/[a]", "/ü?ü", "//a"]
)
def test_plain_addresses_are_split_as_urlsplit_does(host: str, rest: str) -> None:
    parts = urlsplit(host + rest)
    assert split_address(host + rest) == (parts.path, parts.query)


def test_outcome_features_of_empty_scores() -> None:
    block_features = np.zeros((len(FEATURE_NAMES), 3), np.float32)
    features = compute_outcome_features(block_features, np.zeros((3, 5), np.float32), 0.5)
    assert features.shape == (len(OUTCOME_NAMES),)
    assert np.isfinite(features).all()
