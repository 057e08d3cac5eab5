"""Peers for tests, whose interpreter is a program that violates the worker protocol."""

from __future__ import annotations

import sys
from pathlib import Path

from broadsheet.evaluation.contenders import Contender

_PROLOGUE = """
import pickle, sys
requests, responses = sys.stdin.buffer, sys.stdout.buffer
def send(kind, value):
    responses.write(pickle.dumps((kind, value)))
    responses.flush()
def receive():
    return pickle.load(requests)
receive(), receive()  # sys.path, setup
"""


# Answers the warm-up page, and dies on any other.
DIES_ON_PAGES = """
send("ready", None)
while True:
    _, (html, url, lang), seconds = receive()
    if "Warm up" not in html: sys.exit(3)
    send("response", {"text": ""})
    send("done", None)
"""


def answer_always(values: dict[str, str]) -> str:
    """Return a program that gives the same answer to every request."""
    return f"send('ready', None)\nwhile True: receive(), send('response', {values!r}), send('done', None)"


def make_peer(folder: Path, program: str, name: str = "turbohtml") -> Contender:
    """Return a peer whose interpreter runs a program after it has received its setup."""
    (folder / "program.py").write_text(_PROLOGUE + program)
    python = folder / "python"
    python.write_text(f"#!/bin/sh\nexec {sys.executable} {folder / 'program.py'}\n")
    python.chmod(0o755)
    return Contender(name, "1", frozenset(("text",)), is_peer=True, python=python)
