"""Parse bylines: "By Jane Doe and John Smith, Staff Writers | 5 May" -> Jane Doe, John Smith."""

from __future__ import annotations

import re
from collections.abc import Iterator

from broadsheet.fields.value import clean_text
from broadsheet.fields.written_dates import MONTHS
from broadsheet.text import compile_later

_MAX_LINE_CHARS = 300
_MIN_NAME_CHARS, _MAX_NAME_CHARS = 2, 40
_MAX_CJK_NAME_CHARS = 12
_MAX_NAME_WORDS = 5
_MAX_CASELESS_WORDS = 4  # where a line without a name has no capital letters either
_MAX_ORGANIZATION_CHARS, _MAX_ORGANIZATION_WORDS = 60, 8
_MAX_LOWER_CASE_WORDS = 3
_MAX_NAMES = 20
_MIN_REPEATED_CHARS = 4
_WORD = compile_later(r"[^\W_]+")
_ROLE_WORDS = frozenset(
    """admin administrator author authors staff writer writers editor editors editorial reporter reporters
    correspondent correspondents contributor contributors contributing columnist journalist journalists
    producer director manager team desk newsroom newsdesk redazione redacción redaccion rédaction
    redakcja redactie редакция guest user anonymous anonym unknown webmaster email mail follow twitter
    facebook subscribe share read more view profile bio post posts by hour hours day days minute minutes
    ago updated aktualisiert published publié posté publicado actualizado veröffentlicht photo photos photographer
    video image images copyright contact about senior chief executive assistant associate special
    freelance freier autor autorin autoren journalistin redakteur redakteurin korrespondent
    korrespondentin volontär volontärin chefredakteur chefredakteurin ressortleiter ressortleiterin null
    none undefined test website blogger founder ceo president noreply wordpress written reviewed
    medically checked nachrichten noticias actualités home attorney lawyer licensed certified expert
    specialist sponsored strategy strategist analyst consultant marketing dietitian nutritionist coach
    journalism management security reading comment comments category tips guide guides review reviews
    technology business health politics sport sports culture opinion click here listen loading
    advertisement available submission engineer developer scientist researcher officer programs
    gastautor gastautorin gastbeitrag beitrag kommentar kolumne reporterin mitarbeiter mitarbeiterin pressestelle
    pressemitteilung presseportal agenturmaterial journaliste journalistes rédacteur rédactrice correspondant
    correspondante envoyé giornalista redattore redattrice periodista periodistas redactor redactora dziennikarz
    dziennikarka redaktor verslaggever redacteur muhabir muhabiri muhabirin журналист корреспондент
    著者 筆者 作者 記者 记者 others diverse verschiedene reportern redakteuren illustrator illustration translator
    übersetzer übersetzerin superintendent fellow
    honorary what how why this that from übersetzung""".split()
)
# Roles that may follow a person's name. ("Team" or "Desk" would be part of a name.)
PERSON_ROLES = frozenset(
    """writer reporter reporterin correspondent journalist journalistin columnist redakteur redakteurin korrespondent
    korrespondentin autor autorin gastautor gastautorin mitarbeiter mitarbeiterin chefredakteur chefredakteurin
    volontär volontärin journaliste giornalista periodista""".split()
)
# News agencies sign articles of many sites, often in lower case and beside a person.
_AGENCIES = frozenset(
    """afp ap dpa dapd ddp reuters upi efe ansa adnkronos pap lusa anp belga tass ria interfax xinhua kyodo jiji
    yonhap cna pti ani ians antara anadolu ntb tt ritzau stt apa sda ats sid epd kna ots afx bloomberg cp pa
    ukrinform""".split()
)
_ORGANIZATION_WORDS = frozenset(
    """news newswire agency agencies agentur nachrichtenagentur presseagentur agence agencia agenzia ajansı press
    presse wire wires bureau media medien magazin magazine online digital blog company inc llc ltd gmbh kg university
    universität hochschule institut institute department college foundation stiftung association clinic hospital
    verband verein verlag times daily tribune gazette telegram post journal zeitung tageszeitung anzeiger rundschau
    kurier allgemeine nachrichten rundfunk radio tv info portal courrier diario periódico corriere giornale gazzetta
    jornal shimbun network service services dienst international school council center centre committee commission
    society federation authority ministry ministerium embassy office affairs force army navy church kirche group
    gruppe club report publisher publishers community league united channel studio studios forces armee polizei stadt
    gemeinde landkreis bote limited system systems labs internacional""".split()
)
_TEAM_WORDS = frozenset(
    "staff team teams desk newsroom editors board redaktion redazione redacción rédaction redactie".split()
)
# Words of labels around names, and of roles of one person: never part of the name of an organization.
_NON_ORGANIZATION_WORDS = (
    frozenset(
        """email mail follow twitter facebook subscribe share read more view profile bio posts by hour hours day days
        minute minutes ago updated published photo photos video image images copyright contact about null none
        undefined test written reviewed checked sponsored comments click here listen loading advertisement anonymous
        unknown user guest admin administrator webmaster noreply wordpress author authors""".split()
    )
    | PERSON_ROLES
)
_NON_NAMES = frozenset("redaktion online gmbh inc llc ltd kg news media press info".split())  # not alone
_CONNECTING_WORDS = frozenset("the of for and de la le der die das des für et y e & von".split())
_GENERIC_WORDS = _ROLE_WORDS | _CONNECTING_WORDS | _NON_NAMES
# Countries, and cities that datelines name: "Jane Doe, New York", "dpa, Frankfurt".
_PLACES = frozenset(
    """africa america asia
    afghanistan argentina australia austria belgium brasil brazil britain bulgaria canada chile china colombia
    croatia cuba cyprus czechia denmark deutschland egypt england españa estonia europe finland france germany
    ghana greece haiti hungary iceland india indonesia iran iraq ireland israel italia italy japan jordan kenya
    kuwait latvia lebanon libya lithuania luxembourg malaysia malta mexico morocco netherlands nigeria norway
    österreich pakistan panama peru philippines poland polska portugal qatar romania russia schweiz scotland
    serbia singapore slovakia slovenia spain sudan sweden switzerland syria taiwan thailand tunisia turkey türkiye
    uganda ukraine uruguay venezuela vietnam wales yemen zimbabwe abuja amsterdam ankara athens atlanta baghdad
    bangkok barcelona beijing beirut belgrade berlin bern bogotá bonn boston bratislava bremen brussels brüssel
    bucharest budapest cairo caracas chicago copenhagen dallas damascus delhi denver detroit dortmund dresden
    dubai dublin düsseldorf essen frankfurt geneva genf hamburg hannover hanoi helsinki houston islamabad istanbul
    jakarta jerusalem kabul karachi kiew köln kyiv lagos leipzig lima lisbon liverpool london madrid mailand
    manchester manila melbourne miami milan minsk moscow moskau mumbai munich münchen nairobi nürnberg oslo ottawa
    paris peking philadelphia prag prague rabat riga riyadh rom rome santiago sarajevo seattle seoul shanghai
    sofia stockholm stuttgart sydney tallinn teheran tehran tokio tokyo toronto tripoli tunis vancouver vienna
    vilnius warsaw warschau washington wien zagreb zurich zürich""".split()
) | frozenset(
    (
        *("abu dhabi", "addis ababa", "buenos aires", "cape town", "czech republic", "ho chi minh city", "hong kong"),
        *("kuala lumpur", "los angeles", "mexico city", "new delhi", "new york", "new york city", "new zealand"),
        *("north korea", "rio de janeiro", "saint petersburg", "san diego", "san francisco", "san juan", "são paulo"),
        *("saudi arabia", "south africa", "south korea", "sri lanka", "st petersburg", "tel aviv", "united kingdom"),
        *("united states", "washington dc", "washington d c"),
    )
)
# The last part of German compounds: "Pressedienst", "Landesverband". Names of people do not end with them.
_COMPOUND_ORGANIZATION = compile_later(
    r"(?:dienst|verband|verein|verlag|zeitung|agentur|institut|ministerium|gesellschaft|stiftung|redaktion|universität|"
    r"hochschule|magazin|rundfunk|präsidium|verwaltung|behörde|bundesamt|landesamt|akademie|feuerwehr|zentrum|zentrale|"
    r"netzwerk|portal|initiative|fraktion|bündnis)(?!\w)"
)
_UNSPACED_ORGANIZATION_WORDS = compile_later(
    r"通信|新聞|新闻|日報|日报|晚报|編集部|编辑部|出版社|株式会社|編集委員|期刊|网络|ニュース|オンライン|[社网網]$|뉴스|신문|일보|ออนไลน์"
)


