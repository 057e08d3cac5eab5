"""Quirks mode: document types for which browsers use the layout rules of the 1990s (HTML standard, 13.2.6.4.1)."""

from __future__ import annotations

_PUBLIC_ID_PREFIXES = (
    "+//silmaril//",
    "-//advasoft ltd//",
    "-//as//",
    "-//ietf//",
    "-//metrius//",
    "-//microsoft//",
    "-//netscape comm. corp.//",
    "-//o'reilly and associates//",
    "-//softquad//",
    "-//spyglass//",
    "-//sq//",
    "-//sun microsystems corp.//",
    "-//w3c//dtd html 3",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental",
    "-//w3c//dtd w3 html",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//",
)
_PUBLIC_IDS = ("-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html")
_PREFIXES_WITHOUT_SYSTEM_ID = ("-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//")


def is_quirky_doctype(name: str | None, public_id: str | None, system_id: str | None) -> bool:
    """Tell whether a document type puts browsers into quirks mode."""
    if (name or "").lower() != "html":
        return True
    public_id = (public_id or "").lower()
    if public_id.startswith(_PUBLIC_ID_PREFIXES) or public_id in _PUBLIC_IDS:
        return True
    return system_id is None and public_id.startswith(_PREFIXES_WITHOUT_SYSTEM_ID)
