from __future__ import annotations

import random

import pytest

from broadsheet.page.decode import decode_page

CHINESE = "中文新闻报道：今天北京，国务院总理发表讲话，强调经济发展的重要性。"
JAPANESE = "日本語のニュース、東京で今日は記者会見が行われました。"
KOREAN = "한국어 뉴스, 서울에서 오늘 대통령은 기자회견을 열었다."
RUSSIAN = "Русские новости: сегодня в Москве президент заявил о новых мерах поддержки."
GREEK = "Ελληνικά νέα: σήμερα στην Αθήνα ο πρωθυπουργός ανακοίνωσε νέα μέτρα."
POLISH = "Polskie wiadomości: dzisiaj w Łodzi źródła rządowe ogłosiły nowe środki."
GERMAN = "Über die Straße läuft der Bürgermeister – ein schöner Tag für alle."


def page(text: str, head: str = "") -> str:
    return f"<html><head>{head}</head><body>" + f"<p>{text}</p>" * 4 + "</body></html>"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (CHINESE, "gb2312"),
        (CHINESE, "gb18030"),
        (CHINESE, "utf-8"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (KOREAN, "euc_kr"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (GREEK, "cp1253"),
        (POLISH, "cp1250"),
        (GERMAN, "cp1252"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (CHINESE, "utf-16-be"),
        (JAPANESE, "utf-8-sig"),
    ],
)
def test_undeclared_charset_is_detected(text: str, codec: str) -> None:
    assert text in decode_page(page(text).encode(codec)).text


@pytest.mark.parametrize(
    ("text", "codec", "label"),
    [
        (CHINESE, "gb18030", "gb2312"),
        (JAPANESE, "cp932", "Shift_JIS"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp"),
        (KOREAN, "cp949", "euc-kr"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (GERMAN, "cp1252", "iso-8859-1"),  # browsers read this label as windows-1252, which alone has the dash
        (GERMAN, "cp1252", "us-ascii"),
    ],
)
def test_declared_charset_is_used(text: str, codec: str, label: str) -> None:
    head = f'<meta http-equiv="Content-Type" content="text/html; charset={label}">'
    assert text in decode_page(page(text, head).encode(codec)).text
    assert text in decode_page(page(text).encode(codec), charset=label).text
    assert text in decode_page(page(text).encode(codec), charset=f'text/html; charset="{label}"').text


def test_header_takes_precedence_over_meta() -> None:
    data = page("żółw", '<meta charset="windows-1252">').encode("cp1250")
    assert "żółw" in decode_page(data, charset="windows-1250").text


def test_byte_order_mark_takes_precedence_over_header() -> None:
    assert "żółw" in decode_page(page("żółw").encode("utf-8-sig"), charset="windows-1252").text


@pytest.mark.parametrize("label", ["utf-8", "no-such-charset", "zlib", "hex", "", "utf-16", "rot13", "idna"])
def test_wrong_labels_are_ignored(label: str) -> None:
    data = page(RUSSIAN, f'<meta charset="{label}">').encode("cp1251")
    assert RUSSIAN in decode_page(data).text


@pytest.mark.parametrize("label", ["iso-8859-1", "windows-1252", "iso-8859-15"])
@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (GREEK, "cp1253"),
        (CHINESE, "gb18030"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "euc_kr"),
    ],
)
def test_other_scripts_are_not_latin_in_spite_of_their_label(text: str, codec: str, label: str) -> None:
    data = page(text * 4).encode(codec)
    assert text in decode_page(data, charset=label).text


@pytest.mark.parametrize("text", [GERMAN, "Les élèves créés — « déjà » ; ·····  "])
def test_latin_text_is_decoded_as_declared(text: str) -> None:
    assert decode_page(page(text * 20).encode("cp1252"), charset="iso-8859-1").encoding == "cp1252"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Šķūņa jumtā šodien ir ērģeles un žēlabas.", "cp1257"),
        ("Zażółć gęślą jaźń, łódź płynie pod mostem.", "iso8859-2"),
        ("Zażółć gęślą jaźń, łódź płynie pod mostem.", "cp1250"),
        ("Şişli'de yağmur sürüyor, İstanbul'da güneş yok.", "cp1254"),
        ("Le prix : 5 € à l'œuvre, déjà.", "iso8859-15"),
    ],
)
def test_indented_latin_text_is_decoded_as_declared(text: str, codec: str) -> None:
    data = page(("\xa0" * 10 + text + "\n") * 12).encode(codec)
    assert text in decode_page(data, charset=codec.replace("cp", "windows-").replace("iso8859", "iso-8859")).text


def test_valid_utf8_is_decoded_as_utf8_in_spite_of_its_label() -> None:
    decoded = decode_page(page(GREEK, '<meta charset="iso-8859-7">').encode())
    assert GREEK in decoded.text
    assert decoded.encoding == "utf-8"


def test_a_few_bad_bytes_do_not_change_the_charset() -> None:
    data = page(GREEK * 20, '<meta charset="utf-8">').encode() + b"\xff"
    decoded = decode_page(data)
    assert GREEK in decoded.text
    assert decoded.encoding == "utf-8"


@pytest.mark.parametrize("label", ["utf-8", None, "windows-1252"])
@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (b"\xe9 ", "mayor’s café"),  # one character of an advertisement in another character set
        (b"\xc3", "mayor’s café"),  # a character cut in the middle
        (b"\xff", "mayor’s café"),
    ],
)
def test_one_bad_byte_does_not_change_the_charset(label: str | None, bad: bytes, text: str) -> None:
    head = f'<meta charset="{label}">' if label else ""
    data = page(f"{text}, naïve “quotes” – and – more…", head).encode() + bad
    assert text in decode_page(data).text
    assert text in decode_page(data, charset=label).text


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 10, b"\x89PNG\r\n\x1a\n" + bytes(range(1, 256)) * 9, random.Random(1).randbytes(5000)]
)
def test_binary_data_has_no_text(data: bytes) -> None:
    assert decode_page(data).text == ""


@pytest.mark.parametrize("data", [b"", b"\xff", b"\xfe\xff", b"\x00\x00", bytes(range(256))])
def test_any_bytes_can_be_decoded(data: bytes) -> None:
    assert isinstance(decode_page(data).text, str)
