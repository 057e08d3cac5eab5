from pathlib import Path

import numpy as np
import pytest

from broadsheet.blocks import Labels, Role, segment
from broadsheet.errors import UsageError
from broadsheet.fields.table import start_evidence
from broadsheet.fields.title_candidates import NO_LEVEL, Candidate, list_candidates, list_pieces
from broadsheet.fields.title_ranker import FEATURE_NAMES, Ranker, Samples, compute_features, load_ranker
from broadsheet.models import save_weights
from broadsheet.page import read_page

BODY = "<p>The first paragraph of the story is here, and it is long enough to be the text of an article.</p>"


def read_candidates(html: str, url: str | None = None) -> tuple[dict[str, Candidate], Samples]:
    page = read_page(html + BODY, url=url)
    blocks = segment(page)
    roles = [Role.BODY if page.nodes.tag[row] == "p" else Role.BOILERPLATE for row in blocks.container]
    labels = Labels(roles, [0.0] * len(roles))
    evidence = start_evidence(page, blocks, labels)
    candidates = list_candidates(evidence)
    return {candidate.text: candidate for candidate in candidates}, compute_features(evidence, candidates)


@pytest.mark.parametrize(
    ("html", "text", "source"),
    [
        ("<title>Bridge opens again | Section</title>", "Bridge opens again", "html"),
        ("<title>Opinion: Bridge opens again</title>", "Bridge opens again", "html"),
        ("<h1><span>Travel</span> Bridge opens again</h1>", "Bridge opens again", "heading"),
        ("<h1>Travel<br>Bridge opens again</h1>", "Bridge opens again", "heading"),
        ("<div><b>Bridge opens again</b></div>", "Bridge opens again", "text"),
    ],
)
def test_sources_of_pieces_and_lines(html: str, text: str, source: str) -> None:
    candidates, _ = read_candidates(html)
    assert candidates[text].source == source


BELOW = "<h1>Bridge opens again</h1>" + BODY + "<h2>More of the day's news</h2><h3>Weather of tomorrow</h3>"


def test_headings_below_the_start_of_the_text_are_not_candidates() -> None:
    candidates, _ = read_candidates(BELOW)
    assert {candidate.text for candidate in candidates.values() if candidate.level < NO_LEVEL} == {"Bridge opens again"}


def test_headings_below_are_candidates_if_stated_or_without_others() -> None:
    stated, _ = read_candidates("<title>Weather of tomorrow - Post</title>" + BELOW)
    assert stated["Weather of tomorrow"].level == 3
    alone, _ = read_candidates(BODY + "<h2>Bridge opens again</h2>")
    assert alone["Bridge opens again"].level == 2


def test_elements_of_a_part_of_a_heading() -> None:
    html = "<h1><i class=overline>Travel news</i> - <b class=text>Bridge opens again</b></h1>"
    candidates, samples = read_candidates(html)
    row = dict(zip(FEATURE_NAMES, samples[list(candidates).index("Bridge opens again")].tolist(), strict=True))
    assert row["is_inner"] == row["beside_other"] == 1
    assert row["is_called_other"] == 0


@pytest.mark.parametrize(
    ("shown", "count"),
    [
        ("Bridge opens again", 1),
        ("“Bridge opens again”", 1),
        ("BRIDGE opens again!", 1),
        ("Fridge opens again", 0),
        ("Bridge opens", 0),
    ],
)
def test_blocks_that_show_a_candidate_are_counted(shown: str, count: int) -> None:
    candidates, _ = read_candidates(f"<title>Bridge opens again</title><ul><li><a href=/>{shown}</a></ul>")
    [candidate] = [candidate for candidate in candidates.values() if "html" in candidate.sources]
    assert candidate.shown_count == count


def test_a_first_letter_with_a_combining_accent() -> None:
    candidates, _ = read_candidates("<title>\u00c5lesund opens again</title><ul><li>A\u030alesund opens again</ul>")
    [candidate] = [candidate for candidate in candidates.values() if "html" in candidate.sources]
    assert candidate.shown_count == 1


def test_features_are_named_and_bounded() -> None:
    candidates, samples = read_candidates(
        "<title>Bridge opens again - Post</title><h1>Bridge opens again</h1>", "https://a.example/bridge-opens-again"
    )
    assert samples.shape == (len(candidates), len(FEATURE_NAMES))
    assert np.isfinite(samples).all()
    assert np.abs(samples).max() <= 2
    row = dict(zip(FEATURE_NAMES, samples[list(candidates).index("Bridge opens again")].tolist(), strict=True))
    assert row["is_only_h1"] == row["is_in_html_title"] == row["in_slug"] == row["is_shown"] == 1
    assert row["is_html_title"] == row["in_json_ld"] == 0


def test_number_of_pieces_is_bounded() -> None:
    assert len(list_pieces(" | ".join("abcdefgh" for _ in range(1_000)))) < 50


def test_probabilities_sum_to_less_than_one() -> None:
    _, samples = read_candidates("<h1>Bridge opens again</h1>")
    probabilities = load_ranker().predict(samples)
    assert len(probabilities) == len(samples)
    assert 0 < sum(probabilities) < 1


def test_weights_with_other_features_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "1"
    zeros = np.zeros((2, 1), np.float32)
    save_weights(folder, "title", Ranker(zeros, zeros[0], zeros[0], 0.0).arrays(), {"columns": ["a", "b"]}, "")
    with pytest.raises(UsageError, match="broadsheet train title"):
        load_ranker(folder)


@pytest.mark.parametrize("array", ["inner", "inner_bias", "outer", "outer_bias"])
def test_weights_with_a_wrong_array_are_refused(tmp_path: Path, array: str) -> None:
    arrays = load_ranker().arrays()
    arrays[array] = np.zeros((3, 3), np.float32)
    save_weights(tmp_path / "1", "title", arrays, {"columns": list(FEATURE_NAMES)}, "")
    with pytest.raises(UsageError, match=f"array '{array}'"):
        load_ranker(tmp_path / "1")
