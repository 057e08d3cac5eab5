import pytest

from broadsheet.fields.name_words import has_organization_word, has_role_word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jane Doe", False),
        ("Jane Doe, Staff Writer", True),
        ("Moon Redaktionsteam", True),
        ("CO-FOUNDER", True),
        ("Adminson", False),
        ("", False),
    ],
)
def test_role_words(text: str, expected: bool) -> None:
    assert has_role_word(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jane Doe", False),
        ("Mond-Zeitung", True),
        ("Moon Post", True),
        ("月亮新闻", True),
        ("王小明", False),
        ("Presser", False),
    ],
)
def test_organization_words(text: str, expected: bool) -> None:
    assert has_organization_word(text) is expected
