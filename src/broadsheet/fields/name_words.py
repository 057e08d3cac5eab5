"""Words that are no part of a person's name: roles, labels of pages, and bodies that people work for."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")
_ROLES = frozenset(
    """admin administrator author authors staff writer writers editor editors editorial reporter reporters
    correspondent correspondents contributor contributors contributing columnist journalist journalists
    producer director manager team desk newsroom newsdesk redazione redacción redaccion rédaction
    redakcja redactie редакция guest user anonymous anonym unknown webmaster email mail follow twitter
    facebook subscribe share read more view profile bio post posts by hour hours day days minute minutes
    ago updated published publié posté publicado actualizado veröffentlicht photo photos photographer
    video image images copyright contact about senior chief executive assistant associate special
    freelance freier autor autorin autoren journalistin redakteur redakteurin korrespondent
    korrespondentin volontär volontärin chefredakteur chefredakteurin ressortleiter ressortleiterin null
    none undefined test website blogger founder ceo president noreply wordpress written reviewed
    medically checked nachrichten noticias actualités home attorney lawyer licensed certified expert
    specialist sponsored strategy strategist analyst consultant marketing dietitian nutritionist coach
    journalism management security reading comment comments category tips guide guides review reviews
    technology business health politics sport sports culture opinion click here listen loading
    advertisement available submission engineer developer scientist researcher officer programs 著者 筆者 作者
    記者 记者""".split()
)
# Behind the name of somebody who has it; "Team" or "Desk" would be part of a name.
PERSON_ROLES = frozenset(
    """writer reporter correspondent journalist journalistin columnist redakteur redakteurin korrespondent
    korrespondentin autor autorin""".split()
)
_BODIES = frozenset(
    """news newswire agency agencies agentur agence agencia agenzia ajansı press presse wire wires bureau media medien
    magazin magazine online digital blog company inc llc ltd gmbh university universität hochschule institut institute
    department college foundation stiftung association verband verein verlag times daily tribune gazette telegram post
    journal zeitung tageszeitung anzeiger rundschau kurier allgemeine nachrichten rundfunk radio tv info portal courrier
    diario periódico corriere giornale gazzetta jornal shimbun network service services dienst international school
    council ministry ministerium embassy office affairs force army navy church kirche group gruppe club report publisher
    publishers""".split()
)
_BODIES_WITHOUT_SPACES = re.compile(
    r"通信|新聞|新闻|日報|日报|晚报|編集部|编辑部|出版社|期刊|网络|ニュース|オンライン|[社网網]$|뉴스|신문|일보|ออนไลน์"
)


def has_role(text: str) -> bool:
    """Tell whether a text has a word for what somebody does, or of what stands around names on a page."""
    words = _WORD.findall(text.casefold())
    return not _ROLES.isdisjoint(words) or any(word.startswith("redaktion") for word in words)


def has_body(text: str) -> bool:
    """Tell whether a text has a word for a body of people: an agency, a paper, a school."""
    if not _BODIES.isdisjoint(_WORD.findall(text.casefold())):
        return True
    return not text.isascii() and _BODIES_WITHOUT_SPACES.search(text) is not None
