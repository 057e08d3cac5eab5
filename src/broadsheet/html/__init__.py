"""HTML to a flat node table: the first step of the flow."""

import broadsheet.compiled  # noqa: F401 - decides whether compiled modules are used
