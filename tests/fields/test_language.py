from collections.abc import Callable

import pytest

from broadsheet.fields import Fields
from broadsheet.fields import language as language_module

ENGLISH = "The council of the town said that it will open the bridge to the public in the spring. " * 4
GERMAN = "Der Rat der Stadt teilte mit, dass die Brücke im Frühjahr für alle geöffnet werden soll. " * 4
JAPANESE = "市議会は、春に橋を一般に開放すると発表した。工事には九年かかったという。" * 6


@pytest.mark.parametrize(
    ("html", "text", "code", "source"),
    [
        ("<html lang=de-AT>", GERMAN, "de", "html"),
        ("<html lang=DE_de>", GERMAN, "de", "html"),
        ("<html lang=deu>", GERMAN, "de", "html"),
        ("<html lang=jp>", JAPANESE, "ja", "html"),
        ("<meta property=og:locale content=de_DE>", GERMAN, "de", "opengraph"),
        ("<meta http-equiv=content-language content='de, en'>", GERMAN, "de", "meta"),
        ("", GERMAN, "de", "text"),
        ("", ENGLISH, "en", "text"),
        ("<html lang=en>", ENGLISH, "en", "html"),
        ("<html lang=en>", GERMAN, "de", "text"),
        ("<html lang=en>", JAPANESE, "ja", "text"),
        ("<html lang=ru>", ENGLISH, "en", "text"),
        ("<html lang='{{ lang }}'>", GERMAN, "de", "text"),
        ("", "ok", None, None),
        ("", "", None, None),
    ],
)
def test_language(read: Callable[..., Fields], html: str, text: str, code: str | None, source: str | None) -> None:
    language = read(f"{html}<p>{text}</p>").language
    assert (language and language.value, language and language.source) == (code, source)


def test_english_is_recognized_without_the_detector(
    read: Callable[..., Fields], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language_module, "detect_language", None)  # a call would fail
    language = read(f"<p>{ENGLISH}</p>").language
    assert language is not None
    assert (language.value, language.source) == ("en", "text")
