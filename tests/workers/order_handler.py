"""A handler for tests that does what each request orders. Other interpreters load it: standard library only."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no message")


ERRORS: dict[str, BaseException] = {
    "value": ValueError("broken"),
    "unprintable": Unprintable(),
    "exit": SystemExit(3),
    "pipe": BrokenPipeError("the handler's pipe"),
    "end": EOFError("the handler's file"),
    "interrupt": KeyboardInterrupt(),
}


def raise_error(name: str) -> Iterable[object]:
    raise ERRORS[name]


def print_text(text: str) -> Iterable[object]:
    print(text)
    os.write(1, text.encode())
    return ["printed"]


def sleep(seconds: float) -> Iterable[object]:
    time.sleep(seconds)
    return ["slept"]


def open_handler(greeting: str) -> Callable[[tuple[str, Any]], Iterable[object]]:
    """Return the handler; called in the worker process."""
    orders: dict[str, Callable[[Any], Iterable[object]]] = {
        "greet": lambda name: [f"{greeting} {name}"] * 3,
        "pid": lambda _: [os.getpid()],
        "sleep": sleep,
        "exit": lambda code: os._exit(code),
        "raise": raise_error,
        "unpicklable": lambda value: [lambda: value],
        "print": print_text,
        "read": lambda _: [sys.stdin.read(), os.read(0, 10)],
        "environment": lambda name: [os.environ.get(name)],
        "allocate": lambda size: [len(bytearray(size))],
    }
    return lambda request: orders[request[0]](request[1])