def parse_names(raw: str, *, is_strict: bool = False, is_surname_first: bool = False) -> list[str]:
    """Split a byline into names. Parts that do not look like the name of a person are dropped.

    `is_strict` requires at least two capitalized words, for lines that may contain anything. `is_surname_first` reads
    "Doe, Jane" as one person; elsewhere it cannot be distinguished from two people with one name each.
    """
    line = clean_text(raw)[:_MAX_LINE_CHARS]
    if _CREDIT.match(line):
        return []
    if _BRACKET.search(line):
        line = _BRACKETED.sub(" ", _WHOLLY_BRACKETED.sub(r"\1", line))
    if "@" in line or "www." in line or "://" in line:
        line = _ADDRESS.sub(" ", line)
    line = _cut_after_names(_strip_by(line.strip(), is_strict))
    names: dict[str, str] = {}  # by case-folded name
    follows_organization = False
    for part in _split_names(" ".join(line.split()), is_surname_first):
        name = _strip_ends(part)
        follows_organization = follows_organization or (" " in name and has_organization_word(name))
        is_town = follows_organization and " " not in name and has_case(name)  # "Moon Post, Hillville"
        if not is_town and is_name(name, is_strict=is_strict):
            names.setdefault(name.casefold(), name)
    return _drop_places([name for name in names.values() if not is_place(name)])[:_MAX_NAMES]


