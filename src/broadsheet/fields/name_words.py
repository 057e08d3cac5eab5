"""Words that are not part of a person's name: roles, labels on pages, and organizations."""

from __future__ import annotations

from broadsheet.text.patterns import compile_later

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
    著者 筆者 作者 記者 记者""".split()
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
    """news newswire agency agencies agentur agence agencia agenzia ajansı press presse wire wires bureau media medien
    magazin magazine online digital blog company inc llc ltd gmbh university universität hochschule institut institute
    department college foundation stiftung association verband verein verlag times daily tribune gazette telegram post
    journal zeitung tageszeitung anzeiger rundschau kurier allgemeine nachrichten rundfunk radio tv info portal courrier
    diario periódico corriere giornale gazzetta jornal shimbun network service services dienst international school
    council ministry ministerium embassy office affairs force army navy church kirche group gruppe club report publisher
    publishers""".split()
)
_UNSPACED_ORGANIZATION_WORDS = compile_later(
    r"通信|新聞|新闻|日報|日报|晚报|編集部|编辑部|出版社|期刊|网络|ニュース|オンライン|[社网網]$|뉴스|신문|일보|ออนไลน์"
)


def has_role_word(text: str) -> bool:
    """Return True if a text contains a word for a role, or a label that appears around names on pages."""
    words = _WORD.findall(text.casefold())
    return not _ROLE_WORDS.isdisjoint(words) or any(word.startswith("redaktion") for word in words)


def is_agency(text: str) -> bool:
    """Return True if a text is the short name of a news agency."""
    return text.casefold().strip(" .()") in _AGENCIES


def has_organization_word(text: str) -> bool:
    """Return True if a text contains a word for an organization: an agency, a newspaper, a school."""
    if not _ORGANIZATION_WORDS.isdisjoint(_WORD.findall(text.casefold())):
        return True
    return not text.isascii() and _UNSPACED_ORGANIZATION_WORDS.search(text) is not None
