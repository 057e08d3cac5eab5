"""Names out of by-lines: "By Jane Doe and John Smith, Staff Writers | 5 May" -> Jane Doe, John Smith."""

from __future__ import annotations

import re
from collections.abc import Iterator

from broadsheet.fields.clean import clean_text
from broadsheet.fields.months import MONTHS
from broadsheet.fields.name_words import PERSON_ROLES, has_body, has_role

_MAX_LINE = 300
_MAX_NAME = 40
_MAX_WORDS = 5
_MAX_NAMES = 20


def clean_names(raw: str, *, is_strict: bool = False, is_surname_first: bool = False) -> list[str]:
    """Take a by-line apart into names; what does not look like a person's name is left out.

    `is_strict` asks for two capitalised words or more, for lines that may be anything. `is_surname_first` is for places
    that are known to write "Doe, Jane"; elsewhere nobody can tell that from two people of one name each.
    """
    line = clean_text(raw)[:_MAX_LINE]
    if _BRACKET.search(line):
        line = _IN_BRACKETS.sub(" ", _IN_ALL_BRACKETS.sub(r"\1", line))
    if "@" in line or "www." in line or "://" in line:
        line = _ADDRESS.sub(" ", line)
    line = line.strip()
    line = _cut(_strip_by(line, is_strict))
    names: dict[str, str] = {}
    for part in _split_names(" ".join(line.split()), is_surname_first):
        name = _strip_ends(part)
        if is_name(name, is_strict=is_strict):
            names.setdefault(name.casefold(), name)
    return list(names.values())[:_MAX_NAMES]


def has_case(text: str) -> bool:
    """Tell whether a text is in a script with capitals, which also parts words by spaces."""
    return not _CASELESS.search(text)


def is_name(text: str, *, is_strict: bool = False) -> bool:
    """Tell whether a text can be the name of one person."""
    if not 2 <= len(text) <= _MAX_NAME or _FORBIDDEN.search(text) or has_role(text) or has_body(text):
        return False
    words = text.split()
    if len(words) == 1 and "." in text[:-1]:  # how somebody logs in
        return False
    if words[0].casefold() in _ARTICLES:
        return False
    if len(words) > _MAX_WORDS or not any(map(str.isalpha, text)) or _is_abbreviation(text):
        return False
    if _CASELESS.search(text):
        return len(text) <= _MAX_CJK or not _CJK.search(text)
    if is_strict and words[0].casefold()[:3] in _WEEKDAYS and words[-1].casefold() in MONTHS:
        return False
    small = [word for word in words if word[0].islower() and word not in _PARTICLES]
    if is_strict:
        return len(words) > 1 and not small and words[0][0].isupper()
    return not small or (len(small) == len(words) <= 3)  # some write themselves in small letters


def is_organization(text: str, *, is_stated: bool = False) -> bool:
    """Tell whether a text is the name of an agency or the like; if that is stated, whether it can be."""
    if not 1 < len(text) <= _MAX_NAME or _FORBIDDEN.search(text) or has_role(text):
        return False
    return is_stated or _is_abbreviation(text) or has_body(text)


def _is_abbreviation(text: str) -> bool:
    """Tell whether a text is one word of capitals, as agencies sign; a person has a second name or small letters."""
    return " " not in text and text.isupper() and not _CASELESS.search(text)


def starts_like_byline(text: str) -> bool:
    """Tell whether a line begins with "By" in one of the languages of the press."""
    return _BY.match(text) is not None or _SHORT_BY.match(text) is not None


def may_be_byline(text: str) -> bool:
    """Tell quickly whether a line can be one of a by-line, whatever stands between its words; most cannot."""
    return _MAY_BE_BYLINE.search(text) is not None


def find_signature(text: str) -> str:
    """Give the part of a line from its "by" on: "5 May | By Jane Doe"; "" when it has none."""
    match = _SIGNATURE.search(text)
    return text[match.end() :] if match else ""


