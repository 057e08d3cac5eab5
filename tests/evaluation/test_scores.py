from __future__ import annotations

import json

import pytest

from broadsheet.corpora import Record
from broadsheet.evaluation.answer import Answer, read_answer
from broadsheet.evaluation.scores import read_gold, score_answer

ALL = frozenset(("text", "title", "authors", "date"))
BODY = "The harbour of Westport opened again on Monday.\nShips from four countries were waiting outside."
HTML = (
    "<title>Harbour opens - Courier</title><nav><a href=/>Home page of this paper</a></nav><h1>Harbour opens</h1>"
    + "".join(f"<p>{line}</p>" for line in BODY.split("\n"))
)
RECORD = Record(
    id="a", html=HTML, text=BODY, title="Harbour opens", authors=("Ann Lee",), date="2020-01-02", with_=("Ships",)
)


@pytest.mark.parametrize("gold_text", [BODY, f"Harbour opens\n{BODY}"])
@pytest.mark.parametrize("output", [BODY, f"HARBOUR OPENS\n\n{BODY}"])
def test_the_headline_is_removed_from_both_texts(gold_text: str, output: str) -> None:
    gold = read_gold(Record(id="a", html=HTML, text=gold_text))
    columns = score_answer(gold, Answer(text=output), fields=ALL).columns
    for name in ("shingle_precision", "shingle_recall", "word_f1", "rouge_lsum", "exact"):
        assert columns[name] == 1, name
    assert columns["edit_distance"] == columns["block_extra"] == columns["block_missed"] == columns["node_extra"] == 0
    assert columns["block_right"] == 2


@pytest.mark.parametrize(
    "notice", ["", "This story was corrected on Tuesday.", "This  story was corrected\ton Tuesday."]
)
def test_unsure_text_may_be_in_the_output_or_not(notice: str) -> None:
    unsure = "This story was corrected on Tuesday."
    html = f"{HTML}<p>{unsure}</p>"
    gold = read_gold(Record(id="a", html=html, text=BODY, unsure=(unsure,)))
    columns = score_answer(gold, Answer(text=f"{BODY}\n{notice}"), fields=ALL).columns
    assert columns["exact"] == columns["word_f1"] == columns["shingle_precision"] == 1
    assert columns["block_extra"] == columns["block_missed"] == 0


def test_unsure_texts_may_have_line_breaks_and_may_be_parts_of_others() -> None:
    unsure = ("Corrected", "Corrected on Tuesday. The name was wrong.")
    gold = read_gold(Record(id="a", html=HTML, text=BODY, unsure=unsure))
    output = f"{BODY}\nCorrected on Tuesday.\nThe name was wrong.\nCorrected"
    assert score_answer(gold, Answer(text=output), fields=ALL).columns["exact"] == 1


def test_unsure_text_that_the_gold_text_contains_is_scored() -> None:
    first, second = BODY.split("\n")
    gold = read_gold(Record(id="a", html=HTML, text=BODY, unsure=(first,)))
    assert score_answer(gold, Answer(text=BODY), fields=ALL).columns["exact"] == 1
    assert score_answer(gold, Answer(text=f"{first}\n{BODY}"), fields=ALL).columns["exact"] == 1
    assert score_answer(gold, Answer(text=second), fields=ALL).columns["word_f1"] < 1


def test_a_failure_is_an_empty_answer() -> None:
    columns = score_answer(read_gold(RECORD), Answer(text="", error="ValueError: x"), fields=ALL).columns
    assert (
        columns["word_f1"]
        == columns["shingle_precision"]
        == columns["title"]
        == columns["date"]
        == columns["authors"]
        == 0
    )
    assert columns["block_missed"] == 2
    assert columns["snippet_missed"] == 1


def test_labels_of_a_method_are_scored_without_alignment() -> None:
    answer = Answer(text=BODY, kept_blocks="1001", confidence=0.7)
    scores = score_answer(read_gold(RECORD), answer, fields=ALL)
    assert (scores.columns["block_right"], scores.columns["block_extra"], scores.columns["block_missed"]) == (1, 1, 1)
    assert scores.columns["confidence"] == 0.7
    assert set(scores.error_words) == {"missed start of the text", "extra related links"}


def test_only_fields_that_are_extracted_and_labelled_are_scored() -> None:
    gold = read_gold(RECORD)
    assert set(score_answer(gold, Answer(date="2020-01-02"), fields=frozenset(("date",))).columns) == {"date"}
    bare = read_gold(Record(id="a", html=HTML))
    assert not score_answer(bare, Answer(text="x", title="y"), fields=ALL).columns


def test_answers_are_restored_from_json() -> None:
    answer = Answer(
        text="a\ud800",
        title=None,
        authors=("x",),
        date="2020",
        confidence=0.5,
        kept_blocks="01",
        seconds=0.1,
        error="e",
    )
    assert read_answer(json.loads(answer.to_json())) == answer
    assert read_answer(json.loads(Answer(text="").to_json())).text == ""
