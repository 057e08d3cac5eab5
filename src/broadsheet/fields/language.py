"""The language of the article, as ISO 639-1."""

from __future__ import annotations

from collections.abc import Iterator

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.value import FieldValue
from broadsheet.page.parser import detect_language
from broadsheet.text import compile_later

_SAMPLE_CHARS = 600  # detection costs 0.28 ms per 1000
_MIN_DETECTION_CHARS = 40
_MIN_CHECK_CHARS = 200  # of a sample that can contradict a declared language
_DECLARED_CODE = compile_later(r"\s*([a-zA-Z]{2,3})(?:[-_][a-zA-Z0-9]|\s*[,;]|\s*$)")
_LANGUAGE_TAG = compile_later(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")  # xsd:language

# ISO 639-3, which detection returns, and codes that pages use by mistake -> ISO 639-1.
_TO_639_1 = dict(
    pair.split(":")
    for pair in (
        "afr:af amh:am ara:ar aze:az azj:az bel:be ben:bn bul:bg cat:ca ces:cs cmn:zh cym:cy dan:da deu:de "
        "ell:el eng:en epo:eo est:et eus:eu fas:fa pes:fa fin:fi fra:fr gle:ga glg:gl guj:gu heb:he hin:hi "
        "hrv:hr hun:hu hye:hy ind:id isl:is ita:it jav:jv jpn:ja kan:kn kat:ka kaz:kk khm:km kor:ko lat:la "
        "lav:lv lvs:lv lit:lt mal:ml mar:mr mkd:mk mon:mn msa:ms zsm:ms mya:my nep:ne npi:ne nld:nl nno:nn "
        "nob:nb nor:no ori:or pan:pa pol:pl por:pt ron:ro rus:ru sin:si slk:sk slv:sl sna:sn som:so spa:es "
        "sqi:sq srp:sr swa:sw swe:sv tam:ta tel:te tgl:tl tha:th tuk:tk tur:tr ukr:uk urd:ur uzb:uz vie:vi "
        "yid:yi zho:zh zul:zu ger:de fre:fr dut:nl chi:zh cze:cs gre:el rum:ro per:fa alb:sq jp:ja cn:zh "
        "kr:ko ua:uk gr:el cz:cs dk:da se:sv iw:he in:id tw:zh"
    ).split()
)
# Languages by script. Those that are written in both kinds of script are in neither set.
_LATIN_LANGUAGES = frozenset(
    "af ca cs cy da de en eo es et eu fi fr ga gl hr hu id is it la lt lv ms nb nl nn no pl pt ro sk sl sq sv sw tl tr "
    "vi".split()
)
_OTHER_LANGUAGES = frozenset(
    "am ar be bg bn el fa gu he hi hy ja ka km kn ko mk ml mr my ne or pa ru si ta te th uk ur yi zh".split()
)
_NON_LATIN_LETTER = compile_later(r"[\u0370-\u1dff\u2e80-\ud7ff\uf900-\ufdff]")
_MAX_NON_LATIN_SHARE = 0.3  # of the characters of a text in a Latin script
_MIN_NON_LATIN_SHARE = 0.1  # of the characters of a text in another script
# Site builders declare English whatever the language of the text. Nearly every English sentence contains one of these.
_ENGLISH_WORDS = frozenset("the of and to in is that for with you".split())
_MAX_CHARS_PER_WORD_IF_ENGLISH = 50  # fewer characters per English word: English
_MIN_CHARS_PER_WORD_IF_OTHER = 100  # more characters: not English


def find_language(evidence: Evidence) -> FieldValue[str] | None:
    """Find the declared language, unless the letters of the text contradict it; otherwise detect it."""
    sample = _take_sample(evidence)
    for source, declaration in _list_declarations(evidence):
        code = _read_code(declaration)
        if len(code) == 2 and not _is_contradicted(code, sample):
            return FieldValue(code, source)
    code = _detect(sample)
    return FieldValue(code, "text") if code else None


def is_language_tag(text: str) -> bool:
    """Return True if a text has the form of a language tag: "en", "zh-Hant"."""
    return _LANGUAGE_TAG.fullmatch(text) is not None


def _list_declarations(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Yield sources and the languages that they declare, the most reliable first."""
    metadata = evidence.metadata
    yield "json-ld", next(iter(metadata.article_texts("inLanguage")), "")
    yield "html", metadata.language
    yield "opengraph", next(metadata.meta_texts("og:locale"), "")
    yield "meta", next(metadata.meta_texts("content-language", "dc.language", "dcterms.language", "language"), "")


def _read_code(declaration: str) -> str:
    """Return the ISO 639-1 code of a declaration such as "de-AT" or "de, en"; "" if it has none."""
    match = _DECLARED_CODE.match(declaration)
    code = match[1].lower() if match else ""
    return _TO_639_1.get(code, code)


def _take_sample(evidence: Evidence) -> str:
    """Return the first characters of the body."""
    texts: list[str] = []
    chars = 0
    for block in evidence.body:
        text = evidence.blocks.text[block]
        texts.append(text)
        chars += len(text)
        if chars >= _SAMPLE_CHARS:
            break
    return " ".join(texts)[:_SAMPLE_CHARS]


def _detect(sample: str) -> str:
    """Detect the language of a text; return "" if there is too little text."""
    if len(sample) >= _MIN_CHECK_CHARS and _count_english(sample) > len(sample) / _MAX_CHARS_PER_WORD_IF_ENGLISH:
        return "en"  # agrees with the detector in 999 of 1,000 cases, in a twentieth of its time
    if len(sample) < _MIN_DETECTION_CHARS and (sample.isascii() or not _NON_LATIN_LETTER.search(sample)):
        return ""
    detected = detect_language(sample)
    return _TO_639_1.get(detected, detected) if detected else ""


def _count_english(sample: str) -> int:
    return len([word for word in sample.lower().split() if word in _ENGLISH_WORDS])


def _is_contradicted(code: str, sample: str) -> bool:
    """Return True if the text is in letters that the declared language does not use, or declared English but is not."""
    if not sample:
        return False
    if code == "en" and len(sample) >= _MIN_CHECK_CHARS:
        return _count_english(sample) < len(sample) / _MIN_CHARS_PER_WORD_IF_OTHER
    non_latin_share = 0.0 if sample.isascii() else len(_NON_LATIN_LETTER.findall(sample)) / len(sample)
    if code in _LATIN_LANGUAGES:
        return non_latin_share > _MAX_NON_LATIN_SHARE
    is_checked = code in _OTHER_LANGUAGES and len(sample) >= _MIN_CHECK_CHARS
    return is_checked and non_latin_share < _MIN_NON_LATIN_SHARE