def _drop_places(names: list[str]) -> list[str]:
    """Drop single words after a full name: "Jane Doe, Berlin"."""
    is_full = [" " in name or not has_case(name) for name in names]
    first = is_full.index(True) if True in is_full else len(names)
    return [name for index, name in enumerate(names) if index < first or is_full[index]]


def is_place(text: str) -> bool:
    """Return True for a country or a city that often stands beside names, several of them, and for "Bad Homburg"."""
    words = _WORD.findall(text.casefold())
    is_spa = len(words) == 2 and words[0] == "bad"
    return is_spa or " ".join(words) in _PLACES or (len(words) > 1 and _PLACES.issuperset(words))


def parse_organizations(raw: str, *, is_stated: bool = False) -> list[str]:
    """Split a byline into names of organizations: "By Jane Doe and the Wire Agency" -> the Wire Agency.

    `is_stated`: the page says that the text names an organization.
    """
    line = cut_byline(raw)
    if _CREDIT.match(line):
        return []
    parts = [part.strip(" .,-–—") for part in _ORGANIZATION_SEPARATOR.split(line)]
    if not all(map(_may_stand_alone, parts)) and is_organization(line, is_stated=is_stated):
        return [line]  # "Center for Food and Health"
    names = {part.casefold(): part for part in parts if is_organization(part, is_stated=is_stated)}
    return list(names.values())


def cut_byline(raw: str) -> str:
    """Return a byline without "by" and without what follows the names: "By the Moon Post | 5 May"."""
    line = _BRACKETED.sub(" ", clean_text(raw)[:_MAX_LINE_CHARS])
    line = _ORGANIZATION_END.split(_BY.sub("", line).strip(), maxsplit=1)[0]
    return _LAST_WORD.sub(_drop_month, " ".join(line.split())).strip(" .,-–—")


def parse_single_names(raw: str) -> list[str]:
    """Read names of one word from a byline: "By Jane", "Jane and Ann"."""
    line = clean_text(raw)[:_MAX_LINE_CHARS]
    names = [name for name in _AND.split(_cut_after_names(_strip_by(line, is_strict=True).strip())) if name]
    if len(names) > 2 or not all(_SINGLE_NAME.fullmatch(name) and is_name(name) for name in names):
        return []
    return [name for name in names if not is_place(name) and name.casefold() not in MONTHS]


def _may_stand_alone(part: str) -> bool:
    return is_organization(part) or is_name(part, is_strict=True) or is_place(part)


def has_case(text: str) -> bool:
    """Return True if a text is in a script with capital letters. Such scripts also put spaces between words."""
    return text.isascii() or not _CASELESS_LETTER.search(text)


