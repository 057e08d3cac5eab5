"""Delivery of events: to the output exactly once, to the webhook at least once."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from broadsheet.errors import FetchError
from broadsheet.watch.state import State, WaitingEvent
from broadsheet.web.fetch import post_json

_BATCH = 500  # events written together


def write_events(state: State, output: Path | None) -> list[str]:
    """Write the waiting events to the output file, or to stdout; return their lines."""
    lines: list[str] = []
    while events := state.list_unwritten(_BATCH):
        if output is None:
            _print_events(events)
        else:
            _append_events(state, output, events)
        with state.change():
            state.mark_written(event.number for event in events)
            if output is not None:
                state.save_output_size(str(output.absolute()), output.stat().st_size)
        lines += [event.line for event in events]
    return lines


def _print_events(events: list[WaitingEvent]) -> None:
    for event in events:
        sys.stdout.write(f"{event.line}\n")
    sys.stdout.flush()


def _append_events(state: State, output: Path, events: list[WaitingEvent]) -> None:
    """Append events to a file.

    A process that was killed may have written some of them already, the last one in part. These are at the end of the
    file, after the bytes that are known to be complete; writing continues where it stopped.
    """
    data = "".join(f"{event.line}\n" for event in events).encode("utf-8", "replace")
    output.touch()
    with output.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        complete = _find_complete_size(state, output, size)
        file.seek(complete)
        tail = file.read(len(data) + 1)
        data = data.removeprefix(tail)
        file.seek(0, os.SEEK_END)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _find_complete_size(state: State, output: Path, size: int) -> int:
    """Return how many bytes of the file are complete: all of it, if the file is new to the watch or was shortened."""
    complete = state.find_output_size(str(output.absolute()))
    if complete is None or complete > size:
        with state.change():
            state.save_output_size(str(output.absolute()), size)
        return size
    return complete


def send_alarms(state: State, webhook: str | None) -> list[str]:
    """Send the waiting alarms to the webhook; return the reasons of failures. Failed ones are sent again next time."""
    problems = []
    for event in state.list_unsent():
        if webhook is not None:
            try:
                post_json(webhook, event.line)
            except FetchError as error:
                problems.append(f"cannot send an alarm: {error}")
                break
        with state.change():
            state.mark_sent(event.number)
    return problems
