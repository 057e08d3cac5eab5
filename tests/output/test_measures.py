"""Measures of texts, the sets of rules over them, and masks."""

from __future__ import annotations

import time
from datetime import datetime

import pytest

import broadsheet
from broadsheet.article import Comment
from broadsheet.errors import UsageError
from broadsheet.fields.value import Image
from broadsheet.output.measures import MASKED_COLUMNS, TextMeasures, find_broken_rule, mask_contacts, measure_text
from broadsheet.output.record import MEASURE_COLUMNS, choose_columns

SENTENCE = "The ferry to the island was late again on Monday, said the council of the town."
NEWS = f"""\
{SENTENCE}
Three crossings had been cancelled since spring, and two of them at short notice. Nobody on the pier knew why.
The owner of the line blames old engines. “We have asked for spare parts,” a spokeswoman wrote in a letter.
Fishermen offered to carry mail and medicine until repairs are complete, free of charge.
A meeting with residents is planned for the end of April. Tickets bought in advance will be refunded."""


def test_an_empty_text() -> None:
    assert measure_text("") == TextMeasures(*[0] * 17)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("Two words", "word_count", 2),
        ("船晚了", "word_count", 3),
        ("Two words", "word_chars", 8),
        ("One. Two! “Three?” Four 5.5", "sentence_count", 3),
        ("船晚了。再来！", "sentence_count", 2),
        ("a\n\nb", "line_count", 2),
        ("a\nbcd\na\nd", "repeated_line_share", 0.25),
        ("aa\nbbbb\naa", "repeated_char_share", 0.25),
        ("a b c d e x a b c d e", "repeated_ngram_share", round(5 / 11, 4)),
        (f"Short\n{SENTENCE}", "short_line_share", 0.5),
        ("It ends.\nIt does not", "punctuated_line_share", 0.5),
        ("- one\n• two\nthree\n-4", "bullet_line_share", 0.5),
        ("More…\nAll.", "ellipsis_line_share", 0.5),
        ("seven 7", "letter_word_share", 0.5),
        ("ab12", "digit_share", 0.5),
        ("ab★|", "symbol_share", 0.5),
        ("#one two", "hash_share", 0.5),
        ("Lorem ipsum {", "placeholder_count", 2),
        (SENTENCE, "language_score", 1.0),
    ],
)
def test_measures(text: str, name: str, value: float) -> None:
    assert getattr(measure_text(text), name) == value


@pytest.mark.parametrize(
    ("text", "names", "rule"),
    [
        (NEWS, ("gopher", "c4", "fineweb"), ""),
        (SENTENCE, ("gopher",), "gopher: word_count"),
        (SENTENCE, ("c4",), "c4: sentence_count"),
        (f"{NEWS} {{", ("c4",), "c4: placeholder_count"),
        ("\n".join([NEWS] * 3), ("fineweb", "gopher"), "fineweb: repeated_char_share"),
        (
            "\n".join(["Weather", "Sport today", *NEWS.replace(".", "").split()]),
            ("fineweb",),
            "fineweb: punctuated_line_share",
        ),
        ("7 " * 60, ("gopher",), "gopher: letter_word_share"),
        ("渡轮周一又晚点了。" * 2 + "".join(chr(0x4E00 + 7 * at) for at in range(80)), ("gopher",), ""),
    ],
)
def test_rules(text: str, names: tuple[str, ...], rule: str) -> None:
    assert find_broken_rule(text, names) == rule


@pytest.mark.parametrize("text", ["." * 100_000 + "x", '."' * 50_000 + "x", "。!" * 50_000 + "x"])
def test_runs_of_marks_take_linear_time(text: str) -> None:
    start = time.process_time()
    measure_text.__wrapped__(text)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Write to a.b+c@news.example.org.", "Write to [email]."),
        ("Call +49 30 123 45 67 now", "Call [phone] now"),
        ("Tel: 030 123 4567.", "Tel: [phone]."),
        ("(030) 123 45 67", "[phone]"),
        ("212-555-0100", "[phone]"),
        ("On 2024-03-16 at 10:30, 1,200,000 voters; 3-2, +5 %", None),
        ("ISBN 978-3-16-148410-0, 12.345.678 Euro", None),
    ],
)
def test_masks(text: str, masked: str | None) -> None:
    assert mask_contacts(text, ("email", "phone")) == (masked or text)


def test_masks_of_structures() -> None:
    value = {"text": "x@y.example", "items": (Comment("x@y.example", "Ann"), 7, None)}
    assert mask_contacts(value, ("email",)) == {"text": "[email]", "items": ["[email]", 7, None]}


def test_masks_of_images() -> None:
    image = Image("https://quay.example/212-555-0100.jpg", "Ann (ann@quay.example)", "212-555-0100", "x@y.example")
    masked = Image(image.url, "Ann ([email])", "[phone]", "[email]")
    assert mask_contacts((image,), ("email", "phone")) == [masked]
    assert "images" in MASKED_COLUMNS


def test_columns() -> None:
    columns = choose_columns(["text"], ["measures"])
    assert [column.name for column in columns] == ["text", *MEASURE_COLUMNS]
    body = "".join(f"<p>{line}</p>" for line in NEWS.split("\n"))
    page = f"<html><time datetime=2024-03-16>16 March 2024</time><h1>Ferry</h1><article>{body}</article><p>Menu</p>"
    article = broadsheet.extract(page, fields=(column.name for column in columns))  # type: ignore[arg-type]
    row = article.to_dict()
    assert (row["word_count"], row["line_count"]) == (88, 5)
    assert 0 < row["boilerplate_share"] < 0.2
    assert row["year"] == datetime(2024, 3, 16).year
    with pytest.raises(UsageError):
        choose_columns(["measures"])