def is_name(text: str, *, is_strict: bool = False) -> bool:
    """Return True if a text can be the name of one person."""
    if not _MIN_NAME_CHARS <= len(text) <= _MAX_NAME_CHARS or _NON_NAME.search(text):
        return False
    if has_role_word(text) or has_organization_word(text) or not _has_name_words(text):
        return False
    if _is_abbreviation(text) or is_agency(text):
        return False
    if not has_case(text):
        return len(text) <= _MAX_CJK_NAME_CHARS if _CJK.search(text) else text.count(" ") < _MAX_CASELESS_WORDS
    return _has_strict_case(text.split()) if is_strict else _has_name_case(text.split())


def _has_name_words(text: str) -> bool:
    """Return True if the number and the first of the words are those of a name."""
    words = text.split()
    is_login = len(words) == 1 and "." in text[:-1]  # jane.doe
    return (
        not is_login
        and len(words) <= _MAX_NAME_WORDS
        and words[0].casefold() not in _ARTICLES
        and any(map(str.isalpha, text))
    )


def _has_strict_case(words: list[str]) -> bool:
    """Return True for several capitalized words, except "Monday, 5 May", "On Tue" and "Dear All"."""
    first = words[0].casefold()
    is_date = first[:3] in _WEEKDAYS and words[-1].casefold() in MONTHS
    if first in _GREETINGS or words[-1] in _PARTICLES or (len(words) == 2 and first in _SHORT_PREPOSITIONS):
        return False
    return len(words) > 1 and not is_date and words[0][0].isupper() and not _list_lower_case(words)


def _has_name_case(words: list[str]) -> bool:
    """Return True for capitalized words, or a few words all in lower case, as some people write their names."""
    lower_case = _list_lower_case(words)
    return not lower_case or (len(lower_case) == len(words) <= _MAX_LOWER_CASE_WORDS)


def _list_lower_case(words: list[str]) -> list[str]:
    return [word for word in words if word[0].islower() and word not in _PARTICLES]


def is_organization(text: str, *, is_stated: bool = False) -> bool:
    """Return True if a text is the name of an agency or another organization; with `is_stated`, if it can be one."""
    if not _MIN_NAME_CHARS <= len(text) <= _MAX_ORGANIZATION_CHARS or _NON_NAME.search(text.replace("&", "")):
        return False
    words = _WORD.findall(text.casefold())
    if not _NON_ORGANIZATION_WORDS.isdisjoint(words) or is_place(text) or len(words) > _MAX_ORGANIZATION_WORDS:
        return False
    if _GENERIC_WORDS.issuperset(words):  # "Editorial Team"
        return False
    if text[:1].islower() and not text.startswith("the ") and not is_agency(text):
        return False
    return is_stated or _is_abbreviation(text) or is_agency(text) or has_organization_word(text) or is_team(text)


def is_team(text: str) -> bool:
    """Return True if a text names the staff of something: "Moon Post Staff", "Team Moon Post"."""
    words = _WORD.findall(text.casefold())
    return text[:1].isupper() and not _TEAM_WORDS.isdisjoint((words or [""])[:1] + words[-1:])


def _is_abbreviation(text: str) -> bool:
    """Return True for one word in capitals, as agencies sign; people have two names or lower-case letters."""
    return " " not in text and text.isupper() and has_case(text)


def starts_like_byline(text: str) -> bool:
    """Return True if a line begins with "By" or an equivalent."""
    return _BY.match(text) is not None or _SHORT_BY.match(text) is not None


def may_be_byline(text: str) -> bool:
    """Check quickly whether a line can be a byline, even without spaces between its elements; most cannot."""
    if (_may_start_byline(text) and _BYLINE_START.match(text)) or _BYLINE_AFTER_SEPARATOR.search(text):
        return True
    return not text.isascii() and _CJK_BYLINE.search(text) is not None


def _may_start_byline(text: str) -> bool:
    """Compare the first letters, which is faster than the pattern. Texts with letters outside ASCII are not checked."""
    return not text.isascii() or not text[:1].isalnum() or text[:4].lower().startswith(_BYLINE_STARTS)


def find_signature(text: str) -> str:
    """Return the part of a line after its "by": "5 May | By Jane Doe"; "" if there is none."""
    match = _SIGNATURE.search(text)
    return text[match.end() :] if match else ""


def find_editor(text: str) -> str:
    """Return the part of a line after "editor" in Chinese or Japanese; "" if there is none.

    Some pages in these languages name nobody else.
    """
    match = None if text.isascii() else _EDITOR.search(text)
    return text[match.end() :] if match else ""


