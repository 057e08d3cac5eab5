"""Write the software bill of materials of the wheel: CycloneDX 1.5, from the metadata of the installed packages.

python .ci/sbom.py dist/broadsheet.cdx.json
"""

import hashlib
import json
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = "broadsheet"
# Files of other projects that are part of the wheel: the library of the desk.
VENDORED = {"preact.js": ("preact", "MIT", "LICENSE.preact.txt"), "htm": ("htm", "Apache-2.0", "LICENSE.htm.txt")}
LIB = Path(__file__).parents[1] / "src" / "broadsheet" / "desk" / "static" / "lib"


def main(target: str) -> None:
    """Write the file."""
    names = list_packages(ROOT, {})
    root = describe(ROOT)
    components = [describe(name) for name in sorted(names) if name != ROOT]
    components += [describe_vendored(*row) for row in VENDORED.values()]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": root},
        "components": components,
        "dependencies": [
            {"ref": make_ref(name), "dependsOn": [make_ref(n) for n in names[name]]} for name in sorted(names)
        ],
    }
    path = Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    print(f"{path}: {len(components)} components")


def list_packages(name: str, known: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return what a package needs without extras, and what that needs: name -> names. Absent ones are left out."""
    known[name] = []
    for line in distribution(name).requires or ():
        requirement, _, marker = line.partition(";")
        needed = re.split(r"[\s<>=!~\[(]", requirement.strip(), maxsplit=1)[0].lower().replace("_", "-")
        if "extra" in marker:
            continue
        try:
            distribution(needed)
        except PackageNotFoundError:  # for another system or version of Python
            continue
        known[name].append(needed)
        if needed not in known:
            list_packages(needed, known)
    return known


def make_ref(name: str) -> str:
    """Return the package URL."""
    return f"pkg:pypi/{name}@{distribution(name).version}"


def describe(name: str) -> dict[str, object]:
    """Return the entry of a package."""
    facts = distribution(name)
    license_name = facts.metadata.get("License-Expression") or facts.metadata.get("License") or "unknown"
    entry = {
        "type": "library",
        "bom-ref": make_ref(name),
        "name": name,
        "version": facts.version,
        "purl": make_ref(name),
    }
    return {**entry, "licenses": [{"license": {"name": license_name.splitlines()[0][:100]}}]}


def describe_vendored(name: str, license_name: str, license_file: str) -> dict[str, object]:
    """Return the entry of a file that is part of the wheel. Its hash tells the version."""
    digest = hashlib.sha256((LIB / "preact.js").read_bytes()).hexdigest()
    entry = {
        "type": "library",
        "bom-ref": f"desk/{name}",
        "name": name,
        "hashes": [{"alg": "SHA-256", "content": digest}],
    }
    return {
        **entry,
        "licenses": [{"license": {"id": license_name}}],
        "description": f"in desk/static/lib/preact.js; {license_file}",
    }


if __name__ == "__main__":
    main(sys.argv[1])
