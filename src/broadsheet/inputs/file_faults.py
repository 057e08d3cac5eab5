"""Faults of a file, at the place where a page was read from it. Other faults of a capture are those of its page."""

from __future__ import annotations

from broadsheet.capture import Capture

TRUNCATED_FILE = "the file is truncated"  # fault of a page that is a file of its own
TRUNCATED_RECORD = "the record is truncated"  # of a page whose file ends or is damaged inside it
DAMAGED_RECORD = "the record is damaged"


def find_file_fault(capture: Capture, name: str) -> str:
    """Return what is wrong with the file at the page of a capture; "" for nothing, or for a fault of the page."""
    if capture.fault == TRUNCATED_FILE:
        return f"{name}: {TRUNCATED_FILE}"
    if capture.fault != TRUNCATED_RECORD and DAMAGED_RECORD not in capture.fault:
        return ""
    return f"{name}: truncated or damaged in the record at byte {capture.source_offset}"
