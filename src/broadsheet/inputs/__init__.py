"""Files and addresses to captures. Each reader is an iterator of `Capture`."""

from broadsheet.inputs.kinds import Kind, detect_kind, find_page_kind
from broadsheet.inputs.options import ReadOptions
from broadsheet.inputs.read import decode_capture, read_captures, read_stdin

__all__ = [
    "Kind",
    "ReadOptions",
    "decode_capture",
    "detect_kind",
    "find_page_kind",
    "read_captures",
    "read_stdin",
]
