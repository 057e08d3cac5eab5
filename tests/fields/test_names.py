import pytest

from broadsheet.fields.names import (
    find_editor,
    find_signature,
    has_organization_word,
    has_role_word,
    is_name,
    is_organization,
    may_be_byline,
    parse_names,
)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Jane Doe", ["Jane Doe"]),
        ("By Jane Doe", ["Jane Doe"]),
        ("BY JANE DOE", ["JANE DOE"]),
        ("Written by: Jane Doe", ["Jane Doe"]),
        ("Von Jürgen Müller", ["Jürgen Müller"]),
        ("Ein Kommentar von Jürgen Müller", ["Jürgen Müller"]),
        ("Por María José Pérez de la Fuente", []),
        ("Por María Pérez de Ana", ["María Pérez de Ana"]),
        ("Par Zoé Dupont", ["Zoé Dupont"]),
        ("Автор: Иван Петров", ["Иван Петров"]),
        ("作者：王小明", ["王小明"]),
        ("文/王小明", ["王小明"]),
        ("王小明、李华", ["王小明", "李华"]),
        ("伊琳 李清芬", ["伊琳", "李清芬"]),
        ("佐藤 花子", ["佐藤 花子"]),
        ("Byron Smith", ["Byron Smith"]),
        ("Ursula von der Leyen", ["Ursula von der Leyen"]),
        ("Jane Doe and John Smith", ["Jane Doe", "John Smith"]),
        ("Jane Doe, John Smith & Ann Lee", ["Jane Doe", "John Smith", "Ann Lee"]),
        ("José Ortega y Gasset", ["José Ortega y Gasset"]),
        ("Doe, Jane", []),  # could be two people with one name each, as in the next line
        ("Madonna, Prince", []),
        ("Madonna and Prince Rogers", ["Madonna", "Prince Rogers"]),
        ("Jane Doe, Staff Writer", ["Jane Doe"]),
        ("Jane Doe, Director of Things, Example Works", ["Jane Doe"]),
        ("Jane Doe, PhD", ["Jane Doe"]),
        ("Jane Doe MS, RDN, LD", ["Jane Doe"]),
        ("Jane Doe | 14 March 2021", ["Jane Doe"]),
        ("Jane Doe March 14, 2021", ["Jane Doe"]),
        ("Jane March 14, 2021", ["Jane"]),
        ("Jane May", ["Jane May"]),
        ("Jane Doe Last updated yesterday", ["Jane Doe"]),
        ("Jane Doe Jane Doe", ["Jane Doe"]),
        ("Jane DoeJane Doe", ["Jane Doe"]),
        ("Jana Dorn Redakteurin", ["Jana Dorn"]),
        ("Jane Doe \ue718", ["Jane Doe"]),
        ("Jane Doe ⋅", ["Jane Doe"]),
        ("김민수 기자", ["김민수"]),
        ("Jane Doe for The Example", ["Jane Doe"]),
        ("Jane Doe The Example", ["Jane Doe"]),
        ("Jane Doe (jane@example.org)", ["Jane Doe"]),
        ("Jane Doe jane@example.org @jane", ["Jane Doe"]),
        ("Jane Doe, Jane Doe", ["Jane Doe"]),
        ("https://www.facebook.com/example", []),
        ("SHOW ALL ARTICLES OF JANE DOE", ["JANE DOE"]),
        ("View all posts by Jane Doe", ["Jane Doe"]),
        ("Alle Beiträge von Jane Doe anzeigen", ["Jane Doe"]),
        ("Voir tous les articles de Jeanne Dupont", ["Jeanne Dupont"]),
        ("Ver todos los artículos de Juana Pérez", ["Juana Pérez"]),
        ("More from Europe", []),
        ("Gastbeitrag von Hans Müller", ["Hans Müller"]),
        ("Eine Analyse von Hans Müller", ["Hans Müller"]),
        ("Von unserer Redakteurin Eva Meier", ["Eva Meier"]),
        ("Geschrieben von Eva Meier am 5. Mai 2020", ["Eva Meier"]),
        ("Gastautor Hans Müller", ["Hans Müller"]),
        ("Von Hans Müller, Berlin", ["Hans Müller"]),
        ("Eva Meier und dpa", ["Eva Meier"]),
        ("Eva Meier/dpa", ["Eva Meier"]),
        ("Par Jeanne Dupont avec AFP", ["Jeanne Dupont"]),
        ("Jeanne Dupont, journaliste", ["Jeanne Dupont"]),
        ("Jane Doe Reuters", ["Jane Doe"]),
        ("Reuters", []),
        ("(Image: Example Images/Jane Doe)", []),
        ("Gastbeitrag", []),
        ("Email The Author", []),
        ("admin", []),
        ("Staff", []),
        ("Example News", []),
        ("Example Newswire", []),
        ("EXA", []),
        ("jane1987", []),
        ("The Moon Post", []),
        ("Der Mondbote", []),
        ("Neue Mondzeitung", []),
        ("Mondischer Pressedienst", []),
        ("Moon Community", []),
        ("Moon Post, Hillville", []),
        ("Bad Mondheim", []),
        ("Asia Japan", []),
        ("Jane Doe, Honorary Fellow", ["Jane Doe"]),
        ("From Moon Hill", []),
        ("Moon System", []),
        ("Jane Doe, Asia", ["Jane Doe"]),
        ("Jane Ann Doe Monday", ["Jane Ann Doe"]),
        ("Leo Freitag", ["Leo Freitag"]),
        ("王小 監訳", ["王小"]),
        ("राम कुछ ही क्षण पहले", []),
        ("Mond Zeitung", []),
        ("月亮出版社", []),
        ("Edited by Jane Doe", []),
        ("2 Hours Ago", []),
        ("What the minister said about it!", []),
        ("", []),
    ],
)
def test_parse_names(line: str, names: list[str]) -> None:
    assert parse_names(line) == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Doe, Jane", ["Jane Doe"]),
        ("Jane Doe", ["Jane Doe"]),
        ("Jane Doe, John Smith", ["Jane Doe", "John Smith"]),
        ("Doe, Director", []),
    ],
)
def test_surname_first(line: str, names: list[str]) -> None:
    assert parse_names(line, is_surname_first=True) == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Jane Doe", True), ("Jane", False), ("jane doe", False), ("Sun Dec", False), ("Content & Marketing", False)],
)
def test_strict_names(text: str, expected: bool) -> None:
    assert is_name(text, is_strict=True) is expected


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("14 March | By Jane Doe", "Jane Doe"),
        ("Published 14.03.2021 by Jane Doe", "Jane Doe"),
        ("作者：王小明", "王小明"),
        ("Step by step", ""),
        ("Jane Doe", ""),
    ],
)
def test_find_signature(line: str, rest: str) -> None:
    assert find_signature(line) == rest


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("（责编：王小明、李华）", "王小明、李华）"),
        ("编辑：王小明", "王小明"),
        ("编辑部", ""),
        ("Editor: Jane Doe", ""),
    ],
)
def test_find_editor(line: str, rest: str) -> None:
    assert find_editor(line) == rest


@pytest.mark.parametrize(
    "line",
    [
        "By Jane Doe",
        "ByJane Doe",
        "Von Jana Dorn",
        "14 March|By Jane Doe",
        "文/王小明",
        "本报讯 记者王小明",
        "di Anna Rossi",
    ],
)
def test_bylines_may_be_bylines(line: str) -> None:
    assert may_be_byline(line)


def test_most_lines_cannot_be_bylines() -> None:
    assert not may_be_byline("Jane Doe went to the moon, and came back")


@pytest.mark.parametrize(
    ("text", "is_stated", "expected"),
    [
        ("Associated Press", False, True),
        ("Deutsche Presse-Agentur", False, True),
        ("EXA", False, True),
        ("Acme", False, False),
        ("Acme", True, True),
        ("Example Staff", True, True),
        ("Editorial Team", True, False),
        ("https://example.org", True, False),
    ],
)
def test_is_organization(text: str, is_stated: bool, expected: bool) -> None:
    assert is_organization(text, is_stated=is_stated) is expected


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
