"""The configuration of a watch: a TOML file. Every mistake in it is one line that names the place."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from pathlib import Path
from typing import Any

from broadsheet.article import Article
from broadsheet.errors import UsageError, describe_unknown
from broadsheet.fields import FIELDS
from broadsheet.site.health import HealthLimits
from broadsheet.text import UNSPACED
from broadsheet.watch.state import EventKind
from broadsheet.web import find_fault

_LIMITS = HealthLimits()
# Scripts in which words may stand beside each other: without spaces, or, in Korean, with particles at their end.
_JOINED = UNSPACED + "\uac00-\ud7a3"
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|d)")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}  # seconds
_SITE_NAME = re.compile(r"[\w.-]{1,80}")
_MAX_DAYS = 36_500  # a longer duration, subtracted from now, could precede the first date that Python has
_FIELD_NAMES = tuple(column.name for column in FIELDS)


@dataclass(frozen=True, slots=True)
class WatchedSite:
    """The settings of one site. Times are durations such as "90s", "15m", "24h", "7d"."""

    name: str  # the name of the table: [sites.NAME]
    url: str  # address of the home page, or of a section page
    template: Path | None = None  # saved by `broadsheet site learn`; by default learned from the first pages
    method: str | None = None  # extraction method; see `broadsheet methods`
    days: float = 2.0  # older articles are not reported as new; articles without a date are
    recheck: timedelta = timedelta(days=3)  # how long articles are fetched again to detect changes
    max_new: int = 200  # new articles fetched in one poll; the rest follow in the next polls
    max_files: int = 100  # feeds, sitemaps and pages read in one poll
    max_pages: int = 3  # pages of one section
    delay: float = 0.5  # seconds between two requests
    timeout: float = 30.0  # seconds for one response
    allow_private: bool = False  # also fetch from private addresses
    silence: timedelta | None = timedelta(days=2)  # alarm: no new article for this long
    fields: tuple[str, ...] = ("title", "date")  # alarm: one of them is missing in half of the articles
    min_confidence: float = _LIMITS.min_confidence  # alarm: mean confidence below this
    max_confidence_drop: float = _LIMITS.max_confidence_drop  # alarm: mean confidence fell by this much


@dataclass(frozen=True, slots=True)
class WatchAlert:
    """What is looked for in new articles: an article matches with one of the words or one of the authors."""

    name: str  # the name of the table: [alerts.NAME]
    words: tuple[str, ...] = ()  # words or phrases of title, text or description; upper and lower case are the same
    authors: tuple[str, ...] = ()  # names, or parts of names

    def find_matches(self, article: Article) -> list[str]:
        """Return the words and authors that an article matches."""
        text = "\n".join((article.title or "", article.description or "", article.text))
        names = "\n".join(article.authors)
        return [word for word in self.words if _has_phrase(text, word)] + [
            name for name in self.authors if _has_phrase(names, name)
        ]


def _has_phrase(text: str, phrase: str) -> bool:
    words = phrase.split()
    is_joined = [re.match(f"[{_JOINED}]", character) for character in (words[0][0], words[-1][-1])]
    start, end = ("" if is_joined[0] else rf"(?<![^\W{_JOINED}])"), ("" if is_joined[1] else rf"(?![^\W{_JOINED}])")
    return re.search(start + r"\s+".join(map(re.escape, words)) + end, text, re.IGNORECASE) is not None


@dataclass(frozen=True, slots=True)
class WatchConfig:
    """The settings of a watch."""

    sites: tuple[WatchedSite, ...]  # one table per site: [sites.NAME]
    state: Path  # SQLite file; default: beside the configuration
    output: Path | None = None  # file of events, one JSON object per line; None: stdout
    cache: Path | None = None  # folder of responses; default: beside the state
    warc: Path | None = None  # folder of web archives, one file per site and poll
    feed: Path | None = None  # Atom file of the newest 100 articles, written after each poll
    webhook: str | None = None  # address that events are sent to
    webhook_events: tuple[str, ...] = ("alarm", "resolved")  # the kinds of events that are sent to it
    alerts: tuple[WatchAlert, ...] = ()  # what to look for in new articles: tables [alerts.NAME]
    every: timedelta = timedelta(minutes=15)  # time between two polls

    @property
    def cache_folder(self) -> Path:
        """The folder of responses."""
        return self.cache or self.state.with_name(f"{self.state.name}.cache")


def load_config(path: Path) -> WatchConfig:
    """Read a configuration. Raises UsageError with the file, the place and the mistake in one line."""
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"there is no file {path}; broadsheet watch --help shows an example") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is not UTF-8 text"
        raise UsageError(f"cannot read {path}: {reason}") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from error
    return _Reader(path).read(values)


class _Reader:
    """Reads the values of one file; paths in it are relative to its folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, values: Mapping[str, Any]) -> WatchConfig:
        self._check_names(values, {setting.name for setting in fields(WatchConfig)}, "")
        tables = ("sites", "alerts")
        sites = values.get("sites")
        if not isinstance(sites, dict) or not sites:
            raise self._fail("sites", 'has no site; add a table such as [sites.courier] with url = "https://..."')
        read = {
            name: self._read_value(name, value, WatchConfig) for name, value in values.items() if name not in tables
        }
        read.setdefault("state", self._path.with_suffix(".sqlite"))
        if read.get("every") == timedelta():
            raise self._fail("every", 'must be longer than 0, such as "15m"')
        if not isinstance(alerts := values.get("alerts", {}), dict):
            raise self._fail("alerts", 'must be tables: [alerts.ferry] with words = ["ferry"]')
        read["alerts"] = tuple(self._read_alert(name, alert) for name, alert in alerts.items())
        return WatchConfig(sites=tuple(self._read_site(name, site) for name, site in sites.items()), **read)

    def _read_alert(self, name: str, values: object) -> WatchAlert:
        place = f"alerts.{name}"
        if not isinstance(values, dict):
            raise self._fail(place, 'must be a table with words = ["..."] or authors = ["..."]')
        self._check_names(values, {"words", "authors"}, f"{place}.")
        read = {key: self._read_value(key, value, WatchAlert, f"{place}.") for key, value in values.items()}
        if not any(read.values()) or not all(text.strip() for texts in read.values() for text in texts):
            raise self._fail(place, 'needs words = ["..."] or authors = ["..."]')
        return WatchAlert(name, **read)

    def _read_site(self, name: str, values: object) -> WatchedSite:
        place = f"sites.{name}"
        if not _SITE_NAME.fullmatch(name):
            raise self._fail(place, "is not a name; use letters, digits, dots and hyphens")
        if not isinstance(values, dict):
            raise self._fail(place, f'must be a table: [{place}] with url = "https://..."')
        self._check_names(values, {setting.name for setting in fields(WatchedSite)} - {"name"}, f"{place}.")
        if "url" not in values:
            raise self._fail(f"{place}.url", "is missing; it is the address of the home page")
        read = {key: self._read_value(key, value, WatchedSite, f"{place}.") for key, value in values.items()}
        return WatchedSite(name=name, **read)

    def _check_names(self, values: Mapping[str, Any], known: set[str], prefix: str) -> None:
        for name in values:
            if name not in known:
                raise UsageError(f"{self._path}: {describe_unknown('setting', prefix + name, sorted(known), name)}")

    def _read_value(self, name: str, value: object, kind: type, prefix: str = "") -> Any:
        type_name = str(next(setting.type for setting in fields(kind) if setting.name == name))
        read = _READERS[type_name.removesuffix(" | None")]
        try:
            checked = read(value)
            if name in ("url", "webhook") and (fault := find_fault(str(checked))):
                raise ValueError(fault)
            if name in ("min_confidence", "max_confidence_drop") and checked > 1:
                raise ValueError("must be a number from 0 to 1")
            if name == "days" and checked > _MAX_DAYS:
                raise ValueError(f"must be at most {_MAX_DAYS}")
            if name == "webhook_events" and (unknown := [item for item in checked if item not in list(EventKind)]):
                raise ValueError(describe_unknown("event", unknown[0], [kind.value for kind in EventKind]))
            if name == "fields" and (unknown := [item for item in checked if item not in _FIELD_NAMES]):
                raise ValueError(describe_unknown("field", unknown[0], _FIELD_NAMES))
        except ValueError as error:
            raise self._fail(prefix + name, f"= {value!r:.80}: {error}") from error
        return self._path.parent / checked if isinstance(checked, Path) else checked

    def _fail(self, place: str, reason: str) -> UsageError:
        return UsageError(f"{self._path}: {place} {reason}")


def _read_text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a text in quotes")
    return value.strip()


def _read_path(value: object) -> Path:
    return Path(_read_text(value)).expanduser()


def _read_integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError("must be an integer of at least 1")
    return value


def _read_number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ValueError("must be a number of at least 0")
    return float(value)


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _read_names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError('must be a list of texts, such as ["title", "date"]')
    return tuple(value)


def read_duration(value: object) -> timedelta:
    """Read a duration such as "15m". Raises ValueError."""
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError('must be a duration such as "90s", "15m", "24h" or "7d"')
    seconds = float(match[1]) * _UNITS[match[2]]
    if seconds > _MAX_DAYS * _UNITS["d"]:
        raise ValueError(f"must be at most {_MAX_DAYS} days")
    return timedelta(seconds=seconds)


# By the type of the setting, as it is written in the class.
_READERS: dict[str, Any] = {
    "str": _read_text,
    "Path": _read_path,
    "int": _read_integer,
    "float": _read_number,
    "bool": _read_flag,
    "timedelta": read_duration,
    "tuple[str, ...]": _read_names,
}