_EDITOR = compile_later(r"(?:责任编辑|責任編輯|责编|責編|编辑|編集)\s{0,2}[:：\s]\s{0,2}(?=[\u4e00-\u9fff])")
_ADDRESS = compile_later(r"\S+@\S+|@\w+|https?://\S+|www\.\S+")
_BRACKET = compile_later(r"[()（）\[\]【】]")
_WHOLLY_BRACKETED = compile_later(r"^[(（\[【]([^()（）\[\]【】]*)[)）\]】]?$")
_BRACKETED = compile_later(r"\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）|[()\[\]（）]")
# "View all posts by": the text or title of a link to the author's page.
_LINK_LABEL = compile_later(
    r"^(?:(?:(?:view|see|show|read|browse|more|all|other|latest|recent|alle|weitere|mehr|voir|tous|toutes|plus|ver|todos|"
    r"todas|tutti|leggi|zobacz|wszystkie|bekijk|meer)\s+)+(?:(?:the|die|les|los|las|gli|i|os|as|posts?|articles?|stories|"
    r"entries|works?|beiträge|artikel|texte|artículos|articoli|artigos|wpisy|artykuły|berichten)\s+){0,2}"
    r"(?:by|of|from|von|vom|de|d[ae]|di|par|por|van|autora?)|(?:posts?|articles?|stories)\s+by)\s+",
    re.IGNORECASE,
)
_LINK_LABEL_END = compile_later(r"\s+(?:anzeigen|ansehen|lesen|bekijken)$", re.IGNORECASE)
# "Image: Getty Images / Jane Doe": the credit of a picture.
_CREDIT = compile_later(
    r"^\W*(?:images?|photos?|pictures?|fotos?|bild(?:er|quelle)?|pic|credits?|crédits?|quelle|fuente|getty)\b"
    r"[^:：/]{0,20}[:：/]",
    re.IGNORECASE,
)
_GERMAN_TEXTS = (
    r"(?:gast)?beitrag|(?:gast)?kommentar|kolumne|artikel|analyse|bericht|reportage|essay|rezension|glosse|leitartikel|"
    r"interview|porträt|text|geschrieben|verfasst|veröffentlicht|gepostet|erstellt|eingestellt|publiziert"
)
_BY_WORDS = (
    r"(?:(?:written|posted|reported|reporting|story|words|text|article|review|published|created|submitted|analysis|opinion|"
    r"report|interview|contributed)\s+)?by\b|"
    rf"(?:eine?\s\w+\s|(?:{_GERMAN_TEXTS})\s)?von\b(?!\sde[rnm]\b)(?:\sunser(?:em|er|en)\b)?|"
    r"(?:(?:escrito|publicado|redactado|texto|artículo|artigo)\s)?por\b|"
    r"(?:(?:écrit|publié|rédigé|posté|article|tribune|propos\srecueillis)\s)?par\b|a\scura\sdi\b|"
    r"(?:(?:scritto|pubblicato)\s)da\b|(?:(?:geschreven|geplaatst)\s)?door\b|przez\b|oleh\b"
)
_LABELS = (
    r"text\b|texte\b|testo\b|texto\b|autor(?:in|ka|en|es|a|i)?\b|authors?\b|autore\b|auteurs?\b|yazar\b|haber\b|penulis\b|"
    r"reporter\b|writer\b|journalist\b|redakteur(?:in)?\b|автор(?:ы)?\b|текст\b"
)
_CJK_LABELS = r"文|作者|本报记者|記者|记者|撰文|執筆|글|기자"  # without those of editors
# Some names also begin with these words: used only in lines that must be bylines.
_SHORT_BY = compile_later(r"^(?:di|af|av)\s", re.IGNORECASE)
_BY = compile_later(
    rf"^\W*(?:(?:{_BY_WORDS})\s*[:：/|•–-]?\s*|(?:{_LABELS})\s*[:：/|•–-]\s*|(?:{_CJK_LABELS})\s*[:：/／\s]\s*)+",
    re.IGNORECASE,
)
# Without word boundaries, because the texts of adjacent elements have no space between them: "ByJane Doe".
_BYLINE_START = compile_later(
    rf"\W*(?:{_BY_WORDS}|{_LABELS}|{_CJK_LABELS}|d[i]|a[fv])".replace(r"\b", ""), re.IGNORECASE
)
# The first letters of what _BYLINE_START matches in ASCII; those with "a" are many.
_BYLINE_STARTS = tuple(
    """a beit beri by cont crea di door ein erst escr essa gast gepl gepo gesc glos habe inte jour kolu komm leit oleh
    opin par penu por post prop prze publ pubb reda repo revi reze scri stor subm text trib verf von word wri
    yaza""".split()
)
_BYLINE_AFTER_SEPARATOR = compile_later(r"[|•·/,–\d-]\s*(?:by|von|por|par|di)", re.IGNORECASE)
_CJK_BYLINE = compile_later("作者|记者|記者|撰文")
_SIGNATURE = compile_later(
    r"(?:[|•·/,–-]|\d)\s*(?:[Bb]y|BY|[Vv]on|[Pp]or|[Pp]ar|[Dd]i)\s+(?=[^\W\d_])"
    r"|(?:作者|记者|記者|撰文)\s{0,2}[:：\s]\s{0,2}(?=[\u4e00-\u9fff])"
)
# The end of the names in a line.
_NAMES_END = compile_later(
    r"\s+[|•·–—-]\s+|\s*[|•·\n]\s*|\s+(?:am|vom|le|el|il|em|op)\s+\d"
    r"|\s+(the|for|für|pour|para|from|in|at|on|via|is|was|updated|published|posted|last)\b"
    r"|\s*\d",
    re.IGNORECASE,
)
_AND = compile_later(
    r"\s+(?:and|und|y|et|e|i|och|og|en|и|та|ve|with|mit|con|avec|dan)\s+|\s*[&＆+;/、，・]\s*|\s*和\s*", re.IGNORECASE
)
_ORGANIZATION_END = compile_later(
    r"\s+[|•·–—-]\s+|\s*[|•·\n]\s*|\s+(?:on|via|am|vom|le)\s|\s*\d|\s*(?:updated|published)\b", re.IGNORECASE
)
_ORGANIZATION_SEPARATOR = compile_later(r",\s+|\s+(?:and|und|y|et|e|och|og)\s+|\s*[;/、，]\s*", re.IGNORECASE)
_FONT_ICON = compile_later("[\ue000-\uf8ff]")
_NON_NAME = compile_later(r"[\d<>{}|@#&\\=?!:;：〓■◆●★©\"“”„»«%$€£*_~^]|\.(?:com|org|net|de|co)\b|\.\.", re.IGNORECASE)
_CASELESS_LETTER = compile_later(r"[\u0590-\u08ff\u0900-\u0dff\u0e00-\u0fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CJK = compile_later(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CHINESE_NAMES = compile_later(r"[\u4e00-\u9fff]{2,3}(?:\s[\u4e00-\u9fff]{2,3})+")
_CHINESE_NAME_CHARS = 3  # of at least one of several names; two and two characters are one Japanese name
_CJK_ROLE = compile_later(r"\s+(?:기자|특파원|記者|记者|\S*报道|\S*報道|監訳|[著訳編])$")
_SINGLE_NAME = compile_later(r"[^\W\d_a-z][^\W\d_A-Z]+(?:[-'’][^\W\d_]+)?")
_WEEKDAYS = frozenset("mon tue wed thu fri sat sun".split())
_WEEKDAY_NAMES = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_GREETINGS = frozenset("dear liebe lieber viele herzliche best until".split())  # and other first words of short lines
_SHORT_PREPOSITIONS = frozenset("by von par por on".split())  # "Von Jane"
_ARTICLES = frozenset("the der die das les los het".split())  # first words of the names of newspapers
_PARTICLES = frozenset(
    "de del della di da dos das do du des van von der den ter ten zu zur la le el al bin ibn y e".split()
)
_DEGREES = compile_later(
    r"(?:,?\s(?:MS|MA|BA|MBA|MPH|RDN?|RN|LDN?|CFP|CFA|CPA|JD|DDS|DVM|DO|FACLM|LCSW|Esq\.?|Ph\.?D\.?|M\.?D\.?))+$"
)
_LAST_WORD = compile_later(r"[\s,]+([^\W\d_]+)\.?$")


def _strip_by(line: str, is_strict: bool) -> str:
    """Remove "By" and its equivalents from the start of a line."""
    if label := _LINK_LABEL.match(line):
        name = _LINK_LABEL_END.sub("", line[label.end() :])
        return name if " " in name else ""  # "More from Europe", "Posts by Jane"
    stripped = _BY.sub("", line)
    return _SHORT_BY.sub("", stripped) if is_strict and stripped == line else stripped


def _cut_after_names(line: str) -> str:
    """Cut a line where the names end: at a separator, a preposition or a digit."""
    match = _NAMES_END.search(line)
    if match is None:
        return line
    if " " not in line and match[0].isdigit():  # a login: jane1987
        return ""
    names = line[: match.start()]
    if match[0].strip().isdigit():  # "Jane Doe May 5"
        names = _LAST_WORD.sub(_drop_month, names)
    # One word before "the" or "in" is the beginning of a sentence, not a name.
    return "" if match[1] and " " not in names else names


def _drop_month(match: re.Match[str]) -> str:
    return "" if match[1].casefold() in MONTHS else match[0]


def _split_names(line: str, is_surname_first: bool) -> Iterator[str]:
    if not line.isascii() and _CHINESE_NAMES.fullmatch(line) and max(map(len, line.split())) == _CHINESE_NAME_CHARS:
        yield from line.split()
        return
    pieces = [piece.strip() for piece in line.split(",")]
    if len(pieces) == 2 and all(map(_SINGLE_NAME.fullmatch, pieces)):
        if is_surname_first:
            yield f"{pieces[1]} {pieces[0]}"
        return
    for index, piece in enumerate(pieces):
        if index and has_role_word(piece):
            return  # Jane Doe, Director, The Company
        yield from _split_piece(piece, is_first=index == 0)


def _split_piece(piece: str, *, is_first: bool) -> Iterator[str]:
    """Split the text between two commas at "and"."""
    parts = [part.strip() for part in _AND.split(piece)]
    if len(parts) > 1 and any(map(is_agency, parts)):  # "Jane Doe and dpa"
        yield from (part for part in parts if not is_agency(part))
        return
    # "Ortega y Gasset" is one name: the part after "and" must be a full name.
    if len(parts) > 1 and all(len(part.split()) > 1 or not has_case(part) for part in parts[1:] if part):
        yield from parts
        return
    is_degree_or_place = piece.isupper() or _DEGREES.fullmatch(f" {piece}")  # or an agency; only after a comma
    if is_first or not is_degree_or_place:
        yield piece


_LAST_WORDS = frozenset((*MONTHS, *PERSON_ROLES, *_WEEKDAY_NAMES))  # after a name


def _strip_ends(text: str) -> str:
    """Remove punctuation, degrees, roles and the names of months and weekdays from the ends of a name."""
    is_ascii = text.isascii()
    name = (text if is_ascii else _FONT_ICON.sub(" ", text)).strip(" .,-–—'’/⋅●•·■★")
    words = name.split()
    while len(words) > 2 and words[0].casefold() in PERSON_ROLES:
        words.pop(0)
    while len(words) > 2 and is_agency(words[-1]):  # "Jane Doe Reuters"
        words.pop()
    while len(words) > 2 and words[-1].casefold().rstrip(".") in _LAST_WORDS:
        words.pop()
    name = " ".join(words)
    name = drop_repetition(name if is_ascii else _CJK_ROLE.sub("", name))
    return name if name.isupper() else _DEGREES.sub("", name)


def drop_repetition(name: str) -> str:
    """Halve a text that appears twice, with or without a space: the alt text of a portrait, and the name below it."""
    half = len(name) // 2
    for left, right in ((name[:half], name[half:]), (name[:half], name[half + 1 :])):
        if left == right and half >= _MIN_REPEATED_CHARS:
            return left
    return name


def has_role_word(text: str) -> bool:
    """Return True if a text contains a word for a role, or a label that appears around names on pages."""
    words = _WORD.findall(text.casefold())
    return not _ROLE_WORDS.isdisjoint(words) or any(word.startswith("redaktion") for word in words)


def is_agency(text: str) -> bool:
    """Return True if a text is the short name of a news agency."""
    return text.casefold().strip(" .()") in _AGENCIES


def has_organization_word(text: str) -> bool:
    """Return True if a text contains a word for an organization: an agency, a newspaper, a school."""
    folded = text.casefold()
    if not _ORGANIZATION_WORDS.isdisjoint(_WORD.findall(folded)) or _COMPOUND_ORGANIZATION.search(folded):
        return True
    return not text.isascii() and _UNSPACED_ORGANIZATION_WORDS.search(text) is not None
