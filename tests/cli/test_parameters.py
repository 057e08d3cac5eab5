"""Commands made of dataclasses: every declared field is an option, with its default, limits and environment variable."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from functools import partial
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from broadsheet.batch import BatchOptions
from broadsheet.cli.extract_command import Request
from broadsheet.cli.parameters import PlainCommand, with_options
from broadsheet.errors import UsageError
from broadsheet.option_field import REQUIRED, argument, find_group, find_option, find_type, group, option, read_date


@dataclass(frozen=True, slots=True)
class Engine:
    """A dataclass inside another one."""

    power: int = option(12_000, "Power of the engine.", least=1)
    seconds: float = option(2.5, "Time to start.", above=0)
    serial: str = option("x", "Not offered.")


@dataclass(frozen=True, slots=True)
class Ship:
    """Options of every kind."""

    name: str = argument(REQUIRED, "Name of the ship.", metavar="NAME")
    ports: tuple[str, ...] = option((), "Port. Can be repeated.", "--port", "-p")
    launched: date | None = option(None, "Day of the launch.", "--from", metavar="DATE", read=read_date)
    has_sails: bool = option(True, "With sails.", "--no-sails", turn_off="Without sails.")
    crew: int | None = option(None, "Number of sailors.")
    code: int = 7  # not an option
    engine: Engine = group(Engine(power=20_000), "power", "seconds")


ships: list[Ship] = []


def sail_command(ship: Ship) -> None:
    """Let a ship sail."""
    ships.append(ship)


def sail(*arguments: str, environment: dict[str, str] | None = None) -> Any:
    """Run the command; return the result."""
    app = typer.Typer()
    app.command("sail", cls=PlainCommand)(partial(with_options, environment=True)(sail_command))
    return CliRunner().invoke(app, list(arguments), env=environment, terminal_width=150)


@pytest.mark.parametrize(
    ("arguments", "ship"),
    [
        (["Ida"], Ship("Ida", engine=Engine(20_000))),
        (["Ida", "-p", "Kiel", "--port", "Oslo"], Ship("Ida", ("Kiel", "Oslo"), engine=Engine(20_000))),
        (
            ["Ida", "--from", "2024-03-16", "--crew", "3"],
            Ship("Ida", (), date(2024, 3, 16), crew=3, engine=Engine(20_000)),
        ),
        (["Ida", "--no-sails", "--power", "5"], Ship("Ida", has_sails=False, engine=Engine(5))),
    ],
)
def test_values(arguments: list[str], ship: Ship) -> None:
    assert sail(*arguments).exit_code == 0
    assert ships.pop() == ship


def test_environment() -> None:
    assert sail("Ida", environment={"BROADSHEET_PORT": "Kiel Oslo", "BROADSHEET_NO_SAILS": "1"}).exit_code == 0
    assert ships.pop() == Ship("Ida", ("Kiel", "Oslo"), has_sails=False, engine=Engine(20_000))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--from", "May"], "--from must be a date such as 2024-03-16, not 'May'"),
        (["--seconds", "0"], "--seconds must be greater than 0, not 0"),
    ],
)
def test_wrong_values(arguments: list[str], message: str) -> None:
    error = sail("Ida", *arguments).exception
    assert isinstance(error, UsageError)
    assert str(error) == message


def test_help_states_defaults_and_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    text = sail("--help").output
    for part in ("NAME", "Without sails.", "[default: (20,000)]", "[default: 2.5]", "BROADSHEET_POWER", "Power of the"):
        assert part in text
    assert "Not offered" not in text
    assert "--code" not in text


@pytest.mark.parametrize("kind", [Request, BatchOptions])
def test_every_option_has_help_and_a_type(kind: type) -> None:
    for field in fields(kind):
        if find_group(field):
            assert is_dataclass(find_type(kind, field.name))
        elif declared := find_option(field):
            assert declared.help.endswith("."), field.name
