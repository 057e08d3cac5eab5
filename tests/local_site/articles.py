"""Generated articles: the same number always gives the same article."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

FIRST_DAY = datetime(2024, 3, 1, 6, tzinfo=UTC)  # day 0
SECTIONS = ("council", "schools", "farms", "sport", "culture")
MEMBERS = "members"  # the section that robots.txt forbids

_PLACES = "Carrow Saltmarsh Brackley Dunmore Hollin Westerby Ashcombe Thornley Penhale Quarry".split()
_SUBJECTS = (
    "the council",
    "a group of parents",
    "the bus company",
    "the harbour office",
    "the farmers' market",
    "the rowing club",
    "the county library",
    "the water board",
    "a retired engineer",
    "the school board",
)
_ACTIONS = (
    "has approved a plan for",
    "wants to know who pays for",
    "published a report about",
    "asked for more time to discuss",
    "will vote next month on",
    "opened a public meeting about",
    "has withdrawn its support for",
    "collected two hundred signatures against",
)
_OBJECTS = (
    "the new footbridge",
    "the night bus to the coast",
    "the repair of the sea wall",
    "the closure of the old mill",
    "a row of forty houses",
    "the price of school meals",
    "the summer concert in the park",
    "the flood gates at the lock",
    "the move of the cattle market",
    "the lights of the football ground",
)
_DETAILS = (
    "The work is expected to take {number} weeks and to cost about {number},000 pounds.",
    "More than {number} people came to the hall in {place} on Tuesday evening to hear the details.",
    '"We have waited {number} years for an answer, and we will wait a little longer," said {name}.',
    "The last decision of this kind was made {number} years ago, and few remember how it ended.",
    "According to {name}, the figures from {place} are not yet complete and should be read with care.",
    "In {place}, where a similar scheme began in spring, the number of visitors has risen by {number} per cent.",
    "Nobody from the ministry was available for comment, but a letter is expected before the end of the month.",
    "The documents can be read in the office above the bakery on Mill Lane until the {number}th of next month.",
)
_FIRST_NAMES = "Ana Amir Imogen Tomas Greta Oskar Leila Hamish Noor Petra".split()
_LAST_NAMES = "Reis Daud Hale Reyes Lindt Brandt Haddad Muir Rahman Novak".split()


@dataclass(frozen=True, slots=True)
class LocalArticle:
    """One article of the site."""

    number: int
    section: str
    title: str
    author: str
    published: datetime
    paragraphs: tuple[str, ...]
    path: str

    @property
    def is_forbidden(self) -> bool:
        """Whether robots.txt forbids the article."""
        return self.section == MEMBERS

    @property
    def is_in_sitemap(self) -> bool:
        """Whether a sitemap lists the article."""
        return self.number % 10 not in (1, 2)

    @property
    def is_in_section(self) -> bool:
        """Whether its section page, or a later page of the section, links to the article."""
        return self.number % 10 not in (0, 2)

    @property
    def is_letter(self) -> bool:
        """Whether only the Atom feed of letters lists the article."""
        return self.number % 10 == 2


@lru_cache(maxsize=2000)
def make_article(number: int, published: datetime) -> LocalArticle:
    """Generate an article. One of fifteen is in the forbidden section."""
    chance = random.Random(number)
    section = MEMBERS if number % 15 == 7 else SECTIONS[number % len(SECTIONS)]
    subject, action, target = (chance.choice(values) for values in (_SUBJECTS, _ACTIONS, _OBJECTS))
    title = f"{subject[0].upper()}{subject[1:]} {action} {target}, case {number}"
    return LocalArticle(
        number=number,
        section=section,
        title=title,
        author=f"{chance.choice(_FIRST_NAMES)} {chance.choice(_LAST_NAMES)}",
        published=published,
        paragraphs=tuple(_write_paragraph(chance) for _ in range(chance.randint(5, 8))),
        path=_make_path(number, section, title, published),
    )


def find_publication(number: int, first_count: int, new_per_day: int) -> datetime:
    """Return when an article was published: five a day before day 0, then `new_per_day` a day."""
    if number < first_count:
        return FIRST_DAY - timedelta(hours=4.8 * (first_count - number))
    day, place = divmod(number - first_count, new_per_day)
    return FIRST_DAY + timedelta(days=day + 1, minutes=place - 60)


def _write_paragraph(chance: random.Random) -> str:
    opening = (
        f"{chance.choice(_SUBJECTS)} {chance.choice(_ACTIONS)} {chance.choice(_OBJECTS)} in {chance.choice(_PLACES)}."
    )
    details = chance.sample(_DETAILS, chance.randint(2, 3))
    filled = [
        detail.format(
            number=chance.randint(3, 90),
            place=chance.choice(_PLACES),
            name=f"{chance.choice(_FIRST_NAMES)} {chance.choice(_LAST_NAMES)}",
        )
        for detail in details
    ]
    return " ".join([opening[0].upper() + opening[1:], *filled])


def _make_path(number: int, section: str, title: str, published: datetime) -> str:
    """Return the address: with the date, with a number, or with words only, depending on the section."""
    slug = "".join(letter if letter.isalnum() else "-" for letter in title.lower())
    slug = "-".join(part for part in slug.split("-") if part)
    if section == "sport":
        return f"/sport/{slug}-a{100_000 + number}.html"
    if section == "culture":
        return f"/culture/{slug}"
    return f"/{section}/{published:%Y/%m/%d}/{slug}/"
