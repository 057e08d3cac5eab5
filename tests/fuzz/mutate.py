"""Structured mutation: change tags, attributes, texts and bytes of a page."""

from __future__ import annotations

import copy
import json
import re
import sqlite3
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz import nasty

_TOKEN = re.compile(r"(<[^>]*>)")
_TAG_NAMES = (
    "a b i p div span table tr td th caption col ul li ol dl dt dd h1 h2 title head html body script style template "
    "svg math mi foreignObject annotation-xml select option form input button textarea noscript iframe frameset frame "
    "plaintext xmp pre listing br hr img video object applet marquee nobr font ruby rt details summary dialog label "
    "fieldset main article section nav header footer aside figure figcaption blockquote time base meta link x-y"
).split()
_ATTRIBUTE_NAMES = (
    "class id style href src title hidden rel itemprop itemscope itemtype datetime content property name lang dir "
    "colspan rowspan onclick onload srcset alt shadowrootmode type charset http-equiv color data-x xlink:href"
).split()

Tokens = list[str]
_MAX_TOKENS = 20_000


def mutate_page(html: str, random: Random) -> str:
    """Return the page after some random changes."""
    tokens = [token for token in _TOKEN.split(html) if token]
    for _ in range(random.choice((1, 1, 2, 4, 8, 20))):
        if tokens:
            random.choice(_CHANGES)(tokens, random)
            del tokens[_MAX_TOKENS:]
    return "".join(tokens)


def mutate_bytes(data: bytes, random: Random) -> bytes:
    """Return the bytes after some random changes."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 3, 30))):
        at = random.randrange(len(changed) + 1)
        change = random.randrange(4)
        if change == 0:
            changed[at : at + 1] = bytes([random.randrange(256)])
        elif change == 1:
            del changed[at : at + random.randrange(1, 200)]
        elif change == 2:
            changed[at:at] = random.randbytes(random.randrange(1, 20))
        else:
            changed[at:at] = changed[max(at - 500, 0) : at] * random.randrange(1, 10)
    return bytes(changed)


_WRONG_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 2**63, 10**400, 1e308, "", "x", "\0", "\ud800", "a\nb", "9" * 5000, [], {}, [[]]),
    *({"x": None}, [None], [1, "x"], "2024-13-45", "../../x", float("nan"), float("inf"), "=1+1", "\x1b[2J"),
)


def mutate_json(data: bytes, random: Random) -> bytes:
    """Return JSON, or JSON Lines, with a value, a name or a level changed; other data with some bytes changed."""
    lines = data.split(b"\n")
    number = random.randrange(len(lines)) if len(lines) > 1 and data[:1] == b"{" and lines[0][-1:] == b"}" else None
    try:
        value = json.loads(data if number is None else lines[number])
    except (ValueError, RecursionError):
        return mutate_bytes(data, random)
    holder = {"": value}
    places = list(_list_places(holder))
    parent, key = random.choice(places)
    change = random.randrange(5)
    if change == 0 and isinstance(parent, dict) and parent is not holder:
        parent[random.choice(("", "x", "version", "text"))] = parent.pop(key)
    elif change == 1:
        other, other_key = random.choice(places)
        parent[key] = copy.deepcopy(other[other_key])
    else:
        parent[key] = random.choice(_WRONG_VALUES)
    text = json.dumps(holder[""], ensure_ascii=random.random() < 0.5)
    if change == 2:
        text = text.replace("null", "[" * 100_000, 1)
    written = text.encode("utf-8", "surrogatepass")
    return written if number is None else b"\n".join([*lines[:number], written, *lines[number + 1 :]])


def _list_places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _list_places(value[key])


def mutate_sqlite(data: bytes, random: Random) -> bytes:
    """Return a database with a value changed, or with a table, view or trigger more or less."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sqlite"
        path.write_bytes(data)
        try:
            with closing(sqlite3.connect(path)) as database, database:
                _change_database(database, random)
        except (sqlite3.Error, UnicodeError, OverflowError):
            return mutate_bytes(data, random)
        return path.read_bytes()


def _change_database(database: sqlite3.Connection, random: Random) -> None:
    names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    filled = [name for name in names if database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]]
    if not names:
        raise sqlite3.DatabaseError
    table = random.choice(filled or names)
    column = random.choice([row[1] for row in database.execute(f'PRAGMA table_info("{table}")')])
    change = random.randrange(12)
    if change == 0:
        database.execute(f'DROP TABLE "{table}"')
    elif change == 1:
        database.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "x{random.randrange(9)}"')
    elif change == 2:
        database.execute(f'CREATE VIEW v AS SELECT * FROM "{table}"')
    elif change == 3:
        database.execute(f"PRAGMA user_version = {random.randrange(-2, 9)}")
    else:
        (old,) = database.execute(f'SELECT "{column}" FROM "{table}" ORDER BY random() LIMIT 1').fetchone() or (None,)
        value = random.choice(
            [*_WRONG_VALUES[:15], b"", b"\xff\xfe", zlib.compress(b"[" * 100_000), _change_value(old, random)]
        )
        value = value[:1000] if isinstance(value, str) and random.random() < 0.5 else value
        database.execute(f'UPDATE "{table}" SET "{column}" = ?', (value,))