def find_editor(text: str) -> str:
    """Give the part of a line behind "editor" in Chinese or Japanese, where that is at times all who is named."""
    match = _EDITOR.search(text)
    return text[match.end() :] if match else ""


_EDITOR = re.compile(r"(?:责任编辑|責任編輯|责编|責編|编辑|編集)\s{0,2}[:：\s]\s{0,2}(?=[\u4e00-\u9fff])")
_ADDRESS = re.compile(r"\S+@\S+|@\w+|https?://\S+|www\.\S+")
_BRACKET = re.compile(r"[()（）\[\]【】]")
_IN_ALL_BRACKETS = re.compile(r"^[(（\[【]([^()（）\[\]【】]*)[)）\]】]?$")
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）|[()\[\]（）]")
_BY_WORDS = (
    r"(?:(?:written|posted|reported|reporting|story|words|text|article|review|published|created|submitted|analysis|opinion|"
    r"report|interview|contributed)\s+)?by\b|(?:ein\s\w+\s)?von\b(?!\sde[rnm]\b)|por\b|par\b|a\scura\sdi\b|door\b|przez\b|"
    r"oleh\b"
)
_LABELS = (
    r"text\b|texte\b|testo\b|texto\b|autor(?:in|ka|en|es|a|i)?\b|authors?\b|autore\b|auteurs?\b|yazar\b|haber\b|penulis\b|"
    r"reporter\b|writer\b|journalist\b|redakteur(?:in)?\b|автор(?:ы)?\b|текст\b"
)
_CJK_LABELS = r"文|作者|本报记者|記者|记者|撰文|執筆|글|기자"  # not those of editors
_SHORT_BY = re.compile(r"^(?:di|af|av)\s", re.IGNORECASE)  # also the beginning of names: only where a by-line is sure
_BY = re.compile(
    rf"^\W*(?:(?:{_BY_WORDS})\s*[:：/|•–-]?\s*|(?:{_LABELS})\s*[:：/|•–-]\s*|(?:{_CJK_LABELS})\s*[:：/／\s]\s*)+",
    re.IGNORECASE,
)
# Without borders of words: those of different elements stand side by side, "ByJane Doe".
_MAY_BE_BYLINE = re.compile(
    rf"^\W*(?:{_BY_WORDS}|{_LABELS}|{_CJK_LABELS}|d[i]|a[fv])".replace(r"\b", "")
    + r"|[|•·/,–\d-]\s*(?:by|von|por|par|di)|作者|记者|記者|撰文",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(
    r"(?:[|•·/,–-]|\d)\s*(?:[Bb]y|BY|[Vv]on|[Pp]or|[Pp]ar|[Dd]i)\s+(?=[^\W\d_])"
    r"|(?:作者|记者|記者|撰文)\s{0,2}[:：\s]\s{0,2}(?=[\u4e00-\u9fff])"
)
# What follows is no name.
_CUT = re.compile(
    r"\s+[|•·–—-]\s+|\s*[|•·\n]\s*"
    r"|\s+(the|for|für|pour|para|from|in|at|on|via|is|was|updated|published|posted|last)\b"
    r"|\s*\d",
    re.IGNORECASE,
)
_AND = re.compile(
    r"\s+(?:and|und|y|et|e|i|och|og|en|и|та|ve|with|mit|con|avec|dan)\s+|\s*[&＆+;/、，・]\s*|\s*和\s*", re.IGNORECASE
)
_ICONS = re.compile("[\ue000-\uf8ff]")  # of private fonts
_FORBIDDEN = re.compile(r"[\d<>{}|@#&\\=?!:;：〓■◆●★©\"“”„»«%$€£*_~^]|\.(?:com|org|net|de|co)\b|\.\.", re.IGNORECASE)
_CASELESS = re.compile(r"[\u0590-\u08ff\u0900-\u0dff\u0e00-\u0fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MAX_CJK = 12
# Chinese names side by side; two and two would be a Japanese name.
_CJK_NAMES = re.compile(r"[\u4e00-\u9fff]{2,3}(?:\s[\u4e00-\u9fff]{2,3})+")
_CJK_ROLE = re.compile(r"\s+(?:기자|특파원|記者|记者|报道|報道)$")
_SURNAME = re.compile(r"[^\W\d_a-z][^\W\d_A-Z]+(?:[-'’][^\W\d_]+)?")
_WEEKDAYS = frozenset("mon tue wed thu fri sat sun".split())
_ARTICLES = frozenset("the der die das les los het".split())  # how names of papers begin
_PARTICLES = frozenset(
    "de del della di da dos das do du des van von der den ter ten zu zur la le el al bin ibn y e".split()
)
_DEGREES = re.compile(
    r"(?:,?\s(?:MS|MA|BA|MBA|MPH|RDN?|RN|LDN?|CFP|CFA|CPA|JD|DDS|DVM|DO|FACLM|LCSW|Esq\.?|Ph\.?D\.?|M\.?D\.?))+$"
)


def _strip_by(line: str, is_strict: bool) -> str:
    stripped = _BY.sub("", line)
    return _SHORT_BY.sub("", stripped) if is_strict and stripped == line else stripped


def _cut(line: str) -> str:
    match = _CUT.search(line)
    if match is None:
        return line
    if " " not in line and match[0].isdigit():  # how somebody logs in: jane1987
        return ""
    start = line[: match.start()]
    if match[0].strip().isdigit():  # "Jane Doe May 5"
        start = _MONTH_AT_END.sub(_drop_month, start)
    # One word before "the" or "in" is the beginning of a sentence, not a name.
    return "" if match[1] and " " not in start else start


_MONTH_AT_END = re.compile(r"[\s,]+([^\W\d_]+)\.?$")


def _drop_month(match: re.Match[str]) -> str:
    return "" if match[1].casefold() in MONTHS else match[0]


def _split_names(line: str, is_surname_first: bool) -> Iterator[str]:
    if _CJK_NAMES.fullmatch(line) and max(map(len, line.split())) == 3:
        yield from line.split()
        return
    pieces = [piece.strip() for piece in line.split(",")]
    if len(pieces) == 2 and all(map(_SURNAME.fullmatch, pieces)):
        if is_surname_first:
            yield f"{pieces[1]} {pieces[0]}"
        return
    for at, piece in enumerate(pieces):
        if at and has_role(piece):
            return  # Jane Doe, Director, The Company
        parts = [part.strip() for part in _AND.split(piece)]
        # "Ortega y Gasset" is one name: a joint needs a full name on its right.
        if len(parts) > 1 and all(len(part.split()) > 1 or _CASELESS.search(part) for part in parts[1:] if part):
            yield from parts
        elif at == 0 or not (
            piece.isupper() or _DEGREES.fullmatch(f" {piece}")
        ):  # capitals behind a comma: a degree, a place, an agency
            yield piece


def _strip_ends(text: str) -> str:
    """Take punctuation, degrees, roles and the name of a month off the ends of a name."""
    name = _ICONS.sub(" ", text).strip(" .,-–—'’/⋅●•·■★")
    words = name.split()
    while len(words) > 2 and ((last := words[-1].casefold().rstrip(".")) in MONTHS or last in PERSON_ROLES):
        words.pop()
    name = _drop_double(_CJK_ROLE.sub("", " ".join(words)))
    return name if name.isupper() else _DEGREES.sub("", name)


def _drop_double(name: str) -> str:
    """Halve a name that stands twice, with or without a space: the picture's description, and the name below it."""
    half = len(name) // 2
    for left, right in ((name[:half], name[half:]), (name[:half], name[half + 1 :])):
        if left == right and half > 3:
            return left
    return name