def _change_value(value: Any, random: Random) -> Any:
    """Return a stored value with its content changed: JSON, or compressed JSON."""
    if isinstance(value, bytes):
        with suppress(zlib.error):
            return zlib.compress(mutate_json(zlib.decompress(value), random))
        return mutate_bytes(value, random)
    return mutate_json(value.encode(), random).decode("utf-8", "replace") if isinstance(value, str) else value


def make_tag(random: Random) -> str:
    """Return a random start or end tag."""
    name = random.choice(_TAG_NAMES)
    if random.random() < 0.3:
        return f"</{name}>"
    attributes = "".join(f" {make_attribute(random)}" for _ in range(random.choice((0, 0, 1, 2, 5))))
    return f"<{name}{attributes}{random.choice(('', '', '/'))}>"


def make_attribute(random: Random) -> str:
    """Return a random attribute, quoted in one of the ways or not at all."""
    name = random.choice(_ATTRIBUTE_NAMES) if random.random() < 0.9 else make_text(random)[:20]
    value = random.choice((make_text, make_address, make_date))(random)
    quote = random.choice(("'", '"', '"', ""))
    return f"{name}={quote}{value}{quote}" if random.random() < 0.9 else name


def make_text(random: Random) -> str:
    """Return a random nasty or ordinary text."""
    if random.random() < 0.5:
        return random.choice(nasty.TEXTS)
    if random.random() < 0.4:
        return random.choice(nasty.SCRIPTS)
    return "The council, said the mayor, voted to keep it. " * random.choice((1, 1, 3))


def make_address(random: Random) -> str:
    """Return a random address."""
    return random.choice(nasty.ADDRESSES)


def make_date(random: Random) -> str:
    """Return a random date, or part of one."""
    date = random.choice(nasty.DATES)
    return date[: random.randrange(1, len(date) + 1)] if random.random() < 0.2 else date


def _delete(tokens: Tokens, random: Random) -> None:
    at = random.randrange(len(tokens))
    del tokens[at : at + random.choice((1, 1, 5, 50))]


def _repeat(tokens: Tokens, random: Random) -> None:
    at = random.randrange(len(tokens))
    part = tokens[at : at + random.choice((1, 3, 20))]
    tokens[at:at] = part * random.choice((1, 10, 300))


def _move(tokens: Tokens, random: Random) -> None:
    at, to = random.randrange(len(tokens)), random.randrange(len(tokens))
    part = tokens[at : at + random.choice((1, 10))]
    del tokens[at : at + len(part)]
    tokens[to:to] = part


def _insert_tag(tokens: Tokens, random: Random) -> None:
    tokens.insert(random.randrange(len(tokens) + 1), make_tag(random) * random.choice((1, 1, 1, 50, 600)))


def _insert_text(tokens: Tokens, random: Random) -> None:
    tokens.insert(random.randrange(len(tokens) + 1), make_text(random))


def _insert_script(tokens: Tokens, random: Random) -> None:
    tokens.insert(random.randrange(len(tokens) + 1), random.choice(nasty.SCRIPTS))


def _change_token(tokens: Tokens, random: Random) -> None:
    """Replace, cut or extend a token."""
    at = random.randrange(len(tokens))
    token = tokens[at]
    middle = random.randrange(len(token) + 1)
    changes = (
        token[:middle],
        token[middle:],
        token[:middle] + make_text(random) + token[middle:],
        f"{token[:-1]} {make_attribute(random)}{token[-1:]}",
        token.swapcase(),
        token.replace('"', "'"),
        token.replace(" ", "\0"),
        make_date(random),
    )
    tokens[at] = random.choice(changes)


def _change_values(tokens: Tokens, random: Random) -> None:
    """Replace the attribute values of a tag."""
    at = random.randrange(len(tokens))
    tokens[at] = re.sub(r'"[^"]*"', lambda _: f'"{make_text(random)}"', tokens[at])


def _cut(tokens: Tokens, random: Random) -> None:
    del tokens[random.randrange(len(tokens)) :]


def _wrap(tokens: Tokens, random: Random) -> None:
    """Put the page into many elements."""
    name = random.choice(_TAG_NAMES)
    tokens.insert(random.randrange(len(tokens) + 1), f"<{name}>" * random.choice((5, 100, 600)))


_CHANGES: tuple[Callable[[Tokens, Random], None], ...] = (
    _delete,
    _repeat,
    _move,
    _insert_tag,
    _insert_text,
    _insert_text,
    _insert_script,
    _change_token,
    _change_token,
    _change_values,
    _wrap,
    _cut,
)
